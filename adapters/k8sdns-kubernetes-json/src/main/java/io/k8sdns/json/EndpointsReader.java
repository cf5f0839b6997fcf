package io.k8sdns.json;

import io.k8sdns.model.AddressType;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads EndpointSlices and legacy Endpoints. */
final class EndpointsReader {
    private static final int MAX_ADDRESSES = 100;

    private final ObjectChecks checks;
    private final ObjectReader.Sink sink;

    EndpointsReader(ObjectChecks checks, ObjectReader.Sink sink) {
        this.checks = checks;
        this.sink = sink;
    }

    void readEndpoints(Field object, Metadata metadata) {
        List<Endpoints.Subset> subsets = new ArrayList<>();
        for (Field subset : object.get("subsets").items()) {
            if (subset.get("addresses").entries().isEmpty()
                    && subset.get("notReadyAddresses").entries().isEmpty()) {
                subset.warn("invalid-subset", "without addresses and notReadyAddresses");
            }
            subsets.add(new Endpoints.Subset(
                    endpointAddresses(subset.get("addresses"), metadata.namespace()),
                    endpointAddresses(subset.get("notReadyAddresses"), metadata.namespace()),
                    PortFields.ports(subset.get("ports"), port -> endpointPort(port, true), EndpointPort::key, true)));
        }
        Field leader = object.get("metadata").get("annotations").get(Endpoints.LEADER_ANNOTATION);
        sink.put(object, new Endpoints(metadata, subsets, !leader.isAbsent()));
    }

    private List<Endpoints.Address> endpointAddresses(Field field, String namespace) {
        List<Endpoints.Address> addresses = new ArrayList<>();
        for (Field entry : field.items()) {
            endpointAddress(entry.get("ip"))
                    .ifPresent(ip -> addresses.add(new Endpoints.Address(
                            ip,
                            FieldValues.hostname(entry.get("hostname")),
                            FieldValues.nodeName(entry),
                            FieldValues.targetRef(entry, namespace))));
        }
        return addresses;
    }

    void readSlice(Field object, Metadata metadata) {
        Field type = object.get("addressType");
        Optional<AddressType> addressType =
                FieldValues.parsed(type, AddressType::tryParse, "invalid-type", "not IPv4, IPv6 or FQDN");
        if (addressType.isEmpty()) {
            if (type.isAbsent()) {
                type.warn("invalid-type", "an EndpointSlice without an address type");
            }
            return;
        }
        List<Endpoint> endpoints = new ArrayList<>();
        if (addressType.get() != AddressType.FQDN) {
            for (Field field : object.get("endpoints").items()) {
                endpoint(field, addressType.get(), metadata.namespace()).ifPresent(endpoints::add);
            }
        }
        EndpointSlice.Builder slice = EndpointSlice.builder(metadata)
                .addressType(addressType.get())
                .endpoints(endpoints)
                .ports(PortFields.ports(
                        object.get("ports"), port -> endpointPort(port, false), EndpointPort::key, false));
        metadata.labels().get(EndpointSlice.SERVICE_NAME_LABEL).ifPresent(slice::service);
        sink.put(object, slice.build());
    }

    private Optional<Endpoint> endpoint(Field field, AddressType type, String namespace) {
        if (!field.isMappingOrAbsent()) {
            return Optional.empty();
        }
        Field conditions = field.get("conditions");
        Optional<Boolean> ready = conditions.get("ready").truth();
        if (!conditions.isMappingOrAbsent()
                || ready.isEmpty() && !conditions.get("ready").isAbsent()) {
            // An endpoint with an unreadable condition is omitted, because it may not be ready.
            return Optional.empty();
        }
        List<Field> given = field.get("addresses").items();
        if (given.isEmpty()) {
            field.warn("invalid-endpoint", "an endpoint without an address");
        }
        List<IpAddress> addresses = new ArrayList<>();
        for (Field entry : given) {
            Optional<IpAddress> address = endpointAddress(entry);
            if (address.isEmpty()) {
                continue;
            }
            if (AddressType.of(address.get().family()) != type) {
                entry.warn("invalid-address", "not an address of type " + type + ": " + address.get());
            } else if (addresses.size() == MAX_ADDRESSES) {
                entry.warn("invalid-address", "more than " + MAX_ADDRESSES + " addresses of one endpoint");
            } else {
                addresses.add(address.get());
            }
        }
        if (addresses.isEmpty()) {
            return Optional.empty();
        }
        Endpoint.Builder endpoint = Endpoint.builder(addresses);
        ready.ifPresent(endpoint::ready);
        FieldValues.hostname(field.get("hostname")).ifPresent(endpoint::hostname);
        FieldValues.targetRef(field, namespace).ifPresent(endpoint::targetRef);
        FieldValues.nodeName(field).ifPresent(endpoint::nodeName);
        field.get("zone").text().filter(zone -> !zone.isEmpty()).ifPresent(endpoint::topologyZone);
        return Optional.of(endpoint.build());
    }

    private Optional<IpAddress> endpointAddress(Field field) {
        return FieldValues.address(field).filter(checks::isEndpointAddress);
    }

    private Optional<EndpointPort> endpointPort(Field field, boolean numberRequired) {
        OptionalInt number = OptionalInt.empty();
        if (numberRequired || !field.get("port").isAbsent()) {
            Optional<Integer> given = PortFields.portNumber(field, "port");
            if (given.isEmpty()) {
                return Optional.empty();
            }
            number = OptionalInt.of(given.get());
        }
        Optional<Protocol> protocol = PortFields.protocol(field);
        Optional<Optional<String>> name = PortFields.portName(field);
        return protocol.isPresent() && name.isPresent()
                ? Optional.of(new EndpointPort(name.get(), protocol.get(), number))
                : Optional.empty();
    }
}
