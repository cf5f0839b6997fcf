package io.k8sdns.nodecache;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.autopath.AutopathResolver;
import io.k8sdns.dnsjava.DnsNames;
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
import io.k8sdns.upstream.Forwarder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * The autopath suffix in a node cache: names {@code BASE.search.NS.DOMAIN.SUFFIX}.
 *
 * <pre>
 *   question --> the cluster DNS understands the suffix? --yes--> forwarded as it is, with the search list as an EDNS option
 *                                                        --no---> AutopathResolver: one forwarded question for each name
 * </pre>
 *
 * <p>Whether it does is probed with the name of the API server's Service, which exists in every cluster: at the start, every 30
 * seconds, and after a connection to one of its servers was opened or a server has failed, since another program may answer there
 * now. Until the first probe is answered the names are expanded here: that is right in any case, and costs more questions.
 */
final class NodeCacheAutopath implements DnsResolver {
    /** Less than the five seconds after which resolvers in Pods ask again. */
    private static final Duration DEADLINE = Duration.ofMillis(4_400);

    private static final Duration BETWEEN_PROBES = Duration.ofSeconds(30);

    /** At most one probe in this time, however many connections are opened. */
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

    private static final List<Integer> REFUSALS = List.of(Rcode.REFUSED, Rcode.FORMERR, Rcode.NOTIMP);

    private final SuffixSettings settings;
    private final DnsResolver inner;
    private final DnsResolver local;
    private final Forwarder servers;
    private final BooleanSupplier isForwarded;
    private final ScheduledExecutorService timer;
    private final NodeCacheObserver observer;
    private final Runnable changed;
    private final AtomicBoolean isProbeDue = new AtomicBoolean();
    private final CountDownLatch firstProbe = new CountDownLatch(1);

    private volatile @Nullable Future<?> probes;

    /** Empty until a probe was answered. */
    private volatile Optional<Boolean> isUnderstood = Optional.empty();

    /**
     * Creates the resolver, which has probed nothing.
     *
     * @param inner answers all names that are looked up or forwarded
     * @param servers forwards without a cache, for probes
     * @param isForwarded returns whether names of the suffix are forwarded; otherwise there is nothing to probe
     * @param timer runs deadlines and probes; the caller's to shut down
     * @param changed called before the observer when a probe has had another result than the one before
     */
    NodeCacheAutopath(
            SuffixSettings settings,
            DnsResolver inner,
            Forwarder servers,
            BooleanSupplier isForwarded,
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
                .deadline(DEADLINE, timer)
                .observer(observer, System::nanoTime)
                .build();
    }

    /** Returns the resolver that expands every name of the suffix itself, over the same resolver. */
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
        if (settings.expandsLocally() && !isUnderstood.orElse(false)) {
            return local.resolve(question, client);
        }
        Optional<String> namespace = namespace(question.labels());
        return namespace.isPresent() ? passOn(question, client, namespace.get()) : inner.resolve(question, client);
    }

    private Resolution passOn(Question question, Client client, String namespace) {
        report(NodeCacheObserver::passedOn);
        return inner.resolve(question, withSearchPaths(client, namespace)).then(answer -> {
            if (isDoubtful(answer)) {
                probeSoon();
            }
            return settings.expandsLocally() && isRefusal(answer)
                    ? local.resolve(question, client)
                    : new Resolution.Ready(answer);
        });
    }

    /**
     * Returns whether the server does not answer names like this one: it does not understand them, or forwards no names of the search
     * list outside the cluster, which have servers here.
     */
    private static boolean isRefusal(Answer answer) {
        int reason = answer.extendedError().map(ExtendedError::code).orElse(ExtendedError.OTHER);
        return REFUSALS.contains(answer.rcode()) && reason != ExtendedError.INVALID_QUERY_TYPE
                || answer.rcode() == Rcode.SERVFAIL && reason == ExtendedError.NOT_AUTHORITATIVE;
    }

    /** Returns whether an answer looks like that of a server which does not understand the suffix: NXDOMAIN of another zone. */
    private boolean isDoubtful(Answer answer) {
        return isRefusal(answer) && answer.rcode() != Rcode.SERVFAIL
                || answer.rcode() == Rcode.NXDOMAIN
                        && answer.authority().stream()
                                .filter(set -> set.type().number() == Type.SOA)
                                .map(RecordSet::owner)
                                .noneMatch(owner ->
                                        DnsLabels.parse(owner.toString()).endsWith(settings.suffix()));
    }

    private Client withSearchPaths(Client client, String namespace) {
        return client.toBuilder()
                .ednsOptions(List.of(settings.option(namespace)))
                .build();
    }

    /**
     * Returns the namespace of a name {@code BASE.search.NS.DOMAIN.SUFFIX}; empty for any other name. It is read from the right: a
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

    /** Starts to probe, now and every 30 seconds. */
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

    /** Waits until the first probe was answered or has failed, or the time is over. */
    void awaitFirstProbe(Duration atMost) throws InterruptedException {
        boolean unused = firstProbe.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Probes within a second, once for all calls until then; from any thread. */
    void probeSoon() {
        if (isProbeDue.compareAndSet(false, true)) {
            try {
                var unused = timer.schedule(this::probe, SHORTEST_PAUSE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException closed) {
                // No more answers, either.
            }
        }
    }

    private void probe() {
        if (!isForwarded.getAsBoolean()) {
            isProbeDue.set(false);
            firstProbe.countDown();
            return;
        }
        // The connection of the probe itself is no reason for another one.
        isProbeDue.set(true);
        CompletableFuture<Void> unused = ask(RecordType.A)
                .thenCompose(answer -> answer.status() == AnswerStatus.NODATA ? ask(RecordType.AAAA) : done(answer))
                .handle((answer, failure) -> {
                    isProbeDue.set(false);
                    if (failure == null) {
                        probed(answer);
                    }
                    firstProbe.countDown();
                    return null;
                });
    }

    private static CompletableFuture<Answer> done(Answer answer) {
        return CompletableFuture.completedFuture(answer);
    }

    private CompletableFuture<Answer> ask(RecordType type) {
        CompletionStage<Answer> asked = servers.forward(
                new Question(settings.probedName(), type, DClass.IN), withSearchPaths(Client.IN_PROCESS, "default"));
        return asked.toCompletableFuture();
    }

    /** A server that fails tells nothing about what it understands. */
    private void probed(Answer answer) {
        if (answer.rcode() == Rcode.SERVFAIL) {
            return;
        }
        // A resolver that answers every name, by a wildcard for example, does not send this alias.
        Optional<Boolean> now = Optional.of(answer.cnames().contains(DnsNames.absolute(settings.foundName())));
        if (!isUnderstood.equals(now)) {
            isUnderstood = now;
            changed.run();
            report(to -> to.understood(now.get()));
        }
    }

    private void report(Consumer<NodeCacheObserver> event) {
        try {
            event.accept(observer);
        } catch (RuntimeException | Error ignored) {
            // The observer's failure must not cost a client its answer.
        }
    }
}
