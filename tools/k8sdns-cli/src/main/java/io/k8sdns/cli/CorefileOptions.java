package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The options of a translation, with their values. */
final class CorefileOptions {
    static final String LISTEN = "--listen";
    static final String ZONE = "--zone";
    static final String REVERSE_ZONE = "--reverse-zone";
    static final String FALLTHROUGH = "--fallthrough";
    static final String FORWARD = "--forward";
    static final String FORWARD_POLICY = "--forward-policy";
    static final String STUB_DOMAIN = "--stub-domain";
    static final String ZONE_UPSTREAM = "--zone-upstream";
    static final String CLUSTER_DOMAIN = "--cluster-domain";
    static final String METRICS = "--metrics";
    static final String ORDER = "--order";
    static final String CACHE_SIZE = "--cache-size";
    static final String CACHE_MAX_TTL = "--cache-max-ttl";
    static final String CACHE_MAX_NEGATIVE_TTL = "--cache-max-negative-ttl";
    static final String SERVE_STALE = "--serve-stale";
    static final String SERVE_STALE_MODE = "--serve-stale-mode";
    static final String PREFETCH = "--prefetch";
    static final String AUTOPATH = "--autopath";
    static final String SEARCH_FILE = "--autopath-search-file";
    static final String HOST_SEARCH = "--autopath-host-search";

    /** All options, in the order of the output. */
    private static final List<String> OPTIONS = List.of(
            "--in-cluster",
            "--kubeconfig",
            "--context",
            "--startup-timeout",
            LISTEN,
            CLUSTER_DOMAIN,
            ZONE,
            REVERSE_ZONE,
            "--ttl",
            "--pods",
            "--endpoint-names",
            "--namespace",
            "--labels",
            "--namespace-labels",
            "--ignore-empty-services",
            "--no-endpoints",
            ORDER,
            FALLTHROUGH,
            FORWARD,
            FORWARD_POLICY,
            STUB_DOMAIN,
            ZONE_UPSTREAM,
            CACHE_SIZE,
            CACHE_MAX_TTL,
            CACHE_MAX_NEGATIVE_TTL,
            SERVE_STALE,
            SERVE_STALE_MODE,
            PREFETCH,
            AUTOPATH,
            SEARCH_FILE,
            HOST_SEARCH,
            METRICS);

    private final CorefileRemarks remarks;
    private final Map<String, Set<String>> values = new LinkedHashMap<>();

    CorefileOptions(CorefileRemarks remarks) {
        this.remarks = remarks;
    }

    /** Adds a value of an option; empty for an option without a value. */
    void add(String option, String value) {
        values.computeIfAbsent(option, any -> new LinkedHashSet<>()).add(value);
    }

    /** Sets an option with a single value, unless an earlier line has set it. */
    void set(String option, String value, Directive directive) {
        Set<String> known = values(option);
        if (!known.isEmpty() && !known.contains(value)) {
            remarks.warn(
                    directive,
                    option + " " + quoted(value) + " differs from "
                            + quoted(known.iterator().next()) + " of an earlier line, which is used");
        } else {
            add(option, value);
        }
    }

    /** Removes an option with all its values. */
    void remove(String option) {
        values.remove(option);
    }

    /** Returns whether an option has a value. */
    boolean has(String option) {
        return values.containsKey(option);
    }

    /** Returns the values of an option, in the order of the lines; empty if it has none. */
    Set<String> values(String option) {
        return values.getOrDefault(option, Set.of());
    }

    /** Returns the cluster's zones that a zone lies in. */
    Stream<String> clusterZones(String zone) {
        return Stream.of(ZONE, REVERSE_ZONE)
                .flatMap(option -> values(option).stream())
                .flatMap(own -> ZoneKey.names(own).stream())
                .filter(own -> ZoneKey.isWithin(zone, own));
    }

    /** Returns the options with their values, quoted for a shell. */
    List<String> lines() {
        return OPTIONS.stream()
                .flatMap(option ->
                        values(option).stream().map(value -> value.isEmpty() ? option : option + " " + quoted(value)))
                .toList();
    }

    /** Returns the values of the options by long name without dashes, as in a file for {@code serve --config}. */
    OutputObject object() {
        OutputObject object = new OutputObject();
        OPTIONS.stream().filter(values::containsKey).forEach(option -> {
            List<String> all = List.copyOf(values(option));
            String first = all.get(0);
            object.put(option.substring("--".length()), all.size() > 1 ? all : first.isEmpty() ? (Object) true : first);
        });
        return object;
    }

    /**
     * Quotes values with characters that a shell interprets. Brackets are not quoted: they match no file, and the quotes would be
     * part of the value in {@code $(k8sdns from-corefile FILE)}.
     */
    static String quoted(String value) {
        return value.matches("[A-Za-z0-9@%_+=:,./\\[\\]-][A-Za-z0-9@%_+=:,./\\[\\]#-]*")
                ? value
                : "'" + value.replace("'", "'\\''") + "'";
    }
}
