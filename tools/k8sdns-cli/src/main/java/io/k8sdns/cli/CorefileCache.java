package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import java.util.List;
import java.util.function.Predicate;

/** Compares a {@code cache} directive with the cache of {@code serve} or {@code node-cache}, and reports the differences. */
final class CorefileCache {
    private static final String NO_OPTION = "; no option changes that";

    /** The default bounds of CoreDNS. */
    private static final Bounds COREDNS_RECORDS = new Bounds(5, 3600);

    private static final Bounds COREDNS_MISSING = new Bounds(5, 1800);
    private static final int SERVFAIL_SECONDS = 5;

    /** The bounds of {@code node-cache}. {@code serve} has those of CoreDNS. */
    private static final Bounds NODE_RECORDS = new Bounds(5, 30);

    private static final Bounds NODE_MISSING = new Bounds(5, 5);

    private final Directive directive;
    private final CorefileTranslation.Remarks remarks;
    private final boolean forServe;
    private final List<String> zones;
    private final Predicate<String> neverCached;

    /** Bounds of TTLs in seconds. As in CoreDNS, the maximum takes precedence if it is below the minimum. */
    private record Bounds(int min, int max) {
        @Override
        public String toString() {
            return min < max ? min + " to " + max + " s" : max + " s";
        }
    }

    /** The bounds of one kind of answers, and the directive that sets them. */
    private record Setting(Directive line, Bounds bounds) {}

    /**
     * Creates the comparison of a directive.
     *
     * @param forServe whether the options are those of {@code serve}
     * @param zones the names of the block's zones
     * @param neverCached returns whether a zone's names are never cached, because they are never forwarded
     */
    CorefileCache(
            Directive directive,
            CorefileTranslation.Remarks remarks,
            boolean forServe,
            List<String> zones,
            Predicate<String> neverCached) {
        this.directive = directive;
        this.remarks = remarks;
        this.forServe = forServe;
        this.zones = zones;
        this.neverCached = neverCached;
    }

    /**
     * Reports the differences.
     *
     * @throws InvalidCorefileException if a value is invalid
     */
    void report() {
        remarks.note(directive, "forwarded answers are cached without an option; --cache-size BYTES bounds the memory");
        Setting records = new Setting(directive, COREDNS_RECORDS);
        Setting missing = new Setting(directive, COREDNS_MISSING);
        List<String> rest = directive.arguments();
        if (!rest.isEmpty() && rest.get(0).matches("[+-]?\\d+")) {
            int ttl = ttl(directive, rest.get(0));
            records = new Setting(directive, new Bounds(COREDNS_RECORDS.min(), ttl));
            missing = new Setting(directive, new Bounds(COREDNS_MISSING.min(), ttl));
            rest = rest.subList(1, rest.size());
        }
        onlyZones(rest);
        for (Directive property : directive.block()) {
            switch (property.name()) {
                case "success" -> records = bounded(property, records);
                case "denial" -> missing = bounded(property, missing);
                default -> property(property);
            }
        }
        compare("forwarded records", records, forServe ? COREDNS_RECORDS : NODE_RECORDS);
        compare("missing names and types", missing, forServe ? COREDNS_MISSING : NODE_MISSING);
    }

    private void property(Directive property) {
        switch (property.name()) {
            case "prefetch" -> {
                if (forServe) {
                    remarks.warn(property, "no option; answers are fetched again once their TTL has passed");
                } else {
                    remarks.note(
                            property, "an answer with ten hits is fetched again before its TTL has passed" + NO_OPTION);
                }
            }
            case "serve_stale" -> {
                if (forServe) {
                    remarks.warn(property, "no option; answers are not used once their TTL has passed");
                } else {
                    remarks.note(
                            property,
                            "if the servers fail or are slow, the last answer is used for up to an hour" + NO_OPTION);
                }
            }
            case "servfail" -> {
                if (!CorefileTranslation.seconds(property).equals(String.valueOf(SERVFAIL_SECONDS))) {
                    remarks.note(property, "SERVFAIL is cached for " + SERVFAIL_SECONDS + " s" + NO_OPTION);
                }
            }
            case "keepttl" -> remarks.warn(property, "no option; the TTL of a cached answer counts down");
            case "disable" -> disable(property);
            default -> remarks.warn(property, "a property of cache without a counterpart");
        }
    }

    /** Reports that all zones of the block are cached if the directive lists only some of them. */
    private void onlyZones(List<String> given) {
        List<String> names = names(given, directive);
        boolean all = names.isEmpty()
                || zones.stream().allMatch(zone -> names.stream().anyMatch(one -> ZoneKey.isWithin(zone, one)));
        if (!all) {
            remarks.warn(
                    directive, "no option caches only " + String.join(" ", given) + "; all forwarded names are cached");
        }
    }

    private void disable(Directive property) {
        String kind = CorefileTranslation.first(property);
        if (!kind.equals("success") && !kind.equals("denial")) {
            throw new InvalidCorefileException(property.line(), "disable takes success or denial, not " + kind);
        }
        List<String> given =
                names(property.arguments().subList(1, property.arguments().size()), property);
        List<String> cached = (given.isEmpty() ? zones : given)
                .stream().filter(zone -> !neverCached.test(zone)).toList();
        if (cached.isEmpty()) {
            remarks.note(property, "names of the cluster are never cached");
        } else {
            remarks.warn(
                    property,
                    "no option keeps answers about " + String.join(" ", cached)
                            + " from being cached; --cache-size 0 caches none at all");
        }
    }

    private static List<String> names(List<String> zones, Directive line) {
        return zones.stream()
                .map(zone -> ZoneKey.zone(zone, line.line()))
                .flatMap(zone -> ZoneKey.names(zone).stream())
                .toList();
    }

    /** Parses {@code success CAPACITY [TTL] [MINTTL]}, or {@code denial}. */
    private Setting bounded(Directive property, Setting before) {
        int unused = number(property, CorefileTranslation.first(property));
        remarks.note(property, "--cache-size BYTES bounds the memory of all answers; their number is not limited");
        List<String> arguments = property.arguments();
        if (arguments.size() < 2) {
            return before;
        }
        int min = arguments.size() < 3 ? before.bounds().min() : number(property, arguments.get(2));
        return new Setting(property, new Bounds(min, ttl(property, arguments.get(1))));
    }

    private void compare(String what, Setting wanted, Bounds ours) {
        if (!wanted.bounds().toString().equals(ours.toString())) {
            remarks.note(wanted.line(), what + " are cached for " + ours + ", not for " + wanted.bounds() + NO_OPTION);
        }
    }

    private static int ttl(Directive line, String text) {
        int ttl = number(line, text);
        if (ttl == 0) {
            throw new InvalidCorefileException(line.line(), line.name() + ": a TTL is 1 second or more, not " + text);
        }
        return ttl;
    }

    private static int number(Directive line, String text) {
        if (!text.matches("\\+?\\d{1,9}")) {
            throw new InvalidCorefileException(
                    line.line(), line.name() + ": not a number from 0 to 999999999: " + text);
        }
        return Integer.parseInt(text);
    }
}
