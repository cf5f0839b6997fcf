package io.k8sdns.resolvconf;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The DNS configuration of a node's kubelet, and the text of the node's own resolv.conf.
 *
 * @param clusterDns the addresses of the cluster's DNS servers, in order
 * @param clusterDomain the domain of the cluster, for example {@code cluster.local}: labels of letters, digits and inner
 *     dashes, with or without a dot at the end; empty if it has none
 * @param hostResolvConf the text of the file that {@code resolvConf} names; empty for an empty {@code resolvConf}, which
 *     is not the same as an empty file
 * @param nodeIps the addresses of the node, used only if {@code hostResolvConf} is empty
 * @param os the operating system of the node
 * @param dialect the version of kubelet and API server
 * @param enhancementPolicies whether the policies of enhancement proposals that were never implemented are accepted:
 *     {@code Custom} for {@code None}, and {@code ClusterFirstWithAutopath}
 */
public record NodeDns(
        List<IpAddress> clusterDns,
        Optional<String> clusterDomain,
        Optional<String> hostResolvConf,
        List<IpAddress> nodeIps,
        Os os,
        KubeletDialect dialect,
        boolean enhancementPolicies) {
    /** The operating system of a node. */
    public enum Os {
        /** The container runtime writes a resolv.conf. */
        LINUX("linux"),
        /**
         * No file is written: the network adapter has the servers, and only the first search domain. Options of the
         * host are ignored.
         */
        WINDOWS("windows");

        private final String word;

        Os(String word) {
            this.word = word;
        }

        /**
         * Returns the name of the system, the value of the label {@code kubernetes.io/os}: {@code linux} or
         * {@code windows}.
         */
        public String word() {
            return word;
        }

        /** Returns the system with this word, otherwise empty. */
        public static Optional<Os> tryParse(String word) {
            Objects.requireNonNull(word, "word");
            return Arrays.stream(values()).filter(os -> os.word.equals(word)).findFirst();
        }
    }

    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if the cluster domain is not a host name; the message names the reason
     */
    @Internal
    public NodeDns {
        clusterDns = Copies.list("clusterDns", clusterDns);
        nodeIps = Copies.list("nodeIps", nodeIps);
        Objects.requireNonNull(clusterDomain, "clusterDomain");
        Objects.requireNonNull(hostResolvConf, "hostResolvConf");
        Objects.requireNonNull(os, "os");
        Objects.requireNonNull(dialect, "dialect");
        clusterDomain.ifPresent(NodeDns::requireHostName);
    }

    private static void requireHostName(String domain) {
        try {
            DnsLabels.parseHostName(domain);
        } catch (InvalidNameException invalid) {
            throw new IllegalArgumentException(
                    "not a cluster domain: " + Quoted.bare(String.valueOf(invalid.getMessage())), invalid);
        }
    }

    /**
     * Returns a Linux node of the latest version with the cluster domain {@code cluster.local}, without a file of its
     * own.
     *
     * @param address the address of the cluster's DNS server
     * @throws IllegalArgumentException if it is not an IP address
     */
    public static NodeDns ofClusterDns(String address) {
        return builder()
                .clusterDns(IpAddress.parse(Objects.requireNonNull(address, "address")))
                .build();
    }

    /**
     * Returns a builder of a Linux node of the latest version with the cluster domain {@code cluster.local}, without
     * cluster DNS and without a file of its own.
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a {@link NodeDns}. */
    public static final class Builder {
        private List<IpAddress> clusterDns = List.of();
        private Optional<String> clusterDomain = Optional.of("cluster.local");
        private Optional<String> hostResolvConf = Optional.empty();
        private List<IpAddress> nodeIps = List.of();
        private Os os = Os.LINUX;
        private KubeletDialect dialect = KubeletDialect.LATEST;
        private boolean enhancementPolicies;

        private Builder() {}

        /** Sets the cluster's DNS servers; by default none. */
        public Builder clusterDns(List<IpAddress> addresses) {
            clusterDns = Copies.list("clusterDns", addresses);
            return this;
        }

        /** Sets the cluster's DNS servers. */
        public Builder clusterDns(IpAddress... addresses) {
            return clusterDns(Arrays.asList(Objects.requireNonNull(addresses, "clusterDns")));
        }

        /** Sets the cluster domain; by default {@code cluster.local}; the empty text means none. */
        public Builder clusterDomain(String domain) {
            clusterDomain =
                    Optional.of(Objects.requireNonNull(domain, "clusterDomain")).filter(text -> !text.isEmpty());
            return this;
        }

        /** Sets the text of the node's resolv.conf; the empty text is an empty file. */
        public Builder hostResolvConf(String text) {
            hostResolvConf = Optional.of(Objects.requireNonNull(text, "hostResolvConf"));
            return this;
        }

        /** Sets the addresses of the node; by default none. */
        public Builder nodeIps(List<IpAddress> addresses) {
            nodeIps = Copies.list("nodeIps", addresses);
            return this;
        }

        /** Sets the addresses of the node. */
        public Builder nodeIps(IpAddress... addresses) {
            return nodeIps(Arrays.asList(Objects.requireNonNull(addresses, "nodeIps")));
        }

        /** Sets the operating system; by default Linux. */
        public Builder os(Os value) {
            os = Objects.requireNonNull(value, "os");
            return this;
        }

        /** Sets the version of the kubelet; by default {@link KubeletDialect#LATEST}. */
        public Builder dialect(KubeletDialect value) {
            dialect = Objects.requireNonNull(value, "dialect");
            return this;
        }

        /**
         * Sets whether policies of enhancement proposals that were never implemented are accepted; by default they are
         * not.
         */
        public Builder enhancementPolicies(boolean value) {
            enhancementPolicies = value;
            return this;
        }

        /**
         * Returns the configuration.
         *
         * @throws IllegalArgumentException if the cluster domain is not a host name; the message names the reason
         */
        public NodeDns build() {
            return new NodeDns(clusterDns, clusterDomain, hostResolvConf, nodeIps, os, dialect, enhancementPolicies);
        }
    }
}
