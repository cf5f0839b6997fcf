package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.Selector;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Rcode;

class ExplainedErrorsTest {
    private static final Client WITH_EDNS =
            Client.builder(Client.Transport.UDP).edns(true).build();

    private final AtomicLong nanos = new AtomicLong();
    private final List<RuntimeException> failures = new ArrayList<>();
    private final ExecutorService thread = ExplainedErrors.thread();
    private final ExplainedErrors errors =
            new ExplainedErrors(ZoneSettings.DEFAULTS, Visibility.ALL, nanos::get, thread, failures::add);
    private final ClusterSource.Sink objects =
            errors.objects(ZoneFeed.builder(ClusterZone.create(), Clock.fixed(Instant.EPOCH, ZoneOffset.UTC))
                    .build());

    /** Has no object, so that every name is missing. */
    private final DnsResolver resolver = errors.resolver(ResolverChain.of(ClusterZone.create()));

    @BeforeEach
    void start() {
        put(Namespace.of("shop"), ClusterIpService.of("shop", "cart", "10.96.0.20"));
    }

    @AfterEach
    void close() {
        errors.close();
    }

    private void put(ClusterObject... some) {
        objects.changed(
                Stream.of(some).<ClusterChange>map(ClusterChange.Put::new).toList());
    }

    private static Optional<ExtendedError> error(DnsResolver asked, Client client, String name) {
        return asked.resolve(Question.of(name, RecordType.A), client)
                .toStage()
                .toCompletableFuture()
                .join()
                .extendedError();
    }

    private Optional<ExtendedError> error(String name) {
        return error(resolver, WITH_EDNS, name);
    }

    @Test
    void aMissingNameIsExplainedFromTheCurrentObjects() {
        assertThat(error("crat.shop.svc.cluster.local"))
                .contains(new ExtendedError(
                        ExtendedError.OTHER,
                        "Service shop/crat: no such Service; try: look up cart.shop.svc.cluster.local."));
        put(ClusterIpService.of("shop", "crab", "10.96.0.21"));
        assertThat(error("crab.shop.svc.cluster.local"))
                .as("the answer is of an older revision")
                .isEmpty();
        objects.changed(List.of(new ClusterChange.Remove(
                ClusterIpService.of("shop", "cart", "10.96.0.20").ref(), Optional.empty())));
        assertThat(error("crat.shop.svc.cluster.local"))
                .contains(new ExtendedError(
                        ExtendedError.OTHER,
                        "Service shop/crat: no such Service; try: look up crab.shop.svc.cluster.local."));
    }

    @Test
    void hiddenObjectsLookAsIfTheyDidNotExist() {
        DnsResolver asked = filtered(
                Visibility.ofNamespaces(Set.of("shop")),
                Namespace.of("shop"),
                Namespace.of("secret"),
                ClusterIpService.of("secret", "vault", "10.96.0.21"));
        assertThat(error(asked, WITH_EDNS, "vault.secret.svc.cluster.local"))
                .contains(new ExtendedError(ExtendedError.OTHER, "Namespace secret: no such Namespace"));
        assertThat(error(asked, WITH_EDNS, "vault.shop.svc.cluster.local"))
                .contains(new ExtendedError(ExtendedError.OTHER, "Service shop/vault: no such Service"));
    }

    /** Returns a resolver that explains missing names of these objects, of which some are visible. */
    private DnsResolver filtered(Visibility visibility, ClusterObject... some) {
        ExplainedErrors filtered =
                new ExplainedErrors(ZoneSettings.DEFAULTS, visibility, nanos::get, thread, failures::add);
        filtered.objects(ZoneFeed.builder(ClusterZone.create(), Clock.fixed(Instant.EPOCH, ZoneOffset.UTC))
                        .build())
                .changed(Stream.of(some)
                        .<ClusterChange>map(ClusterChange.Put::new)
                        .toList());
        return filtered.resolver(ResolverChain.of(ClusterZone.create()));
    }

    @Test
    void noTextAssumesThatAPublishedServiceSelectsNoPodThatIsHidden() {
        DnsResolver asked = filtered(
                Visibility.ALL.onlyWith(Selector.parse("team=a")),
                Namespace.of("shop"),
                HeadlessService.builder("shop", "db")
                        .labels("team=a")
                        .selector(new Labels(Map.of("app", "db")))
                        .build(),
                Pod.builder("shop", "db-0").labels("app=db").ready(false).build());
        assertThat(error(asked, WITH_EDNS, "db.shop.svc.cluster.local").map(ExtendedError::text))
                .contains("Service shop/db: no EndpointSlice of it has a ready endpoint");
    }

    @Test
    void aPodThatTheServiceDoesNotSelectNeedsNoOtherSubdomain() {
        put(
                HeadlessService.builder("shop", "web")
                        .selector(new Labels(Map.of("app", "web")))
                        .build(),
                Pod.builder("shop", "db-0")
                        .labels("app=db")
                        .hostname("db-0")
                        .subdomain("db")
                        .ready(true)
                        .ips("10.244.0.5")
                        .build());
        assertThat(error("db-0.web.shop.svc.cluster.local").map(ExtendedError::text))
                .contains("Service shop/web, spec.selector: {app=web} does not match Pod shop/db-0 with {app=db}");
    }

    /** A source that may not list Pods reports no Pod, and a state. */
    @Test
    void noTextAssumesThatPodsAreKnownThatAreNotListed() {
        ClusterObserver observer = errors.observer(ClusterObserver.NONE);
        put(HeadlessService.builder("shop", "db")
                .selector(new Labels(Map.of("app", "db")))
                .build());
        observer.state("Pod", SyncState.SYNCED);
        assertThat(error("db.shop.svc.cluster.local").map(ExtendedError::text))
                .contains("Service shop/db, spec.selector: {app=db} matches no Pod");
        for (SyncState unknown : List.of(SyncState.SYNCING, SyncState.STALE)) {
            observer.state("Pod", unknown);
            assertThat(error("db.shop.svc.cluster.local").map(ExtendedError::text))
                    .as("%s", unknown)
                    .contains("Service shop/db: no EndpointSlice of it has a ready endpoint");
        }
        assertThat(error("cart.shop.cluster.local").map(ExtendedError::text))
                .as("the word, but no Pod")
                .contains("the label before the zone is \"shop\"; it is \"svc\" for Services and \"pod\" for Pods;"
                        + " try: look up cart.shop.svc.cluster.local.");
        observer.state("Pod", SyncState.SYNCED);
        assertThat(error("db.shop.svc.cluster.local").map(ExtendedError::text))
                .contains("Service shop/db, spec.selector: {app=db} matches no Pod");
    }

    @Test
    void theWorkloadOfAPredictedPodIsNamed() {
        put(
                HeadlessService.builder("shop", "db")
                        .selector(new Labels(Map.of("app", "db")))
                        .build(),
                Pod.builder("shop", "db-deployment-1")
                        .labels("app=db")
                        .ready(false)
                        .workload(ObjectRef.of("Deployment", "shop", "db"))
                        .build());
        assertThat(error("db.shop.svc.cluster.local").map(ExtendedError::text))
                .contains("Deployment shop/db: its Pods are not ready, so that they are not published");
    }

    @Test
    void aWorkloadWithoutPodsIsNamedUnlessItsNamespaceIsHidden() {
        put(HeadlessService.builder("shop", "db").selector("app=db").build());
        assertThat(error("db.shop.svc.cluster.local").map(ExtendedError::text))
                .contains("Service shop/db, spec.selector: {app=db} matches no Pod");
        errors.keepManifests(new ManifestResult(
                ClusterSnapshot.of(List.of()).withIdleWorkloads(List.of(idle("shop"), idle("lab"))), List.of(), ""));
        assertThat(error("db.shop.svc.cluster.local").map(ExtendedError::text))
                .contains("StatefulSet shop/db, spec.replicas: Service shop/db selects its Pods, but it has none:"
                        + " spec.replicas is 0");
        put(HeadlessService.builder("lab", "db").selector("app=db").build());
        assertThat(error("db.lab.svc.cluster.local").map(ExtendedError::text))
                .contains("Namespace lab: no such Namespace");
    }

    @Test
    void whatManifestsDoNotHoldIsMarked() {
        ClusterIpService web = ClusterIpService.of("shop", "web", "10.99.30.202");
        put(web);
        String cause =
                "Service shop/web, spec.clusterIPs: has records, but none of type AAAA; its addresses are [10.99.30.202";
        Question question = Question.of("web.shop.svc.cluster.local", RecordType.AAAA);
        DnsResolver asked = errors.resolver(ResolverChain.of(
                ClusterZone.of(ClusterSnapshot.of(List.of(Namespace.of("shop"), web)), ZoneSettings.DEFAULTS)));
        assertThat(text(asked, question)).startsWith(cause + "]");
        errors.keepManifests(new ManifestResult(
                ClusterSnapshot.of(List.of(web)),
                Set.of(IpAddress.parse("10.99.30.202")),
                Map.of(),
                Map.of(),
                List.of(),
                List.of(),
                List.of(),
                Optional.empty()));
        assertThat(text(asked, question)).startsWith(cause + " (invented address)]");
    }

    private static String text(DnsResolver asked, Question question) {
        return asked.resolve(question, WITH_EDNS)
                .toStage()
                .toCompletableFuture()
                .join()
                .extendedError()
                .orElseThrow()
                .text();
    }

    private static IdleWorkload idle(String namespace) {
        StatefulSet set = StatefulSet.builder(namespace, "db")
                .replicas(0)
                .template(PodTemplate.of("app=db"))
                .build();
        return new IdleWorkload(set, "spec.replicas", "spec.replicas is 0", Optional.empty());
    }

    @Test
    void theMissingTargetOfAnAliasIsExplainedIfItIsOfThisServer() {
        ExternalNameService old = ExternalNameService.of("shop", "old", "crat.shop.svc.cluster.local");
        ExternalNameService pay = ExternalNameService.of("shop", "pay", "pay.example");
        put(old, pay);
        DnsResolver cluster = ResolverChain.of(
                ClusterZone.of(ClusterSnapshot.of(List.of(Namespace.of("shop"), old, pay)), ZoneSettings.DEFAULTS));
        assertThat(error(errors.resolver(cluster), WITH_EDNS, "old.shop.svc.cluster.local")
                        .map(ExtendedError::text))
                .contains(
                        "Service shop/old, spec.externalName: is an alias of crat.shop.svc.cluster.local., which has no"
                                + " records of type A; try: look up cart.shop.svc.cluster.local.");
        // As an upstream server answers the target.
        DnsResolver outside = (question, client) -> cluster.resolve(question, client)
                .then(answer -> new Resolution.Ready(Answer.builder(Rcode.NXDOMAIN)
                        .authoritative()
                        .answer(answer.answer())
                        .build()));
        assertThat(error(errors.resolver(outside), WITH_EDNS, "pay.shop.svc.cluster.local"))
                .isEmpty();
    }

    @Test
    void onlyClientsWithEdnsCostAnExplanation() {
        for (int i = 0; i <= ExplainedErrors.PER_SECOND; i++) {
            assertThat(error(resolver, Client.IN_PROCESS, "a" + i + ".shop.svc.cluster.local"))
                    .isEmpty();
        }
        assertThat(error("crat.shop.svc.cluster.local")).isPresent();
    }

    @Test
    void explanationsAreLimitedPerSecond() {
        for (int i = 0; i < ExplainedErrors.PER_SECOND; i++) {
            assertThat(error("a" + i + ".shop.svc.cluster.local")).isPresent();
        }
        assertThat(error("one-more.shop.svc.cluster.local")).isEmpty();
        assertThat(error("a0.shop.svc.cluster.local")).as("known already").isPresent();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(error("one-more.shop.svc.cluster.local")).isPresent();
    }

    @Test
    void anAnswerDoesNotWaitForTheExplanationOfAnother() throws InterruptedException {
        assertThat(error("crat.shop.svc.cluster.local")).isPresent();
        CountDownLatch free = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(1);
        thread.execute(() -> {
            busy.countDown();
            awaitQuietly(free);
        });
        busy.await();
        Resolution waiting = ask("carrt.shop.svc.cluster.local");
        assertThat(waiting).isInstanceOf(Resolution.Pending.class);
        assertThat(ask("crat.shop.svc.cluster.local")).as("known").isInstanceOf(Resolution.Ready.class);
        put(ClusterIpService.of("shop", "crab", "10.96.0.21"));
        CompletableFuture<Answer> answer = waiting.toStage().toCompletableFuture();
        assertThat(answer.join().extendedError())
                .as("not longer than a client waits")
                .isEmpty();
        free.countDown();
        assertThat(error("crat.shop.svc.cluster.local")).isPresent();
    }

    private Resolution ask(String name) {
        return resolver.resolve(Question.of(name, RecordType.A), WITH_EDNS);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void otherAnswersAreUnchanged() {
        assertThat(error("www.example.com").map(ExtendedError::code)).contains(ExtendedError.NOT_AUTHORITATIVE);
        Answer upstream = Answer.builder(Rcode.NXDOMAIN).build();
        assertThat(error(
                        errors.resolver((question, client) -> new Resolution.Ready(upstream)),
                        WITH_EDNS,
                        "crat.shop.svc.cluster.local"))
                .as("not authoritative")
                .isEmpty();
        assertThat(failures).isEmpty();
    }

    @Test
    void aLongTextIsCutAtACharacter() {
        String text = ExplainedErrors.shortened("\u00e9".repeat(150));
        assertThat(text.getBytes(StandardCharsets.UTF_8).length).isBetween(199, 200);
        assertThat(text).endsWith("\u00e9...");
        assertThat(ExplainedErrors.shortened("x".repeat(200))).hasSize(200);
        assertThat(ExplainedErrors.shortened("x".repeat(201))).hasSize(200).endsWith("x...");
    }
}
