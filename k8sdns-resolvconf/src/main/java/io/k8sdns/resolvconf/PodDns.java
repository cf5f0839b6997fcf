package io.k8sdns.resolvconf;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.Internal;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The resolver configuration and the name of a running Pod.
 *
 * @param resolvConf the three lists that the kubelet passes to the container runtime
 * @param hostname the output of {@code hostname}; empty for a Pod on the network of its node, which has the node's name
 * @param fqdn the output of {@code hostname -f}; empty for a Pod on the network of its node
 * @param notices the kubelet's warnings ({@link Diagnostic.Severity#WARNING}, in its own words), followed by advice
 *     ({@link Diagnostic.Severity#NOTE})
 */
public record PodDns(
        ResolvConf resolvConf, Optional<String> hostname, Optional<String> fqdn, List<Diagnostic> notices) {
    /** Copies the list. */
    @Internal
    public PodDns {
        Objects.requireNonNull(resolvConf, "resolvConf");
        Objects.requireNonNull(hostname, "hostname");
        Objects.requireNonNull(fqdn, "fqdn");
        notices = Copies.list("notices", notices);
    }

    /** Returns the texts of the events that the kubelet writes for the Pod, in its order. */
    public List<String> warnings() {
        return texts(Diagnostic.Severity.WARNING);
    }

    /** Returns the advice, without the kubelet's events. */
    public List<String> advice() {
        return texts(Diagnostic.Severity.NOTE);
    }

    /**
     * Returns the {@code dnsConfig} that gives the same file on any node, together with {@code dnsPolicy: None}.
     *
     * <p>An API server accepts it if there is at least one nameserver and each is an IP address; a host's file may hold
     * others.
     */
    public DnsConfig asDnsConfig() {
        return new DnsConfig(
                resolvConf.nameservers(),
                resolvConf.searches(),
                resolvConf.options().stream().map(OptionWord::parse).toList());
    }

    private List<String> texts(Diagnostic.Severity severity) {
        return notices.stream()
                .filter(notice -> notice.severity() == severity)
                .map(Diagnostic::text)
                .toList();
    }
}
