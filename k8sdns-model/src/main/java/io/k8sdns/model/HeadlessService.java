package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A headless Service (specification 2.4): its names resolve to its published endpoints.
 *
 * <pre>{@code
 * HeadlessService db = HeadlessService.of("shop", "db", ServicePort.of("postgres", Protocol.TCP, 5432));
 * HeadlessService early = db.toBuilder().publishNotReadyAddresses(true).build();
 * }</pre>
 *
 * @param metadata namespace, name (a DNS-1123 label), UID, labels
 * @param ports the ports in the object's order
 * @param selection how its endpoints are found
 * @param publishNotReadyAddresses whether endpoints are published before they are ready
 */
public record HeadlessService(
        Metadata metadata, List<ServicePort> ports, EndpointSelection selection, boolean publishNotReadyAddresses)
        implements Service {
    /**
     * Checks the name and the ports and copies the list.
     *
     * @throws InvalidFieldException if the name is not a DNS label, or two ports have the same name, or none, and the same
     *     protocol
     */
    @Internal
    public HeadlessService {
        Objects.requireNonNull(metadata, "metadata");
        FieldChecks.requireDnsLabel("metadata.name", metadata.name());
        ports = Copies.list("ports", ports);
        PortKey.requireDistinct("spec.ports", ports, ServicePort::key);
        Objects.requireNonNull(selection, "selection");
    }

    /**
     * Returns a Service with these ports and nothing else.
     *
     * @throws InvalidFieldException if namespace or name is not a DNS label, or two ports have the same name, or none, and
     *     the same protocol
     */
    public static HeadlessService of(String namespace, String name, ServicePort... ports) {
        Metadata metadata = Metadata.of(namespace, name);
        List<ServicePort> all = Arrays.asList(Objects.requireNonNull(ports, "ports"));
        return new HeadlessService(metadata, all, EndpointSelection.NONE, false);
    }

    /**
     * Returns a Service with these ports and nothing else.
     *
     * @throws InvalidFieldException if namespace or name is not a DNS label, or two ports have the same name, or none, and
     *     the same protocol
     */
    public static HeadlessService of(String namespace, String name, List<ServicePort> ports) {
        return new HeadlessService(Metadata.of(namespace, name), ports, EndpointSelection.NONE, false);
    }

    /**
     * Returns a builder of a Service.
     *
     * @param namespace the namespace, a DNS-1123 label
     * @param name the name, a DNS-1123 label
     * @throws InvalidFieldException if namespace or name is not what Kubernetes allows
     */
    public static Builder builder(String namespace, String name) {
        return new Builder(Metadata.of(namespace, name));
    }

    /** Returns a builder of a Service with this namespace, name, UID and these labels. */
    public static Builder builder(Metadata metadata) {
        return new Builder(Objects.requireNonNull(metadata, "metadata"));
    }

    /** Returns a builder with everything that this Service has. */
    public Builder toBuilder() {
        Builder builder = new Builder(metadata);
        builder.ports = ports;
        builder.selection = selection;
        builder.publishNotReadyAddresses = publishNotReadyAddresses;
        return builder;
    }

    /** Builds a {@link HeadlessService}. A field that is not set is absent. Not thread-safe. */
    public static final class Builder extends ServiceBuilder<Builder> {

        private Builder(Metadata metadata) {
            super(metadata);
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Returns the Service.
         *
         * @throws InvalidFieldException if the name is not a DNS label, or two ports have the same name, or none, and the
         *     same protocol
         */
        public HeadlessService build() {
            return new HeadlessService(metadata, ports, selection, publishNotReadyAddresses);
        }
    }
}
