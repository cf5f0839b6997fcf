package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.k8sdns.ClusterDns;
import io.k8sdns.apiserver.ApiReply;
import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.apiserver.Fault;
import io.k8sdns.apiserver.Request;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.zone.ClusterZone;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ApiClusterSourceTest {
    private static final String SHOP = "\"uid\": \"n1\"";
    private static final Fault REFUSED = Fault.reply(ApiReply.refusal(403, "Forbidden", ""));
    private static final String CART = "\"uid\": \"s1\"";

    private final ClusterZone zone = ClusterZone.create();

    /** The reports of the source: batches, states, diagnostics. */
    private final BlockingQueue<Object> reported = new LinkedBlockingQueue<>();

    private final ClusterSource.Sink sink = new ClusterSource.Sink() {
        @Override
        public void changed(List<ClusterChange> batch) {
            zone.apply(batch);
            reported.add(batch);
        }

        @Override
        public void stateChanged(SyncState state) {
            reported.add(state);
        }

        @Override
        public void diagnosed(Diagnostic diagnostic) {
            reported.add(diagnostic);
        }
    };

    private final List<ClusterSource> sources = new ArrayList<>();
    private ApiServer server;

    @BeforeEach
    void start() throws IOException {
        server = new ApiServer();
        server.maxPageSize(3);
        server.put("namespaces", "shop", SHOP, "");
        server.put("services", "shop/cart", CART, service("10.96.0.20"));
    }

    @AfterEach
    void end() {
        sources.forEach(ClusterSource::close);
        server.close();
    }

    private static String service(String address) {
        return ", \"spec\": {\"clusterIP\": \"" + address + "\", \"clusterIPs\": [\"" + address
                + "\"], \"ports\": [{\"name\": \"http\", \"port\": 80}]}";
    }

    private ApiClusterSource.Builder builder() {
        return ApiClusterSource.builder(new ApiClient().setBasePath(server.url()));
    }

    private ApiClusterSource source() {
        ApiClusterSource source = builder().build();
        sources.add(source);
        return source;
    }

    private ApiClusterSource follow() {
        return follow(builder());
    }

    private ApiClusterSource follow(Set<String> namespaces) {
        return follow(builder().namespaces(namespaces));
    }

    private ApiClusterSource follow(ApiClusterSource.Builder builder) {
        ApiClusterSource source = builder.build();
        sources.add(source);
        source.start(sink);
        return source;
    }

    // ---- snapshots ----

    @Test
    void snapshotHasTheCurrentObjectsAndEndsItsThreads() throws Exception {
        ClusterSnapshot snapshot =
                ApiClusterSource.snapshot(new ApiClient().setBasePath(server.url()), Duration.ofMinutes(2));
        assertThat(ClusterDns.of(snapshot).lookup("cart.shop", RecordType.A).addresses())
                .containsExactly("10.96.0.20");
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("k8sdns-api")) {
                thread.join(Duration.ofMinutes(1).toMillis());
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
        }
    }

    @Test
    void snapshotHasTheKindsAndNamespacesOfTheBuilder() throws Exception {
        server.put("pods", "shop/db-0", "\"uid\": \"p1\"", """
            , "status": {"phase": "Running", "podIPs": [{"ip": "10.244.0.9"}]}\
            """);
        ClusterSnapshot snapshot = builder().namespaces(Set.of("shop")).pods().snapshot(Duration.ofMinutes(2));
        assertThat(snapshot.objects().stream().map(one -> one.ref().toString()))
                .containsExactlyInAnyOrder("Namespace shop", "Service shop/cart", "Pod shop/db-0");
        assertThat(server.requests())
                .extracting(Request::toString)
                .noneMatch(one -> one.startsWith("/api/v1/services?"));
    }

    @Test
    void snapshotTimeoutReportsTheFailure() {
        server.fault("services", REFUSED);
        assertThatThrownBy(() -> builder().snapshot(Duration.ofMillis(1)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageStartingWith("not synced within PT0.001S");
    }

    @Test
    void snapshotEndsWhenNoServerHasRespondedInTime() {
        server.close();
        assertThatThrownBy(() -> builder().responseWithin(Duration.ofMillis(1)).snapshot(Duration.ofDays(1)))
                .isInstanceOf(NoResponseException.class)
                .hasMessageStartingWith("no response within PT0.001S: Failed to connect to ")
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void snapshotEndsWhenNeededObjectsAreForbidden() {
        server.fault("services", REFUSED);
        assertThatThrownBy(() -> builder().responseWithin(Duration.ZERO).snapshot(Duration.ofDays(1)))
                .isInstanceOf(MissingPermissionException.class)
                .hasMessageStartingWith("no permission within PT0S: services: 403")
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void aSourceWithoutPermissionCanBeAwaitedAgain() throws Exception {
        server.fault("services", REFUSED);
        ApiClusterSource source = follow(builder().responseWithin(Duration.ZERO));
        assertThatThrownBy(() -> source.awaitSynced(Duration.ofMinutes(2)))
                .isInstanceOf(MissingPermissionException.class);
        server.fault("services", Fault.NONE);
        await(SyncState.SYNCED);
        assertThat(source.awaitSynced(Duration.ofMinutes(2))).isSameAs(source);
    }

    /** A Role, for example of a developer, permits to list the objects in a namespace, but not the namespace itself. */
    @Test
    void aNamespaceThatMayNotBeListedIsAssumedToExist() throws Exception {
        server.fault("namespaces", REFUSED);
        ClusterSnapshot snapshot = builder()
                .namespaces(Set.of("shop"))
                .responseWithin(Duration.ZERO)
                .snapshot(Duration.ofMinutes(2));
        assertThat(snapshot.objects(Namespace.class)).containsExactly(Namespace.of("shop"));
        assertThat(snapshot.objects(Service.class)).isNotEmpty();
    }

    @Test
    void snapshotEndsWhenTheServerRefusesTheCredentials() {
        server.token("secret");
        assertThatThrownBy(() -> builder().responseWithin(Duration.ZERO).snapshot(Duration.ofMinutes(2)))
                .isInstanceOf(InvalidCredentialsException.class)
                .hasMessageStartingWith("no valid credentials within PT0S: 401")
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void snapshotEndsWhenThereAreNoCredentials() {
        ApiConnector expired = () -> {
            throw new IOException("the login has expired");
        };
        assertThatThrownBy(() -> ApiClusterSource.builder(expired)
                        .responseWithin(Duration.ZERO)
                        .snapshot(Duration.ofMinutes(2)))
                .isInstanceOf(InvalidCredentialsException.class)
                .hasMessage("no valid credentials within PT0S: the login has expired");
    }

    /** Starts a source whose time passes only when a test lets it pass. */
    private ApiClusterSource followWith(
            ApiConnector connector,
            Duration responseWithin,
            CompletableFuture<AcceleratedTimers> time,
            Consumer<String> failed) {
        ClusterObserver observer = new ClusterObserver() {
            @Override
            public void failed(String kind, String reason) {
                failed.accept(reason);
            }
        };
        return follow(ApiClusterSource.builder(connector)
                .responseWithin(responseWithin)
                .observer(observer)
                .timers(loop -> {
                    AcceleratedTimers stopped = AcceleratedTimers.stopped(loop);
                    time.complete(stopped);
                    return stopped;
                }));
    }

    @Test
    void missingCredentialsAreNoResponse() {
        server.close();
        CompletableFuture<AcceleratedTimers> time = new CompletableFuture<>();
        ApiClient client = withoutCredentialsAtFirst();
        ApiClusterSource source = followWith(() -> client, Duration.ofSeconds(2), time, reason -> {
            if (reason.equals("unreachable")) {
                time.join().pass(Duration.ofSeconds(2));
            }
        });
        assertThatThrownBy(() -> source.awaitSynced(Duration.ofMinutes(1))).isInstanceOf(NoResponseException.class);
    }

    @Test
    void timeOfAProgramForCredentialsIsNotThatOfTheServer() throws Exception {
        server.away(true);
        CompletableFuture<AcceleratedTimers> time = new CompletableFuture<>();
        ApiConnector slow = () -> {
            time.join().pass(Duration.ofSeconds(3));
            return new ApiClient().setBasePath(server.url());
        };
        ApiClusterSource source = followWith(slow, Duration.ofSeconds(2), time, reason -> {
            if (reason.equals("unreachable")) {
                server.away(false);
            }
        });
        assertThat(source.awaitSynced(Duration.ofMinutes(2))).isSameAs(source);
    }

    @Test
    void loginMayTakeLongerThanAResponse() throws Exception {
        CountDownLatch loggedIn = new CountDownLatch(1);
        CountDownLatch silent = new CountDownLatch(3);
        CompletableFuture<AcceleratedTimers> time = new CompletableFuture<>();
        ApiConnector interactive = () -> {
            try {
                loggedIn.await();
            } catch (InterruptedException ended) {
                throw new IOException(ended);
            }
            return new ApiClient().setBasePath(server.url());
        };
        ApiClusterSource source = followWith(interactive, Duration.ZERO, time, reason -> {
            if (reason.equals("silent")) {
                silent.countDown();
            }
        });
        time.join().awaitWatchdogs(3);
        time.join().pass(ListWatch.RESPONSE_SILENCE);
        silent.await();
        loggedIn.countDown();
        assertThat(source.awaitSynced(Duration.ofMinutes(2))).isSameAs(source);
    }

    @Test
    void aSourceThatHadNoResponseCanBeAwaitedAgain() throws Exception {
        server.away(true);
        ApiClusterSource source = follow(builder().responseWithin(Duration.ZERO));
        assertThatThrownBy(() -> source.awaitSynced(Duration.ofMinutes(2))).isInstanceOf(NoResponseException.class);
        server.away(false);
        await(SyncState.SYNCED);
        assertThat(source.awaitSynced(Duration.ofMinutes(2))).isSameAs(source);
    }

    @Test
    void timeForAResponseIsNotNegative() {
        assertThatThrownBy(() -> builder().responseWithin(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("responseWithin is negative: ");
    }

    // ---- a zone that is followed in one line ----

    @Test
    void aZoneIsServedOnceItIsSynced() throws Exception {
        server.put("pods", "shop/db-0", "\"uid\": \"p1\"", """
            , "status": {"phase": "Running", "podIPs": [{"ip": "10.244.0.9"}]}\
            """);
        ClusterDns dns = ClusterDns.of(zone);
        CountDownLatch open = new CountDownLatch(1);
        server.fault("services", Fault.delayUntil(open));
        try (ApiClusterSource source = ApiClusterSource.follow(new ApiClient().setBasePath(server.url()), zone)) {
            assertThat(dns.lookup("cart.shop", RecordType.A).status()).isEqualTo(AnswerStatus.SERVFAIL);
            open.countDown();

            assertThat(source.awaitSynced(Duration.ofMinutes(2))).isSameAs(source);
            assertThat(dns.lookup("cart.shop", RecordType.A).addresses()).containsExactly("10.96.0.20");
            assertThat(dns.lookup("10-244-0-9.shop.pod.cluster.local", RecordType.A)
                            .addresses())
                    .containsExactly("10.244.0.9");
        }
        assertThat(dns.lookup("cart.shop", RecordType.A).addresses()).containsExactly("10.96.0.20");
    }

    @Test
    void theExampleOfThePackageRuns() throws Exception {
        ApiClient client = new ApiClient().setBasePath(server.url());
        // region
        ClusterZone zone = ClusterZone.create();
        ApiClusterSource source = ApiClusterSource.follow(client, zone).awaitSynced(Duration.ofSeconds(30));
        // endregion
        source.close();
        assertThat(ClusterDns.of(zone).lookup("cart.shop", RecordType.A).addresses())
                .containsExactly("10.96.0.20");

        String documented = Files.readString(Path.of("src/main/java/io/k8sdns/clientjava/package-info.java"))
                .replaceAll("(?s).*<pre>\\{@code\\n(.*) \\* \\}</pre>.*", "$1")
                .replaceAll("(?m)^ \\* ", "");
        assertThat(Files.readString(Path.of("src/test/java/io/k8sdns/clientjava/ApiClusterSourceTest.java")))
                .contains(documented.indent(8));
    }

    @Test
    void timeoutReportsTheLastFailure() throws Exception {
        server.fault("services", REFUSED);
        try (ApiClusterSource source = ApiClusterSource.follow(new ApiClient().setBasePath(server.url()), zone)) {
            TimeoutException late = null;
            while (late == null || !String.valueOf(late.getMessage()).contains("services")) {
                late = catchThrowableOfType(TimeoutException.class, () -> source.awaitSynced(Duration.ZERO));
                assertThat(late).hasMessageStartingWith("not synced within PT0S");
            }
            assertThat(late).hasMessageStartingWith("not synced within PT0S: services: ");
            assertThat(late.getCause()).hasMessageStartingWith("services: ");
        }
    }

    @Test
    void timeoutWithoutAFailureHasNoCause() {
        server.fault("services", Fault.delayUntil(new CountDownLatch(1)));
        try (ApiClusterSource source = ApiClusterSource.follow(new ApiClient().setBasePath(server.url()), zone)) {
            assertThatThrownBy(() -> source.awaitSynced(Duration.ZERO))
                    .hasMessage("not synced within PT0S")
                    .hasNoCause();
        }
    }

    @Test
    void onlyASourceThatWasStartedAndIsOpenCanBeAwaited() {
        ApiClusterSource source = source();
        assertThatThrownBy(() -> source.awaitSynced(Duration.ZERO)).hasMessage("the source was not started");
        source.close();
        assertThatThrownBy(() -> source.awaitSynced(Duration.ZERO))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the source was closed before it was synced");
    }

    private void await(Predicate<Object> what) throws InterruptedException {
        Object next;
        do {
            next = reported.poll(2, TimeUnit.MINUTES);
            assertThat(next).as("reported in time").isNotNull();
        } while (!what.test(next));
    }

    private void awaitRequest(String part) throws InterruptedException {
        String next;
        do {
            next = String.valueOf(server.requests().poll(2, TimeUnit.MINUTES));
            assertThat(next).as("requested in time: " + part).isNotEqualTo("null");
        } while (!next.contains(part));
    }

    private void await(SyncState state) throws InterruptedException {
        await(state::equals);
    }

    private void awaitAddress(String address) throws InterruptedException {
        while (!addresses().contains(address)) {
            await(any -> true);
        }
    }

    private String addresses() {
        return zone.current().zones().stream()
                .flatMap(name -> zone.current().recordSets(name).stream())
                .filter(set -> set.owner().toString().startsWith("cart.shop."))
                .map(Object::toString)
                .collect(Collectors.joining());
    }

    @Test
    @SuppressWarnings("NullAway") // what callers without a null checker may do
    void emptyLimitsAreRefused() {
        assertThatThrownBy(() -> builder().namespaces(Set.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("names is empty: ");
        assertThatThrownBy(() -> builder().labels(Selector.parse("")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("labels has no requirement: ");
        assertThatThrownBy(() -> builder().namespaceLabels(Selector.EVERYTHING))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("namespaceLabels has no requirement: ");
        assertThatThrownBy(() -> builder().namespaces(null)).hasMessage("names");
    }

    @Test
    void listedAndWatchedObjectsBecomeRecords() throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            server.put("services", "shop/other-" + i, "\"uid\": \"o" + i + "\"", service("10.96.1." + i));
        }
        follow();
        await(SyncState.SYNCED);
        assertThat(addresses()).contains("10.96.0.20");
        assertThat(zone.current().recordSets(zone.current().zones().get(0)).toString())
                .contains("10.96.1.9");

        awaitRequest("/api/v1/services?watch=true");
        server.put("services", "shop/cart", CART, service("10.96.0.21"));
        awaitAddress("10.96.0.21");
        assertThat(addresses()).doesNotContain("10.96.0.20");

        server.delete("services", "shop/cart", CART);
        while (!addresses().isEmpty()) {
            await(any -> true);
        }
    }

    @Test
    void endpointSlicesAreFollowed() throws InterruptedException {
        server.put("services", "shop/cart", CART, ", \"spec\": {\"clusterIP\": \"None\"}");
        server.put(
                "endpointslices",
                "shop/cart-1",
                "\"uid\": \"e1\", \"labels\": {\"kubernetes.io/service-name\": \"cart\"}",
                ", \"addressType\": \"IPv4\", \"endpoints\": [{\"addresses\": [\"10.244.0.9\"]}]");
        follow();
        await(SyncState.SYNCED);
        assertThat(addresses()).contains("10.244.0.9");
    }

    @Test
    void expiredWatchFindsMissedChanges() throws InterruptedException {
        follow();
        await(SyncState.SYNCED);
        awaitRequest("/api/v1/services?watch=true");
        server.sendEvent("services", "ERROR", "{\"kind\": \"Status\", \"code\": 410, \"reason\": \"Expired\"}");
        await(SyncState.STALE);
        await(SyncState.SYNCED);
        awaitRequest("/api/v1/services?limit=");
        awaitRequest("/api/v1/services?watch=true");
        server.put("services", "shop/cart", CART, service("10.96.0.22"));
        awaitAddress("10.96.0.22");
    }

    @Test
    void lastObjectsAreKeptWhileTheServerIsUnreachable() throws InterruptedException {
        follow();
        await(SyncState.SYNCED);
        awaitRequest("/api/v1/services?watch=true");
        server.fault("services", Fault.reply(ApiReply.refusal(503, "ServiceUnavailable", "away")));
        server.endWatches("services");
        await(SyncState.STALE);
        assertThat(addresses()).contains("10.96.0.20");
        server.fault("services", Fault.NONE);
        await(SyncState.SYNCED);
    }

    @Test
    void forbiddenRequiredKindKeepsTheSourceUnsynced() throws InterruptedException {
        server.fault("endpointslices", REFUSED);
        follow();
        awaitRequest("endpointslices?limit=");
        awaitRequest("endpointslices?limit=");
        assertThat(reported).doesNotContain(SyncState.SYNCED);
        server.fault("endpointslices", Fault.NONE);
        await(SyncState.SYNCED);
    }

    @Test
    void interruptedListIsRepeated() throws InterruptedException {
        server.fault(
                "services",
                Fault.reply(ApiReply.json(
                        200, "{\"kind\": \"ServiceList\", \"metadata\": {\"resourceVersion\": \"5\"}, \"items\": [{")));
        follow();
        awaitRequest("/api/v1/services?limit=");
        awaitRequest("/api/v1/services?limit=");
        assertThat(reported).doesNotContain(SyncState.SYNCED);
        server.fault("services", Fault.NONE);
        await(SyncState.SYNCED);
        assertThat(addresses()).contains("10.96.0.20");
    }

    @Test
    void invalidObjectIsDiagnosedAndOthersAreServed() throws InterruptedException {
        server.put("services", "shop/odd", "\"uid\": \"s2\"", service("10.96.0.300"));
        follow();
        await(reported -> reported instanceof Diagnostic diagnostic
                && diagnostic.toString().contains("shop/odd")
                && diagnostic.toString().contains("10.96.0.300"));
        await(SyncState.SYNCED);
        assertThat(addresses()).contains("10.96.0.20");
    }

    @Test
    void selectedNamespacesAreListedOneByOne() throws InterruptedException {
        follow(Set.of("shop", "bank"));
        await(SyncState.SYNCED);
        assertThat(server.requests())
                .extracting(Request::toString)
                .anyMatch(one -> one.startsWith("/api/v1/namespaces/shop/services?"))
                .anyMatch(one -> one.startsWith("/apis/discovery.k8s.io/v1/namespaces/bank/endpointslices?"))
                .noneMatch(one -> one.startsWith("/api/v1/services?"));
    }

    @Test
    void selectedNamespacesAreRequestedByName() throws InterruptedException {
        follow(Set.of("shop"));
        await(SyncState.SYNCED);
        assertThat(server.requests())
                .extracting(Request::toString)
                .filteredOn(one -> one.startsWith("/api/v1/namespaces?"))
                .isNotEmpty()
                .allMatch(one -> one.contains("fieldSelector=metadata.name=shop"));
    }

    @Test
    void selectorsAreSentToTheServer() throws InterruptedException {
        follow(builder()
                .labels(Selector.parse("app=web,tier in (front,back)"))
                .namespaceLabels(Selector.parse("!hidden"))
                .pods()
                .noEndpoints());
        await(SyncState.SYNCED);
        assertThat(server.requests())
                .extracting(Request::toString)
                .anyMatch(one -> one.startsWith("/api/v1/namespaces?labelSelector=!hidden&limit="))
                .anyMatch(one -> one.startsWith("/api/v1/services?labelSelector=app=web,tier in (back,front)&limit="))
                .anyMatch(one -> one.startsWith("/api/v1/pods?labelSelector=app=web,tier in (back,front)"
                        + "&fieldSelector=status.phase!=Succeeded,status.phase!=Failed,status.phase!=Unknown&limit="))
                .noneMatch(one -> one.contains("endpointslices"));
    }

    private void putPod() {
        putPod("web");
    }

    private void putPod(String name) {
        server.put(
                "pods",
                "shop/" + name,
                "\"uid\": \"" + name + "\"",
                ", \"status\": {\"phase\": \"Running\", \"podIPs\": [{\"ip\": \"10.244.0.7\"}]}");
    }

    @Test
    void forbiddenPodsAreAddedOncePermitted() throws InterruptedException {
        server.fault("pods", REFUSED);
        putPod();
        follow(builder().pods().timers(AcceleratedTimers::new));
        await(SyncState.SYNCED);
        assertThat(addresses()).contains("10.96.0.20");
        server.fault("pods", Fault.NONE);
        await(reported -> reported.toString().contains("Pod"));
    }

    /** Waits for a report; until then the source must not report a state worse than SYNCED. */
    private void awaitWhileSynced(Predicate<Object> what) throws InterruptedException {
        await(reported -> {
            assertThat(reported).isNotIn(SyncState.SYNCING, SyncState.STALE);
            return what.test(reported);
        });
    }

    private static boolean isPod(Object reported, Class<? extends ClusterChange> change) {
        return reported instanceof List<?> batch
                && batch.stream()
                        .anyMatch(one -> change.isInstance(one)
                                && ((ClusterChange) one).ref().kind().equals(Pod.KIND));
    }

    @Test
    void podsAreRemovedSomeTimeAfterTheirPermission() throws InterruptedException {
        putPod();
        CompletableFuture<AcceleratedTimers> time = new CompletableFuture<>();
        follow(builder().namespaces(Set.of("shop")).pods().timers(loop -> {
            time.complete(AcceleratedTimers.stopped(loop));
            return time.join();
        }));
        await(SyncState.SYNCED);
        awaitRequest("phase!=Unknown&watch=true");
        // A watch that ends at once is a failure, but not a 403.
        time.join().pass(Duration.ofSeconds(2));
        server.fault("pods", REFUSED);
        server.endWatches("pods");
        server.requests().clear();
        awaitRequest("/pods?");
        awaitRequest("/pods?");
        assertThat(reported).noneMatch(one -> isPod(one, ClusterChange.Remove.class));
        time.join().pass(Duration.ofSeconds(30));
        awaitWhileSynced(reported -> isPod(reported, ClusterChange.Remove.class));
        assertThat(addresses()).contains("10.96.0.20");
        server.fault("pods", Fault.NONE);
        awaitWhileSynced(reported -> isPod(reported, ClusterChange.Put.class));
    }

    @Test
    void podsWithoutWatchPermissionAreListedRepeatedly() throws InterruptedException {
        putPod();
        server.fault("pods", REFUSED.ofWatches());
        follow(builder().pods().timers(AcceleratedTimers::new));
        await(SyncState.SYNCED);
        putPod("late");
        awaitWhileSynced(reported -> {
            assertThat(isPod(reported, ClusterChange.Remove.class)).isFalse();
            return isPod(reported, ClusterChange.Put.class)
                    && reported.toString().contains("late");
        });
    }

    @Test
    void podsOfAnIncompleteListAreRemoved() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            putPod("web-" + i);
        }
        server.fault("pods", REFUSED);
        follow(builder().pods().timers(AcceleratedTimers::new));
        await(SyncState.SYNCED);
        server.fault(
                "pods",
                (request, right) -> request.toString().contains("continue=") ? REFUSED.instead(request, right) : right);
        awaitWhileSynced(reported -> isPod(reported, ClusterChange.Put.class));
        awaitWhileSynced(reported -> isPod(reported, ClusterChange.Remove.class));
        server.fault("pods", Fault.NONE);
        awaitWhileSynced(reported ->
                isPod(reported, ClusterChange.Put.class) && reported.toString().contains("web-4"));
    }

    @Test
    void podsAreKeptWhileTheServerRefusesEverything() throws InterruptedException {
        putPod();
        for (String kind : List.of("namespaces", "services", "endpointslices", "pods")) {
            server.fault(kind, REFUSED);
        }
        CompletableFuture<AcceleratedTimers> time = new CompletableFuture<>();
        follow(builder().pods().timers(loop -> {
            time.complete(AcceleratedTimers.stopped(loop));
            return time.join();
        }));
        awaitRequest("/pods?");
        awaitRequest("/pods?");
        time.join().pass(Duration.ofSeconds(2));
        for (int i = 0; i < 5; i++) {
            awaitRequest("/pods?");
        }
        for (String kind : List.of("namespaces", "services", "endpointslices", "pods")) {
            server.fault(kind, Fault.NONE);
        }
        await(reported -> {
            assertThat(reported).as("reported before the Pods").isNotEqualTo(SyncState.SYNCED);
            return isPod(reported, ClusterChange.Put.class);
        });
        await(SyncState.SYNCED);
    }

    @Test
    void briefRefusalOfPodsIsWaitedFor() throws InterruptedException {
        AtomicInteger refused = new AtomicInteger();
        server.fault(
                "pods",
                (request, right) ->
                        refused.incrementAndGet() <= 2 ? ApiReply.refusal(403, "Forbidden", "no role yet") : right);
        putPod();
        follow(builder().pods().timers(AcceleratedTimers::stopped));
        await(reported -> {
            assertThat(reported).as("reported before the Pods").isNotEqualTo(SyncState.SYNCED);
            return reported.toString().contains("Pod");
        });
        await(SyncState.SYNCED);
        assertThat(refused).hasValueGreaterThan(2);
    }

    @Test
    void observerReceivesEventsAndDurations() throws InterruptedException {
        BlockingQueue<String> observed = new LinkedBlockingQueue<>();
        server.put("services", "shop/db", "\"uid\": \"s2\"", """
            , "spec": {"clusterIP": "None", "selector": {"app": "db"}}\
            """);
        follow(builder().observer(new ClusterObserver() {
            @Override
            public void state(String kind, SyncState state) {
                observed.add(kind + " " + state);
            }

            @Override
            public void received(String kind) {
                observed.add(kind + " received");
            }

            @Override
            public void objects(String kind, int count) {
                observed.add(kind + " " + count);
            }

            @Override
            public void event(String kind, Event event) {
                observed.add(kind + " " + event);
            }

            @Override
            public void listed(String kind, Duration took) {
                observed.add(kind + " listed");
            }

            @Override
            public void failed(String kind, String reason) {
                observed.add(kind + " failed: " + reason);
            }

            @Override
            public void rejected(String kind) {
                observed.add(kind + " rejected");
            }

            @Override
            public void programmed(ServiceKind kind, Since since, Duration latency) {
                assertThat(latency).isGreaterThanOrEqualTo(Duration.ZERO);
                observed.add(kind + " since " + since);
            }
        }));
        await(SyncState.SYNCED);
        assertThat(observed)
                .startsWith("Namespace SYNCING", "Service SYNCING", "EndpointSlice SYNCING")
                .contains("Service received", "Service listed", "Service SYNCED", "Service 2", "Namespace 1");

        awaitRequest("endpointslices?watch=true");
        String metadata = "\"uid\": \"e1\", " + "\"labels\": {\"kubernetes.io/service-name\": \"db\"}";
        String slice = ", \"addressType\": \"IPv4\", \"endpoints\": [{\"addresses\": [\"10.244.0.%d\"]}]";
        server.put("endpointslices", "shop/db-1", metadata, slice.formatted(9));
        awaitObserved(observed, "EndpointSlice PUT");
        awaitObserved(observed, "HEADLESS_WITH_SELECTOR since RECEIPT");
        server.put("services", "shop/odd", "\"uid\": \"s3\"", service("10.96.0.300"));
        awaitObserved(observed, "Service rejected");
        String triggered =
                metadata + ", \"annotations\": {\"endpoints.kubernetes.io/last-change-trigger-time\": \"%s\"}";
        server.put("endpointslices", "shop/db-1", triggered.formatted(Instant.now()), slice.formatted(10));
        awaitObserved(observed, "HEADLESS_WITH_SELECTOR since TRIGGER");
        server.put("endpointslices", "shop/db-1", triggered.formatted("0001-01-01T00:00:00Z"), slice.formatted(11));
        awaitObserved(observed, "HEADLESS_WITH_SELECTOR since RECEIPT");
        server.sendEvent("endpointslices", "ERROR", "{\"kind\": \"Status\", \"code\": 410, \"reason\": \"Expired\"}");
        awaitObserved(observed, "EndpointSlice failed: gone");
        awaitObserved(observed, "EndpointSlice listed");
    }

    @Test
    void throwingObserverDoesNotStopTheSource() throws InterruptedException {
        follow(builder().observer(new ClusterObserver() {
            @Override
            public void state(String kind, SyncState state) {
                throw new IllegalStateException("not today");
            }

            @Override
            public void objects(String kind, int count) {
                throw new AssertionError("nor tomorrow");
            }
        }));
        await(SyncState.SYNCED);
        server.put("services", "shop/cart", CART, service("10.96.0.23"));
        awaitAddress("10.96.0.23");
    }

    private static void awaitObserved(BlockingQueue<String> observed, String what) throws InterruptedException {
        String next;
        do {
            next = observed.poll(2, TimeUnit.MINUTES);
            assertThat(next).as("observed in time: " + what).isNotNull();
        } while (!next.equals(what));
    }

    @Test
    void closedSourceMakesNoReportsAndEndsItsThreads() throws InterruptedException {
        ApiClusterSource source = follow();
        await(SyncState.SYNCED);
        source.close();
        source.close();
        reported.clear();
        server.put("services", "shop/cart", CART, service("10.96.0.23"));
        for (Thread thread : threads()) {
            thread.join();
        }
        assertThat(threads()).isEmpty();
        assertThat(reported).isEmpty();
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("k8sdns-api"))
                .toList();
    }

    @Test
    void throwingSinkReceivesTheNextChange() throws InterruptedException {
        ApiClusterSource source = source();
        BlockingQueue<SyncState> states = new LinkedBlockingQueue<>();
        source.start(new ClusterSource.Sink() {
            @Override
            public void changed(List<ClusterChange> batch) {
                throw new IllegalStateException("not today");
            }

            @Override
            public void stateChanged(SyncState state) {
                states.add(state);
            }

            @Override
            public void diagnosed(Diagnostic diagnostic) {}
        });
        assertThat(states.poll(2, TimeUnit.MINUTES)).isEqualTo(SyncState.SYNCED);
    }

    @Test
    void rejectedChangeDoesNotLoseItsBatch() throws InterruptedException {
        server.put("services", "shop/odd", "\"namespace\": \"shop\", \"uid\": \"s2\"", service("10.96.0.30"));
        ApiClusterSource source = source();
        source.start(new ClusterSource.Sink() {
            @Override
            public void changed(List<ClusterChange> batch) {
                if (batch.stream().anyMatch(change -> change.ref().name().equals("odd"))) {
                    throw new IllegalStateException("not this one");
                }
                sink.changed(batch);
            }

            @Override
            public void stateChanged(SyncState state) {
                sink.stateChanged(state);
            }

            @Override
            public void diagnosed(Diagnostic diagnostic) {}
        });
        await(SyncState.SYNCED);
        assertThat(addresses()).contains("10.96.0.20");
    }

    @Test
    void missingCredentialsAreRequestedAgain() throws InterruptedException {
        ApiClusterSource source =
                ApiClusterSource.builder(withoutCredentialsAtFirst()).build();
        sources.add(source);
        source.start(sink);
        await(SyncState.SYNCED);
    }

    /** Returns a client that fails to make its first three requests. */
    private ApiClient withoutCredentialsAtFirst() {
        AtomicInteger asked = new AtomicInteger();
        ApiClient client = new ApiClient() {
            @Override
            public String getBasePath() {
                if (asked.incrementAndGet() <= 3) {
                    throw new IllegalStateException("the program for the token failed");
                }
                return super.getBasePath();
            }
        };
        return client.setBasePath(server.url());
    }

    @Test
    void sourceStartsOnce() {
        ApiClusterSource source = follow();
        assertThatThrownBy(() -> source.start(sink)).isInstanceOf(IllegalStateException.class);
        ApiClusterSource closed = source();
        closed.close();
        assertThatThrownBy(() -> closed.start(sink)).isInstanceOf(IllegalStateException.class);
    }
}
