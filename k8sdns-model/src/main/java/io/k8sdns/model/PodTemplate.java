package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The fields of a workload's Pod template on which DNS depends.
 *
 * @param labels the labels of every Pod
 * @param hostNetwork whether the Pods share their Node's address
 * @param nodeName the Node that the template names, if any
 * @param ports the named ports of its containers, then those of its sidecars
 */
public record PodTemplate(Labels labels, boolean hostNetwork, Optional<String> nodeName, List<ContainerPort> ports) {
    /**
     * Checks the node name and copies the list.
     *
     * @throws InvalidFieldException if the node name is not a DNS subdomain
     */
    @Internal
    public PodTemplate {
        Objects.requireNonNull(labels, "labels");
        Objects.requireNonNull(nodeName, "nodeName");
        nodeName.ifPresent(text -> FieldChecks.requireDnsSubdomain("spec.nodeName", text));
        ports = Copies.list("ports", ports);
    }

    /** Returns a template with these labels and nothing else. */
    public static PodTemplate of(Labels labels) {
        return new PodTemplate(labels, false, Optional.empty(), List.of());
    }

    /**
     * Returns a template with these labels and nothing else.
     *
     * @param labels keys and values joined by commas, for example {@code app=web,tier=front}
     * @throws InvalidFieldException if one of them is not a label
     */
    public static PodTemplate of(String labels) {
        return of(Labels.parse(Objects.requireNonNull(labels, "labels")));
    }

    /** Returns a builder of a template. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder with everything that this template has. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.labels = labels;
        builder.hostNetwork = hostNetwork;
        builder.nodeName = nodeName;
        builder.ports = ports;
        return builder;
    }

    /** Builds a {@link PodTemplate}. A field that is not set is absent. Not thread-safe. */
    public static final class Builder {
        private Labels labels = Labels.NONE;
        private boolean hostNetwork;
        private Optional<String> nodeName = Optional.empty();
        private List<ContainerPort> ports = List.of();

        private Builder() {}

        /** Sets the labels of every Pod, in place of those set before. */
        public Builder labels(Labels all) {
            labels = Objects.requireNonNull(all, "labels");
            return this;
        }

        /**
         * Sets the labels of every Pod, in place of those set before.
         *
         * @param all keys and values joined by commas, for example {@code app=web,tier=front}
         * @throws InvalidFieldException if one of them is not a label
         */
        public Builder labels(String all) {
            return labels(Labels.parse(Objects.requireNonNull(all, "labels")));
        }

        /** Sets whether the Pods share their Node's address; by default they do not. */
        public Builder hostNetwork(boolean value) {
            hostNetwork = value;
            return this;
        }

        /** Sets the name of the Node that the Pods run on, a DNS-1123 subdomain. */
        public Builder nodeName(String value) {
            nodeName = Optional.of(Objects.requireNonNull(value, "nodeName"));
            return this;
        }

        /** Sets the named ports of the containers, in place of those set or added before. */
        public Builder ports(ContainerPort... all) {
            return ports(Arrays.asList(Objects.requireNonNull(all, "ports")));
        }

        /**
         * Sets the named ports of the containers, in place of those set or added before.
         *
         * @param all the ports; copied
         */
        public Builder ports(List<ContainerPort> all) {
            ports = Copies.list("ports", all);
            return this;
        }

        /** Adds a named port of a container. */
        public Builder port(ContainerPort port) {
            ports = Copies.added(ports, Objects.requireNonNull(port, "port"));
            return this;
        }

        /**
         * Returns the template.
         *
         * @throws InvalidFieldException if the node name is not a DNS subdomain
         */
        public PodTemplate build() {
            return new PodTemplate(labels, hostNetwork, nodeName, ports);
        }
    }
}
