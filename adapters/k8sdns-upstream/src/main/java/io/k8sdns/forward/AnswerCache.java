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
import io.k8sdns.upstream.Forwarder;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
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
 * A forwarder that keeps the answers of another forwarder for as long as their TTLs allow (RFC 2308, RFC 8767). Thread-safe.
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
 * <p><b>What is cached.</b> Answers with records of the type, at the end of whatever aliases; NXDOMAIN and NODATA with an SOA record;
 * SERVFAIL. An answer with a TTL of 0, of another RCODE, or with aliases that lead nowhere and no SOA is handed on and not cached.
 * Questions for meta-types such as AXFR pass through.
 *
 * <p><b>For how long.</b> For the least TTL of all records in all sections; for NXDOMAIN and NODATA at most the minimum field of the
 * SOA; then within the bounds of {@link Builder#positiveTtl} and {@link Builder#negativeTtl}. A TTL whose top bit is set counts as 0,
 * as in RFC 2181, section 8; unlike RFC 8767, section 4, where it counts as a long one. The first and each later client receive all
 * records with the whole seconds that are left, rounded down, which is 0 within the last second.
 *
 * <p><b>For whom.</b> Two questions share an answer if they have the same name without regard to letter case, type, class, DO and CD
 * bits, EDNS options of the kinds in {@link Builder#optionCodes} and scope. The forwarder receives no other EDNS option, so that none
 * can change an answer that others receive. Each client receives its own spelling of the name. AA is cleared.
 *
 * <p><b>Questions in flight.</b> Equal questions wait for one query. The stage that a client receives is its own: cancelling it affects
 * neither the query nor other clients. So the forwarder must complete all stages itself, with a timeout, for example. After ten seconds
 * the next client starts a new query.
 *
 * <p><b>Failures.</b> If the forwarder's stage fails, so do the clients' stages, unless there is an answer whose TTL has not passed or that
 * the {@link CacheStalePolicy} allows. The same answer replaces SERVFAIL. A failed stage is not cached.
 *
 * <p>Nothing here blocks, and there are no threads: an answer is completed on the thread that completes the forwarder's stage, or on the
 * scheduler of {@link CacheStalePolicy#afterWaiting}.
 */
public final class AnswerCache implements Forwarder {
    /** How long a query may take before the next client starts another one: longer than resolvers wait. */
    private static final long JOINABLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Types from here to 255 are no data (RFC 6895, 3.1); of them ANY alone is cached. */
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
                .expireAfter(Expiry.writing((CacheKey key, CachedAnswer answer) -> timeToKeep(answer)))
                .ticker(nanoClock::getAsLong)
                .executor(this::inBackground)
                .evictionListener((@Nullable CacheKey key, @Nullable CachedAnswer answer, RemovalCause cause) ->
                        evicted(answer, cause))
                .build();
    }

    /**
     * Returns a builder of a cache in front of a forwarder.
     *
     * @param forwarder asks other servers; completes each stage in the end
     */
    public static Builder builder(Forwarder forwarder) {
        return new Builder(Objects.requireNonNull(forwarder, "forwarder"));
    }

    /**
     * {@inheritDoc}
     *
     * @return completes at once from the cache, otherwise with the forwarder's answer; fails if the forwarder fails
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
        Asked asked = new Asked(key, question, client, options);
        long now = nanoClock.getAsLong();
        CachedAnswer cached = answers.getIfPresent(key);
        if (cached != null && cached.isFresh(now)) {
            report(to -> to.hit(cached.kind()));
            prefetch(cached, asked, now);
            return CompletableFuture.completedFuture(cached.fresh(question, now));
        }
        CachedAnswer stale = cached != null && isServable(cached, now) ? cached : null;
        if (stale != null && !stale.isRecheckDue(now)) {
            return CompletableFuture.completedFuture(stale(stale, question, now));
        }
        if (stale != null && stalePolicy != null && stalePolicy.isImmediate()) {
            inBackground(() -> query(asked));
            return CompletableFuture.completedFuture(stale(stale, question, now));
        }
        report(CacheObserver::miss);
        return await(query(asked), question, stale);
    }

    /** A question of a client, with what is needed to forward it. */
    private record Asked(CacheKey key, Question question, Client client, List<EDNSOption> options) {}

    private List<EDNSOption> optionsOf(Client client) {
        List<EDNSOption> all = client.ednsOptions();
        return all.isEmpty()
                ? all
                : all.stream()
                        .filter(one -> optionCodes.contains(one.getCode()))
                        .toList();
    }

    /** Returns the client without the options that are not part of the key. */
    private static Client forwardedClient(Asked asked) {
        return asked.options().size() == asked.client().ednsOptions().size()
                ? asked.client()
                : asked.client().toBuilder().ednsOptions(asked.options()).build();
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

    private Duration timeToKeep(CachedAnswer answer) {
        Duration ttl = Duration.ofSeconds(answer.seconds());
        return stalePolicy == null || answer.kind() == Kind.FAILURE ? ttl : ttl.plusNanos(stalePolicy.maxAgeNanos());
    }

    private boolean isServable(CachedAnswer cached, long now) {
        return stalePolicy != null && cached.isServable(stalePolicy, now);
    }

    private void prefetch(CachedAnswer cached, Asked asked, long now) {
        CachePopularity popularity = cached.popularity();
        if (prefetch != null
                && popularity != null
                && popularity.hit(prefetch, now)
                && cached.claimPrefetch(prefetch.percent(), now)) {
            report(CacheObserver::prefetched);
            inBackground(() -> query(asked));
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

    /** Returns the query about a question that is in flight, or starts one. */
    private Query query(Asked asked) {
        long now = nanoClock.getAsLong();
        Query query = inFlight.compute(
                asked.key(),
                (key, running) ->
                        running != null && now - running.started < JOINABLE_NANOS ? running : new Query(key, now));
        query.start(asked);
        return query;
    }

    /** Returns a client's own stage, which ends earlier with a stale answer if the policy has a limit. */
    private CompletableFuture<Answer> await(Query query, Question question, @Nullable CachedAnswer stale) {
        CompletableFuture<Answer> own = query.reply.thenApply(reply -> reply.to(question));
        CacheStalePolicy.Waiting waiting = stalePolicy == null ? null : stalePolicy.waiting();
        if (stale == null || waiting == null || own.isDone()) {
            return own;
        }
        long left = query.started + waiting.time().toNanos() - nanoClock.getAsLong();
        if (left <= 0) {
            completeStale(own, question, stale);
            return own;
        }
        try {
            ScheduledFuture<?> timer =
                    waiting.scheduler().schedule(() -> completeStale(own, question, stale), left, TimeUnit.NANOSECONDS);
            CompletableFuture<Answer> unused = own.whenComplete((any, failure) -> timer.cancel(false));
        } catch (RejectedExecutionException shutDown) {
            // Then the client waits for the upstream server.
        }
        return own;
    }

    private void completeStale(CompletableFuture<Answer> own, Question question, CachedAnswer stale) {
        long now = nanoClock.getAsLong();
        if (!own.isDone() && isServable(stale, now)) {
            own.complete(stale(stale, question, now));
        }
    }

    /** What all clients of a query receive, each in its own spelling. */
    @FunctionalInterface
    private interface Reply {
        Answer to(Question question);
    }

    /** One query in flight. */
    private final class Query {
        private final CacheKey key;
        private final long started;
        private final AtomicBoolean isStarted = new AtomicBoolean();
        private final CompletableFuture<Reply> reply = new CompletableFuture<>();

        Query(CacheKey key, long started) {
            this.key = key;
            this.started = started;
        }

        void start(Asked asked) {
            if (!isStarted.compareAndSet(false, true)) {
                return;
            }
            try {
                Objects.requireNonNull(
                                forwarder.forward(asked.question(), forwardedClient(asked)),
                                "the forwarder returned null instead of a stage")
                        .whenComplete((answer, failure) -> completed(asked.question(), answer, failure));
            } catch (Throwable thrown) {
                // Throwable: hosts in other languages throw checked exceptions, too.
                completed(asked.question(), null, thrown);
            }
        }

        private void completed(Question question, @Nullable Answer answer, @Nullable Throwable failure) {
            try {
                Reply known = reply(question, answer);
                // Removed before clients know, so that what they ask next is answered from the cache.
                inFlight.remove(key, this);
                if (known != null) {
                    reply.complete(known);
                } else {
                    reply.completeExceptionally(cause(failure));
                }
            } catch (Throwable thrown) {
                inFlight.remove(key, this);
                reply.completeExceptionally(thrown);
            }
        }

        /** Returns what clients receive; null if there is neither an answer nor an earlier one that may replace it. */
        private @Nullable Reply reply(Question question, @Nullable Answer answer) {
            long now = nanoClock.getAsLong();
            CachedAnswer earlier = answers.getIfPresent(key);
            if (answer == null || answer.rcode() == Rcode.SERVFAIL) {
                Reply replacement = earlier == null ? null : replacement(earlier, now);
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
                            new CachedAnswer.Lease(now, decision, popularity(decision.kind(), earlier)));
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

        /** Returns whether this is the client whose question was forwarded. */
        @SuppressWarnings("ReferenceEquality") // Equal questions may differ in letter case.
        private static boolean isSame(Question to, Question forwarded) {
            return to == forwarded;
        }

        private @Nullable Reply replacement(CachedAnswer earlier, long now) {
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
                // After invalidateAll the answer must not stay, whichever was first.
                if (!inFlight.remove(key, this)) {
                    answers.asMap().remove(key, cached);
                }
            }
        }

        /** Returns false after {@link #invalidateAll}, or when a later query has taken this one's place. */
        private boolean isCurrent() {
            return inFlight.get(key) == this;
        }
    }

    private static Throwable cause(@Nullable Throwable failure) {
        if (failure == null) {
            return new NullPointerException("the forwarder's stage completed with null instead of an answer");
        }
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /**
     * Removes all answers, for example because the servers behind the forwarder have changed. Queries in flight reach the clients that
     * wait for them, and are not cached; later clients start new ones.
     */
    public void invalidateAll() {
        inFlight.clear();
        answers.invalidateAll();
    }

    /**
     * Removes the answers about some names, as {@link #invalidateAll} removes all.
     *
     * @param names returns whether answers about a name are removed; called for every name in the cache
     */
    public void invalidate(Predicate<DnsLabels> names) {
        Objects.requireNonNull(names, "names");
        inFlight.keySet().removeIf(key -> names.test(key.name()));
        answers.asMap().keySet().removeIf(key -> names.test(key.name()));
    }

    /** Returns the number of answers in the cache, approximately; some may have a TTL that has passed. */
    public long entries() {
        return answers.estimatedSize();
    }

    /** Returns the estimated bytes of all answers in the cache; see {@link Builder#capacityBytes}. */
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
            // The observer's failure must not cost a client its answer.
        }
    }

    /** Collects the settings of a cache. */
    public static final class Builder {
        private static final Duration LONGEST_FAILURE = Duration.ofMinutes(5);

        private final Forwarder forwarder;
        private long capacityBytes = 32L << 20;
        private boolean keepsAliases;
        private CacheRules.Bounds positive = new CacheRules.Bounds(5, 3600);
        private CacheRules.Bounds negative = new CacheRules.Bounds(5, 1800);
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
         * Sets the capacity; 32 MiB unless set.
         *
         * <p>The bytes of an answer are estimated: 400 for the entry, and its names, EDNS options and the data of its records with their
         * objects. Not counted are the scopes of clients and queries in flight. While answers are added, the sum may be above the
         * capacity for a moment. Answers that are rarely asked for are removed first (W-TinyLFU), so that a flood of random names does
         * not displace the frequent ones.
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
         * Sets the bounds of the TTL of answers with records; 5 seconds and an hour unless set.
         *
         * @param min replaces a lower TTL other than 0; 0 for no minimum
         * @param max replaces a higher TTL; 0 to cache none
         * @throws IllegalArgumentException if one is negative, above 2147483647 seconds or no whole seconds, or min is above max
         */
        public Builder positiveTtl(Duration min, Duration max) {
            positive = CacheRules.Bounds.of(min, max);
            return this;
        }

        /**
         * Sets the bounds of the TTL of NXDOMAIN and NODATA; 5 seconds and 30 minutes unless set.
         *
         * @param min replaces a lower TTL other than 0; 0 for no minimum
         * @param max replaces a higher TTL; 0 to cache none
         * @throws IllegalArgumentException if one is negative, above 2147483647 seconds or no whole seconds, or min is above max
         */
        public Builder negativeTtl(Duration min, Duration max) {
            negative = CacheRules.Bounds.of(min, max);
            return this;
        }

        /**
         * Sets how long SERVFAIL is cached; 5 seconds unless set.
         *
         * @param ttl whole seconds, at most 5 minutes (RFC 2308, 7.1); 0 to cache none
         * @throws IllegalArgumentException if it is out of that range
         */
        public Builder failureTtl(Duration ttl) {
            long seconds = CacheRules.seconds("TTL of failures", ttl);
            if (ttl.compareTo(LONGEST_FAILURE) > 0) {
                throw new IllegalArgumentException("TTL of failures must be at most 5 minutes: " + ttl);
            }
            failureSeconds = seconds;
            return this;
        }

        /**
         * Fetches frequent answers anew before their TTL has passed: those with a number of hits, not more than a minute apart, when less
         * than a tenth of the TTL is left, or less than a second. None unless set.
         *
         * @param hits at least 1; counted on when the answer is replaced by a new one
         * @throws IllegalArgumentException if it is lower
         */
        public Builder prefetch(int hits) {
            return prefetch(hits, Duration.ofMinutes(1), 10);
        }

        /**
         * Fetches frequent answers anew before their TTL has passed; none unless set. Each answer is fetched once, also if that fails.
         *
         * @param hits how many hits an answer needs, at least 1; counted on when the answer is replaced by a new one
         * @param gap the longest time between two of them, more than zero, at most a day
         * @param percent how much of the TTL is left at that time, or less, 1 to 90; but at least a second
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
         * Caches answers that end with an alias and say nothing about its target, for as long as the aliases say. For a {@link
         * io.k8sdns.resolver.ResolverChain} or an {@link io.k8sdns.resolver.AliasChaser} in front of the cache, which resolves the
         * target; not cached unless called, since the server may only have failed to.
         */
        public Builder keepAliases() {
            keepsAliases = true;
            return this;
        }

        /** Sets when answers are given whose TTL has passed; never unless set. */
        public Builder serveStale(CacheStalePolicy policy) {
            stalePolicy = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * Sets the codes of the EDNS options that change answers; by default those of source cluster, 65432, and search paths, 65433.
         *
         * @param codes all others are not forwarded
         */
        public Builder optionCodes(Set<Integer> codes) {
            optionCodes = Set.copyOf(codes);
            return this;
        }

        /**
         * Sets what else changes answers, for example the namespace of a client. Clients with equal scopes share answers; all clients
         * unless set.
         *
         * @param function returns an immutable value with {@code equals} and {@code hashCode}, never null; is called on each question,
         *     and returns soon
         */
        public Builder scope(Function<Client, Object> function) {
            scope = Objects.requireNonNull(function, "scope");
            return this;
        }

        /**
         * Sets the clock; {@link System#nanoTime} unless set.
         *
         * @param nanoseconds does not go backwards; only differences matter
         */
        public Builder clock(LongSupplier nanoseconds) {
            nanoClock = Objects.requireNonNull(nanoseconds, "clock");
            return this;
        }

        /**
         * Sets what runs the cache's maintenance and starts queries that no client waits for; the calling thread unless set, and whenever
         * the executor rejects a task. Owned by the host.
         */
        public Builder executor(Executor value) {
            executor = Objects.requireNonNull(value, "executor");
            return this;
        }

        /** Sets what receives hits, misses and evictions; {@link CacheObserver#NONE} unless set. */
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
