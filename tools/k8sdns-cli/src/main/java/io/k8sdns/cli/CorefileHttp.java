package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Translates the directives with an HTTP server: {@code prometheus}, {@code health}, {@code ready}. */
final class CorefileHttp {
    private final CorefileOptions options;
    private final CorefileRemarks remarks;

    /** The addresses, by the names of the directives. */
    private final Map<String, String> addresses = new LinkedHashMap<>();

    CorefileHttp(CorefileOptions options, CorefileRemarks remarks) {
        this.options = options;
        this.remarks = remarks;
    }

    /**
     * Reads the address of a directive.
     *
     * @param standard its default in CoreDNS
     */
    void add(Directive directive, String standard) {
        String text = directive.arguments().isEmpty()
                ? standard
                : directive.arguments().get(0);
        String address = text.startsWith(":") ? "[::]" + text : text;
        try {
            address = HostAndPort.parse(address).toString();
        } catch (IllegalArgumentException invalid) {
            throw new InvalidCorefileException(directive.line(), directive.name() + ": " + invalid.getMessage());
        }
        String known = addresses.putIfAbsent(directive.name(), address);
        if (known != null && !known.equals(address)) {
            remarks.warn(
                    directive,
                    "at " + address + " besides " + known + "; " + CorefileOptions.METRICS + " has one address");
        }
        if (!directive.name().equals("prometheus")) {
            remarks.note(
                    directive, "/" + directive.name() + " is answered at the address of " + CorefileOptions.METRICS);
        }
        directive.block().forEach(property -> remarks.note(property, "decided without an option"));
    }

    /** Adds the option with one of the addresses. */
    void translate() {
        Stream.of("prometheus", "health", "ready")
                .flatMap(name -> Optional.ofNullable(addresses.get(name)).stream())
                .findFirst()
                .ifPresent(address -> options.add(CorefileOptions.METRICS, address));
    }
}
