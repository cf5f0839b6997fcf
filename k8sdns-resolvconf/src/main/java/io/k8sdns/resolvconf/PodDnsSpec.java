package io.k8sdns.resolvconf;

import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.Internal;
import java.util.Objects;
import java.util.Optional;

/**
 * The DNS fields of a Pod's manifest, as written and unchecked: the valid values depend on the version of the API server.
 * {@link KubeletDns#forPod} checks them and reports all errors at once.
 *
 * @param name {@code metadata.name}
 * @param namespace {@code metadata.namespace}; never empty
 * @param uid {@code metadata.uid}; a manifest that was never applied has none
 * @param hostNetwork {@code spec.hostNetwork}: whether the Pod is on the network of its node
 * @param hostname {@code spec.hostname}
 * @param subdomain {@code spec.subdomain}
 * @param setHostnameAsFqdn {@code spec.setHostnameAsFQDN}
 * @param hostnameOverride {@code spec.hostnameOverride}; the empty text is a value here, and not a valid one
 * @param dnsPolicy {@code spec.dnsPolicy}, as written; empty if absent
 * @param dnsConfig {@code spec.dnsConfig}; empty if absent
 */
public record PodDnsSpec(
        String name,
        String namespace,
        Optional<String> uid,
        boolean hostNetwork,
        Optional<String> hostname,
        Optional<String> subdomain,
        boolean setHostnameAsFqdn,
        Optional<String> hostnameOverride,
        Optional<String> dnsPolicy,
        Optional<DnsConfig> dnsConfig)
        implements PodDefinition {
    /** Checks that nothing is null. */
    @Internal
    public PodDnsSpec {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(uid, "uid");
        Objects.requireNonNull(hostname, "hostname");
        Objects.requireNonNull(subdomain, "subdomain");
        Objects.requireNonNull(hostnameOverride, "hostnameOverride");
        Objects.requireNonNull(dnsPolicy, "dnsPolicy");
        Objects.requireNonNull(dnsConfig, "dnsConfig");
    }

    /** Returns the same Pod with another policy and another dnsConfig. */
    PodDnsSpec withDns(Optional<String> policy, Optional<DnsConfig> config) {
        return new PodDnsSpec(
                name,
                namespace,
                uid,
                hostNetwork,
                hostname,
                subdomain,
                setHostnameAsFqdn,
                hostnameOverride,
                policy,
                config);
    }

    /** Returns this; {@link KubeletDns#forPod} checks it as an API server does. */
    @Override
    public PodDnsSpec spec(NodeDns node) {
        return this;
    }

    /** Returns a builder of a Pod with this name in the namespace {@code default}, without other fields. */
    public static Builder builder(String name) {
        return new Builder(Objects.requireNonNull(name, "name"));
    }

    /**
     * Builds a {@link PodDnsSpec}. As in a manifest, an empty text means that the field is absent, except where noted.
     */
    public static final class Builder {
        private final String name;
        private String namespace = "default";
        private Optional<String> uid = Optional.empty();
        private boolean hostNetwork;
        private Optional<String> hostname = Optional.empty();
        private Optional<String> subdomain = Optional.empty();
        private boolean setHostnameAsFqdn;
        private Optional<String> hostnameOverride = Optional.empty();
        private Optional<String> dnsPolicy = Optional.empty();
        private Optional<DnsConfig> dnsConfig = Optional.empty();

        private Builder(String name) {
            this.name = name;
        }

        /** Sets the namespace; by default {@code default}. */
        public Builder namespace(String value) {
            namespace = present("namespace", value).orElse("default");
            return this;
        }

        /** Sets the UID, which warnings contain. */
        public Builder uid(String value) {
            uid = present("uid", value);
            return this;
        }

        /** Sets whether the Pod is on the network of its node. */
        public Builder hostNetwork(boolean value) {
            hostNetwork = value;
            return this;
        }

        /** Sets {@code spec.hostname}. */
        public Builder hostname(String value) {
            hostname = present("hostname", value);
            return this;
        }

        /** Sets {@code spec.subdomain}. */
        public Builder subdomain(String value) {
            subdomain = present("subdomain", value);
            return this;
        }

        /** Sets {@code spec.setHostnameAsFQDN}. */
        public Builder setHostnameAsFqdn(boolean value) {
            setHostnameAsFqdn = value;
            return this;
        }

        /** Sets {@code spec.hostnameOverride}; the empty text is a value, which the API server refuses. */
        public Builder hostnameOverride(String value) {
            hostnameOverride = Optional.of(Objects.requireNonNull(value, "hostnameOverride"));
            return this;
        }

        /** Sets {@code spec.dnsPolicy}, as written. */
        public Builder dnsPolicy(String word) {
            dnsPolicy = present("dnsPolicy", word);
            return this;
        }

        /** Sets {@code spec.dnsPolicy}. */
        public Builder dnsPolicy(DnsPolicy policy) {
            dnsPolicy = Optional.of(Objects.requireNonNull(policy, "dnsPolicy").word());
            return this;
        }

        /** Sets {@code spec.dnsConfig}; {@link DnsConfig#EMPTY} is not the same as none. */
        public Builder dnsConfig(DnsConfig value) {
            dnsConfig = Optional.of(Objects.requireNonNull(value, "dnsConfig"));
            return this;
        }

        /** Returns the fields of the Pod. */
        public PodDnsSpec build() {
            return new PodDnsSpec(
                    name,
                    namespace,
                    uid,
                    hostNetwork,
                    hostname,
                    subdomain,
                    setHostnameAsFqdn,
                    hostnameOverride,
                    dnsPolicy,
                    dnsConfig);
        }

        private static Optional<String> present(String setter, String text) {
            return Optional.of(Objects.requireNonNull(text, setter)).filter(value -> !value.isEmpty());
        }
    }
}
