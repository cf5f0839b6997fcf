package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The fields of a workload's Pod template on which DNS depends.
 *
 * @param labels the labels of every Pod
 * @param hostname {@code spec.hostname}, which all Pods share; a StatefulSet and an indexed Job replace it
 * @param subdomain {@code spec.subdomain}; a StatefulSet replaces it
 * @param hostNetwork whether the Pods share their Node's address
 * @param nodeName the Node that the template names, if any
 * @param nodeSelector the labels of the Nodes on which the Pods may run
 * @param dnsPolicy {@link Pod#dnsPolicy}
 * @param dnsConfig {@link Pod#dnsConfig}
 * @param hostAliases {@link Pod#hostAliases}
 * @param os {@link Pod#os}
 * @param ports the named ports of its containers, then those of its sidecars
 */
public record PodTemplate(
        Labels labels,
        Optional<String> hostname,
        Optional<String> subdomain,
        boolean hostNetwork,
        Optional<String> nodeName,
        Labels nodeSelector,
        Optional<String> dnsPolicy,
        Optional<DnsConfig> dnsConfig,
        List<HostAlias> hostAliases,
        Optional<String> os,
        List<ContainerPort> ports) {
    /** The labels of Pods whose values their controllers choose, so that no manifest of a workload has them. */
    @Internal
    public static final Set<String> UNPREDICTABLE_LABELS = Set.of(
            "pod-template-hash", "controller-revision-hash", "controller-uid", "batch.kubernetes.io/controller-uid");

    /**
     * Checks the names and copies the lists.
     *
     * @throws InvalidFieldException if the node name is not a DNS subdomain, or the hostname or subdomain not a DNS
     *     label
     */
    @Internal
    public PodTemplate {
        Objects.requireNonNull(labels, "labels");
        Objects.requireNonNull(hostname, "hostname");
        hostname.ifPresent(text -> FieldChecks.requireDnsLabel("spec.hostname", text));
        Objects.requireNonNull(subdomain, "subdomain");
        subdomain.ifPresent(text -> FieldChecks.requireDnsLabel("spec.subdomain", text));
        Objects.requireNonNull(nodeName, "nodeName");
        nodeName.ifPresent(text -> FieldChecks.requireDnsSubdomain("spec.nodeName", text));
        Objects.requireNonNull(nodeSelector, "nodeSelector");
        Objects.requireNonNull(dnsPolicy, "dnsPolicy");
        Objects.requireNonNull(dnsConfig, "dnsConfig");
        hostAliases = Copies.list("hostAliases", hostAliases);
        Objects.requireNonNull(os, "os");
        ports = Copies.list("ports", ports);
    }

    /** Returns a template with these labels and nothing else. */
    public static PodTemplate of(Labels labels) {
        return builder().labels(labels).build();
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

    /**
     * Returns the path of a field of Pods in the manifest of their workload, for example {@code spec.template.spec.hostname}.
     *
     * @param field the path in the Pod, in its spec or metadata
     */
    @Internal
    public static String path(ObjectRef workload, String field) {
        Objects.requireNonNull(workload, "workload");
        Objects.requireNonNull(field, "field");
        return (workload.kind().equals(CronJob.KIND) ? "spec.jobTemplate.spec.template." : "spec.template.") + field;
    }

    /** Returns a builder of a template. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder with everything that this template has. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.labels = labels;
        builder.hostname = hostname;
        builder.subdomain = subdomain;
        builder.hostNetwork = hostNetwork;
        builder.nodeName = nodeName;
        builder.nodeSelector = nodeSelector;
        builder.dnsPolicy = dnsPolicy;
        builder.dnsConfig = dnsConfig;
        builder.hostAliases = hostAliases;
        builder.os = os;
        builder.ports = ports;
        return builder;
    }

    /** Returns a builder of a Pod of this template, with its hostname and subdomain and an empty status. */
    @Internal
    public Pod.Builder pod(String namespace, String name) {
        return pod(namespace, name, hostname, subdomain);
    }

    /** Returns a builder of a Pod of this template with another hostname and subdomain. */
    Pod.Builder pod(String namespace, String name, Optional<String> podHostname, Optional<String> podSubdomain) {
        Pod.Builder pod = Pod.builder(namespace, name)
                .labels(labels)
                .hostNetwork(hostNetwork)
                .hostAliases(hostAliases)
                .ports(ports);
        podHostname.ifPresent(pod::hostname);
        podSubdomain.ifPresent(pod::subdomain);
        nodeName.ifPresent(pod::nodeName);
        dnsPolicy.ifPresent(word -> pod.dnsPolicy(word));
        dnsConfig.ifPresent(pod::dnsConfig);
        os.ifPresent(pod::os);
        return pod;
    }

    /** Builds a {@link PodTemplate}. A field that is not set is absent. Not thread-safe. */
    public static final class Builder {
        private Labels labels = Labels.NONE;
        private Optional<String> hostname = Optional.empty();
        private Optional<String> subdomain = Optional.empty();
        private boolean hostNetwork;
        private Optional<String> nodeName = Optional.empty();
        private Labels nodeSelector = Labels.NONE;
        private Optional<String> dnsPolicy = Optional.empty();
        private Optional<DnsConfig> dnsConfig = Optional.empty();
        private List<HostAlias> hostAliases = List.of();
        private Optional<String> os = Optional.empty();
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

        /** Sets the hostname of every Pod, a DNS label. */
        public Builder hostname(String value) {
            hostname = Optional.of(Objects.requireNonNull(value, "hostname"));
            return this;
        }

        /** Sets the subdomain of every Pod, a DNS label: the name of a headless Service. */
        public Builder subdomain(String value) {
            subdomain = Optional.of(Objects.requireNonNull(value, "subdomain"));
            return this;
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

        /** Sets the labels of the Nodes on which the Pods may run, in place of those set before. */
        public Builder nodeSelector(Labels required) {
            nodeSelector = Objects.requireNonNull(required, "nodeSelector");
            return this;
        }

        /** Sets {@code spec.dnsPolicy} as written; any text is accepted. */
        public Builder dnsPolicy(String word) {
            dnsPolicy = Optional.of(Objects.requireNonNull(word, "dnsPolicy"));
            return this;
        }

        /** Sets {@code spec.dnsPolicy}. */
        public Builder dnsPolicy(DnsPolicy policy) {
            return dnsPolicy(Objects.requireNonNull(policy, "dnsPolicy").word());
        }

        /** Sets {@code spec.dnsConfig}; {@link DnsConfig#EMPTY} is not the same as none. */
        public Builder dnsConfig(DnsConfig value) {
            dnsConfig = Optional.of(Objects.requireNonNull(value, "dnsConfig"));
            return this;
        }

        /**
         * Sets {@code spec.hostAliases}, in place of those set before.
         *
         * @param all the entries; copied
         */
        public Builder hostAliases(List<HostAlias> all) {
            hostAliases = Copies.list("hostAliases", all);
            return this;
        }

        /** Sets the operating system that the Pods require, for example {@code windows}; any text is accepted. */
        public Builder os(String name) {
            os = Optional.of(Objects.requireNonNull(name, "os"));
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
         * @throws InvalidFieldException if the node name is not a DNS subdomain, or the hostname or subdomain not a DNS
         *     label
         */
        public PodTemplate build() {
            return new PodTemplate(
                    labels,
                    hostname,
                    subdomain,
                    hostNetwork,
                    nodeName,
                    nodeSelector,
                    dnsPolicy,
                    dnsConfig,
                    hostAliases,
                    os,
                    ports);
        }
    }
}
