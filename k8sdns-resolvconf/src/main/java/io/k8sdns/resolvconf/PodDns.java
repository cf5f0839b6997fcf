package io.k8sdns.resolvconf;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Internal;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a Pod finds: its resolver configuration and its name.
 *
 * @param resolvConf the three lists that the kubelet hands to the container runtime
 * @param hostname what {@code hostname} prints; empty for a Pod on the network of its node, which has the node's name
 * @param fqdn what {@code hostname -f} prints; empty for a Pod on the network of its node
 * @param notices what the kubelet warns of ({@link Diagnostic.Severity#WARNING}, in its own words), and then what is worth
 *     knowing beyond that ({@link Diagnostic.Severity#NOTE})
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

    /** Returns the texts of the events that the kubelet writes for the Pod, and nothing else, in its order. */
    public List<String> warnings() {
        return texts(Diagnostic.Severity.WARNING);
    }

    /** Returns what is worth knowing beyond what the kubelet says. */
    public List<String> advice() {
        return texts(Diagnostic.Severity.NOTE);
    }

    /**
     * Returns the {@code dnsConfig} that gives the same file on any node, together with {@code dnsPolicy: None}.
     *
     * <p>An API server takes it if there is a nameserver and every one is an IP address, which a host's file need not
     * observe.
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
