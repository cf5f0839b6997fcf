package io.k8sdns.forward;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.k8sdns.forward.CacheObserver.Kind;
import io.k8sdns.forward.CachePopularity.Prefetch;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.timers.DelayedTask;
import io.k8sdns.upstream.Forwarder;
import io.k8sdns.upstream.ForwardingResolver;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * A forwarder that caches the answers of another forwarder until their TTLs expire (RFC 2308, RFC 8767). Thread-safe.
 *
 * <pre>{@code
 * AnswerCache cache = AnswerCache.builder(forwarder)
 *         .capacityBytes(64L << 20)
 *         .prefetch(10)
 *         .serveStale(CacheStalePolicy.onFailure())
 *         .build();
 * ResolverChain.of(zone).withUpstream(ForwardingResolver.builder(cache).build());
 * }</pre>
 *
 * <p><b>What is cached.</b> Answers with records of the requested type, directly or at the end of a chain of aliases; NXDOMAIN and
 * NODATA with an SOA record; SERVFAIL. Not cached are answers with a TTL of 0, answers with another RCODE, and answers without an SOA
 * record whose last alias has no records of the type. Questions for meta-types such as AXFR are forwarded without the cache.
 *
 * <p><b>TTL.</b> The smallest TTL of all records in all sections; for NXDOMAIN and NODATA at most the minimum field of the SOA; then
 * limited by {@link Builder#positiveTtl} and {@link Builder#negativeTtl}. A TTL whose top bit is set counts as 0 (RFC 2181, section 8),
 * unlike RFC 8767, section 4, which treats it as a large value. All records have the remaining TTL of the answer in whole seconds,
 * rounded down, which is 0 within the last second.
 *
 * <p><b>Key.</b> Two questions share an answer if they have the same name (case-insensitive), type, class, DO and CD bits, scope, and
 * EDNS options with the codes of {@link Builder#optionCodes}. Other EDNS options are not forwarded, because they could change an answer
 * that other clients receive. Each client receives the name in its own letter case. AA is cleared.
 *
 * <p><b>Questions in flight.</b> Equal questions share one query. Each client has its own stage: cancelling it affects neither the
 * query nor other clients. The forwarder must therefore complete every stage itself, for example with a timeout. After ten seconds the
 * next client starts a new query.
 *
 * <p><b>Failures.</b> If the forwarder fails or answers SERVFAIL, clients receive the cached answer if its TTL has not expired or the
 * {@link CacheStalePolicy} allows a stale one. Otherwise their stages fail, or complete with the SERVFAIL. A failed stage is not
 * cached.
 *
 * <p>Never blocks and starts no threads: stages complete on the thread that completes the forwarder's stage, or on the scheduler of
 * {@link CacheStalePolicy#afterWaiting}.
 */
public final class AnswerCache implements Forwarder {
    /** The default minimum of TTLs other than 0: 5 seconds, as in CoreDNS. */
    public static final Duration MIN_TTL = Duration.ofSeconds(5);

    /** The default maximum of the TTL of answers with records: an hour, as in CoreDNS. */
    public static final Duration MAX_TTL = Duration.ofHours(1);

    /** The default maximum of the TTL of NXDOMAIN and NODATA: half an hour, as in CoreDNS. */
    public static final Duration MAX_NEGATIVE_TTL = Duration.ofMinutes(30);

    /** The age of a query from which the next client starts a new one; longer than the timeout of resolvers. */
    private static final long JOINABLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The first type of the range up to 255 that is not for data (RFC 6895, 3.1). Of this range only ANY is cached. */
    private static final int FIRST_META_TYPE = 128;

    private static final ByteBuffer NO_OPTIONS = ByteBuffer.allocate(0);

    private final Forwarder forwarder;
    private final CacheRules rules;
    private final @Nullable Prefetch prefetch;
    private final @Nullable CacheStalePolicy stalePolicy;
    private final Set<Integer> optionCodes;
    private final Function<Client, Object> scope;
    private final LongSupplier nanoClock;
    private final Executor executor;
    private final CacheObserver observer;
    private final Cache<CacheKey, CachedAnswer> answers;
    private final ConcurrentMap<CacheKey, Query> inFlight = new ConcurrentHashMap<>();

    private AnswerCache(Builder builder) {
        this.forwarder = builder.forwarder;
        this.rules = new CacheRules(builder.positive, builder.negative, builder.failureSeconds, builder.keepsAliases);
        this.prefetch = builder.prefetch;
        this.stalePolicy = builder.stalePolicy;
        this.optionCodes = builder.optionCodes;
        this.scope = builder.scope;
        this.nanoClock = builder.nanoClock;
        this.executor = builder.executor;
        this.observer = builder.observer;
        this.answers = Caffeine.newBuilder()
                .maximumWeight(builder.capacityBytes)
                .<CacheKey, CachedAnswer>weigher((key, answer) -> key.options().capacity() + answer.bytes())
                .expireAfter(Expiry.writing((CacheKey key, CachedAnswer answer) -> retention(answer)))
                .ticker(nanoClock::getAsLong)
                .executor(this::inBackground)
                .evictionListener((@Nullable CacheKey key, @Nullable CachedAnswer answer, RemovalCause cause) ->
                        evicted(answer, cause))
                .build();
    }

    /**
     * Returns a builder of a cache in front of a forwarder.
     *
     * @param forwarder forwards to other servers; must complete every stage
     */
    public static Builder builder(Forwarder forwarder) {
        return new Builder(Objects.requireNonNull(forwarder, "forwarder"));
    }

    /**
     * {@inheritDoc}
     *
     * @return completes immediately from the cache, otherwise with the forwarder's answer; fails if the forwarder fails
     */
    @Override
    public CompletionStage<Answer> forward(Question question, Client client) {
        int type = question.type().number();
        if (type >= FIRST_META_TYPE && type <= 255 && type != Type.ANY || type == Type.OPT) {
            return forwarder.forward(question, client);
        }
        List<EDNSOption> options = optionsOf(client);
        CacheKey key = CacheKey.of(
                question,
                CacheKey.Dnssec.of(client),
                wire(options),
                Objects.requireNonNull(scope.apply(client), "the scope of a client is null"));
        Request request = new Request(key, question, client, options);
        long now = nanoClock.getAsLong();
        CachedAnswer cached = answers.getIfPresent(key);
        if (cached != null && cached.isFresh(now)) {
            report(to -> to.hit(cached.kind()));
            prefetch(cached, request, now);
            return CompletableFuture.completedFuture(cached.fresh(question, now));
        }
        CachedAnswer stale = cached != null && isServable(cached, now) ? cached : null;
        if (stale != null && !stale.isRecheckDue(now)) {
            return CompletableFuture.completedFuture(stale(stale, question, now));
        }
        if (stale != null && stalePolicy != null && stalePolicy.isImmediate()) {
            inBackground(() -> query(request));
            return CompletableFuture.completedFuture(stale(stale, question, now));
        }
        report(CacheObserver::miss);
        return await(query(request), question, stale);
    }

    /** A client's question, its key, and the EDNS options to forward. */
    private record Request(CacheKey key, Question question, Client client, List<EDNSOption> options) {}

    private List<EDNSOption> optionsOf(Client client) {
        List<EDNSOption> all = client.ednsOptions();
        return all.isEmpty()
                ? all
                : all.stream()
                        .filter(one -> optionCodes.contains(one.getCode()))
                        .toList();
    }

    /** Returns the client without the options that are not part of the key. */
    private static Client forwardedClient(Request request) {
        return request.options().size() == request.client().ednsOptions().size()
                ? request.client()
                : request.client().toBuilder().ednsOptions(request.options()).build();
    }

    private static ByteBuffer wire(List<EDNSOption> options) {
        if (options.isEmpty()) {
            return NO_OPTIONS;
        }
        List<byte[]> wires = options.stream().map(EDNSOption::toWire).toList();
        ByteBuffer all =
                ByteBuffer.allocate(wires.stream().mapToInt(one -> one.length).sum());
        wires.forEach(all::put);
        return all.flip();
    }

    private Duration retention(CachedAnswer answer) {
        Duration ttl = Duration.ofSeconds(answer.seconds());
        return stalePolicy == null || answer.kind() == Kind.FAILURE ? ttl : ttl.plusNanos(stalePolicy.maxAgeNanos());
    }

    private boolean isServable(CachedAnswer cached, long now) {
        return stalePolicy != null && cached.isServable(stalePolicy, now);
    }

    private void prefetch(CachedAnswer cached, Request request, long now) {
        CachePopularity popularity = cached.popularity();
        if (prefetch != null
                && popularity != null
                && popularity.hit(prefetch, now)
                && cached.claimPrefetch(prefetch.percent(), now)) {
            report(CacheObserver::prefetched);
            inBackground(() -> query(request));
        }
    }

    private Answer stale(CachedAnswer cached, Question question, long now) {
        report(CacheObserver::servedStale);
        return cached.stale(question, Objects.requireNonNull(stalePolicy, "stalePolicy"), now);
    }

    private void inBackground(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException shutDown) {
            task.run();
        }
    }

    /** Returns the query in flight for a key, or starts one. */
    private Query query(Request request) {
        long now = nanoClock.getAsLong();
        Query query = inFlight.compute(
                request.key(),
                (key, running) ->
                        running != null && now - running.started < JOINABLE_NANOS ? running : new Query(key, now));
        query.start(request);
        return query;
    }

    /** Returns a new stage for one client. If the policy limits the wait, the stage completes with the stale answer at the limit. */
    private CompletableFuture<Answer> await(Query query, Question question, @Nullable CachedAnswer stale) {
        CompletableFuture<Answer> own = query.shared.thenApply(shared -> shared.to(question));
        CacheStalePolicy.Waiting waiting = stalePolicy == null ? null : stalePolicy.waiting();
        if (stale == null || waiting == null || own.isDone()) {
            return own;
        }
        long left = query.started + waiting.time().toNanos() - nanoClock.getAsLong();
        if (left <= 0) {
            completeStale(own, question, stale);
            return own;
        }
        // If the scheduler is shut down, the client waits for the upstream server.
        DelayedTask timer = DelayedTask.schedule(
                waiting.scheduler(), Duration.ofNanos(left), () -> completeStale(own, question, stale));
        CompletableFuture<Answer> unused = own.whenComplete((any, failure) -> timer.cancel());
        return own;
    }

    private void completeStale(CompletableFuture<Answer> own, Question question, CachedAnswer stale) {
        long now = nanoClock.getAsLong();
        if (!own.isDone() && isServable(stale, now)) {
            own.complete(stale(stale, question, now));
        }
    }

    /** The answer of a query for all clients that wait for it; returns it with the name in the letter case of a client's question. */
    @FunctionalInterface
    private interface SharedAnswer {
        Answer to(Question question);
    }

    /** One query in flight. */
    private final class Query {
        private final CacheKey key;
        private final long started;
        private final AtomicBoolean isStarted = new AtomicBoolean();
        private final CompletableFuture<SharedAnswer> shared = new CompletableFuture<>();

        Query(CacheKey key, long started) {
            this.key = key;
            this.started = started;
        }

        void start(Request request) {
            if (!isStarted.compareAndSet(false, true)) {
                return;
            }
            try {
                Objects.requireNonNull(
                                forwarder.forward(request.question(), forwardedClient(request)),
                                "the forwarder returned null instead of a stage")
                        .whenComplete((answer, failure) -> completed(request.question(), answer, failure));
            } catch (Throwable thrown) {
                // Throwable, because hosts in other languages can throw checked exceptions.
                completed(request.question(), null, thrown);
            }
        }

        private void completed(Question question, @Nullable Answer answer, @Nullable Throwable failure) {
            try {
                SharedAnswer result = sharedAnswer(question, answer);
                // Removed before the clients' stages complete, so that their next questions are answered from the
                // cache.
                inFlight.remove(key, this);
                if (result != null) {
                    shared.complete(result);
                } else {
                    shared.completeExceptionally(ForwardingResolver.cause(failure));
                }
            } catch (Throwable thrown) {
                inFlight.remove(key, this);
                shared.completeExceptionally(thrown);
            }
        }

        /** Returns the answer for all clients of the query; null if there is no answer and no cached one that may replace it. */
        private @Nullable SharedAnswer sharedAnswer(Question question, @Nullable Answer answer) {
            long now = nanoClock.getAsLong();
            CachedAnswer earlier = answers.getIfPresent(key);
            if (answer == null || answer.rcode() == Rcode.SERVFAIL) {
                SharedAnswer replacement = earlier == null ? null : replacement(earlier, now);
                if (replacement != null || answer == null) {
                    return replacement;
                }
            }
            CacheRules.Decision decision = rules.of(question, answer);
            CachedAnswer.Packing packing = decision.seconds() == 0
                    ? null
                    : CachedAnswer.of(
                            question,
                            answer,
                            new CachedAnswer.Metadata(now, decision, popularity(decision.kind(), earlier)));
            if (packing != null) {
                put(packing.cached());
                return to -> isSame(to, question)
                        ? packing.unpacked()
                        : packing.cached().fresh(to, nanoClock.getAsLong());
            }
            if (decision.kind() != Kind.FAILURE && isCurrent()) {
                answers.invalidate(key);
            }
            return to -> CachedAnswer.respelled(answer, to);
        }

        /** Returns whether a client's question is the one that was forwarded. */
        @SuppressWarnings("ReferenceEquality") // Equal questions may differ in letter case.
        private static boolean isSame(Question to, Question forwarded) {
            return to == forwarded;
        }

        private @Nullable SharedAnswer replacement(CachedAnswer earlier, long now) {
            if (earlier.kind() == Kind.FAILURE) {
                return null;
            }
            if (stalePolicy != null) {
                earlier.recheckAt(now + stalePolicy.recheckNanos());
            }
            return earlier.isFresh(now)
                    ? to -> earlier.fresh(to, now)
                    : isServable(earlier, now) ? to -> stale(earlier, to, now) : null;
        }

        private @Nullable CachePopularity popularity(Kind kind, @Nullable CachedAnswer earlier) {
            if (prefetch == null || kind == Kind.FAILURE) {
                return null;
            }
            CachePopularity counted = earlier == null ? null : earlier.popularity();
            return counted == null ? new CachePopularity() : counted;
        }

        private void put(CachedAnswer cached) {
            if (isCurrent()) {
                answers.put(key, cached);
                // A concurrent invalidateAll also removes the query, so that its answer is removed here.
                if (!inFlight.remove(key, this)) {
                    answers.asMap().remove(key, cached);
                }
            }
        }

        /** Returns false after {@link #invalidateAll}, or if a later query has replaced this one. */
        private boolean isCurrent() {
            return inFlight.get(key) == this;
        }
    }

    /**
     * Removes all answers, for example because the servers behind the forwarder have changed. Answers to queries in flight are
     * delivered to the waiting clients and not cached; later clients start new queries.
     */
    public void invalidateAll() {
        inFlight.clear();
        answers.invalidateAll();
    }

    /**
     * Removes the answers for some names, and the answers with records of such names, such as the targets of aliases; otherwise like
     * {@link #invalidateAll}.
     *
     * @param names returns whether to remove the answers for a name; called for every name and owner name in the cache
     */
    public void invalidate(Predicate<DnsLabels> names) {
        Objects.requireNonNull(names, "names");
        inFlight.keySet().removeIf(key -> names.test(key.name()));
        answers.asMap()
                .entrySet()
                .removeIf(entry ->
                        names.test(entry.getKey().name()) || entry.getValue().hasOtherOwner(names));
    }

    /** Returns the approximate number of answers in the cache, which may include expired ones. */
    public long entries() {
        return answers.estimatedSize();
    }

    /** Returns the estimated size of all answers in the cache, in bytes; see {@link Builder#capacityBytes}. */
    public long bytes() {
        return answers.policy().eviction().orElseThrow().weightedSize().orElseThrow();
    }

    private void evicted(@Nullable CachedAnswer answer, RemovalCause cause) {
        if (cause == RemovalCause.SIZE && answer != null) {
            report(to -> to.evicted(answer.kind()));
        }
    }

    private void report(Consumer<CacheObserver> event) {
        try {
            event.accept(observer);
        } catch (Throwable ignored) {
            // A failing observer must not prevent the answer.
        }
    }

    /** Collects the settings of a cache. */
    public static final class Builder {
        private static final Duration MAX_FAILURE_TTL = Duration.ofMinutes(5);

        private final Forwarder forwarder;
        private long capacityBytes = 32L << 20;
        private boolean keepsAliases;
        private CacheRules.Bounds positive = CacheRules.Bounds.of(MIN_TTL, MAX_TTL);
        private CacheRules.Bounds negative = CacheRules.Bounds.of(MIN_TTL, MAX_NEGATIVE_TTL);
        private long failureSeconds = 5;
        private @Nullable Prefetch prefetch;
        private @Nullable CacheStalePolicy stalePolicy;
        private Set<Integer> optionCodes = Set.of(65432, 65433);
        private Function<Client, Object> scope = client -> "";
        private LongSupplier nanoClock = System::nanoTime;
        private Executor executor = Runnable::run;
        private CacheObserver observer = CacheObserver.NONE;

        private Builder(Forwarder forwarder) {
            this.forwarder = forwarder;
        }

        /**
         * Sets the capacity; 32 MiB by default.
         *
         * <p>The size of an answer is estimated: 400 bytes for the entry, plus names, EDNS options and record data with their objects.
         * Scopes of clients and queries in flight are not included. The total may exceed the capacity briefly while answers are added.
         * Rarely used answers are evicted first (W-TinyLFU), so that a flood of random names does not displace frequently used ones.
         *
         * @param bytes more than zero
         * @throws IllegalArgumentException if it is not
         */
        public Builder capacityBytes(long bytes) {
            if (bytes <= 0) {
                throw new IllegalArgumentException("capacity must be more than zero bytes: " + bytes);
            }
            capacityBytes = bytes;
            return this;
        }

        /**
         * Sets the bounds of the TTL of answers with records; 5 seconds and an hour by default.
         *
         * @param min replaces a lower TTL other than 0; 0 for no minimum
         * @param max replaces a higher TTL; 0 to disable caching of these answers
         * @throws IllegalArgumentException if one is negative, above 2147483647 seconds or not in whole seconds, or min is above
         *     max
         */
        public Builder positiveTtl(Duration min, Duration max) {
            positive = CacheRules.Bounds.of(min, max);
            return this;
        }

        /**
         * Sets the bounds of the TTL of NXDOMAIN and NODATA; 5 seconds and 30 minutes by default.
         *
         * @param min replaces a lower TTL other than 0; 0 for no minimum
         * @param max replaces a higher TTL; 0 to disable caching of these answers
         * @throws IllegalArgumentException if one is negative, above 2147483647 seconds or not in whole seconds, or min is above
         *     max
         */
        public Builder negativeTtl(Duration min, Duration max) {
            negative = CacheRules.Bounds.of(min, max);
            return this;
        }

        /**
         * Sets the TTL of SERVFAIL in the cache; 5 seconds by default.
         *
         * @param ttl whole seconds, at most 5 minutes (RFC 2308, 7.1); 0 to not cache it
         * @throws IllegalArgumentException if it is out of that range
         */
        public Builder failureTtl(Duration ttl) {
            long seconds = CacheRules.seconds("TTL of failures", ttl);
            if (ttl.compareTo(MAX_FAILURE_TTL) > 0) {
                throw new IllegalArgumentException("TTL of failures must be at most 5 minutes: " + ttl);
            }
            failureSeconds = seconds;
            return this;
        }

        /**
         * Refreshes frequently used answers before their TTL expires: at the first hit with less than a tenth of the TTL, or less than
         * a second, left. An answer qualifies after a number of hits that are at most a minute apart. Off by default.
         *
         * @param hits at least 1; the count continues when a refresh replaces the answer
         * @throws IllegalArgumentException if it is lower
         */
        public Builder prefetch(int hits) {
            return prefetch(hits, Duration.ofMinutes(1), 10);
        }

        /**
         * Refreshes frequently used answers before their TTL expires; off by default. Each answer is refreshed at most once, even if
         * the refresh fails.
         *
         * @param hits how many hits an answer needs, at least 1; the count continues when a refresh replaces the answer
         * @param gap the longest time between two hits, more than zero, at most a day
         * @param percent the refresh starts at a hit with less than this percentage of the TTL left, 1 to 90, or with less than a
         *     second left
         * @throws IllegalArgumentException if one of them is out of that range
         */
        public Builder prefetch(int hits, Duration gap, int percent) {
            Objects.requireNonNull(gap, "gap");
            if (hits < 1) {
                throw new IllegalArgumentException("hits must be at least 1: " + hits);
            }
            if (gap.isNegative() || gap.isZero() || gap.compareTo(Duration.ofDays(1)) > 0) {
                throw new IllegalArgumentException("gap must be more than zero and at most a day: " + gap);
            }
            if (percent < 1 || percent > 90) {
                throw new IllegalArgumentException("percent must be 1 to 90: " + percent);
            }
            prefetch = new Prefetch(hits, gap.toNanos(), percent);
            return this;
        }

        /**
         * Caches answers that end with an alias whose target has neither records nor an SOA in the answer, for the TTL of the aliases.
         * For use behind a {@link io.k8sdns.resolver.ResolverChain} or an {@link io.k8sdns.resolver.AliasChaser}, which resolves the
         * target. Not cached by default, because the server may have failed to resolve the target.
         */
        public Builder keepAliases() {
            keepsAliases = true;
            return this;
        }

        /** Sets the policy for stale answers; none are served by default. */
        public Builder serveStale(CacheStalePolicy policy) {
            stalePolicy = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * Sets the codes of the EDNS options that change answers; by default 65432 (source cluster) and 65433 (search paths).
         *
         * @param codes options with other codes are not forwarded
         */
        public Builder optionCodes(Set<Integer> codes) {
            optionCodes = Set.copyOf(codes);
            return this;
        }

        /**
         * Sets a function that returns the scope of a client, for example its namespace, if answers depend on it. Clients with equal
         * scopes share answers; by default all clients do.
         *
         * @param function returns an immutable value with {@code equals} and {@code hashCode}, never null; is called for each question,
         *     and must be fast
         */
        public Builder scope(Function<Client, Object> function) {
            scope = Objects.requireNonNull(function, "scope");
            return this;
        }

        /**
         * Sets the clock; {@link System#nanoTime} by default.
         *
         * @param nanoseconds must not go backwards; only differences matter
         */
        public Builder clock(LongSupplier nanoseconds) {
            nanoClock = Objects.requireNonNull(nanoseconds, "clock");
            return this;
        }

        /**
         * Sets the executor of the cache's maintenance and of background refreshes. By default, and if the executor rejects a task, the
         * calling thread runs it. The host must shut it down.
         */
        public Builder executor(Executor value) {
            executor = Objects.requireNonNull(value, "executor");
            return this;
        }

        /** Sets the observer of hits, misses and evictions; {@link CacheObserver#NONE} by default. */
        public Builder observer(CacheObserver value) {
            observer = Objects.requireNonNull(value, "observer");
            return this;
        }

        /** Returns the cache, empty. */
        public AnswerCache build() {
            return new AnswerCache(this);
        }
    }
}
