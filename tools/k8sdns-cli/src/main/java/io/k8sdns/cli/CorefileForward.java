package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import io.k8sdns.model.IpAddress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/**
 * A parsed {@code forward} directive, or {@code proxy}, its predecessor: a zone, its servers, and the settings of the connections.
 */
final class CorefileForward {
    private static final String TLS = "tls://";
    private static final String DNS = "dns://";

    /** The placeholder that node-local-dns replaces with the servers of the kube-dns ConfigMap or of the node's resolv.conf. */
    private static final String UPSTREAM_PLACEHOLDER = "__PILLAR__UPSTREAM__SERVERS__";

    static final String PLACEHOLDER = "__PILLAR__";

    /** The properties for which k8sdns needs no option: limits, health checks and connections. */
    private static final Set<String> AUTOMATIC = Set.of(
            "expire",
            "failfast_all_unhealthy_upstreams",
            "health_check",
            "health_timeout",
            "max_concurrent",
            "max_connect_attempts",
            "max_fails",
            "max_idle_conns",
            "max_age",
            "fail_timeout",
            "spray");

    private final Directive directive;
    private final CorefileTranslation.HostFiles files;
    private final CorefileRemarks remarks;
    private final BiPredicate<String, Directive> isNeverForwarded;
    private String serverName = "";
    private Optional<String> transport = Optional.empty();
    private Optional<Directive> policy = Optional.empty();

    /** The properties for DNS over TLS. */
    private final List<Directive> ofTls = new ArrayList<>();

    /**
     * One server.
     *
     * @param host an address
     * @param port empty for the default port
     * @param tls whether it is asked over TLS
     * @param name the name in the server's certificate; empty if none is given
     */
    record Server(String host, Optional<Integer> port, boolean tls, String name) {
        /** Returns the text form without transport: {@code 10.0.0.1}, {@code [2001:db8::1]:5353}. */
        String plain() {
            return (host.indexOf(':') < 0 ? host : "[" + host + "]")
                    + port.map(one -> ":" + one).orElse("");
        }

        /** Returns the text form: {@code 10.0.0.1}, {@code tls://10.0.0.1#dns.example}. */
        @Override
        public String toString() {
            return tls ? TLS + plain() + (name.isEmpty() ? "" : "#" + name) : plain();
        }
    }

    /**
     * Parses a directive.
     *
     * @param isNeverForwarded whether the options never forward a name of {@code except} in a line
     */
    CorefileForward(
            Directive directive,
            CorefileTranslation.HostFiles files,
            CorefileRemarks remarks,
            BiPredicate<String, Directive> isNeverForwarded) {
        this.directive = directive;
        this.files = files;
        this.remarks = remarks;
        this.isNeverForwarded = isNeverForwarded;
        if (directive.arguments().size() < 2) {
            throw new InvalidCorefileException(
                    directive.line(), directive.name() + " needs a zone and a server, such as: forward . 192.0.2.53");
        }
        directive.block().forEach(this::property);
    }

    /** Returns whether a directive forwards. */
    static boolean isForward(Directive directive) {
        return directive.name().equals("forward") || directive.name().equals("proxy");
    }

    /** Returns the zone whose names are forwarded; the root means all names of the server block. */
    String zone() {
        return ZoneKey.zone(directive.arguments().get(0), directive.line());
    }

    /** Returns {@code tcp} or {@code udp} if the directive requires it. */
    Optional<String> transport() {
        return transport;
    }

    /**
     * Returns the value of {@code --forward-policy} if it is not the default, which is a random choice as in CoreDNS. An unknown
     * policy is reported.
     */
    Optional<String> policyOption() {
        return switch (policy()) {
            case "random" -> Optional.empty();
            case "round_robin" -> Optional.of("round-robin");
            case "sequential" -> Optional.of("sequential");
            default -> {
                policy.ifPresent(property -> remarks.warn(
                        property, policy() + ": a policy without a counterpart; a server is chosen at random"));
                yield Optional.empty();
            }
        };
    }

    private String policy() {
        return policy.map(CorefileValues::first).orElse("random");
    }

    /**
     * Reports a difference in the choice between several servers of an option without a policy.
     *
     * @param option the option with the servers
     * @param isRandom whether the option chooses a random server, otherwise the first
     */
    void comparePolicy(String option, boolean isRandom) {
        String wanted = policy();
        if (wanted.equals(isRandom ? "random" : "sequential")) {
            return;
        }
        String ours = option + (isRandom ? " chooses a server at random" : " asks the first server that works");
        policy.ifPresentOrElse(
                property -> remarks.warn(property, wanted + ": no option; " + ours),
                () -> remarks.note(directive, ours + ", not at random"));
    }

    private void property(Directive property) {
        switch (property.name()) {
            case "force_tcp" -> transport = Optional.of("tcp");
            case "prefer_udp" -> transport = Optional.of("udp");
            case "tls_servername" -> {
                ofTls.add(property);
                serverName = property.arguments().isEmpty()
                        ? ""
                        : property.arguments().get(0);
            }
            case "tls" -> ofTls.add(property);
            case "policy" -> policy = Optional.of(property);
            case "except" -> except(property);
            default -> {
                if (AUTOMATIC.contains(property.name())) {
                    remarks.note(property, "decided without an option");
                } else {
                    remarks.warn(property, "a property of " + directive.name() + " without a counterpart");
                }
            }
        }
    }

    private void except(Directive property) {
        String forwarded = property.arguments().stream()
                .filter(name -> !isNeverForwarded.test(name, property))
                .collect(Collectors.joining(" "));
        if (!forwarded.isEmpty()) {
            remarks.warn(
                    property,
                    "no option keeps " + forwarded
                            + " from being forwarded; with --stub-domain it can have servers of its own");
        }
    }

    /** Returns the servers in order; invalid servers are reported. */
    List<Server> servers() {
        List<Server> servers = new ArrayList<>();
        for (String target :
                directive.arguments().subList(1, directive.arguments().size())) {
            if (target.equals(UPSTREAM_PLACEHOLDER)) {
                servers.addAll(ofFile(CorefileTranslation.RESOLV_CONF));
            } else if (target.contains(PLACEHOLDER)) {
                remarks.warn(
                        directive,
                        target + " is a placeholder; write the cluster IP of the Service that selects the cluster's DNS"
                                + " Pods (kube-dns-upstream)");
            } else {
                servers.addAll(ofTarget(target));
            }
        }
        ofTls.forEach(property -> compareTls(property, servers));
        return servers;
    }

    /** Reports the servers that a property for TLS does not apply to: as in CoreDNS, only those with {@code tls://} are asked over TLS. */
    private void compareTls(Directive property, List<Server> servers) {
        String others = servers.stream()
                .filter(server -> !server.tls())
                .map(Server::plain)
                .collect(Collectors.joining(" "));
        if (!others.isEmpty()) {
            remarks.note(
                    property, "applies to servers with tls:// alone; asked without TLS, as CoreDNS does: " + others);
        }
        if (property.name().equals("tls")
                && !property.arguments().isEmpty()
                && servers.stream().anyMatch(Server::tls)) {
            remarks.warn(property, "certificates of clients and other authorities have no option");
        }
    }

    private List<Server> ofTarget(String target) {
        boolean overTls = target.startsWith(TLS);
        String prefix = overTls ? TLS : target.startsWith(DNS) ? DNS : "";
        String rest = target.substring(prefix.length());
        if (rest.contains("://")) {
            remarks.warn(directive, target + ": servers are asked over DNS and DNS over TLS alone");
            return List.of();
        }
        if (rest.startsWith("/")) {
            if (overTls) {
                remarks.warn(
                        directive,
                        target
                                + ": the servers of a file are asked without TLS, as CoreDNS does; name each of them with tls:// instead");
            }
            return ofFile(rest);
        }
        int percent = overTls ? rest.indexOf('%') : -1;
        String name = percent < 0 ? serverName : rest.substring(percent + 1);
        Optional<Server> server = server(percent < 0 ? rest : rest.substring(0, percent), overTls, name);
        if (server.isPresent()) {
            return List.of(server.get());
        }
        if (!prefix.isEmpty()) {
            throw new InvalidCorefileException(directive.line(), "not the address of a server: " + target);
        }
        return ofFile(target);
    }

    /** Parses an address with an optional port; returns empty if it is not an address. */
    private static Optional<Server> server(String text, boolean tls, String name) {
        Optional<IpAddress> whole = IpAddress.tryParse(
                text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text);
        if (whole.isPresent()) {
            return whole.map(address -> new Server(address.toString(), Optional.empty(), tls, name));
        }
        try {
            HostAndPort both = HostAndPort.parse(text);
            Optional<Integer> port = Optional.of(both.port()).filter(one -> one != (tls ? 853 : 53));
            return IpAddress.tryParse(both.host())
                    .filter(address -> both.port() > 0)
                    .map(address -> new Server(address.toString(), port, tls, name));
        } catch (IllegalArgumentException noAddress) {
            return Optional.empty();
        }
    }

    /** Returns the name servers in a resolv.conf file of this machine. */
    private List<Server> ofFile(String file) {
        List<Server> servers = new ArrayList<>();
        try {
            for (String address : files.read(file).nameservers()) {
                Optional<Server> server = server(address, false, "");
                if (server.isEmpty()) {
                    remarks.warn(directive, file + ": not the address of a server: " + address);
                }
                server.ifPresent(servers::add);
            }
        } catch (IOException | IllegalArgumentException unreadable) {
            remarks.warn(
                    directive,
                    file + " cannot be read here (" + unreadable.getMessage()
                            + "); name its servers yourself, or another file with --resolv-conf");
            return List.of();
        }
        if (servers.isEmpty()) {
            remarks.warn(directive, file + " names no server");
        } else {
            remarks.note(directive, "the servers are those of " + file + " now; it is not read again");
        }
        return servers;
    }
}
