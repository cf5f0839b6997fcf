package io.k8sdns.manifest;

import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.KubernetesNames;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.StatefulSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reports values that an API server refuses in a new object, in its words. They are faults like any other: the object counts
 * where there is none without a fault (ruling R17).
 *
 * <p>Only what every version from 1.23 on refuses, whatever its configuration: a {@code nodePort} has to be a port number
 * here, and to a real API server lie in a range that its administrator chooses. What is missing is the matter of {@link
 * RequiredFields}; what {@link ObjectReader} cannot read is reported there.
 *
 * <p>Source: the {@code validation} packages below {@code pkg/apis} of Kubernetes.
 */
final class ApiServerValidation {
    private ApiServerValidation() {}

    /** Reports what an API server refuses in an object of this kind. */
    static void check(Field object, String kind) {
        Field spec = object.get("spec");
        switch (kind) {
            case Service.KIND -> service(spec);
            case Pod.KIND -> podSpec(spec, "Always", "Never", "OnFailure");
            case StatefulSet.KIND -> podSpec(spec.get("template").get("spec"), "Always");
            case EndpointSlice.KIND -> {
                for (Field endpoint : object.get("endpoints").entries()) {
                    endpoint.get("addresses").entries().forEach(ApiServerValidation::endpointAddress);
                }
            }
            case Endpoints.KIND -> {
                for (Field subset : object.get("subsets").entries()) {
                    subset.get("addresses").entries().forEach(one -> endpointAddress(one.get("ip")));
                    subset.get("notReadyAddresses").entries().forEach(one -> endpointAddress(one.get("ip")));
                }
            }
            default -> {}
        }
    }

    private static void service(Field spec) {
        servicePorts(spec.get("ports").entries());
        oneOf(spec.get("sessionAffinity"), "ClientIP", "None");
        oneOf(spec.get("externalTrafficPolicy"), "Cluster", "Local");
        oneOf(spec.get("internalTrafficPolicy"), "Cluster", "Local");
        if (spec.get("type").says("ExternalName")) {
            externalName(spec);
        } else {
            families(ObjectReader.givenClusterIps(spec), spec.get("ipFamilies").entries());
        }
    }

    private static void servicePorts(List<Field> ports) {
        Set<String> known = new HashSet<>();
        boolean isFirstWithoutName = true;
        for (Field port : ports) {
            if (!port.isMappingOrAbsent()) {
                continue;
            }
            // ObjectReader reports the second port without a name and those behind.
            if (ports.size() > 1 && isFirstWithoutName && port.get("name").saysNothing()) {
                port.get("name").warn("invalid-port", "Required value, as the Service has several ports");
                isFirstWithoutName = false;
            }
            Optional<Integer> number = ObjectReader.portNumber(port, "port");
            Optional<Protocol> protocol = ObjectReader.protocol(port);
            if (number.isPresent() && protocol.isPresent()) {
                String text = protocol.get() + " port " + number.get();
                if (!known.add(text)) {
                    port.warn("duplicate-port", "Duplicate value: " + text);
                }
            }
            Field nodePort = port.get("nodePort");
            nodePort.number()
                    .filter(one -> one < 0 || one > 65535)
                    .ifPresent(one -> nodePort.warn("invalid-port", "not a port number (1 to 65535): " + one));
        }
    }

    private static void externalName(Field spec) {
        for (String name : List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
            Field field = spec.get(name);
            if (!field.saysNothing() && !field.isEmptyList()) {
                field.warn("invalid-field", "may not be set for ExternalName services");
            }
        }
        Field field = spec.get("externalName");
        String target = field.text().orElse("");
        String name = target.endsWith(".") ? target.substring(0, target.length() - 1) : target;
        if (!target.isEmpty() && !KubernetesNames.isDnsSubdomain(name)) {
            field.warn("invalid-external-name", "not a DNS name in lower case: \"" + target + "\"");
        }
    }

    private static void families(List<Field> clusterIps, List<Field> families) {
        for (int i = 0; i < Math.min(clusterIps.size(), families.size()); i++) {
            Optional<IpFamily> family = families.get(i).scalarText().flatMap(ObjectReader::family);
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

    private static void podSpec(Field spec, String... restartPolicies) {
        Set<String> names = new HashSet<>();
        for (String list : List.of("containers", "initContainers")) {
            for (Field container : spec.get(list).entries()) {
                Field name = container.get("name");
                if (!names.add(name.scalarText().orElse(""))) {
                    name.warn(
                            "duplicate-container",
                            "Duplicate value: \"" + name.scalarText().orElse("") + "\"");
                }
                for (Field port : container.get("ports").entries()) {
                    if (port.isMappingOrAbsent()) {
                        ObjectReader.portNumber(port, "containerPort");
                    }
                }
            }
        }
        oneOf(spec.get("restartPolicy"), restartPolicies);
        Field policy = spec.get("dnsPolicy");
        oneOf(policy, "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None");
        Field nameservers = spec.get("dnsConfig").get("nameservers");
        if (policy.says("None") && nameservers.entries().isEmpty()) {
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

    /** Returns why an address cannot be that of an endpoint; empty if it can. Multicast beyond the local link can. */
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
