package io.k8sdns.zone;

import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A stored object: its UID and the fields that {@link RecordRules} reads, in one array. Namespace and name are its key, and not in
 * the array; labels, selectors, target ports, nodes and zones of endpoints are dropped. An endpoint takes about 20 bytes here, and about
 * 200 as Java objects.
 *
 * <p>It is decoded whenever its facts are derived, since the rules read objects. The decoded object has no UID.
 */
final class PackedObject {
    private static final int CLUSTER_IP = 0;
    private static final int HEADLESS = 1;
    private static final int EXTERNAL_NAME = 2;
    private static final int TYPE_MASK = 3;
    private static final int PUBLISH_NOT_READY = 4;

    /** Stored as indexes of these lists. */
    private static final List<Protocol> PROTOCOLS = List.of(Protocol.values());

    private static final List<PodPhase> PHASES = List.of(PodPhase.values());
    private static final List<AddressType> ADDRESS_TYPES = List.of(AddressType.values());

    private final byte[] bytes;

    private PackedObject(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns the UID that the API server assigned. */
    Optional<String> uid() {
        return new ByteReader(bytes, 0).uid();
    }

    /** Returns whether two objects differ in their UIDs at most, so that they have the same facts. */
    boolean equalsButUid(PackedObject other) {
        return Arrays.equals(
                bytes,
                content().at(),
                bytes.length,
                other.bytes,
                other.content().at(),
                other.bytes.length);
    }

    /** Returns a reader after the UID. */
    private ByteReader content() {
        ByteReader reader = new ByteReader(bytes, 0);
        reader.skipUid();
        return reader;
    }

    // ---- Services ----

    static PackedObject of(Service service) {
        ByteWriter writer = new ByteWriter(64);
        writer.putUid(service.uid());
        int publishNotReady = service.publishNotReadyAddresses() ? PUBLISH_NOT_READY : 0;
        if (service instanceof ClusterIpService clusterIp) {
            writer.putByte(CLUSTER_IP | publishNotReady);
            writer.putByte(clusterIp.clusterIps().size());
            for (IpAddress address : clusterIp.clusterIps()) {
                writer.putByte(address.family().byteCount());
                writer.putAddress(address);
            }
        } else if (service instanceof HeadlessService) {
            writer.putByte(HEADLESS | publishNotReady);
        } else if (service instanceof ExternalNameService external) {
            writer.putByte(EXTERNAL_NAME);
            writer.putText(external.externalName());
        } else {
            throw new AssertionError(service);
        }
        writer.putVarint(service.ports().size());
        for (ServicePort port : service.ports()) {
            write(writer, port.name(), port.protocol(), port.port());
        }
        return new PackedObject(writer.written());
    }

    private static void write(ByteWriter writer, Optional<String> portName, Protocol protocol, int number) {
        writer.putText(portName);
        writer.putByte(PROTOCOLS.indexOf(protocol));
        writer.putByte(number >>> 8);
        writer.putByte(number);
    }

    Service decodeService(String namespace, String name) {
        ByteReader reader = content();
        Metadata metadata = Metadata.of(namespace, name);
        int kind = reader.unsignedByte();
        boolean publishNotReady = (kind & PUBLISH_NOT_READY) != 0;
        List<IpAddress> addresses = new ArrayList<>(2);
        Optional<String> externalName = Optional.empty();
        switch (kind & TYPE_MASK) {
            case CLUSTER_IP -> {
                for (int left = reader.unsignedByte(); left > 0; left--) {
                    addresses.add(reader.address(reader.unsignedByte()));
                }
            }
            case EXTERNAL_NAME -> externalName = reader.text();
            default -> {}
        }
        ServicePort[] ports = new ServicePort[reader.varint()];
        for (int i = 0; i < ports.length; i++) {
            Optional<String> portName = reader.text();
            Protocol protocol = PROTOCOLS.get(reader.unsignedByte());
            int number = reader.unsignedShort();
            ports[i] = portName.isPresent()
                    ? ServicePort.of(portName.get(), protocol, number)
                    : ServicePort.unnamed(protocol, number);
        }
        return switch (kind & TYPE_MASK) {
            case CLUSTER_IP ->
                new ClusterIpService(metadata, addresses, List.of(ports), EndpointSelection.NONE, publishNotReady);
            case HEADLESS -> new HeadlessService(metadata, List.of(ports), EndpointSelection.NONE, publishNotReady);
            case EXTERNAL_NAME -> new ExternalNameService(metadata, externalName);
            default -> throw new AssertionError(kind);
        };
    }

    // ---- EndpointSlices ----

    /**
     * Packs a slice.
     *
     * @param withTargets {@link RecordRules#readsTargets}
     */
    static PackedObject of(EndpointSlice slice, boolean withTargets) {
        ByteWriter writer = new ByteWriter(64 + 24 * slice.endpoints().size());
        writer.putUid(slice.uid());
        writer.putByte(ADDRESS_TYPES.indexOf(slice.addressType()));
        writer.putVarint(slice.ports().size());
        for (EndpointPort port : slice.ports()) {
            write(writer, port.name(), port.protocol(), port.port().orElse(0));
        }
        for (Endpoint endpoint : slice.endpoints()) {
            SliceEndpoints.write(writer, endpoint, withTargets);
        }
        return new PackedObject(writer.written());
    }

    EndpointSlice decodeSlice(String namespace, String name, String serviceName) {
        return decodeSlice(namespace, name, serviceName, endpoints().all());
    }

    /** Returns the slice with the given endpoints only. */
    EndpointSlice decodeSlice(String namespace, String name, String serviceName, List<Endpoint> endpoints) {
        ByteReader reader = content();
        AddressType type = ADDRESS_TYPES.get(reader.unsignedByte());
        EndpointPort[] ports = new EndpointPort[reader.varint()];
        for (int i = 0; i < ports.length; i++) {
            Optional<String> portName = reader.text();
            Protocol protocol = PROTOCOLS.get(reader.unsignedByte());
            int number = reader.unsignedShort();
            ports[i] = new EndpointPort(portName, protocol, number == 0 ? OptionalInt.empty() : OptionalInt.of(number));
        }
        return EndpointSlice.builder(namespace, name)
                .service(serviceName)
                .addressType(type)
                .endpoints(endpoints)
                .ports(List.of(ports))
                .build();
    }

    /** Returns the endpoints of a slice. */
    SliceEndpoints endpoints() {
        ByteReader reader = content();
        int head = reader.at();
        AddressType type = ADDRESS_TYPES.get(reader.unsignedByte());
        for (int left = reader.varint(); left > 0; left--) {
            reader.skipText();
            reader.skip(3);
        }
        return new SliceEndpoints(bytes, head, reader.at(), type);
    }

    // ---- Pods ----

    static PackedObject of(Pod pod) {
        ByteWriter writer = new ByteWriter(32);
        writer.putUid(pod.uid());
        writer.putByte(pod.phase().map(phase -> 1 + PHASES.indexOf(phase)).orElse(0));
        for (IpAddress address : pod.ips()) {
            writer.putByte(address.family().byteCount());
            writer.putBytes(address.bytes());
        }
        return new PackedObject(writer.written());
    }

    Pod decodePod(String namespace, String name) {
        ByteReader reader = content();
        Metadata metadata = Metadata.of(namespace, name);
        int phase = reader.unsignedByte();
        List<IpAddress> addresses = new ArrayList<>(2);
        while (!reader.isAtEnd()) {
            addresses.add(reader.address(reader.unsignedByte()));
        }
        Pod.Builder pod = Pod.builder(metadata).ips(addresses);
        if (phase > 0) {
            pod.phase(PHASES.get(phase - 1));
        }
        return pod.build();
    }
}
