package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import io.k8sdns.cli.Corefile.ServerBlock;
import io.k8sdns.model.IpAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Translates the addresses of server blocks, and {@code bind}. */
final class CorefileListen {
    private final CorefileOptions options;
    private final CorefileRemarks remarks;

    /** The addresses of the first block with addresses. */
    private Set<String> listening = Set.of();

    CorefileListen(CorefileOptions options, CorefileRemarks remarks) {
        this.options = options;
        this.remarks = remarks;
    }

    /** Adds the addresses of a block. */
    void translate(ServerBlock block) {
        List<String> hosts = block.directives().stream()
                .filter(directive -> directive.name().equals("bind"))
                .flatMap(this::hosts)
                .distinct()
                .toList();
        List<String> needed = hosts.stream()
                .filter(host -> hosts.stream().noneMatch(wide -> includes(wide, host)))
                .toList();
        Set<String> addresses = new LinkedHashSet<>();
        for (Corefile.BlockZone one : block.keys()) {
            ZoneKey key = ZoneKey.parse(one);
            if (one.text().contains(CorefileForward.PLACEHOLDER)) {
                remarks.warn(one.line(), one.text() + " is a placeholder; write the cluster's domain");
            }
            if (!key.isPlain()) {
                continue;
            }
            for (String host : needed.isEmpty() ? List.of("::") : needed) {
                addresses.add(new HostAndPort(host, key.port()).toString());
            }
        }
        if (!listening.isEmpty() && !addresses.isEmpty() && !addresses.equals(listening)) {
            remarks.warn(
                    block.line(),
                    String.join(" ", ZoneKey.zones(block))
                            + ": other addresses than those of an earlier block; every zone is"
                            + " answered at all addresses");
        }
        listening = listening.isEmpty() ? addresses : listening;
        addresses.forEach(address -> options.add(CorefileOptions.LISTEN, address));
    }

    private Stream<String> hosts(Directive bind) {
        bind.block().forEach(property -> remarks.warn(property, "a property of bind without a counterpart"));
        return bind.arguments().stream()
                .filter(host -> {
                    boolean address = IpAddress.tryParse(host).isPresent();
                    if (!address) {
                        remarks.warn(
                                bind, host + " is not an address; set the addresses of the interface with --listen");
                    }
                    return address;
                })
                .map(host -> IpAddress.parse(host).toString());
    }

    /** Returns whether an address is a wildcard that includes another one, so that a server cannot listen at both. */
    private static boolean includes(String wide, String other) {
        return !wide.equals(other)
                && (wide.equals("::")
                        || wide.equals("0.0.0.0") && IpAddress.parse(other).isIpv4());
    }
}
