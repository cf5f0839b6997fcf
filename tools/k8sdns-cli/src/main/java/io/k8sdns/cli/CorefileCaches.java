package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import io.k8sdns.cli.Corefile.ServerBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Translates the {@code cache} directives of all blocks, whose answers are in one cache. */
final class CorefileCaches {
    private final CorefileOptions options;
    private final CorefileRemarks remarks;
    private final Predicate<String> isNeverForwarded;
    private final boolean forServe;

    /** The caches of the blocks that forward, for {@code serve}. */
    private final List<CorefileCache> caches = new ArrayList<>();

    /** The first used {@code forward} of each block without a cache. */
    private final List<Directive> uncached = new ArrayList<>();

    /**
     * Creates a translation.
     *
     * @param isNeverForwarded returns whether the options never forward a name in a zone
     */
    CorefileCaches(
            CorefileOptions options, CorefileRemarks remarks, Predicate<String> isNeverForwarded, boolean forServe) {
        this.options = options;
        this.remarks = remarks;
        this.isNeverForwarded = isNeverForwarded;
        this.forServe = forServe;
    }

    /** Adds the cache of a block. */
    void add(Directive directive, ServerBlock block) {
        List<String> names = ZoneKey.zones(block).stream()
                .flatMap(zone -> ZoneKey.names(zone).stream())
                .toList();
        boolean forwards = block.directives().stream().anyMatch(CorefileForward::isForward);
        boolean isUsed = forwards || !forServe;
        CorefileCache cache = new CorefileCache(
                directive, isUsed ? remarks : new CorefileRemarks(), forServe, names, isNeverForwarded);
        if (!isUsed) {
            remarks.note(directive, "nothing is forwarded here, and names of the cluster are never cached");
        } else if (forServe) {
            caches.add(cache);
        } else {
            cache.compareWithNodeCache();
        }
    }

    /** Adds a block without a cache, by its first {@code forward} that is used. */
    void addUncached(Directive forward) {
        uncached.add(forward);
    }

    /**
     * Adds the options of the cache of {@code serve}, which holds the answers of all blocks. The lowest TTLs are used, because no
     * answer may be kept longer than the cache of its block allows. Blocks without a cache are reported instead: without a cache for
     * the other blocks each of their queries would be forwarded.
     */
    void translate() {
        if (!forServe) {
            uncached.forEach(forward -> remarks.note(
                    forward,
                    "no cache in this block, but node-cache caches all answers; " + CorefileOptions.CACHE_SIZE
                            + " 0 caches none"));
            return;
        }
        if (caches.isEmpty()) {
            uncached.stream().findFirst().ifPresent(forward -> {
                options.add(CorefileOptions.CACHE_SIZE, "0");
                remarks.note(forward, "no block that forwards has a cache, so forwarded answers are not cached");
            });
            return;
        }
        uncached.forEach(forward -> remarks.warn(
                forward,
                "no cache in this block; one cache holds the answers of all blocks, so its answers are cached, too; "
                        + CorefileOptions.CACHE_SIZE + " 0 caches none at all"));
        int max = caches.stream().mapToInt(CorefileCache::maxTtl).min().orElseThrow();
        int maxNegative =
                caches.stream().mapToInt(CorefileCache::maxNegativeTtl).min().orElseThrow();
        if (max != CacheOptions.MAX_TTL) {
            options.add(CorefileOptions.CACHE_MAX_TTL, String.valueOf(max));
        }
        if (maxNegative != CacheOptions.maxNegativeTtl(max)) {
            options.add(CorefileOptions.CACHE_MAX_NEGATIVE_TTL, String.valueOf(maxNegative));
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
        first.options().forEach(options::add);
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
}
