package io.k8sdns.nodecache;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.autopath.AutopathResolver;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.timers.DelayedTask;
import io.k8sdns.upstream.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Resolves names {@code BASE.search.NS.DOMAIN.SUFFIX} of the autopath suffix in a node cache.
 *
 * <pre>
 *   question --> the cluster DNS supports the suffix? --yes--> forwarded unchanged, with the search list as an EDNS option
 *                                                     --no---> AutopathResolver: one forwarded question for each name
 * </pre>
 *
 * <p>Without servers for the suffix nothing is forwarded or probed.
 *
 * <p>The cache probes for this support with the name of the API server's Service, which exists in every cluster: at the start, every 30
 * seconds, and after a connection to the servers was opened or a server failed, because another program may answer there now. Until the
 * first probe is answered, names are expanded here, which is always correct but costs more queries.
 */
final class NodeCacheAutopath implements DnsResolver {
    private static final Duration BETWEEN_PROBES = Duration.ofSeconds(30);

    /** The shortest time between two probes, even if many connections are opened. */
    private static final Duration MIN_PAUSE = Duration.ofSeconds(1);

    private static final List<Integer> REFUSAL_RCODES = List.of(Rcode.REFUSED, Rcode.FORMERR, Rcode.NOTIMP);

    private final SuffixSettings settings;
    private final DnsResolver inner;
    private final DnsResolver local;
    private final UpstreamForwarder servers;
    private final Predicate<DnsLabels> isForwarded;
    private final ScheduledExecutorService timer;
    private final NodeCacheObserver observer;
    private final Runnable changed;
    private final AtomicBoolean isProbeDue = new AtomicBoolean();
    private final CountDownLatch firstProbe = new CountDownLatch(1);

    private volatile @Nullable Future<?> probes;

    /** Whether the cluster DNS supports the suffix; empty until a probe is answered. */
    private volatile Optional<Boolean> supportsSuffix = Optional.empty();

    /**
     * Creates the resolver, without starting probes.
     *
     * @param inner answers forwarded names and those of the search list
     * @param servers the forwarder of probes, without a cache
     * @param isForwarded returns whether a name of the suffix is forwarded; nothing is probed if that of the probe is not
     * @param timer runs deadlines and probes; the caller must shut it down
     * @param changed called before the observer when the result of a probe differs from the previous one
     */
    NodeCacheAutopath(
            SuffixSettings settings,
            DnsResolver inner,
            UpstreamForwarder servers,
            Predicate<DnsLabels> isForwarded,
            ScheduledExecutorService timer,
            NodeCacheObserver observer,
            Runnable changed) {
        this.settings = settings;
        this.inner = inner;
        this.servers = servers;
        this.isForwarded = isForwarded;
        this.timer = timer;
        this.observer = observer;
        this.changed = changed;
        this.local = AutopathResolver.builder(inner, List.of(settings.clusterDomain()))
                .suffix(settings.suffix())
                .hostSearches(settings.hostSearches())
                .byName()
                .deadline(Deadline.BEFORE_RETRY, timer)
                .observer(observer, System::nanoTime)
                .build();
    }

    /** Returns the resolver that always expands names of the suffix on the node. */
    DnsResolver local() {
        return local;
    }

    @Override
    public Optional<DirectAnswers> direct() {
        return inner.direct();
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        if (!question.labels().endsWith(settings.suffix())) {
            return inner.resolve(question, client);
        }
        boolean isForwarded = this.isForwarded.test(question.labels());
        if (settings.expandsLocally() && !(isForwarded && supportsSuffix.orElse(false))) {
            return local.resolve(question, client);
        }
        if (!isForwarded) {
            return new Resolution.Ready(denial(question));
        }
        Optional<String> namespace = namespace(question.labels());
        return namespace.isPresent() ? forward(question, client, namespace.get()) : inner.resolve(question, client);
    }

    /** Answers that no name exists below the suffix, which has no servers. */
    private Answer denial(Question question) {
        boolean isApex = question.labels().equals(settings.suffix());
        Answer.Builder answer = Answer.builder(isApex ? Rcode.NOERROR : Rcode.NXDOMAIN);
        List<RecordSet> soa = List.of(settings.soa());
        return (isApex && question.type().number() == Type.SOA ? answer.answer(soa) : answer.authority(soa)).build();
    }

    private Resolution forward(Question question, Client client, String namespace) {
        report(NodeCacheObserver::forwarded);
        return inner.resolve(question, withSearchPaths(client, namespace)).then(answer -> {
            if (mayLackSupport(answer)) {
                probeSoon();
            }
            return settings.expandsLocally() && (isRefusal(answer) || isDenialOfOtherZone(answer))
                    ? local.resolve(question, client)
                    : new Resolution.Ready(answer);
        });
    }

    /**
     * Returns whether the server rejects names of the suffix: it does not support them, or it does not forward names of the search list
     * outside the cluster, which this cache can forward itself. An answer with an alias is about the alias's target. A refusal by
     * the limit of this cache does not count: several lookups in place of one question would multiply the load.
     */
    private boolean isRefusal(Answer answer) {
        if (!answer.answer().isEmpty() || servers.isLimitReached(answer)) {
            return false;
        }
        int infoCode = answer.extendedError().map(ExtendedError::code).orElse(ExtendedError.OTHER);
        return REFUSAL_RCODES.contains(answer.rcode()) && infoCode != ExtendedError.INVALID_QUERY_TYPE
                || answer.rcode() == Rcode.SERVFAIL && infoCode == ExtendedError.NOT_AUTHORITATIVE;
    }

    /** Returns whether an answer suggests that the server does not support the suffix: a refusal, or NXDOMAIN from another zone. */
    private boolean mayLackSupport(Answer answer) {
        return isRefusal(answer) && answer.rcode() != Rcode.SERVFAIL || isDenialOfOtherZone(answer);
    }

    /**
     * Returns whether an answer is NXDOMAIN of another zone than the suffix: a server that does not support the suffix has looked the
     * name up, for example on the Internet. One of several servers may not support it, or a new version of a server.
     */
    private boolean isDenialOfOtherZone(Answer answer) {
        return answer.rcode() == Rcode.NXDOMAIN
                && answer.answer().isEmpty()
                && answer.authority().stream()
                        .filter(set -> set.type().number() == Type.SOA)
                        .map(RecordSet::owner)
                        .noneMatch(owner -> DnsLabels.parse(owner.toString()).endsWith(settings.suffix()));
    }

    private Client withSearchPaths(Client client, String namespace) {
        return client.toBuilder()
                .ednsOptions(List.of(settings.option(namespace)))
                .build();
    }

    /**
     * Returns the namespace of a name {@code BASE.search.NS.DOMAIN.SUFFIX}; empty for any other name. Parses from the right, because a
     * Service or a namespace may be called {@code search}.
     */
    private Optional<String> namespace(DnsLabels name) {
        return name.below(settings.suffix())
                .flatMap(rest -> rest.below(settings.clusterDomain()))
                .filter(head -> head.count() > 2)
                .filter(head -> head.foldedLabel(head.count() - 2).equals(ClusterSearches.AUTOPATH_LABEL))
                .map(head -> head.foldedLabel(head.count() - 1))
                .filter(KubernetesNames::isDnsLabel);
    }

    // ---- probes ----

    /** Starts probes, now and every 30 seconds. */
    void startProbes() {
        probes = timer.scheduleWithFixedDelay(this::probe, 0, BETWEEN_PROBES.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Stops the probes of {@link #startProbes}. */
    void stopProbes() {
        Future<?> running = probes;
        if (running != null) {
            running.cancel(false);
        }
    }

    /** Waits until the first probe is answered or fails, or the time has passed. */
    void awaitFirstProbe(Duration atMost) throws InterruptedException {
        boolean unused = firstProbe.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Sends a probe after a second, at most one for all calls until then; called by any thread. */
    void probeSoon() {
        if (isProbeDue.compareAndSet(false, true)) {
            var unused = DelayedTask.schedule(timer, MIN_PAUSE, this::probe);
        }
    }

    private void probe() {
        if (!isForwarded.test(settings.probeName())) {
            isProbeDue.set(false);
            firstProbe.countDown();
            return;
        }
        // The probe may open a connection, which must not start another probe.
        isProbeDue.set(true);
        CompletableFuture<Void> unused = sendProbe(RecordType.A)
                .thenCompose(answer -> answer.status() == AnswerStatus.NODATA
                        ? sendProbe(RecordType.AAAA)
                        : CompletableFuture.completedFuture(answer))
                .handle((answer, failure) -> {
                    isProbeDue.set(false);
                    if (failure == null) {
                        probeAnswered(answer);
                    }
                    firstProbe.countDown();
                    return null;
                });
    }

    private CompletableFuture<Answer> sendProbe(RecordType type) {
        CompletionStage<Answer> answer = servers.forward(
                new Question(settings.probeName(), type, DClass.IN), withSearchPaths(Client.IN_PROCESS, "default"));
        return answer.toCompletableFuture();
    }

    /** Records the result of a probe; SERVFAIL and a refusal by the limit of this cache give none. */
    private void probeAnswered(Answer answer) {
        if (answer.rcode() == Rcode.SERVFAIL || servers.isLimitReached(answer)) {
            return;
        }
        // Checks for the alias, because a resolver with a wildcard answers every name.
        Optional<Boolean> result = Optional.of(answer.cnames().contains(DnsNames.absolute(settings.probeTarget())));
        if (!supportsSuffix.equals(result)) {
            supportsSuffix = result;
            changed.run();
            report(to -> to.suffixSupported(result.get()));
        }
    }

    private void report(Consumer<NodeCacheObserver> event) {
        try {
            event.accept(observer);
        } catch (RuntimeException | Error ignored) {
            // A failing observer must not prevent the answer.
        }
    }
}
