package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Pod, with the fields on which DNS and the choice of a Service's endpoints depend. Immutable.
 *
 * <pre>{@code
 * Pod plain = Pod.running("shop", "web-0", "192.0.2.10");
 * Pod named = plain.toBuilder().labels("app=web").hostname("web-0").subdomain("web").build();
 * Pod pending = Pod.builder("shop", "web-1").phase(PodPhase.PENDING).build();
 * }</pre>
 */
public final class Pod implements NamespacedObject {
    /** The kind. */
    public static final String KIND = "Pod";

    /** The usual policies and operating systems. Shared, because a cluster has many Pods and nearly every one has a policy. */
    private static final Map<String, Optional<String>> USUAL = Stream.concat(
                    Arrays.stream(DnsPolicy.values()).map(DnsPolicy::word), Stream.of("linux", "windows"))
            .collect(Collectors.toUnmodifiableMap(word -> word, Optional::of));

    private final Metadata metadata;
    private final Optional<PodPhase> phase;
    private final Optional<Boolean> ready;
    private final boolean terminating;
    private final List<IpAddress> ips;
    private final boolean hostNetwork;
    private final Optional<String> hostname;
    private final Optional<String> subdomain;
    private final Optional<String> nodeName;
    private final Optional<String> dnsPolicy;
    private final Optional<DnsConfig> dnsConfig;
    private final List<HostAlias> hostAliases;
    private final Optional<String> os;
    private final List<ContainerPort> ports;
    private final Optional<ObjectRef> workload;

    private Pod(Builder builder) {
        metadata = builder.metadata;
        phase = builder.phase;
        ready = builder.ready;
        terminating = builder.terminating;
        ips = builder.ips;
        hostNetwork = builder.hostNetwork;
        hostname = builder.hostname;
        subdomain = builder.subdomain;
        nodeName = builder.nodeName;
        dnsPolicy = builder.dnsPolicy;
        dnsConfig = builder.dnsConfig;
        hostAliases = builder.hostAliases;
        os = builder.os;
        ports = List.copyOf(builder.ports);
        workload = builder.workload;
        if (hostname.isPresent()) {
            FieldChecks.requireDnsLabel("spec.hostname", hostname.get());
        }
        if (subdomain.isPresent()) {
            FieldChecks.requireDnsLabel("spec.subdomain", subdomain.get());
        }
        if (nodeName.isPresent()) {
            FieldChecks.requireDnsSubdomain("spec.nodeName", nodeName.get());
        }
    }

    /**
     * Returns a running, ready Pod with these addresses and nothing else.
     *
     * @param ips the addresses of the Pod, usually one of each family; copied
     * @throws InvalidFieldException if namespace or name is not what Kubernetes allows
     */
    public static Pod running(String namespace, String name, List<IpAddress> ips) {
        return builder(namespace, name)
                .phase(PodPhase.RUNNING)
                .ready(true)
                .ips(ips)
                .build();
    }

    /**
     * Returns a running, ready Pod with these addresses and nothing else.
     *
     * @param ips the IP addresses of the Pod, usually one of each family
     * @throws IllegalArgumentException if one is not an IP address
     * @throws InvalidFieldException if namespace or name is not what Kubernetes allows
     */
    public static Pod running(String namespace, String name, String... ips) {
        return running(namespace, name, IpAddress.parseAll("ips", ips));
    }

    /**
     * Returns a builder of a Pod. Its status is empty, as in a manifest.
     *
     * @param namespace the namespace, a DNS-1123 label
     * @param name the name of the Pod, a DNS-1123 subdomain
     * @throws InvalidFieldException if namespace or name is not what Kubernetes allows
     */
    public static Builder builder(String namespace, String name) {
        return new Builder(Metadata.of(namespace, name));
    }

    /**
     * Returns a builder of a Pod with this namespace, name, UID and these labels. Its status is empty, as in a manifest.
     */
    public static Builder builder(Metadata metadata) {
        return new Builder(Objects.requireNonNull(metadata, "metadata"));
    }

    /** Returns a builder with everything that this Pod has. */
    public Builder toBuilder() {
        Builder builder = new Builder(metadata);
        builder.phase = phase;
        builder.ready = ready;
        builder.terminating = terminating;
        builder.ips = ips;
        builder.hostNetwork = hostNetwork;
        builder.hostname = hostname;
        builder.subdomain = subdomain;
        builder.nodeName = nodeName;
        builder.dnsPolicy = dnsPolicy;
        builder.dnsConfig = dnsConfig;
        builder.hostAliases = hostAliases;
        builder.os = os;
        builder.ports = ports;
        builder.workload = workload;
        return builder;
    }

    /** Returns the word, as the same object each time if it is a usual one. */
    private static Optional<String> shared(String word) {
        Optional<String> usual = USUAL.get(word);
        return usual != null ? usual : Optional.of(word);
    }

    @Override
    public Metadata metadata() {
        return metadata;
    }

    /** Returns {@code status.phase}; empty for an object without a status, as in a manifest. */
    public Optional<PodPhase> phase() {
        return phase;
    }

    /** Returns the condition {@code Ready}, false if only others are given; empty if the status has no conditions. */
    public Optional<Boolean> ready() {
        return ready;
    }

    /** Returns whether the Pod has a deletion timestamp. */
    public boolean terminating() {
        return terminating;
    }

    /** Returns {@code status.podIPs}, or {@code status.podIP} alone. */
    public List<IpAddress> ips() {
        return ips;
    }

    /** Returns whether the Pod shares its Node's address. */
    public boolean hostNetwork() {
        return hostNetwork;
    }

    /** Returns {@code spec.hostname}, a DNS-1123 label, if the Pod has one. */
    public Optional<String> hostname() {
        return hostname;
    }

    /** Returns {@code spec.subdomain}, a DNS-1123 label, if the Pod has one. */
    public Optional<String> subdomain() {
        return subdomain;
    }

    /** Returns {@code spec.nodeName}, if the Pod has one. */
    public Optional<String> nodeName() {
        return nodeName;
    }

    /**
     * Returns {@code spec.dnsPolicy} as written, usually the {@link DnsPolicy#word} of a {@link DnsPolicy}; empty if absent, which means
     * {@link DnsPolicy#CLUSTER_FIRST}.
     */
    public Optional<String> dnsPolicy() {
        return dnsPolicy;
    }

    /** Returns {@code spec.dnsConfig}, if the Pod has one: what it adds to the resolver configuration of its policy. */
    public Optional<DnsConfig> dnsConfig() {
        return dnsConfig;
    }

    /** Returns {@code spec.hostAliases}, in the object's order. */
    public List<HostAlias> hostAliases() {
        return hostAliases;
    }

    /**
     * Returns the operating system that the Pod requires, for example {@code linux} or {@code windows}: {@code spec.os.name}, otherwise
     * {@code kubernetes.io/os} of {@code spec.nodeSelector}; empty if it has neither.
     */
    public Optional<String> os() {
        return os;
    }

    /**
     * Returns the named ports of the Pod's containers, then those of its sidecars (init containers that restart always).
     */
    public List<ContainerPort> ports() {
        return ports;
    }

    /**
     * Returns the workload from whose template this Pod was predicted; empty for a Pod that a cluster or a manifest has. A predicted Pod
     * need not exist, and all names but those of a StatefulSet's Pods are invented.
     */
    public Optional<ObjectRef> workload() {
        return workload;
    }

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(KIND, namespace(), name());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Pod pod
                && metadata.equals(pod.metadata)
                && phase.equals(pod.phase)
                && ready.equals(pod.ready)
                && terminating == pod.terminating
                && ips.equals(pod.ips)
                && hostNetwork == pod.hostNetwork
                && hostname.equals(pod.hostname)
                && subdomain.equals(pod.subdomain)
                && nodeName.equals(pod.nodeName)
                && dnsPolicy.equals(pod.dnsPolicy)
                && dnsConfig.equals(pod.dnsConfig)
                && hostAliases.equals(pod.hostAliases)
                && os.equals(pod.os)
                && ports.equals(pod.ports)
                && workload.equals(pod.workload);
    }

    @Override
    public int hashCode() {
        int hash = metadata.hashCode();
        hash = hash * 31 + phase.hashCode();
        hash = hash * 31 + ready.hashCode();
        hash = hash * 31 + Boolean.hashCode(terminating);
        hash = hash * 31 + ips.hashCode();
        hash = hash * 31 + Boolean.hashCode(hostNetwork);
        hash = hash * 31 + hostname.hashCode();
        hash = hash * 31 + subdomain.hashCode();
        hash = hash * 31 + nodeName.hashCode();
        hash = hash * 31 + dnsPolicy.hashCode();
        hash = hash * 31 + dnsConfig.hashCode();
        hash = hash * 31 + hostAliases.hashCode();
        hash = hash * 31 + os.hashCode();
        hash = hash * 31 + ports.hashCode();
        return hash * 31 + workload.hashCode();
    }

    /** Returns the fields; those that are absent, empty or false are omitted. */
    @Override
    public String toString() {
        List<String> fields = new ArrayList<>();
        fields.add("metadata=" + metadata);
        phase.ifPresent(value -> fields.add("phase=" + value));
        ready.ifPresent(value -> fields.add("ready=" + value));
        if (terminating) {
            fields.add("terminating");
        }
        if (!ips.isEmpty()) {
            fields.add("ips=" + ips);
        }
        if (hostNetwork) {
            fields.add("hostNetwork");
        }
        hostname.ifPresent(value -> fields.add("hostname=" + value));
        subdomain.ifPresent(value -> fields.add("subdomain=" + value));
        nodeName.ifPresent(value -> fields.add("nodeName=" + value));
        dnsPolicy.ifPresent(value -> fields.add("dnsPolicy=" + value));
        dnsConfig.ifPresent(value -> fields.add("dnsConfig=" + value));
        if (!hostAliases.isEmpty()) {
            fields.add("hostAliases=" + hostAliases);
        }
        os.ifPresent(value -> fields.add("os=" + value));
        if (!ports.isEmpty()) {
            fields.add("ports=" + ports);
        }
        workload.ifPresent(value -> fields.add("workload=" + value));
        return "Pod" + fields;
    }

    /** Builds a {@link Pod}. A field that is not set is absent. Not thread-safe. */
    public static final class Builder extends ObjectBuilder<Builder> {
        private Optional<PodPhase> phase = Optional.empty();
        private Optional<Boolean> ready = Optional.empty();
        private boolean terminating;
        private List<IpAddress> ips = List.of();
        private boolean hostNetwork;
        private Optional<String> hostname = Optional.empty();
        private Optional<String> subdomain = Optional.empty();
        private Optional<String> nodeName = Optional.empty();
        private Optional<String> dnsPolicy = Optional.empty();
        private Optional<DnsConfig> dnsConfig = Optional.empty();
        private List<HostAlias> hostAliases = List.of();
        private Optional<String> os = Optional.empty();
        private List<ContainerPort> ports = List.of();
        private Optional<ObjectRef> workload = Optional.empty();

        private Builder(Metadata metadata) {
            super(metadata);
        }

        @Override
        Builder self() {
            return this;
        }

        /** Sets {@code status.phase}. */
        public Builder phase(PodPhase value) {
            phase = Optional.of(Objects.requireNonNull(value, "phase"));
            return this;
        }

        /** Sets the condition {@code Ready}. */
        public Builder ready(boolean value) {
            ready = Optional.of(value);
            return this;
        }

        /** Sets whether the Pod has a deletion timestamp; by default it has none. */
        public Builder terminating(boolean value) {
            terminating = value;
            return this;
        }

        /**
         * Sets the addresses, {@code status.podIPs}, in place of those set before.
         *
         * @param all the addresses, usually one of each family; copied
         */
        public Builder ips(List<IpAddress> all) {
            ips = Copies.list("ips", all);
            return this;
        }

        /**
         * Sets the addresses, {@code status.podIPs}, in place of those set before.
         *
         * @param all IP addresses, usually one of each family
         * @throws IllegalArgumentException if one is not an IP address
         */
        public Builder ips(String... all) {
            ips = IpAddress.parseAll("ips", all);
            return this;
        }

        /** Sets whether the Pod shares its Node's address; by default it does not. */
        public Builder hostNetwork(boolean value) {
            hostNetwork = value;
            return this;
        }

        /** Sets {@code spec.hostname}, a DNS-1123 label. */
        public Builder hostname(String value) {
            hostname = Optional.of(Objects.requireNonNull(value, "hostname"));
            return this;
        }

        /** Sets {@code spec.subdomain}, a DNS-1123 label: the name of the headless Service that names the Pod. */
        public Builder subdomain(String value) {
            subdomain = Optional.of(Objects.requireNonNull(value, "subdomain"));
            return this;
        }

        /** Sets {@code spec.nodeName}, a DNS-1123 subdomain. */
        public Builder nodeName(String value) {
            nodeName = Optional.of(Objects.requireNonNull(value, "nodeName"));
            return this;
        }

        /** Sets {@code spec.dnsPolicy} as written; any text is accepted. */
        public Builder dnsPolicy(String word) {
            dnsPolicy = shared(Objects.requireNonNull(word, "dnsPolicy"));
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

        /** Sets the operating system that the Pod requires, for example {@code windows}; any text is accepted. */
        public Builder os(String name) {
            os = shared(Objects.requireNonNull(name, "os"));
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

        /** Sets the workload from whose template the Pod is predicted; by default the Pod is not predicted. */
        public Builder workload(ObjectRef value) {
            workload = Optional.of(Objects.requireNonNull(value, "workload"));
            return this;
        }

        /**
         * Returns the Pod.
         *
         * @throws InvalidFieldException if hostname or subdomain is not a DNS label or the node name is not a DNS subdomain
         */
        public Pod build() {
            return new Pod(this);
        }
    }
}
