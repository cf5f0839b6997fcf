package io.k8sdns.json;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.HostAlias;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads Pods and the templates of Pods. */
final class PodReader {
    private final ObjectReader.Sink sink;

    PodReader(ObjectReader.Sink sink) {
        this.sink = sink;
    }

    void readPod(Field object, Metadata metadata) {
        Field spec = object.get("spec");
        Field status = object.get("status");
        if (!spec.isMappingOrAbsent() || !status.isMappingOrAbsent()) {
            return;
        }
        List<Field> given = new ArrayList<>();
        status.get("podIPs").items().forEach(entry -> given.add(entry.get("ip")));
        Field single = status.get("podIP");
        if (given.isEmpty() && !single.isAbsentOrEmpty()) {
            given.add(single);
        }
        List<IpAddress> addresses = new ArrayList<>();
        given.forEach(entry -> FieldValues.address(entry).ifPresent(addresses::add));
        Pod.Builder builder = Pod.builder(metadata).ips(addresses);
        phase(status.get("phase")).ifPresent(builder::phase);
        ready(status.get("conditions")).ifPresent(builder::ready);
        builder.terminating(!object.get("metadata").get("deletionTimestamp").isAbsent());
        spec.get("hostNetwork").truth().ifPresent(builder::hostNetwork);
        FieldValues.hostname(spec.get("hostname")).ifPresent(builder::hostname);
        subdomain(spec).ifPresent(builder::subdomain);
        FieldValues.nodeName(spec).ifPresent(builder::nodeName);
        dnsPolicy(spec).ifPresent(word -> builder.dnsPolicy(word));
        dnsConfig(spec).ifPresent(builder::dnsConfig);
        builder.hostAliases(hostAliases(spec));
        os(spec).ifPresent(builder::os);
        Pod pod = builder.ports(containerPorts(spec)).build();
        sink.add(object, pod.ref(), pod, addresses.isEmpty() && !given.isEmpty());
    }

    /**
     * Reads the phase. An unknown phase is UNKNOWN and not absent, because an absent phase would be completed to
     * Running.
     */
    private static Optional<PodPhase> phase(Field field) {
        if (field.isAbsentOrEmpty()) {
            return Optional.empty();
        }
        return Optional.of(FieldValues.parsed(field, PodPhase::tryParse, "invalid-phase", "not the phase of a Pod")
                .orElse(PodPhase.UNKNOWN));
    }

    /** Returns whether the condition {@code Ready} is True, as a controller reads it; empty if the Pod has no conditions at all. */
    private static Optional<Boolean> ready(Field conditions) {
        List<Field> given = conditions.items();
        if (given.isEmpty()) {
            return Optional.empty();
        }
        boolean isReady = false;
        for (Field condition : given) {
            if (condition.get("type").hasText("Ready")) {
                isReady = condition.get("status").text().equals(Optional.of("True"));
            }
        }
        return Optional.of(isReady);
    }

    /** Returns the policy as written, because with an unknown one the Pod has an unknown search list, and with none the usual one. */
    private static Optional<String> dnsPolicy(Field spec) {
        return spec.get("dnsPolicy").text().filter(word -> !word.isEmpty());
    }

    private static Optional<DnsConfig> dnsConfig(Field spec) {
        Field config = spec.get("dnsConfig");
        if (config.mapping().isEmpty()) {
            return Optional.empty();
        }
        List<DnsConfig.Option> options = new ArrayList<>();
        for (Field option : config.get("options").items()) {
            options.add(new DnsConfig.Option(
                    option.get("name").text().orElse(""), option.get("value").text()));
        }
        return Optional.of(new DnsConfig(texts(config.get("nameservers")), texts(config.get("searches")), options));
    }

    /** Returns the aliases, also those with an invalid address: the others keep their places in the list. */
    private static List<HostAlias> hostAliases(Field spec) {
        List<HostAlias> aliases = new ArrayList<>();
        spec.get("hostAliases")
                .items()
                .forEach(alias ->
                        aliases.add(new HostAlias(alias.get("ip").text().orElse(""), texts(alias.get("hostnames")))));
        return aliases;
    }

    private static List<String> texts(Field list) {
        List<String> texts = new ArrayList<>();
        list.items().forEach(entry -> entry.text().ifPresent(texts::add));
        return texts;
    }

    /**
     * Returns the operating system. Many Pods for Windows have only the node selector, because the scheduler ignores {@code spec.os}.
     */
    private static Optional<String> os(Field spec) {
        return spec.get("os")
                .get("name")
                .text()
                .or(() -> spec.get("nodeSelector").get("kubernetes.io/os").scalarText())
                .filter(name -> !name.isEmpty());
    }

    /**
     * Returns the named ports of the containers, then those of the sidecars, in the order in which the EndpointSlice
     * controller searches them.
     */
    private static List<ContainerPort> containerPorts(Field spec) {
        List<ContainerPort> ports = new ArrayList<>();
        for (Field container : spec.get("containers").items()) {
            addContainerPorts(ports, container);
        }
        for (Field container : spec.get("initContainers").items()) {
            if (container.get("restartPolicy").hasText("Always")) {
                addContainerPorts(ports, container);
            }
        }
        return ports;
    }

    private static void addContainerPorts(List<ContainerPort> ports, Field container) {
        for (Field field : container.get("ports").items()) {
            PortFields.port(field, PodReader::containerPort).ifPresent(ports::add);
        }
    }

    private static Optional<ContainerPort> containerPort(Field field) {
        Optional<String> name = field.get("name").text().filter(text -> !text.isEmpty());
        if (name.isEmpty()) {
            return Optional.empty();
        }
        Optional<Integer> number = PortFields.portNumber(field, "containerPort");
        Optional<Protocol> protocol = PortFields.protocol(field);
        return number.isPresent() && protocol.isPresent()
                ? Optional.of(new ContainerPort(name.get(), protocol.get(), number.get()))
                : Optional.empty();
    }

    /**
     * Reads the template of a workload's Pods.
     *
     * @param ofStatefulSet whether the workload is a StatefulSet, which chooses the hostname and the subdomain
     * @return empty if a part of it is no mapping, which was reported
     */
    static Optional<PodTemplate> template(Field template, boolean ofStatefulSet) {
        if (!template.isMappingOrAbsent() || !template.get("spec").isMappingOrAbsent()) {
            return Optional.empty();
        }
        // Notes only, because API servers did not validate the templates of StatefulSets for years.
        Field spec = template.get("spec").withWarningsAsNotes();
        // They always refused the other workloads with names that no Pod can have.
        Field names = ofStatefulSet ? spec : template.get("spec");
        PodTemplate.Builder pods = PodTemplate.builder()
                .labels(FieldValues.labels(
                        template.get("metadata").get("labels").members()))
                .hostNetwork(spec.get("hostNetwork").truth().orElse(false))
                .hostAliases(hostAliases(spec))
                .nodeSelector(FieldValues.labels(spec.get("nodeSelector").members()))
                .ports(containerPorts(spec));
        FieldValues.hostname(names.get("hostname")).ifPresent(pods::hostname);
        subdomain(names).ifPresent(pods::subdomain);
        FieldValues.nodeName(spec).ifPresent(pods::nodeName);
        dnsPolicy(spec).ifPresent(word -> pods.dnsPolicy(word));
        dnsConfig(spec).ifPresent(pods::dnsConfig);
        os(spec).ifPresent(pods::os);
        return Optional.of(pods.build());
    }

    private static Optional<String> subdomain(Field spec) {
        return FieldValues.name(
                spec.get("subdomain"), KubernetesNames::isDnsLabel, "invalid-subdomain", "not a DNS label");
    }
}
