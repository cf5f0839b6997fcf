package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import io.k8sdns.cli.Corefile.ServerBlock;
import io.k8sdns.model.IpAddress;
import io.k8sdns.resolvconf.ResolvConf;
import io.k8sdns.schema.NameSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Translates a Corefile to options of {@code k8sdns serve} or {@code k8sdns node-cache}. A Corefile with a {@code kubernetes}
 * directive is translated to {@code serve}, any other to {@code node-cache}.
 */
final class CorefileTranslation {
    static final String RESOLV_CONF = "/etc/resolv.conf";

    private static final String LISTEN = "--listen";
    private static final String ZONE = "--zone";
    private static final String REVERSE_ZONE = "--reverse-zone";
    private static final String FALLTHROUGH = "--fallthrough";
    private static final String FORWARD = "--forward";
    private static final String FORWARD_POLICY = "--forward-policy";
    private static final String STUB_DOMAIN = "--stub-domain";
    private static final String ZONE_UPSTREAM = "--zone-upstream";
    private static final String CLUSTER_DOMAIN = "--cluster-domain";
    private static final String METRICS = "--metrics";
    private static final String ORDER = "--order";
    private static final String CACHE_SIZE = "--cache-size";
    private static final String CACHE_MAX_TTL = "--cache-max-ttl";
    private static final String CACHE_MAX_NEGATIVE_TTL = "--cache-max-negative-ttl";
    static final String SERVE_STALE = "--serve-stale";
    static final String SERVE_STALE_MODE = "--serve-stale-mode";
    static final String PREFETCH = "--prefetch";
    private static final String AUTOPATH = "--autopath";
    private static final String SEARCH_FILE = "--autopath-search-file";
    private static final String HOST_SEARCH = "--autopath-host-search";

    /** The zones of {@code serve} without {@code --zone} and {@code --reverse-zone}. */
    private static final String DEFAULT_ZONE = "cluster.local";

    private static final List<String> REVERSE_ZONES =
            List.of(NameSchema.IN_ADDR_ARPA.toString(), NameSchema.IP6_ARPA.toString());

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

    /** Directives that need no option, with the reasons. */
    private static final Map<String, String> UNNECESSARY = Map.ofEntries(
            Map.entry("any", "queries of type ANY get a short answer without an option"),
            Map.entry("bufsize", "the size of answers over UDP is bounded without an option"),
            Map.entry("cancel", "every query has a deadline without an option"),
            Map.entry("errors", "failures are logged without an option"),
            Map.entry("log", "queries are not logged; --metrics counts them"),
            Map.entry("loop", "loops are found without an option"),
            Map.entry("reload", "options are read once; start again to change them"));

    /** Directives that k8sdns does not support, with the reasons. Other unknown directives are reported without a reason. */
    private static final Map<String, String> UNSUPPORTED = Map.of(
            "acl", "clients are not filtered; limit them with a NetworkPolicy",
            "dns64", "no AAAA records are made of A records",
            "federation",
                    "write the federations into the ConfigMap of kube-dns, and name its directory with --kube-dns-config",
            "file", "zone files are not served",
            "hosts", "no hosts file is served",
            "import", "no other file is read; translate it on its own",
            "rewrite", "no query is rewritten",
            "template", "no answer is made of a template",
            "tls", "queries over TLS are not served");

    private static final Pattern DURATION = Pattern.compile("(\\d+(?:\\.\\d+)?)(h|ms|m|s|us|µs|ns)");

    private final HostFiles files;
    private final Remarks remarks = new Remarks();
    private final Map<String, Set<String>> options = new LinkedHashMap<>();
    private final boolean forServe;

    /** The servers of each forwarded zone, as values of the options. For {@code node-cache} the last element is the transport. */
    private final Map<String, List<String>> upstreams = new LinkedHashMap<>();

    /** The directive that expands questions of Pods. */
    private Optional<Directive> autopath = Optional.empty();

    /** The addresses of the directives with an HTTP server: {@code prometheus}, {@code health}, {@code ready}. */
    private final Map<String, String> http = new LinkedHashMap<>();

    /** The lines with {@code fallthrough}. */
    private final List<Fallthrough> fallthroughs = new ArrayList<>();

    /** The names of the zones of {@code serve}; only these can fall through. */
    private List<String> served = List.of();

    /** The caches of the blocks that forward, for {@code serve}. */
    private final List<CorefileCache> caches = new ArrayList<>();

    /** The first used {@code forward} of each block without a cache. */
    private final List<Directive> uncached = new ArrayList<>();

    /**
     * A line with {@code fallthrough}.
     *
     * @param zones the zones of {@code kubernetes}
     * @param block the block with both
     */
    private record Fallthrough(Directive line, List<String> zones, ServerBlock block) {}

    /** The addresses of the first block with addresses. */
    private Set<String> listening = Set.of();

    /** Reads files of the machine. */
    interface HostFiles {
        /**
         * Reads a file in the format of resolv.conf.
         *
         * @param file the path in the Corefile
         * @throws IOException if it cannot be read
         */
        ResolvConf read(String file) throws IOException;
    }

    /**
     * A warning or note about a line of the Corefile.
     *
     * @param warns whether an effect of the Corefile is missing in the options
     */
    record Remark(int line, boolean warns, String text) {}

    /** The remarks of a translation. */
    static final class Remarks {
        private final Map<String, Remark> byText = new LinkedHashMap<>();

        /** Adds a warning about a missing effect, for each directive. */
        void warn(Directive directive, String text) {
            warn(directive.line(), directive.name() + ": " + text);
        }

        void warn(int line, String text) {
            byText.put(line + " " + text, new Remark(line, true, text));
        }

        /** Adds a note, once for each text. */
        void note(Directive directive, String text) {
            String whole = directive.name() + ": " + text;
            byText.putIfAbsent(whole, new Remark(directive.line(), false, whole));
        }

        private List<Remark> inOrder() {
            return byText.values().stream()
                    .sorted(Comparator.comparingInt(Remark::line))
                    .toList();
        }
    }

    private CorefileTranslation(Corefile corefile, HostFiles files) {
        this.files = files;
        List<ServerBlock> blocks =
                corefile.blocks().stream().filter(this::isServed).toList();
        this.forServe = blocks.stream()
                .flatMap(block -> block.directives().stream())
                .anyMatch(CorefileTranslation::isKubernetes);
        corefile.imports().forEach(this::warnUnsupported);
        // The cluster's own zones first, because other blocks are compared with them.
        blocks.forEach(this::ownZones);
        fallthroughs();
        blocks.forEach(this::block);
        fallthroughNeedsServers();
        autopath.ifPresent(this::autopathReadsPods);
        cacheOptions();
        metrics();
        clusterDomain();
    }

    /**
     * Translates a Corefile.
     *
     * @throws InvalidCorefileException if a zone, an address or a value is invalid
     */
    static CorefileTranslation of(Corefile corefile, HostFiles files) {
        return new CorefileTranslation(corefile, files);
    }

    /** Returns the command that the options are for: {@code serve} or {@code node-cache}. */
    String command() {
        return forServe ? "serve" : "node-cache";
    }

    /** Returns the options with their values, quoted for a shell. */
    List<String> options() {
        return OPTIONS.stream()
                .flatMap(option -> options.getOrDefault(option, Set.of()).stream()
                        .map(value -> value.isEmpty() ? option : option + " " + quoted(value)))
                .toList();
    }

    /** Returns the values of the options by long name without dashes, as in a file for {@code serve --config}. */
    OutputObject values() {
        OutputObject object = new OutputObject();
        OPTIONS.stream().filter(options::containsKey).forEach(option -> {
            List<String> values = List.copyOf(options.getOrDefault(option, Set.of()));
            String first = values.get(0);
            object.put(
                    option.substring("--".length()),
                    values.size() > 1 ? values : first.isEmpty() ? (Object) true : first);
        });
        return object;
    }

    /** Returns the warnings and notes, in the order of the lines. */
    List<Remark> remarks() {
        return remarks.inOrder();
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

    private void add(String option, String value) {
        options.computeIfAbsent(option, any -> new LinkedHashSet<>()).add(value);
    }

    /** Sets an option with a single value, unless an earlier line has set it. */
    private void set(String option, String value, Directive directive) {
        Set<String> known = options.getOrDefault(option, Set.of());
        if (!known.isEmpty() && !known.contains(value)) {
            remarks.warn(
                    directive,
                    option + " " + quoted(value) + " differs from "
                            + quoted(known.iterator().next()) + " of an earlier line, which is used");
        } else {
            add(option, value);
        }
    }

    private static boolean isForward(Directive directive) {
        return directive.name().equals("forward") || directive.name().equals("proxy");
    }

    private static boolean isKubernetes(Directive directive) {
        return directive.name().equals("kubernetes");
    }

    private void warnUnsupported(Directive directive) {
        remarks.warn(directive, UNSUPPORTED.getOrDefault(directive.name(), "a directive without a counterpart"));
    }

    // Blocks

    /** Returns whether at least one zone of a block is served, and reports the zones that are not. */
    private boolean isServed(ServerBlock block) {
        boolean served = block.keys().stream().map(ZoneKey::parse).anyMatch(ZoneKey::isPlain);
        for (Corefile.BlockZone one : block.keys()) {
            ZoneKey key = ZoneKey.parse(one);
            if (!key.isPlain()) {
                remarks.warn(
                        one.line(),
                        one.text() + ": queries over " + key.transport() + " are not served; UDP and TCP are"
                                + (served ? "" : "; this block is skipped"));
            }
        }
        return served;
    }

    private static List<String> zones(ServerBlock block) {
        return block.keys().stream()
                .map(ZoneKey::parse)
                .filter(ZoneKey::isPlain)
                .map(ZoneKey::zone)
                .distinct()
                .toList();
    }

    private void block(ServerBlock block) {
        listen(block);
        Optional<Directive> kubernetes = block.directives().stream()
                .filter(CorefileTranslation::isKubernetes)
                .findFirst();
        boolean answers = false;
        boolean ordered = false;
        List<Directive> forwards = new ArrayList<>();
        for (Directive directive : block.directives()) {
            switch (directive.name()) {
                case "kubernetes" -> answers = true;
                case "forward", "proxy" -> {
                    if (forward(directive, block)) {
                        forwards.add(directive);
                    }
                    answers = true;
                }
                case "loadbalance" -> {
                    ordered = true;
                    loadBalance(directive, kubernetes.isPresent());
                }
                case "autopath" -> autopath(directive, block);
                case "cache" -> cache(directive, block);
                case "prometheus" -> http(directive, "localhost:9153");
                case "health" -> http(directive, ":8080");
                case "ready" -> http(directive, ":8181");
                case "bind" -> {}
                default -> other(directive);
            }
        }
        if (block.directives().stream().noneMatch(one -> one.name().equals("cache"))) {
            forwards.stream().findFirst().ifPresent(uncached::add);
        }
        if (!answers) {
            remarks.warn(
                    block.line(), String.join(" ", zones(block)) + ": neither kubernetes nor forward, so not served");
        }
        if (kubernetes.isPresent() && !ordered) {
            set(ORDER, "stable", kubernetes.get());
        }
    }

    private void cache(Directive directive, ServerBlock block) {
        List<String> names = zones(block).stream()
                .flatMap(zone -> ZoneKey.names(zone).stream())
                .toList();
        Set<String> forwarded = options.getOrDefault(FALLTHROUGH, Set.of());
        boolean forwards = block.directives().stream().anyMatch(CorefileTranslation::isForward);
        boolean isUsed = forwards || !forServe;
        CorefileCache cache = new CorefileCache(
                directive,
                isUsed ? remarks : new Remarks(),
                forServe,
                names,
                zone -> clusterZones(zone).findAny().isPresent()
                        && clusterZones(zone).noneMatch(forwarded::contains));
        if (!isUsed) {
            remarks.note(directive, "nothing is forwarded here, and names of the cluster are never cached");
        } else if (forServe) {
            caches.add(cache);
        } else {
            cache.compareWithNodeCache();
        }
    }

    /**
     * Adds the options of the cache of {@code serve}, which holds the answers of all blocks. The lowest TTLs are used, because no
     * answer may be kept longer than the cache of its block allows. Blocks without a cache are reported instead: without a cache for
     * the other blocks each of their queries would be forwarded.
     */
    private void cacheOptions() {
        if (!forServe) {
            uncached.forEach(forward -> remarks.note(
                    forward,
                    "no cache in this block, but node-cache caches all answers; " + CACHE_SIZE + " 0 caches none"));
            return;
        }
        if (caches.isEmpty()) {
            uncached.stream().findFirst().ifPresent(forward -> {
                add(CACHE_SIZE, "0");
                remarks.note(forward, "no block that forwards has a cache, so forwarded answers are not cached");
            });
            return;
        }
        uncached.forEach(forward -> remarks.warn(
                forward,
                "no cache in this block; one cache holds the answers of all blocks, so its answers are cached, too; "
                        + CACHE_SIZE + " 0 caches none at all"));
        int max = caches.stream().mapToInt(CorefileCache::maxTtl).min().orElseThrow();
        int maxNegative =
                caches.stream().mapToInt(CorefileCache::maxNegativeTtl).min().orElseThrow();
        if (max != CacheOptions.MAX_TTL) {
            add(CACHE_MAX_TTL, String.valueOf(max));
        }
        if (maxNegative != CacheOptions.maxNegativeTtl(max)) {
            add(CACHE_MAX_NEGATIVE_TTL, String.valueOf(maxNegative));
        }
        caches.forEach(cache -> cache.compareWithServe(max, maxNegative));
        addFirst(caches.stream().map(CorefileCache::serveStale).toList());
        addFirst(caches.stream().map(CorefileCache::prefetch).toList());
    }

    /** Adds the options of the first block with a property, and reports what differs in other blocks. */
    private void addFirst(List<Optional<CorefileCache.Translated>> ofBlocks) {
        List<CorefileCache.Translated> given =
                ofBlocks.stream().flatMap(Optional::stream).toList();
        if (given.isEmpty()) {
            return;
        }
        CorefileCache.Translated first = given.get(0);
        first.options().forEach(this::add);
        if (given.size() < ofBlocks.size() || !uncached.isEmpty()) {
            remarks.note(first.line(), "one cache holds the answers of all blocks, so this applies to all of them");
        }
        given.stream()
                .filter(other -> !other.options().equals(first.options()))
                .forEach(other -> remarks.warn(
                        other.line(),
                        "one cache holds the answers of all blocks; line "
                                + first.line().line() + " differs, and is used"));
    }

    private void other(Directive directive) {
        String why = UNNECESSARY.get(directive.name());
        if (why == null) {
            warnUnsupported(directive);
        } else {
            remarks.note(directive, why);
        }
    }

    private void listen(ServerBlock block) {
        List<String> hosts = block.directives().stream()
                .filter(directive -> directive.name().equals("bind"))
                .flatMap(this::hosts)
                .distinct()
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
            for (String host : hosts.isEmpty() ? List.of("::") : hosts) {
                addresses.add(new HostAndPort(host, key.port()).toString());
            }
        }
        if (!listening.isEmpty() && !addresses.isEmpty() && !addresses.equals(listening)) {
            remarks.warn(
                    block.line(),
                    String.join(" ", zones(block)) + ": other addresses than those of an earlier block; every zone is"
                            + " answered at all addresses");
        }
        listening = listening.isEmpty() ? addresses : listening;
        addresses.forEach(address -> add(LISTEN, address));
    }

    private Stream<String> hosts(Directive bind) {
        bind.block().forEach(property -> remarks.warn(property, "a property of bind without a counterpart"));
        return bind.arguments().stream().filter(host -> {
            boolean address = IpAddress.tryParse(host).isPresent();
            if (!address) {
                remarks.warn(bind, host + " is not an address; set the addresses of the interface with --listen");
            }
            return address;
        });
    }

    // kubernetes

    private void ownZones(ServerBlock block) {
        block.directives().stream().filter(CorefileTranslation::isKubernetes).forEach(one -> kubernetes(one, block));
    }

    private void kubernetes(Directive directive, ServerBlock block) {
        List<String> zones = directive.arguments().isEmpty()
                ? zones(block)
                : directive.arguments().stream()
                        .map(zone -> ZoneKey.zone(zone, directive.line()))
                        .toList();
        for (String zone : zones) {
            if (zone.equals(ZoneKey.ROOT)) {
                remarks.warn(
                        directive, "without a zone; " + ZONE + " names the cluster's domain (default: cluster.local)");
            } else {
                add(ZoneKey.isReverse(zone) ? REVERSE_ZONE : ZONE, zone);
            }
        }
        if (zones.stream().allMatch(ZoneKey::isReverse)) {
            remarks.warn(
                    directive, "only reverse zones; " + ZONE + " names the cluster's domain (default: cluster.local)");
        }
        if (zones.stream().noneMatch(ZoneKey::isReverse)) {
            remarks.note(directive, "no reverse zone here; addresses of the cluster have PTR records all the same");
        }
        boolean connected = false;
        boolean podsGiven = false;
        for (Directive property : directive.block()) {
            connected |= property.name().equals("kubeconfig");
            podsGiven |= property.name().equals("pods");
            property(property, zones, block);
        }
        if (!connected) {
            add("--in-cluster", "");
        }
        if (!podsGiven) {
            set("--pods", "disabled", directive);
        }
        refuseTogether("namespaces", "--namespace", "namespace_labels", "--namespace-labels", directive);
        refuseTogether("noendpoints", "--no-endpoints", "ignore empty_service", "--ignore-empty-services", directive);
    }

    /** Refuses two properties whose options exclude each other. */
    private void refuseTogether(String one, String option, String other, String otherOption, Directive directive) {
        if (options.containsKey(option) && options.containsKey(otherOption)) {
            throw new InvalidCorefileException(directive.line(), one + " and " + other + " exclude each other");
        }
    }

    private void property(Directive property, List<String> zones, ServerBlock block) {
        List<String> arguments = property.arguments();
        switch (property.name()) {
            case "kubeconfig" -> {
                set("--kubeconfig", first(property), property);
                arguments.stream().skip(1).findFirst().ifPresent(context -> set("--context", context, property));
            }
            case "pods" -> {
                String mode = first(property);
                if (!Set.of("disabled", "insecure", "verified").contains(mode)) {
                    throw new InvalidCorefileException(
                            property.line(), "pods takes disabled, insecure or verified, not " + mode);
                }
                set("--pods", mode, property);
            }
            case "ttl" -> {
                String ttl = first(property);
                if (!ttl.matches("\\d{1,4}") || Integer.parseInt(ttl) > 3600) {
                    throw new InvalidCorefileException(property.line(), "ttl takes 0 to 3600 seconds, not " + ttl);
                }
                set("--ttl", ttl, property);
            }
            case "namespaces" -> {
                first(property);
                arguments.forEach(namespace -> add("--namespace", namespace));
            }
            case "labels" -> set("--labels", text(property), property);
            case "namespace_labels" -> set("--namespace-labels", text(property), property);
            case "endpoint_pod_names" -> add("--endpoint-names", "pod");
            case "noendpoints" -> add("--no-endpoints", "");
            case "ignore" -> ignore(property);
            case "fallthrough" -> fallthroughs.add(new Fallthrough(property, zones, block));
            case "startup_timeout" -> set("--startup-timeout", seconds(property), property);
            case "endpoint", "tls" ->
                remarks.warn(property, "write the API server into a kubeconfig, and name that with --kubeconfig");
            case "upstream", "resyncperiod", "apiserver_qps", "apiserver_burst", "apiserver_max_inflight" ->
                remarks.note(property, "decided without an option");
            default -> remarks.warn(property, "a property of kubernetes without a counterpart");
        }
    }

    /** Removes the zones that fall through if there is no server to forward to, because {@code serve} refuses them then. */
    private void fallthroughNeedsServers() {
        if (!options.containsKey(FORWARD) && !options.containsKey(STUB_DOMAIN)) {
            options.remove(FALLTHROUGH);
            fallthroughs.forEach(one -> noteNoForward(one.line()));
        }
    }

    private void noteNoForward(Directive fallthrough) {
        remarks.note(fallthrough, "no forward here covers these names, so those that do not exist are NXDOMAIN");
    }

    /** Translates the lines with {@code fallthrough}, after all zones are known. */
    private void fallthroughs() {
        Set<String> reverse = options.getOrDefault(REVERSE_ZONE, Set.of());
        if (forServe && reverse.isEmpty()) {
            // serve always has reverse zones.
            REVERSE_ZONES.forEach(zone -> add(FALLTHROUGH, zone));
        }
        served = Stream.concat(
                        options.getOrDefault(ZONE, Set.of(DEFAULT_ZONE)).stream(),
                        (reverse.isEmpty() ? REVERSE_ZONES : reverse).stream())
                .flatMap(zone -> ZoneKey.names(zone).stream())
                .distinct()
                .toList();
        fallthroughs.forEach(this::fallthrough);
    }

    /**
     * Translates {@code fallthrough}, which applies to all zones if it has no zone or the root. Without a {@code forward} in their
     * block that covers them, names do not fall through to the servers of another block. Names outside of the zones of the block
     * belong to another block.
     */
    private void fallthrough(Fallthrough one) {
        List<String> own = names(one.zones());
        List<String> given = names(one.line().arguments().stream(), one.line());
        boolean all = given.isEmpty() || given.contains(ZoneKey.ROOT);
        List<Directive> forwards = one.block().directives().stream()
                .filter(CorefileTranslation::isForward)
                .toList();
        List<String> ofBlock = names(zones(one.block()));
        Predicate<String> isForwarded =
                zone -> forwards.stream().anyMatch(forward -> covers(forward, zone)) || !isWithinAny(zone, ofBlock);
        served.stream()
                .filter(zone -> all ? own.contains(zone) : isWithinAny(zone, own) && isWithinAny(zone, given))
                .forEach(zone -> {
                    if (isForwarded.test(zone)) {
                        add(FALLTHROUGH, zone);
                    } else {
                        noteNoForward(one.line());
                    }
                });
        if (!all) {
            given.stream()
                    .filter(zone -> served.stream().noneMatch(whole -> ZoneKey.isWithin(whole, zone)))
                    .forEach(zone -> {
                        if (isForwarded.test(zone)) {
                            reportPart(one.line(), zone);
                        } else {
                            noteNoForward(one.line());
                        }
                    });
        }
    }

    /** Returns whether a {@code forward} forwards names of a zone: its zone contains it, and no name of {@code except} does. */
    private static boolean covers(Directive forward, String zone) {
        return isWithinAny(zone, names(forward.arguments().stream().limit(1), forward))
                && forward.block().stream()
                        .filter(property -> property.name().equals("except"))
                        .noneMatch(except -> isWithinAny(zone, names(except.arguments().stream(), except)));
    }

    /** Returns whether {@code serve} answers all names of a zone or network itself, because its zone does not fall through. */
    private boolean isNeverForwarded(String zone, Directive directive) {
        Set<String> forwarded = options.getOrDefault(FALLTHROUGH, Set.of());
        return forServe
                && names(Stream.of(zone), directive).stream().allMatch(name -> {
                    List<String> own = served.stream()
                            .filter(whole -> ZoneKey.isWithin(name, whole))
                            .toList();
                    return !own.isEmpty() && own.stream().noneMatch(forwarded::contains);
                });
    }

    /** Reports a zone of {@code fallthrough} without a whole zone of the command. */
    private void reportPart(Directive line, String zone) {
        served.stream()
                .filter(whole -> ZoneKey.isWithin(zone, whole))
                .findFirst()
                .ifPresentOrElse(
                        whole -> remarks.warn(
                                line,
                                zone + " is a part of the zone " + whole + "; serve forwards the missing names of whole"
                                        + " zones only, with " + FALLTHROUGH + " " + whole),
                        () -> remarks.note(line, zone + " is in no zone of kubernetes, so not used"));
    }

    private static List<String> names(List<String> zones) {
        return zones.stream().flatMap(zone -> ZoneKey.names(zone).stream()).toList();
    }

    /** Returns the names of zones or networks in a line. */
    private static List<String> names(Stream<String> zones, Directive directive) {
        return names(zones.map(zone -> ZoneKey.zone(zone, directive.line())).toList());
    }

    private static boolean isWithinAny(String zone, List<String> others) {
        return others.stream().anyMatch(other -> ZoneKey.isWithin(zone, other));
    }

    private void ignore(Directive property) {
        if (first(property).equals("empty_service")) {
            add("--ignore-empty-services", "");
        } else {
            remarks.warn(property, "a property of kubernetes without a counterpart");
        }
    }

    static String first(Directive directive) {
        if (directive.arguments().isEmpty() || directive.arguments().get(0).isEmpty()) {
            throw new InvalidCorefileException(directive.line(), directive.name() + " needs a value");
        }
        return directive.arguments().get(0);
    }

    private static String text(Directive directive) {
        first(directive);
        return String.join(" ", directive.arguments());
    }

    /** Parses a duration in Go's format, {@code 1m30s}, and returns the whole seconds. */
    static String seconds(Directive property) {
        return seconds(property, first(property));
    }

    /** Parses a duration in an argument of a property. */
    static String seconds(Directive property, String text) {
        if (text.equals("0")) {
            return text;
        }
        Matcher parts = DURATION.matcher(text);
        double seconds = 0;
        int end = 0;
        while (parts.find() && parts.start() == end) {
            end = parts.end();
            seconds += Double.parseDouble(parts.group(1))
                    * switch (parts.group(2)) {
                        case "h" -> 3600;
                        case "m" -> 60;
                        case "s" -> 1;
                        case "ms" -> 1e-3;
                        default -> 0;
                    };
        }
        if (end == 0 || end != text.length()) {
            throw new InvalidCorefileException(property.line(), "not a duration, such as 5s or 1m30s: " + text);
        }
        return String.valueOf((long) Math.ceil(seconds));
    }

    // forward

    /** Returns whether an option has the servers for at least one zone. */
    private boolean forward(Directive directive, ServerBlock block) {
        CorefileForward forward = new CorefileForward(directive, files, remarks, this::isNeverForwarded);
        String from = forward.zone();
        List<String> zones = (from.equals(ZoneKey.ROOT) ? zones(block) : List.of(from))
                .stream().flatMap(zone -> ZoneKey.names(zone).stream()).toList();
        List<CorefileForward.Server> servers = forward.servers();
        if (servers.isEmpty()) {
            return false;
        }
        if (forServe && forward.transport().equals(Optional.of("tcp"))) {
            remarks.warn(directive, "force_tcp: no option; servers are asked over UDP, then TCP where needed");
        }
        boolean used = false;
        for (String zone : zones) {
            String option = forServe
                    ? serveForward(zone, texts(servers), directive)
                    : cacheForward(zone, servers, forward.transport(), directive);
            used |= !option.isEmpty();
            if (!option.isEmpty() && servers.size() > 1) {
                comparePolicy(option, forward);
            }
        }
        return used;
    }

    private void comparePolicy(String option, CorefileForward forward) {
        if (option.equals(FORWARD)) {
            forward.policyOption().ifPresent(policy -> add(FORWARD_POLICY, policy));
        } else {
            forward.comparePolicy(option, !option.equals(STUB_DOMAIN));
        }
    }

    /** Returns the option that was added; empty if none was. */
    private String serveForward(String zone, List<String> servers, Directive directive) {
        if (options.getOrDefault(ZONE, Set.of()).contains(zone)) {
            remarks.warn(
                    directive,
                    zone + " is the cluster's own zone; its names that fall through are forwarded to the servers of "
                            + FORWARD);
            return "";
        }
        if (!isFirst(zone, servers, directive)) {
            return "";
        }
        if (zone.equals(ZoneKey.ROOT)) {
            servers.forEach(server -> add(FORWARD, server));
            return FORWARD;
        }
        Optional<String> own = clusterZones(zone).findFirst();
        if (own.isPresent() && !ZoneKey.isReverse(own.get())) {
            remarks.warn(
                    directive,
                    zone + " lies in the zone " + own.get()
                            + ", whose names serve does not forward to servers of their own");
            return "";
        }
        own.ifPresent(reverse -> remarks.warn(
                directive,
                zone + " lies in the zone " + reverse + ", which is answered first; " + FALLTHROUGH + " " + reverse
                        + " forwards the names that it does not have"));
        add(STUB_DOMAIN, zone + "=" + String.join(",", servers));
        return STUB_DOMAIN;
    }

    /** Returns whether no earlier line has servers for a zone. Those of later lines are not used, and reported if they differ. */
    private boolean isFirst(String zone, List<String> servers, Directive directive) {
        List<String> known = upstreams.putIfAbsent(zone, servers);
        if (known != null && !Set.copyOf(known).equals(Set.copyOf(servers))) {
            remarks.warn(
                    directive,
                    zone + " has other servers in an earlier line, which are used (" + String.join(",", known)
                            + "); not used: " + String.join(",", servers));
        }
        return known == null;
    }

    /** Returns the cluster's zones that a zone lies in. */
    private Stream<String> clusterZones(String zone) {
        return Stream.of(ZONE, REVERSE_ZONE)
                .flatMap(option -> options.getOrDefault(option, Set.of()).stream())
                .flatMap(own -> ZoneKey.names(own).stream())
                .filter(own -> ZoneKey.isWithin(zone, own));
    }

    private static List<String> texts(List<CorefileForward.Server> servers) {
        return servers.stream().map(CorefileForward.Server::toString).toList();
    }

    /** Returns the option that was added; empty if none was. */
    private String cacheForward(
            String zone, List<CorefileForward.Server> servers, Optional<String> transport, Directive directive) {
        boolean overTls =
                servers.stream().allMatch(one -> one.tls() && one.name().isEmpty());
        List<String> texts =
                overTls ? servers.stream().map(CorefileForward.Server::plain).toList() : texts(servers);
        Stream<String> last = overTls
                ? Stream.of("tls")
                : transport.filter(any -> !servers.stream().allMatch(CorefileForward.Server::tls)).stream();
        List<String> written = Stream.concat(texts.stream(), last).toList();
        if (!isFirst(zone, written, directive)) {
            return "";
        }
        add(ZONE_UPSTREAM, zone + "=" + String.join(",", written));
        return ZONE_UPSTREAM;
    }

    /** Finds the cluster's domain among the zones of a node cache: reverse names are forwarded to the same servers. */
    private void clusterDomain() {
        if (forServe || upstreams.isEmpty()) {
            return;
        }
        List<String> forward = upstreams.keySet().stream()
                .filter(zone -> !zone.equals(ZoneKey.ROOT) && !ZoneKey.isReverse(zone))
                .toList();
        Optional<List<String>> reverse = REVERSE_ZONES.stream()
                .filter(upstreams::containsKey)
                .map(upstreams::get)
                .findFirst();
        forward.stream()
                .filter(zone -> reverse.equals(Optional.ofNullable(upstreams.get(zone))))
                .findFirst()
                .or(() -> forward.stream().filter("cluster.local"::equals).findFirst())
                .ifPresent(zone -> add(CLUSTER_DOMAIN, zone));
    }

    // The rest

    private void loadBalance(Directive directive, boolean ofOwnZones) {
        if (!ofOwnZones) {
            remarks.note(directive, "forwarded answers keep their order");
            return;
        }
        set(ORDER, "shuffle", directive);
        if (!directive.arguments().isEmpty() && !directive.arguments().get(0).equals("round_robin")) {
            remarks.warn(directive, directive.arguments().get(0) + " has no counterpart; addresses are shuffled");
        }
        directive
                .block()
                .forEach(property -> remarks.warn(property, "a property of loadbalance without a counterpart"));
    }

    private void autopath(Directive directive, ServerBlock block) {
        List<String> arguments = directive.arguments();
        String source = arguments.isEmpty() ? "" : arguments.get(arguments.size() - 1);
        boolean isFile = !source.startsWith("@");
        if (!forServe || source.isEmpty() || !isFile && !source.equals("@kubernetes")) {
            remarks.warn(directive, "only autopath @kubernetes and autopath FILE of a server have a counterpart");
            return;
        }
        if (options.containsKey(AUTOPATH) && options.containsKey(SEARCH_FILE) != isFile) {
            remarks.warn(directive, source + " differs from an earlier line, which is used");
            return;
        }
        add(AUTOPATH, "pod");
        if (isFile) {
            set(SEARCH_FILE, source, directive);
            // Without arguments CoreDNS limits them to the zones of the server block.
            if (arguments.size() > 1 || !zones(block).contains(ZoneKey.ROOT)) {
                remarks.note(
                        directive,
                        "expands the names below the first search domain of " + source
                                + "; no option limits them to zones");
            }
            return;
        }
        autopath = Optional.of(directive);
        try {
            List<String> searches = files.read(RESOLV_CONF).searches();
            searches.forEach(domain -> add(HOST_SEARCH, domain));
            if (!searches.isEmpty()) {
                remarks.note(
                        directive,
                        "the last search domains are those of " + RESOLV_CONF + " now; it is not read again");
            }
        } catch (IOException | IllegalArgumentException unreadable) {
            remarks.warn(
                    directive,
                    RESOLV_CONF + " cannot be read here (" + unreadable.getMessage()
                            + "); name its search domains with " + HOST_SEARCH);
        }
    }

    private void autopathReadsPods(Directive directive) {
        if (!options.getOrDefault("--pods", Set.of()).contains("verified")) {
            remarks.note(
                    directive,
                    "CoreDNS expands only with pods verified; " + AUTOPATH
                            + " pod always does, and needs permission to list and watch Pods");
        }
    }

    private void http(Directive directive, String standard) {
        String text = directive.arguments().isEmpty()
                ? standard
                : directive.arguments().get(0);
        String address = text.startsWith(":") ? "[::]" + text : text;
        try {
            address = HostAndPort.parse(address).toString();
        } catch (IllegalArgumentException invalid) {
            throw new InvalidCorefileException(directive.line(), directive.name() + ": " + invalid.getMessage());
        }
        String known = http.putIfAbsent(directive.name(), address);
        if (known != null && !known.equals(address)) {
            remarks.warn(directive, "at " + address + " besides " + known + "; " + METRICS + " has one address");
        }
        if (!directive.name().equals("prometheus")) {
            remarks.note(directive, "/" + directive.name() + " is answered at the address of " + METRICS);
        }
        directive.block().forEach(property -> remarks.note(property, "decided without an option"));
    }

    private void metrics() {
        Stream.of("prometheus", "health", "ready")
                .flatMap(name -> Optional.ofNullable(http.get(name)).stream())
                .findFirst()
                .ifPresent(address -> add(METRICS, address));
    }
}
