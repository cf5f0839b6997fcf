package io.k8sdns.manifest.checks;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.json.Field;
import io.k8sdns.json.FieldValues;
import io.k8sdns.json.ObjectReader;
import io.k8sdns.json.PortFields;
import io.k8sdns.json.ServiceReader;
import io.k8sdns.model.CronJob;
import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Job;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ReplicaWorkload;
import io.k8sdns.model.Service;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.resolvconf.NodeDns;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reports values that an API server refuses in a new object, in its words. They are faults like any other: the object
 * is used only if every object of its name has a fault.
 *
 * <p>Reports only values that every version from 1.23 on refuses, whatever the configuration and the content of the cluster. A
 * {@code nodePort} has to be a port number here; a real API server also requires that it is in a configured range and
 * not allocated. Search domains of a Pod are checked by the rules of the newest version, which are the most permissive.
 * In the template of a workload, only an invalid {@code restartPolicy} is a fault, because API servers did not validate
 * the rest of its spec for years; some other invalid values are reported as notes. Quotas, admission and immutable fields
 * are not checked, because they depend on the cluster.
 *
 * <p>{@link KnownTypes} finds values that cannot be decoded, {@link RequiredFields} finds missing values, and
 * {@link ObjectReader} reports values that it cannot read.
 *
 * <p>Source: the {@code validation} packages below {@code pkg/apis} of Kubernetes.
 */
final class ApiServerValidation {
    private static final String FORBIDDEN = "invalid-field";
    private static final int LONGEST_AFFINITY_SECONDS = 86400;
    private static final int MAX_ADDRESSES = 100;
    private static final Set<String> STANDARD_FINALIZERS = Set.of("kubernetes", "orphan", "foregroundDeletion");
    private static final Pattern RANGE = Pattern.compile("([^/]*)/0*([0-9]{1,3})");

    /** The newest node, whose limits for search domains are the widest. */
    private static final NodeDns NODE = NodeDns.builder().build();

    private ApiServerValidation() {}

    /** Reports the values of an object of this kind that an API server refuses. */
    static void check(Field object, String kind) {
        metadata(object.get("metadata"));
        Field spec = object.get("spec");
        switch (kind) {
            case Service.KIND -> service(spec);
            case Pod.KIND -> {
                podSpec(spec);
                oneOf(spec.get("restartPolicy"), "Always", "Never", "OnFailure");
                containers(spec);
                dnsConfig(object);
            }
            case StatefulSet.KIND -> {
                template(spec.get("template"), "Always");
                statefulSet(spec);
            }
            case DaemonSet.KIND,
                    ReplicaWorkload.DEPLOYMENT,
                    ReplicaWorkload.REPLICA_SET,
                    ReplicaWorkload.REPLICATION_CONTROLLER -> {
                template(spec.get("template"), "Always");
                notNegative(spec.get("minReadySeconds"));
            }
            case Job.KIND -> jobTemplate(spec.get("template"));
            case CronJob.KIND -> jobTemplate(spec.get("jobTemplate").get("spec").get("template"));
            case EndpointSlice.KIND -> endpointSlice(object);
            case Endpoints.KIND -> {
                for (Field subset : object.get("subsets").entries()) {
                    for (String list : List.of("addresses", "notReadyAddresses")) {
                        for (Field address : subset.get(list).entries()) {
                            endpointAddress(address.get("ip"));
                            notEmpty(address.get("nodeName"));
                        }
                    }
                    applicationProtocols(subset.get("ports"));
                    portNames(subset.get("ports").entries());
                }
            }
            default -> {}
        }
    }

    private static void metadata(Field metadata) {
        annotations(metadata.get("annotations"));
        noNulls(metadata.get("finalizers"));
        metadata.get("finalizers").entries().forEach(ApiServerValidation::finalizer);
        for (Field owner : metadata.get("ownerReferences").entries()) {
            String apiVersion = textOf(owner.get("apiVersion"));
            requireOwner(owner.get("apiVersion"), apiVersion.substring(apiVersion.indexOf('/') + 1));
            for (String name : List.of("kind", "name", "uid")) {
                requireOwner(owner.get(name), textOf(owner.get(name)));
            }
        }
    }

    private static void finalizer(Field field) {
        qualifiedName(field);
        String text = textOf(field);
        if (KubernetesNames.isQualifiedName(text) && text.indexOf('/') < 0 && !STANDARD_FINALIZERS.contains(text)) {
            field.warn(
                    "invalid-name",
                    "neither a standard finalizer nor a name with a domain, such as example.org/cleanup");
        }
    }

    private static void requireOwner(Field field, String text) {
        if (text.isEmpty()) {
            field.warn("invalid-owner", "must not be empty");
        }
    }

    /** An API server converts the keys to lower case before it checks them, so the prefix may be in upper case. */
    private static void annotations(Field annotations) {
        annotations.members().forEach((key, field) -> {
            if (!KubernetesNames.isQualifiedName(key.toLowerCase(Locale.ROOT))) {
                field.warn("invalid-annotation", "not an annotation key: \"" + key + "\"");
            }
        });
    }

    /** Reports text that is not a qualified name; the empty text is reported, an absent field is ignored. */
    private static void qualifiedName(Field field) {
        field.scalarText()
                .filter(text -> !KubernetesNames.isQualifiedName(text))
                .ifPresent(text -> field.warn("invalid-name", "not a qualified name: \"" + text + "\""));
    }

    private static void applicationProtocols(Field ports) {
        ports.entries().forEach(port -> qualifiedName(port.get("appProtocol")));
    }

    private static void endpointSlice(Field object) {
        boolean isFqdn = object.get("addressType").hasText("FQDN");
        for (Field endpoint : object.get("endpoints").entries()) {
            List<Field> addresses = endpoint.get("addresses").entries();
            notEmpty(endpoint.get("hostname"));
            notEmpty(endpoint.get("nodeName"));
            if (isFqdn) {
                fqdnEndpoint(endpoint, addresses);
            } else {
                addresses.forEach(ApiServerValidation::endpointAddress);
            }
        }
        applicationProtocols(object.get("ports"));
        object.get("ports").entries().forEach(port -> notEmpty(port.get("protocol")));
    }

    /** Checks an endpoint of type FQDN completely, because {@link ObjectReader} does not read it. */
    private static void fqdnEndpoint(Field endpoint, List<Field> addresses) {
        if (addresses.isEmpty()) {
            endpoint.get("addresses").warn("invalid-endpoint", "an endpoint without an address");
        }
        if (addresses.size() > MAX_ADDRESSES) {
            addresses
                    .get(MAX_ADDRESSES)
                    .warn("invalid-address", "more than " + MAX_ADDRESSES + " addresses of one endpoint");
        }
        for (Field address : addresses) {
            String text = textOf(address);
            String name = withoutFinalDot(text);
            if (name.indexOf('.') < 0 || !KubernetesNames.isDnsSubdomain(name)) {
                address.warn("invalid-address", "not a DNS name of at least two labels: \"" + text + "\"");
            }
        }
        FieldValues.hostname(endpoint.get("hostname"));
        FieldValues.nodeName(endpoint);
    }

    private static void portNames(List<Field> ports) {
        for (Field port : ports) {
            if (ports.size() > 1 && port.get("name").isAbsentOrEmpty()) {
                port.get("name").warn("invalid-port", "Required value, as the subset has several ports");
            }
        }
    }

    private static void service(Field spec) {
        servicePorts(spec.get("ports").entries());
        noNulls(spec.get("ipFamilies"));
        noNulls(spec.get("externalIPs"));
        noNulls(spec.get("loadBalancerSourceRanges"));
        applicationProtocols(spec.get("ports"));
        nodePorts(spec);
        sessionAffinity(spec);
        externalTraffic(spec);
        loadBalancer(spec);
        oneOf(spec.get("internalTrafficPolicy"), "Cluster", "Local");
        notEmpty(spec.get("internalTrafficPolicy"));
        if (spec.get("type").hasText("ExternalName")) {
            externalName(spec);
        } else {
            ignoredExternalName(spec);
            clusterIps(spec);
            families(ServiceReader.givenClusterIps(spec), spec.get("ipFamilies").entries());
            singleStack(spec);
        }
    }

    /** Notes an external name that the API server accepts with a warning, and that makes no record. */
    private static void ignoredExternalName(Field spec) {
        Field name = spec.get("externalName");
        if (!name.isAbsentOrEmpty()) {
            name.note("ignored-external-name", "ignored, as spec.type is not ExternalName");
        }
    }

    private static void servicePorts(List<Field> ports) {
        Set<String> known = new HashSet<>();
        boolean isFirstWithoutName = true;
        for (Field port : ports) {
            if (!port.isMappingOrAbsent()) {
                continue;
            }
            // ObjectReader reports the second port without a name and later ones.
            if (ports.size() > 1 && isFirstWithoutName && port.get("name").isAbsentOrEmpty()) {
                port.get("name").warn("invalid-port", "Required value, as the Service has several ports");
                isFirstWithoutName = false;
            }
            Optional<Integer> number = PortFields.portNumber(port, "port");
            Optional<Protocol> protocol = PortFields.protocol(port);
            if (number.isPresent() && protocol.isPresent()) {
                String text = protocol.get() + " port " + number.get();
                if (!known.add(text)) {
                    port.warn("duplicate-port", "Duplicate value: " + text);
                }
            }
        }
    }

    private static void nodePorts(Field spec) {
        boolean isClusterIp =
                spec.get("type").isAbsentOrEmpty() || spec.get("type").hasText("ClusterIP");
        Set<String> known = new HashSet<>();
        for (Field port : spec.get("ports").entries()) {
            Field field = port.get("nodePort");
            int number = optionalPort(field);
            if (number == 0) {
                continue;
            }
            if (isClusterIp) {
                field.warn(FORBIDDEN, "Forbidden: may not be used when `type` is 'ClusterIP'");
            }
            Optional<Protocol> protocol = PortFields.protocol(port);
            if (protocol.isPresent() && !known.add(protocol.get() + " " + number)) {
                field.warn("duplicate-port", "Duplicate value: " + number);
            }
        }
    }

    /** Reports a port number that is out of range; returns 0 for that and for an absent one. */
    private static int optionalPort(Field field) {
        int number = field.number().orElse(0);
        if (number >= 0 && number <= 65535) {
            return number;
        }
        field.warn("invalid-port", "not a port number (1 to 65535): " + number);
        return 0;
    }

    /** With None, the default, the API server drops {@code sessionAffinityConfig} without checking it. */
    private static void sessionAffinity(Field spec) {
        oneOf(spec.get("sessionAffinity"), "ClientIP", "None");
        Field timeout = spec.get("sessionAffinityConfig").get("clientIP").get("timeoutSeconds");
        if (spec.get("sessionAffinity").hasText("ClientIP")) {
            timeout.number()
                    .filter(seconds -> seconds <= 0 || seconds > LONGEST_AFFINITY_SECONDS)
                    .ifPresent(seconds -> timeout.warn(
                            "invalid-number",
                            "must be greater than 0 and less than or equal to " + LONGEST_AFFINITY_SECONDS + ": "
                                    + seconds));
        }
    }

    private static void externalTraffic(Field spec) {
        List<Field> externalIps = spec.get("externalIPs").entries();
        for (Field field : externalIps) {
            Optional<String> text = field.scalarText();
            Optional<IpAddress> address = text.flatMap(IpAddress::tryParse);
            if (text.isPresent() && address.isEmpty()) {
                field.warn("invalid-address", "not an IP address: \"" + text.get() + "\"");
            }
            endpointAddress(field);
        }
        Field type = spec.get("type");
        Field policy = spec.get("externalTrafficPolicy");
        boolean isExternal = type.hasText("LoadBalancer")
                || type.hasText("NodePort")
                || !type.hasText("ExternalName") && !externalIps.isEmpty();
        if (isExternal) {
            oneOf(policy, "Cluster", "Local");
        } else if (!policy.isAbsentOrEmpty()) {
            policy.warn(FORBIDDEN, "may only be set for externally-accessible services");
        }
        Field healthCheck = spec.get("healthCheckNodePort");
        boolean hasHealthCheck = type.hasText("LoadBalancer") && policy.hasText("Local");
        if (optionalPort(healthCheck) != 0 && !hasHealthCheck) {
            healthCheck.warn(
                    FORBIDDEN, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
        }
    }

    private static void loadBalancer(Field spec) {
        if (spec.get("type").hasText("LoadBalancer")) {
            qualifiedName(spec.get("loadBalancerClass"));
            spec.get("loadBalancerSourceRanges").entries().forEach(ApiServerValidation::sourceRange);
            return;
        }
        for (String name : List.of("loadBalancerSourceRanges", "loadBalancerClass", "allocateLoadBalancerNodePorts")) {
            Field field = spec.get(name);
            if (!field.isAbsent() && !field.isEmptyList()) {
                field.warn(FORBIDDEN, "Forbidden: may only be used when `type` is 'LoadBalancer'");
            }
        }
    }

    private static void sourceRange(Field field) {
        field.scalarText()
                .filter(text -> !isRange(text.strip()))
                .ifPresent(text ->
                        field.warn("invalid-address", "not an IP range such as 10.240.0.0/24: \"" + text + "\""));
    }

    /** Unlike {@link io.k8sdns.model.IpNetwork}, API servers accept bits after the prefix, and zeros before its length. */
    private static boolean isRange(String text) {
        Matcher range = RANGE.matcher(text);
        return range.matches()
                && IpAddress.tryParse(range.group(1)).isPresent()
                && Integer.parseInt(range.group(2)) <= (text.indexOf(':') >= 0 ? 128 : 32);
    }

    private static void singleStack(Field spec) {
        Field policy = spec.get("ipFamilyPolicy");
        for (String name : List.of("ipFamilies", "clusterIPs")) {
            if (policy.hasText("SingleStack") && spec.get(name).entries().size() == 2) {
                policy.warn(
                        "invalid-family",
                        "must be RequireDualStack or PreferDualStack when multiple '" + name + "' are specified");
            }
        }
    }

    private static void externalName(Field spec) {
        for (String name : List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
            Field field = spec.get(name);
            if (!field.isAbsentOrEmpty() && !field.isEmptyList()) {
                field.warn(FORBIDDEN, "may not be set for ExternalName services");
            }
        }
        FieldValues.labels(spec.get("selector").members());
        Field field = spec.get("externalName");
        String target = field.text().orElse("");
        if (!target.isEmpty() && !KubernetesNames.isDnsSubdomain(withoutFinalDot(target))) {
            field.warn("invalid-external-name", "not a DNS name in lower case: \"" + target + "\"");
        }
    }

    private static String withoutFinalDot(String name) {
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }

    private static void clusterIps(Field spec) {
        Field all = spec.get("clusterIPs");
        if (spec.get("clusterIP").isAbsentOrEmpty() && !all.entries().isEmpty()) {
            all.warn("invalid-address", "must be empty when `clusterIP` is not specified");
        }
    }

    private static void families(List<Field> clusterIps, List<Field> families) {
        for (int i = 0; i < Math.min(clusterIps.size(), families.size()); i++) {
            Optional<IpFamily> family = families.get(i).scalarText().flatMap(FieldValues::family);
            Optional<IpAddress> address = clusterIps.get(i).scalarText().flatMap(IpAddress::tryParse);
            if (family.isPresent() && address.isPresent() && address.get().family() != family.get()) {
                clusterIps
                        .get(i)
                        .warn(
                                "invalid-address",
                                "expected an " + family.get() + " address as indicated by `ipFamilies[" + i + "]`: "
                                        + address.get());
            }
        }
    }

    private static void jobTemplate(Field template) {
        Field policy = template.get("spec").get("restartPolicy");
        if (policy.isAbsentOrEmpty()) {
            // The default, Always, is not allowed in a Job.
            policy.warn("unsupported-value", "Required value: valid values: \"OnFailure\", \"Never\"");
        }
        template(template, "OnFailure", "Never");
    }

    private static void template(Field template, String... restartPolicies) {
        Field podSpec = template.get("spec");
        oneOf(podSpec.get("restartPolicy"), restartPolicies);
        podSpec(podSpec.withWarningsAsNotes());
        annotations(template.get("metadata").get("annotations"));
    }

    private static void statefulSet(Field spec) {
        oneOf(spec.get("podManagementPolicy"), "OrderedReady", "Parallel");
        Field strategy = spec.get("updateStrategy");
        oneOf(strategy.get("type"), "RollingUpdate", "OnDelete");
        Field rollingUpdate = strategy.get("rollingUpdate");
        if (strategy.get("type").hasText("OnDelete") && !rollingUpdate.isAbsent()) {
            rollingUpdate.warn(FORBIDDEN, "only allowed for updateStrategy 'RollingUpdate'");
        }
        notNegative(spec.get("minReadySeconds"));
    }

    private static void notNegative(Field seconds) {
        seconds.number()
                .filter(one -> one < 0)
                .ifPresent(one -> seconds.warn("invalid-number", "must be greater than or equal to 0: " + one));
    }

    /** Checks the containers and volumes of a Pod; those of templates are not checked. */
    private static void containers(Field spec) {
        Set<String> volumes = new HashSet<>();
        for (Field volume : spec.get("volumes").entries()) {
            requireDistinct(volume.get("name"), volumes, "duplicate-volume");
        }
        hostPorts(
                spec.get("containers").entries(),
                spec.get("hostNetwork").truth().orElse(false));
        for (String list : List.of("containers", "initContainers")) {
            for (Field container : spec.get(list).entries()) {
                oneOf(container.get("imagePullPolicy"), "Always", "IfNotPresent", "Never");
                containerPorts(container.get("ports").entries());
                Field name = container.get("name");
                givenText(name)
                        .filter(text -> !KubernetesNames.isDnsLabel(text))
                        .ifPresent(text -> name.warn("invalid-name", "not a DNS label: \"" + text + "\""));
                container.get("env").entries().forEach(one -> required(one.get("name")));
                Set<String> paths = new HashSet<>();
                for (Field mount : container.get("volumeMounts").entries()) {
                    requireDistinct(mount.get("mountPath"), paths, "duplicate-mount");
                    Field volume = mount.get("name");
                    required(volume);
                    required(mount.get("mountPath"));
                    givenText(volume)
                            .filter(text -> !volumes.contains(text))
                            .ifPresent(text -> volume.warn("not-found", "Not found: \"" + text + "\""));
                }
            }
        }
    }

    private static void containerPorts(List<Field> ports) {
        Set<String> names = new HashSet<>();
        for (Field port : ports) {
            optionalPort(port.get("hostPort"));
            PortFields.protocol(port);
            requireDistinct(port.get("name"), names, "duplicate-port");
        }
    }

    /** With hostNetwork, the container port is the default of the host port. */
    private static void hostPorts(List<Field> containers, boolean hostNetwork) {
        Set<String> known = new HashSet<>();
        for (Field container : containers) {
            for (Field port : container.get("ports").entries()) {
                Field field = port.get("hostPort");
                int given = optionalPort(field);
                int number = given;
                if (hostNetwork && port.isMappingOrAbsent()) {
                    number = PortFields.portNumber(port, "containerPort").orElse(given);
                    if (given != 0 && given != number) {
                        field.warn(FORBIDDEN, "must match `containerPort` when `hostNetwork` is true: " + given);
                    }
                }
                Optional<Protocol> protocol = PortFields.protocol(port);
                if (number == 0 || protocol.isEmpty()) {
                    continue;
                }
                String text = protocol.get() + "/" + textOf(port.get("hostIP")) + "/" + number;
                if (!known.add(text)) {
                    field.warn("duplicate-port", "Duplicate value: \"" + text + "\"");
                }
            }
        }
    }

    /** Reports the API server's errors about a Pod's {@code dnsConfig}; {@link KnownTypes} has reported wrong types. */
    private static void dnsConfig(Field pod) {
        if (pod.get("spec").get("dnsConfig").isAbsent()) {
            return;
        }
        pod.mapping().stream()
                .flatMap(value -> PodDecoder.findings(value, NODE).stream())
                .filter(error -> error.field().startsWith("spec.dnsConfig."))
                .forEach(error -> pod.at(error.field()).warn("invalid-dns", withoutList(error.problem())));
    }

    /** Removes a quoted list, because long warnings are cut at the end, which holds the reason. */
    private static String withoutList(String problem) {
        return problem.startsWith("Invalid value: [") ? problem.substring(problem.lastIndexOf("]: ") + 3) : problem;
    }

    private static void requireDistinct(Field field, Set<String> known, String code) {
        givenText(field)
                .filter(text -> !known.add(text))
                .ifPresent(text -> field.warn(code, "Duplicate value: \"" + text + "\""));
    }

    private static void required(Field field) {
        if (field.isAbsentOrEmpty()) {
            field.warn("missing-value", "Required value");
        }
    }

    /** Reports an empty value in a field in which API servers accept a missing value but not an empty one. */
    private static void notEmpty(Field field) {
        if (field.hasText("")) {
            field.warn("missing-value", "must not be empty");
        }
    }

    /** Reports each null in a list of texts, which API servers read as an empty text. */
    private static void noNulls(Field list) {
        list.entries().stream().filter(Field::isAbsent).forEach(one -> one.warn("missing-value", "must not be null"));
    }

    private static Optional<String> givenText(Field field) {
        return field.scalarText().filter(text -> !text.isEmpty());
    }

    private static String textOf(Field field) {
        return field.scalarText().orElse("");
    }

    /** Checks the fields that are errors in a Pod and notes in the template of a workload. */
    private static void podSpec(Field spec) {
        Set<String> names = new HashSet<>();
        for (String list : List.of("containers", "initContainers")) {
            for (Field container : spec.get(list).entries()) {
                Field name = container.get("name");
                if (!names.add(textOf(name))) {
                    name.warn("duplicate-container", "Duplicate value: \"" + textOf(name) + "\"");
                }
                for (Field port : container.get("ports").entries()) {
                    if (port.isMappingOrAbsent()) {
                        PortFields.portNumber(port, "containerPort");
                    }
                }
            }
        }
        Field policy = spec.get("dnsPolicy");
        oneOf(policy, "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None");
        Field nameservers = spec.get("dnsConfig").get("nameservers");
        if (policy.hasText("None") && nameservers.entries().isEmpty()) {
            nameservers.warn(
                    "invalid-dns", "Required value: must provide at least one DNS nameserver when `dnsPolicy` is None");
        }
    }

    private static void oneOf(Field field, String... values) {
        Optional<String> given = field.text().filter(text -> !text.isEmpty());
        if (given.isPresent() && !List.of(values).contains(given.get())) {
            field.warn(
                    "unsupported-value",
                    "Unsupported value: \"" + given.get() + "\": supported values: \"" + String.join("\", \"", values)
                            + "\"");
        }
    }

    private static void endpointAddress(Field field) {
        field.scalarText()
                .flatMap(IpAddress::tryParse)
                .ifPresent(address -> endpointProblem(address)
                        .ifPresent(problem -> field.warn("invalid-address", problem + ": " + address)));
    }

    /**
     * Returns the reason why an API server refuses an address of an endpoint, otherwise empty. Multicast beyond the
     * local link is accepted.
     */
    static Optional<String> endpointProblem(IpAddress address) {
        long high = address.high();
        long low = address.low();
        boolean ipv4 = address.isIpv4();
        if (high == 0 && low == 0) {
            return Optional.of("may not be unspecified");
        }
        if (ipv4 ? low >>> 24 == 127 : high == 0 && low == 1) {
            return Optional.of("may not be in the loopback range (127.0.0.0/8, ::1/128)");
        }
        if (ipv4 ? low >>> 16 == 0xA9FE : high >>> 54 == 0xFE80 >>> 6) {
            return Optional.of("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
        }
        if (ipv4 ? low >>> 8 == 0xE00000 : high >>> 48 == 0xFF02) {
            return Optional.of("may not be in the link-local multicast range (224.0.0.0/24, ff02::/16)");
        }
        return Optional.empty();
    }
}
