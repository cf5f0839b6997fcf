package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import io.k8sdns.nodecache.NodeCache;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A parsed {@code cache} directive. Reports the differences from the cache of {@code serve}, which has options, or of {@code
 * node-cache}, which has none.
 */
final class CorefileCache {
    private static final String NO_OPTION = "; no option changes that";

    /** The default bounds of CoreDNS. Not those of our cache, although equal: differences between both are reported. */
    private static final Bounds COREDNS_RECORDS = new Bounds(5, 3600);

    private static final Bounds COREDNS_MISSING = new Bounds(5, 1800);
    private static final int SERVFAIL_SECONDS = 5;

    /** How long CoreDNS serves stale answers if the directive has no time. */
    private static final long STALE_SECONDS = 3600;

    /** The settings of {@code --prefetch}, which are the defaults of CoreDNS. */
    private static final long PREFETCH_GAP_SECONDS = 60;

    private static final int PREFETCH_PERCENT = 10;

    /** The bounds of {@code node-cache}. {@code serve} has options for the maximums. */
    private static final Bounds NODE_RECORDS = Bounds.of(NodeCache.MIN_TTL, NodeCache.MAX_TTL);

    private static final Bounds NODE_MISSING = Bounds.of(NodeCache.MIN_TTL, NodeCache.MAX_NEGATIVE_TTL);

    private final Directive directive;
    private final CorefileRemarks remarks;
    private final boolean forServe;
    private final List<String> zones;
    private final Predicate<String> neverCached;
    private Setting records;
    private Setting missing;
    private Optional<Translated> prefetch = Optional.empty();
    private Optional<Translated> serveStale = Optional.empty();

    /**
     * A property with a counterpart in {@code serve}.
     *
     * @param options the values of the options by name
     */
    record Translated(Directive line, Map<String, String> options) {}

    /** Bounds of TTLs in seconds. As in CoreDNS, the maximum takes precedence if it is below the minimum. */
    private record Bounds(int min, int max) {
        static Bounds of(Duration min, Duration max) {
            return new Bounds((int) min.toSeconds(), (int) max.toSeconds());
        }

        @Override
        public String toString() {
            return min < max ? min + " to " + max + " s" : max + " s";
        }
    }

    /** The bounds of one kind of answers, and the directive that sets them. */
    private record Setting(Directive line, Bounds bounds) {}

    /**
     * Parses a directive, and reports the properties that no option has.
     *
     * @param forServe whether the options are those of {@code serve}
     * @param zones the names of the block's zones
     * @param neverCached returns whether a zone's names are never cached, because they are never forwarded
     * @throws InvalidCorefileException if a value is invalid
     */
    CorefileCache(
            Directive directive,
            CorefileRemarks remarks,
            boolean forServe,
            List<String> zones,
            Predicate<String> neverCached) {
        this.directive = directive;
        this.remarks = remarks;
        this.forServe = forServe;
        this.zones = zones;
        this.neverCached = neverCached;
        this.records = new Setting(directive, COREDNS_RECORDS);
        this.missing = new Setting(directive, COREDNS_MISSING);
        parse();
    }

    private void parse() {
        remarks.note(directive, "forwarded answers are cached without an option; --cache-size BYTES bounds the memory");
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
    }

    /** Returns the highest TTL of records, in seconds. */
    int maxTtl() {
        return records.bounds().max();
    }

    /** Returns the highest TTL of NXDOMAIN and NODATA, in seconds. */
    int maxNegativeTtl() {
        return missing.bounds().max();
    }

    /** Returns the options for {@code prefetch}. */
    Optional<Translated> prefetch() {
        return prefetch;
    }

    /** Returns the options for {@code serve_stale}. */
    Optional<Translated> serveStale() {
        return serveStale;
    }

    /** Reports how TTLs differ from those of {@code serve} with these maximums. */
    void compareWithServe(int maxTtl, int maxNegativeTtl) {
        compareWith(new Bounds(CacheOptions.MIN_TTL, maxTtl), new Bounds(CacheOptions.MIN_TTL, maxNegativeTtl));
    }

    /** Reports how TTLs differ from those of {@code node-cache}. */
    void compareWithNodeCache() {
        compareWith(NODE_RECORDS, NODE_MISSING);
    }

    private void compareWith(Bounds ofRecords, Bounds ofMissing) {
        compare("forwarded records", records, ofRecords);
        compare("missing names and types", missing, ofMissing);
    }

    private void property(Directive property) {
        switch (property.name()) {
            case "prefetch" -> prefetch(property);
            case "serve_stale" -> serveStale(property);
            case "servfail" -> {
                warnOfSurplus(property, 1);
                if (!CorefileValues.seconds(property).equals(String.valueOf(SERVFAIL_SECONDS))) {
                    remarks.note(property, "SERVFAIL is cached for " + SERVFAIL_SECONDS + " s" + NO_OPTION);
                }
            }
            case "keepttl" -> {
                warnOfSurplus(property, 0);
                remarks.warn(property, "no option; the TTL of a cached answer counts down");
            }
            case "disable" -> disable(property);
            default -> remarks.warn(property, "a property of cache without a counterpart");
        }
    }

    /** Warns of the arguments of a property beyond the known ones. CoreDNS refuses most of them itself. */
    private void warnOfSurplus(Directive property, int known) {
        List<String> arguments = property.arguments();
        if (arguments.size() > known) {
            remarks.warn(
                    property,
                    String.join(" ", arguments.subList(known, arguments.size())) + ": without a counterpart, ignored; "
                            + property.name() + " has at most " + known + (known == 1 ? " argument" : " arguments"));
        }
    }

    /** Parses {@code prefetch AMOUNT [[DURATION] [PERCENTAGE%]]}. */
    private void prefetch(Directive property) {
        warnOfSurplus(property, 3);
        List<String> arguments = property.arguments();
        int hits = number(property, CorefileValues.first(property));
        String gapSeconds = arguments.size() > 1
                ? CorefileValues.seconds(property, arguments.get(1))
                : String.valueOf(PREFETCH_GAP_SECONDS);
        String share = arguments.size() > 2 ? arguments.get(2) : PREFETCH_PERCENT + "%";
        if (!share.matches("[1-9]0%|[1-8][0-9]%")) {
            throw new InvalidCorefileException(property.line(), "prefetch takes 10% to 90% of the TTL, not " + share);
        }
        if (!forServe) {
            remarks.note(property, "an answer with ten hits is fetched again before its TTL has passed" + NO_OPTION);
            return;
        }
        if (!gapSeconds.equals(String.valueOf(PREFETCH_GAP_SECONDS))) {
            remarks.note(
                    property, "hits count if they are at most a minute apart, not " + arguments.get(1) + NO_OPTION);
        }
        if (!share.equals(PREFETCH_PERCENT + "%")) {
            remarks.note(
                    property,
                    "an answer is fetched again in the last tenth of its TTL, not the last " + share + NO_OPTION);
        }
        if (hits > 0) {
            prefetch = Optional.of(new Translated(property, Map.of(CorefileOptions.PREFETCH, String.valueOf(hits))));
        }
    }

    /** Parses {@code serve_stale [DURATION] [immediate|verify]}. */
    private void serveStale(Directive property) {
        warnOfSurplus(property, 2);
        List<String> arguments = property.arguments();
        long seconds = arguments.isEmpty()
                ? STALE_SECONDS
                : Long.parseLong(CorefileValues.seconds(property, arguments.get(0)));
        String mode = arguments.size() < 2 ? "immediate" : arguments.get(1).toLowerCase(Locale.ROOT);
        Map<String, String> options = new TreeMap<>();
        switch (mode) {
            case "immediate" -> options.put(CorefileOptions.SERVE_STALE_MODE, mode);
            case "verify", "verified" -> {}
            default ->
                throw new InvalidCorefileException(
                        property.line(), "serve_stale takes immediate or verify, not " + arguments.get(1));
        }
        if (!forServe) {
            remarks.note(
                    property, "if the servers fail or are slow, the last answer is used for up to an hour" + NO_OPTION);
            return;
        }
        if (seconds == 0) {
            return;
        }
        if (!mode.equals("immediate")) {
            remarks.note(property, "a stale answer is also used if the servers take longer than 1.8 s" + NO_OPTION);
        }
        remarks.note(property, "stale answers have a TTL of 30 s, not 0" + NO_OPTION);
        if (seconds > CacheOptions.MAX_STALE_SECONDS) {
            remarks.warn(
                    property,
                    "stale answers are used for at most " + CacheOptions.MAX_STALE_SECONDS + " s, not for " + seconds
                            + " s");
        }
        options.put(CorefileOptions.SERVE_STALE, String.valueOf(Math.min(seconds, CacheOptions.MAX_STALE_SECONDS)));
        serveStale = Optional.of(new Translated(property, options));
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
        String kind = CorefileValues.first(property);
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
        warnOfSurplus(property, 3);
        int unused = number(property, CorefileValues.first(property));
        remarks.note(property, "--cache-size BYTES bounds the memory of all answers; their number is not limited");
        List<String> arguments = property.arguments();
        if (arguments.size() < 2) {
            return before;
        }
        int min = arguments.size() < 3 ? before.bounds().min() : number(property, arguments.get(2));
        return new Setting(property, new Bounds(min, ttl(property, arguments.get(1))));
    }

    private void compare(String what, Setting wanted, Bounds ours) {
        if (wanted.bounds().toString().equals(ours.toString())) {
            return;
        }
        String why = forServe && ours.max() != wanted.bounds().max()
                ? "; one cache holds the answers of all blocks, with the lowest maximum"
                : NO_OPTION;
        remarks.note(wanted.line(), what + " are cached for " + ours + ", not for " + wanted.bounds() + why);
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
