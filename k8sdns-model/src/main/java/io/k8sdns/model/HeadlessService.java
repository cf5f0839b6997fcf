package io.k8sdns.model;

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
     * @throws InvalidFieldException if the name is no DNS label, or two ports have the same name, or none, and the same
     *     protocol
     */
    @Internal
    public HeadlessService {
        Objects.requireNonNull(metadata, "metadata");
        KubernetesNames.requireDnsLabel("metadata.name", metadata.name());
        ports = Copies.list("ports", ports);
        PortKey.requireDistinct("spec.ports", ports, ServicePort::key);
        Objects.requireNonNull(selection, "selection");
    }

    /**
     * Returns a Service with these ports and nothing else.
     *
     * @throws InvalidFieldException if namespace or name is no DNS label, or two ports have the same name, or none, and
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
     * @throws InvalidFieldException if namespace or name is no DNS label, or two ports have the same name, or none, and
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
    public static final class Builder {
        private Metadata metadata;
        private List<ServicePort> ports = List.of();
        private EndpointSelection selection = EndpointSelection.NONE;
        private boolean publishNotReadyAddresses;

        private Builder(Metadata metadata) {
            this.metadata = metadata;
        }

        /** Sets namespace, name, UID and labels, in place of those given before. */
        public Builder metadata(Metadata value) {
            metadata = Objects.requireNonNull(value, "metadata");
            return this;
        }

        /** Sets the labels of the Service, in place of those of the metadata. */
        public Builder labels(Labels all) {
            metadata = metadata.withLabels(Objects.requireNonNull(all, "labels"));
            return this;
        }

        /**
         * Sets the labels of the Service, in place of those of the metadata.
         *
         * @param all keys and values joined by commas, for example {@code app=web,tier=front}
         * @throws InvalidFieldException if one is no label
         */
        public Builder labels(String all) {
            return labels(Labels.parse(Objects.requireNonNull(all, "labels")));
        }

        /** Sets the ports, in place of those set or added before. */
        public Builder ports(ServicePort... all) {
            return ports(Arrays.asList(Objects.requireNonNull(all, "ports")));
        }

        /**
         * Sets the ports, in place of those set or added before.
         *
         * @param all the ports; copied
         */
        public Builder ports(List<ServicePort> all) {
            ports = Copies.list("ports", all);
            return this;
        }

        /** Adds a port. */
        public Builder port(ServicePort port) {
            ports = Copies.added(ports, Objects.requireNonNull(port, "port"));
            return this;
        }

        /**
         * Sets the labels that the Service's Pods carry, {@code spec.selector}; without any the Service has no selector.
         */
        public Builder selector(Labels labels) {
            selection = selection.withSelector(Objects.requireNonNull(labels, "selector"));
            return this;
        }

        /**
         * Sets the labels that the Service's Pods carry, {@code spec.selector}.
         *
         * @param labels keys and values joined by commas, for example {@code app=web,tier=front}
         * @throws InvalidFieldException if one is no label
         */
        public Builder selector(String labels) {
            return selector(Labels.parse(Objects.requireNonNull(labels, "selector")));
        }

        /**
         * Sets {@code spec.ipFamilies}, the families that the Service is to have, in order.
         *
         * @param families at most one of each
         * @throws InvalidFieldException if one family is given twice
         */
        public Builder ipFamilies(IpFamily... families) {
            return ipFamilies(Arrays.asList(Objects.requireNonNull(families, "ipFamilies")));
        }

        /**
         * Sets {@code spec.ipFamilies}, the families that the Service is to have, in order.
         *
         * @param families at most one of each; copied
         * @throws InvalidFieldException if one family is given twice
         */
        public Builder ipFamilies(List<IpFamily> families) {
            selection = selection.withIpFamilies(Copies.list("ipFamilies", families));
            return this;
        }

        /** Sets {@code spec.ipFamilyPolicy}. */
        public Builder ipFamilyPolicy(IpFamilyPolicy policy) {
            selection = selection.withIpFamilyPolicy(Objects.requireNonNull(policy, "ipFamilyPolicy"));
            return this;
        }

        /** Sets selector, IP families and their policy at once, in place of those set before. */
        public Builder selection(EndpointSelection value) {
            selection = Objects.requireNonNull(value, "selection");
            return this;
        }

        /** Sets whether endpoints are published before they are ready; by default they are not. */
        public Builder publishNotReadyAddresses(boolean value) {
            publishNotReadyAddresses = value;
            return this;
        }

        /**
         * Returns the Service.
         *
         * @throws InvalidFieldException if the name is no DNS label, or two ports have the same name, or none, and the
         *     same protocol
         */
        public HeadlessService build() {
            return new HeadlessService(metadata, ports, selection, publishNotReadyAddresses);
        }
    }
}
