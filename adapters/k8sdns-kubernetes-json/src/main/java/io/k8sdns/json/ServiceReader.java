package io.k8sdns.json;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.InvalidFieldException;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpFamilyPolicy;
import io.k8sdns.model.Labels;
import io.k8sdns.model.LoadBalancerIngress;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.model.TargetPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads Services. */
public final class ServiceReader {
    private static final String TOLERATE_UNREADY = "service.alpha.kubernetes.io/tolerate-unready-endpoints";

    private final ObjectChecks checks;
    private final ObjectReader.Sink sink;

    ServiceReader(ObjectChecks checks, ObjectReader.Sink sink) {
        this.checks = checks;
        this.sink = sink;
    }

    void read(Field object, Metadata metadata) {
        Field spec = object.get("spec");
        if (!spec.isMappingOrAbsent()) {
            return;
        }
        Field type = spec.get("type");
        Optional<String> given = type.text();
        if (given.isEmpty() && !type.isAbsent()) {
            return;
        }
        switch (given.orElse("")) {
            case "ExternalName" -> externalNameService(object, spec, metadata);
            case "", "ClusterIP", "NodePort", "LoadBalancer" -> addressedService(object, spec, metadata);
            default ->
                type.warn(
                        "invalid-type",
                        "not ClusterIP, NodePort, LoadBalancer or ExternalName: \"" + given.orElse("") + "\"");
        }
    }

    private void externalNameService(Field object, Field spec, Metadata metadata) {
        Field field = spec.get("externalName");
        Optional<String> target = field.text().filter(name -> !name.isEmpty());
        try {
            sink.put(object, new ExternalNameService(metadata, target));
        } catch (InvalidFieldException e) {
            if (!e.field().equals("spec.externalName")) {
                throw e;
            }
            field.warn("invalid-external-name", e.problem());
            sink.put(object, new ExternalNameService(metadata, Optional.empty()));
        }
    }

    private void addressedService(Field object, Field spec, Metadata metadata) {
        List<String> defaults = new ArrayList<>();
        addDefault(defaults, spec.get("type"), "ClusterIP");
        List<ServicePort> ports =
                PortFields.ports(spec.get("ports"), port -> servicePort(port, defaults), ServicePort::key, false);
        if (!defaults.isEmpty()) {
            object.note(ObjectReader.DEFAULTED, "completed: " + String.join(", ", defaults));
        }
        EndpointSelection selection = new EndpointSelection(
                selector(spec.get("selector")), families(spec.get("ipFamilies")), policy(spec.get("ipFamilyPolicy")));
        boolean publishNotReady = spec.get("publishNotReadyAddresses").truth().orElse(false)
                || object.get("metadata")
                        .get("annotations")
                        .get(TOLERATE_UNREADY)
                        .text()
                        .equals(Optional.of("true"));
        List<Field> given = givenClusterIps(spec);
        if (hasNone(given)) {
            warnOfTypeWithNone(spec);
            given.stream()
                    .filter(one -> !isNone(one))
                    .forEach(one -> one.warn(
                            "invalid-address",
                            "clusterIPs has both None and an address; the Service is read as headless"));
            sink.put(object, new HeadlessService(metadata, ports, selection, publishNotReady));
            return;
        }
        List<IpAddress> addresses = new ArrayList<>();
        for (Field one : given) {
            if (one.scalarText().filter("none"::equalsIgnoreCase).isPresent()) {
                one.warn("invalid-address", "not an IP address; did you mean None?");
            }
            Optional<IpAddress> address = FieldValues.address(one);
            if (address.isEmpty()) {
                continue;
            }
            if (hasFamily(addresses, address.get().family())) {
                one.warn(
                        "invalid-address",
                        "a second address of family " + address.get().family());
            } else {
                addresses.add(address.get());
            }
        }
        boolean refused = addresses.isEmpty() && !given.isEmpty();
        LoadBalancerIngress ingress = spec.get("type").hasText("LoadBalancer")
                ? ingress(object.get("status").get("loadBalancer").get("ingress"))
                : LoadBalancerIngress.NONE;
        ClusterIpService service =
                new ClusterIpService(metadata, addresses, ports, selection, publishNotReady, ingress);
        sink.add(object, service.ref(), service, refused);
    }

    /** Reads the ingress; an invalid host name is reported and omitted. */
    private LoadBalancerIngress ingress(Field field) {
        List<IpAddress> addresses = new ArrayList<>();
        List<String> hostNames = new ArrayList<>();
        for (Field entry : field.items()) {
            Field ip = entry.get("ip");
            if (!ip.isAbsentOrEmpty()) {
                FieldValues.address(ip).ifPresent(addresses::add);
            }
            Field hostname = entry.get("hostname");
            hostname.text().filter(name -> !name.isEmpty()).ifPresent(name -> {
                try {
                    hostNames.addAll(
                            LoadBalancerIngress.NONE.withHostNames(name).hostNames());
                } catch (InvalidFieldException invalid) {
                    hostname.warn("invalid-hostname", invalid.problem());
                }
            });
        }
        return addresses.isEmpty() && hostNames.isEmpty()
                ? LoadBalancerIngress.NONE
                : new LoadBalancerIngress(addresses, hostNames);
    }

    /** Warns of a headless Service with another type than ClusterIP, which the API server refuses. */
    private void warnOfTypeWithNone(Field spec) {
        Field type = spec.get("type");
        if (checks.areApplied() && (type.hasText("NodePort") || type.hasText("LoadBalancer"))) {
            type.warn(
                    "invalid-type",
                    "ignored, as clusterIP is None: a headless Service cannot be a "
                            + type.scalarText().orElseThrow());
        }
    }

    private static boolean hasNone(List<Field> clusterIps) {
        for (Field one : clusterIps) {
            if (isNone(one)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasFamily(List<IpAddress> addresses, IpFamily family) {
        for (IpAddress known : addresses) {
            if (known.family() == family) {
                return true;
            }
        }
        return false;
    }

    private static boolean isNone(Field clusterIp) {
        return clusterIp.hasText("None");
    }

    /** Returns the entries of clusterIPs, otherwise clusterIP; an empty list if the API server has not chosen yet. */
    public static List<Field> givenClusterIps(Field spec) {
        Field single = spec.get("clusterIP");
        List<Field> all = spec.get("clusterIPs").items();
        boolean singleIsEmpty = single.isAbsentOrEmpty();
        if (all.isEmpty()) {
            return singleIsEmpty ? List.of() : List.of(single);
        }
        if (!singleIsEmpty && !single.scalarText().equals(all.get(0).scalarText())) {
            single.warn("invalid-address", "not the first of clusterIPs, which are used");
        }
        return all;
    }

    private static List<IpFamily> families(Field field) {
        List<IpFamily> families = new ArrayList<>();
        for (Field entry : field.items()) {
            Optional<IpFamily> family =
                    FieldValues.parsed(entry, FieldValues::family, "invalid-family", "not IPv4 or IPv6");
            if (family.isEmpty()) {
                continue;
            }
            if (families.contains(family.get())) {
                entry.warn("invalid-family", "named twice: " + family.get());
            } else {
                families.add(family.get());
            }
        }
        return families;
    }

    private static Optional<IpFamilyPolicy> policy(Field field) {
        return FieldValues.parsed(
                field,
                IpFamilyPolicy::tryParse,
                "invalid-family",
                "not SingleStack, PreferDualStack or RequireDualStack");
    }

    /**
     * Reads the selector. If a label is invalid, the whole selector is omitted, because without the label it would
     * select more Pods.
     */
    private static Optional<Labels> selector(Field field) {
        Map<String, Field> given = field.members();
        Labels labels = FieldValues.labels(given);
        if (labels.values().size() < given.size()) {
            field.warn(
                    "invalid-selector",
                    "selector ignored: one of its labels is invalid, and without it the selector would match other Pods");
            return Optional.empty();
        }
        return given.isEmpty() ? Optional.empty() : Optional.of(labels);
    }

    private Optional<ServicePort> servicePort(Field field, List<String> defaults) {
        Optional<Integer> number = PortFields.portNumber(field, "port");
        Optional<Protocol> protocol = PortFields.protocol(field);
        Optional<Optional<String>> name = PortFields.portName(field);
        if (number.isEmpty() || protocol.isEmpty() || name.isEmpty()) {
            return Optional.empty();
        }
        Field target = field.get("targetPort");
        addDefault(defaults, field.get("protocol"), "TCP");
        addDefault(defaults, target, number.get());
        return Optional.of(new ServicePort(name.get(), protocol.get(), number.get(), targetPort(target, number.get())));
    }

    /** Adds the default of an absent field if objects are read as applied. */
    private void addDefault(List<String> defaults, Field field, Object value) {
        if (checks.areApplied() && field.isAbsent()) {
            defaults.add(field.path().orElseThrow() + " " + value);
        }
    }

    /**
     * Reads a target port: a number, or the name of a container port. As for the API server, 0 and "" count as absent.
     * For other values only the target is omitted, and the port is kept.
     */
    private static TargetPort targetPort(Field field, int port) {
        Optional<Integer> number = field.isNumber() ? field.number() : Optional.empty();
        Optional<String> name = field.isNumber() ? Optional.empty() : field.text();
        if (field.isAbsent() || number.equals(Optional.of(0)) || name.equals(Optional.of(""))) {
            return new TargetPort.Numbered(port);
        }
        try {
            if (number.isPresent()) {
                return new TargetPort.Numbered(number.get());
            }
            return name.isPresent() ? new TargetPort.Named(name.get()) : new TargetPort.Unknown();
        } catch (InvalidFieldException e) {
            field.warn("invalid-port", e.problem());
            return new TargetPort.Unknown();
        }
    }
}
