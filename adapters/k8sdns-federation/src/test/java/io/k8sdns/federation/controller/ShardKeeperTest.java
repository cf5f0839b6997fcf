package io.k8sdns.federation.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.federation.FederatedServices;
import io.k8sdns.model.ClusterIpService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Services that a controller creates in a cluster. */
@ExtendWith(QuietControllerLog.class)
class ShardKeeperTest {
    private static final String CART = service("shop", "cart", "\"app\": \"cart\"", 80);
    private static final String FOREIGN =
            "there is a Service of this name that no controller of this federation created; it is not touched";

    private final ControllerVirtualTime time = new ControllerVirtualTime();
    private final SimulatedServices services = new SimulatedServices();
    private final List<SimulatedServices.Client> clients = new ArrayList<>();
    private boolean isWanted = true;

    private static String service(String namespace, String name, String selector, int port) {
        return """
                {"apiVersion": "v1", "kind": "Service",
                 "metadata": {"name": "%s", "namespace": "%s", "labels": {"team": "a"}},
                 "spec": {"type": "LoadBalancer", "selector": {%s}, "ports": [{"name": "http", "port": %d}]}}
                """.formatted(name, namespace, selector, port);
    }

    private ShardKeeper keeper(String federation) {
        SimulatedServices.Client client = services.new Client();
        clients.add(client);
        return keeper(federation, client, 1);
    }

    private ShardKeeper keeper(String federation, ServiceApi api, long seed) {
        return new ShardKeeper(
                "foo",
                api,
                time.new Host(seed),
                new SplittableRandom(seed),
                new ControllerCore.Settings(
                        federation,
                        "me",
                        FederatedServices.labelledFor(federation),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(60),
                        "kube-system"),
                () -> isWanted,
                () -> {});
    }

    private static List<ShardTemplate> templates(String... manifests) {
        return List.of(manifests).stream().map(ShardTemplate::parse).toList();
    }

    private ShardKeeper started(String... manifests) {
        ShardKeeper keeper = keeper("prod");
        keeper.templates(templates(manifests));
        pass(1);
        return keeper;
    }

    private void pass(int seconds) {
        time.pass(Duration.ofSeconds(seconds));
    }

    private Map<String, @Nullable Object> at(String name, String... path) {
        Map<String, @Nullable Object> at = services.object(name);
        for (String member : path) {
            at = JsonTree.object(at, member);
        }
        return at;
    }

    @Test
    void aServiceThatIsMissingIsCreatedAndLabelled() {
        ShardKeeper keeper = started(CART);
        assertThat(keeper.isReconciled(3)).isTrue();
        assertThat(keeper.failures()).isEmpty();
        assertThat(at("shop/cart", "metadata", "labels"))
                .isEqualTo(Map.of(
                        "team", "a",
                        "app.kubernetes.io/managed-by", "k8sdns-federation-controller",
                        "federation.k8sdns.io/name", "prod"));
        assertThat(at("shop/cart", "spec")).containsEntry("type", "LoadBalancer");
        assertThat(at("shop/cart", "spec", "selector")).isEqualTo(Map.of("app", "cart"));
    }

    @Test
    void aFieldThatTheApiServerCompletedIsNotADifference() {
        ShardKeeper keeper = started(CART);
        pass(600);
        assertThat(keeper.failures()).isEmpty();
        assertThat(services.writes).containsExactly("create shop/cart");
    }

    @Test
    void aFieldThatTheApiServerOmitsIsNotADifference() {
        ShardKeeper keeper = started(CART.replace(
                "\"spec\": {",
                "\"spec\": {\"publishNotReadyAddresses\": false, \"externalName\": \"\", \"x\": null, "));
        pass(600);
        assertThat(keeper.failures()).isEmpty();
        assertThat(services.writes).containsExactly("create shop/cart");
    }

    @Test
    void addressesAndStatusOfTheManifestDoNotCount() {
        ShardKeeper keeper = started(
                CART.replace("\"type\"", "\"clusterIP\": \"10.9.9.9\", \"clusterIPs\": [\"10.9.9.9\"], \"type\"")
                        .replace("\"spec\"", "\"status\": {\"loadBalancer\": {}}, \"spec\""));
        assertThat(keeper.failures()).isEmpty();
        assertThat(services.get("shop/cart").orElseThrow()).doesNotContain("10.9.9.9", "status");
    }

    @Test
    void aForeignServiceIsReportedAndNotChanged() {
        services.put("shop/cart", CART);
        String before = services.get("shop/cart").orElseThrow();
        ShardKeeper keeper = started(CART, service("web", "web", "\"app\": \"web\"", 80));
        pass(600);
        assertThat(services.get("shop/cart")).contains(before);
        assertThat(services.writes).containsExactly("create web/web");
        assertThat(keeper.failures()).isEqualTo(Map.of("Service shop/cart in cluster foo", FOREIGN));
        assertThat(keeper.isReconciled(3)).isTrue();
        keeper.templates(List.of());
        pass(5);
        assertThat(services.names()).containsExactly("shop/cart");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Without the label, of another program, without or with a broken annotation.
                "\"app.kubernetes.io/managed-by\":\"k8sdns-federation-controller\" -> \"x\":\"y\"",
                "\"app.kubernetes.io/managed-by\":\"k8sdns-federation-controller\" -> \"app.kubernetes.io/managed-by\":\"Helm\"",
                "\"federation.k8sdns.io/applied\":\"{ -> \"x\":\"{",
                "\"federation.k8sdns.io/applied\":\"{ -> \"federation.k8sdns.io/applied\":\"",
                // Of another federation.
                "\\\"federation.k8sdns.io/name\\\":\\\"prod\\\" -> \\\"federation.k8sdns.io/name\\\":\\\"test\\\"",
            })
    void aServiceWithoutAWholeMarkIsForeign(String edit) {
        ShardKeeper keeper = started(CART);
        String[] parts = edit.split(" -> ", -1);
        services.edit("shop/cart", parts[0], parts[1]);
        String before = services.get("shop/cart").orElseThrow();
        keeper.templates(templates(CART.replace("80", "81")));
        pass(200);
        assertThat(keeper.failures()).containsValue(FOREIGN);
        keeper.templates(templates(service("web", "web", "\"app\": \"web\"", 80)));
        pass(200);
        assertThat(services.get("shop/cart")).contains(before);
    }

    @Test
    void aCopyUnderAnotherNameIsForeign() {
        ShardKeeper keeper = started(CART);
        services.put("shop/copy", services.get("shop/cart").orElseThrow());
        services.put("web/cart", services.get("shop/cart").orElseThrow());
        keeper.templates(templates(CART));
        pass(5);
        assertThat(services.names()).containsExactly("shop/cart", "shop/copy", "web/cart");
        keeper.templates(templates(CART, CART.replace("\"cart\", \"namespace\"", "\"copy\", \"namespace\"")));
        pass(5);
        assertThat(keeper.failures()).isEqualTo(Map.of("Service shop/copy in cluster foo", FOREIGN));
    }

    @Test
    void twoFederationsDoNotTouchEachOther() {
        ShardKeeper prod = started(CART);
        ShardKeeper test = keeper("test");
        test.templates(templates(CART, service("web", "web", "\"app\": \"web\"", 80)));
        pass(200);
        assertThat(test.failures()).isEqualTo(Map.of("Service shop/cart in cluster foo", FOREIGN));
        test.templates(List.of());
        pass(200);
        assertThat(services.names()).containsExactly("shop/cart");
        assertThat(prod.failures()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"selector\":{\"app\":\"cart\"} -> \"selector\":{\"app\":\"evil\"}",
                "\"selector\":{\"app\":\"cart\"} -> \"selector\":{\"app\":\"cart\",\"track\":\"b\"}",
                "\"selector\":{\"app\":\"cart\"} -> \"x\":{}",
                "\"type\":\"LoadBalancer\" -> \"type\":\"ClusterIP\"",
                "\"name\":\"http\",\"port\":80 -> \"name\":\"http\",\"port\":81",
                "\"ports\":[ -> \"ports\":[{\"name\":\"x\",\"port\":9},",
                "\"team\":\"a\", -> \"team\":\"b\",",
                "\"team\":\"a\", -> ",
                ",\"federation.k8sdns.io/name\":\"prod\"} -> }",
            })
    void driftIsRepaired(String edit) {
        ShardKeeper keeper = started(CART);
        Map<String, @Nullable Object> before = at("shop/cart", "spec");
        String[] parts = edit.split(" -> ", -1);
        services.edit("shop/cart", parts[0], parts[1]);
        pass(61);
        assertThat(keeper.failures()).isEmpty();
        assertThat(at("shop/cart", "spec")).containsAllEntriesOf(before);
        assertThat(at("shop/cart", "metadata", "labels")).containsEntry("team", "a");
        assertThat(services.writes).containsExactly("create shop/cart", "replace shop/cart");
        pass(600);
        assertThat(services.writes).hasSize(2);
    }

    @Test
    void fieldsThatAreNotInTheManifestAreKept() {
        ShardKeeper keeper = started(CART);
        services.edit(
                "shop/cart", "\"sessionAffinity\":\"None\"", "\"sessionAffinity\":\"ClientIP\",\"newField\":{\"a\":1}");
        services.edit("shop/cart", "\"team\":\"a\"", "\"team\":\"a\",\"more\":\"yes\"");
        services.edit("shop/cart", "\"port\":80,", "\"port\":80,\"nodePort\":30080,");
        keeper.templates(templates(CART.replace("\"team\": \"a\"", "\"team\": \"b\"")));
        pass(5);
        assertThat(at("shop/cart", "metadata", "labels"))
                .containsEntry("more", "yes")
                .containsEntry("team", "b");
        assertThat(at("shop/cart", "spec"))
                .containsEntry("sessionAffinity", "ClientIP")
                .containsEntry("newField", Map.of("a", 1));
        assertThat(services.get("shop/cart").orElseThrow()).contains("30080");
    }

    @Test
    void aFieldThatLeavesTheManifestIsRemoved() {
        String more = CART.replace("\"app\": \"cart\"", "\"app\": \"cart\", \"track\": \"a\"")
                .replace("\"team\": \"a\"", "\"team\": \"a\", \"old\": \"x\"")
                .replace("\"spec\": {", "\"spec\": {\"sessionAffinity\": \"ClientIP\", ")
                .replace("\"port\": 80}", "\"port\": 80, \"targetPort\": 8080}");
        ShardKeeper keeper = started(more);
        assertThat(at("shop/cart", "spec")).containsEntry("sessionAffinity", "ClientIP");
        String address = (String) at("shop/cart", "spec").get("clusterIP");
        keeper.templates(templates(CART));
        pass(5);
        assertThat(at("shop/cart", "metadata", "labels")).doesNotContainKey("old");
        assertThat(at("shop/cart", "spec", "selector")).isEqualTo(Map.of("app", "cart"));
        assertThat(at("shop/cart", "spec"))
                .containsEntry("sessionAffinity", "None")
                .containsEntry("clusterIP", address)
                .containsEntry(
                        "ports", List.of(Map.of("name", "http", "port", 80, "protocol", "TCP", "targetPort", 80)));
        pass(600);
        assertThat(services.writes).containsExactly("create shop/cart", "replace shop/cart");
    }

    @Test
    void anAnnotationThatWasChangedMovesNoAddress() {
        ShardKeeper keeper = started(CART);
        services.edit("shop/cart", "\\\"spec\\\":{", "\\\"status\\\":{},\\\"spec\\\":{\\\"clusterIP\\\":\\\"x\\\",");
        services.edit(
                "shop/cart",
                "{\\\"apiVersion\\\":\\\"v1\\\"",
                "{\\\"apiVersion\\\":\\\"v1\\\",\\\"resourceVersion\\\":\\\"1\\\"");
        String address = (String) at("shop/cart", "spec").get("clusterIP");
        keeper.templates(templates(CART));
        pass(61);
        assertThat(keeper.failures()).isEmpty();
        assertThat(services.writes).containsExactly("create shop/cart", "replace shop/cart");
        assertThat(at("shop/cart", "spec")).containsEntry("clusterIP", address);
    }

    @Test
    void aServiceWithoutAManifestIsDeleted() {
        ShardKeeper keeper = started(CART, service("web", "web", "\"app\": \"web\"", 80));
        services.put("shop/foreign", CART);
        keeper.templates(templates(CART));
        pass(5);
        assertThat(services.names()).containsExactly("shop/cart", "shop/foreign");
        assertThat(keeper.failures()).isEmpty();
        assertThat(keeper.isReconciled(3)).isTrue();
    }

    @Test
    void nothingIsDoneBeforeThereAreManifests() {
        ShardKeeper keeper = started(CART);
        keeper.close();
        ShardKeeper later = keeper("prod");
        AtomicInteger requests = new AtomicInteger();
        services.before = verb -> requests.incrementAndGet();
        later.run();
        pass(600);
        assertThat(requests).hasValue(0);
        assertThat(later.isReconciled(3)).isTrue();
        assertThat(services.names()).containsExactly("shop/cart");
    }

    @Test
    void aServiceThatIsBeingDeletedIsWaitedFor() {
        ShardKeeper keeper = started(CART);
        services.edit("shop/cart", "\"uid\"", "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"uid\"");
        services.writes.clear();
        pass(61);
        assertThat(keeper.failures().get("Service shop/cart in cluster foo")).startsWith("it is being deleted");
        services.remove("shop/cart");
        pass(61);
        assertThat(services.writes).containsExactly("create shop/cart");
        services.edit("shop/cart", "\"uid\"", "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"uid\"");
        services.writes.clear();
        keeper.templates(List.of());
        pass(61);
        assertThat(services.writes).isEmpty();
        assertThat(keeper.failures()).isEmpty();
    }

    @Test
    void headlessIsNotChanged() {
        ShardKeeper keeper = started(CART);
        keeper.templates(templates(CART.replace("LoadBalancer\"", "ClusterIP\", \"clusterIP\": \"None\"")));
        pass(5);
        assertThat(keeper.failures().get("Service shop/cart in cluster foo"))
                .isEqualTo("it is not headless, which cannot be changed; delete it, and it is created again");
        services.remove("shop/cart");
        pass(120);
        assertThat(at("shop/cart", "spec")).containsEntry("clusterIP", "None");
        pass(600);
        assertThat(services.writes).containsExactly("create shop/cart", "create shop/cart");
        keeper.templates(templates(CART));
        pass(5);
        assertThat(keeper.failures().get("Service shop/cart in cluster foo")).startsWith("it is headless, which");
    }

    // ---- faults ----

    @Test
    void aNamespaceThatDoesNotExistIsNamedAndTriedAgain() {
        ShardKeeper keeper = started(service("later", "x", "\"a\": \"b\"", 80), CART);
        assertThat(services.names()).containsExactly("shop/cart");
        assertThat(keeper.failures())
                .isEqualTo(Map.of("Service later/x in cluster foo", "404 namespaces \"later\" not found"));
        assertThat(keeper.isReconciled(3)).isFalse();
        pass(30);
        assertThat(keeper.isReconciled(3)).isTrue();
        services.namespaces.add("later");
        pass(61);
        assertThat(services.names()).containsExactly("later/x", "shop/cart");
        assertThat(keeper.failures()).isEmpty();
    }

    @Test
    void aNewNamespaceAndAChangedServiceAreSeenAtOnce() {
        ShardKeeper keeper = started(service("later", "x", "\"a\": \"b\"", 80), CART);
        pass(600);
        services.namespaces.add("later");
        keeper.changed(List.of(new ClusterChange.Put(io.k8sdns.model.Namespace.of("later"))));
        pass(2);
        assertThat(services.names()).containsExactly("later/x", "shop/cart");
        services.remove("shop/cart");
        keeper.changed(List.of(new ClusterChange.Remove(
                ClusterIpService.of("shop", "cart", "10.96.0.1").ref(), java.util.Optional.empty())));
        // Further changes do not postpone it.
        for (int i = 0; i < 4; i++) {
            time.pass(Duration.ofMillis(500));
            keeper.changed(List.of(new ClusterChange.Put(ClusterIpService.of("shop", "cart", "10.96.0.1"))));
        }
        assertThat(services.names()).containsExactly("later/x", "shop/cart");
    }

    @Test
    void aClusterOutOfReachLosesNothing() {
        ShardKeeper keeper = started(CART, service("web", "web", "\"app\": \"web\"", 80));
        services.isAway = true;
        keeper.templates(templates(CART));
        pass(600);
        assertThat(keeper.failures()).isEqualTo(Map.of("Services in cluster foo", "connection refused"));
        assertThat(services.names()).containsExactly("shop/cart", "web/web");
        services.isAway = false;
        pass(61);
        assertThat(services.names()).containsExactly("shop/cart");
    }

    @Test
    void aSilentClusterIsAFailureAndLateAnswersDoNoHarm() {
        services.isSilent = true;
        ShardKeeper keeper = started(CART);
        pass(11);
        assertThat(keeper.failures()).isEqualTo(Map.of("Services in cluster foo", "no answer in 10 s"));
        services.isSilent = false;
        pass(61);
        assertThat(keeper.failures()).isEmpty();
        assertThat(services.names()).containsExactly("shop/cart");
        AtomicInteger requests = new AtomicInteger();
        services.before = verb -> requests.incrementAndGet();
        assertThat(services.late).isNotEmpty();
        services.late.forEach(Runnable::run);
        pass(1);
        assertThat(requests).hasValue(0);
    }

    @Test
    void nothingIsWrittenWithoutTheClaim() {
        ShardKeeper keeper = started(CART);
        services.edit("shop/cart", "\"type\":\"LoadBalancer\"", "\"type\":\"ClusterIP\"");
        // The claim is lost between the list and the write.
        services.before = verb -> isWanted = !verb.equals("list");
        keeper.templates(templates(CART));
        pass(600);
        assertThat(services.writes).containsExactly("create shop/cart");
        services.before = verb -> {};
        isWanted = true;
        keeper.run();
        pass(1);
        assertThat(services.writes).containsExactly("create shop/cart", "replace shop/cart");
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "list"})
    void nothingIsWrittenIfTheClaimEndsWhileAServiceIsRead(String verb) {
        services.before = one -> isWanted = isWanted && !one.equals(verb);
        ShardKeeper unused = started(CART);
        pass(600);
        assertThat(services.writes).isEmpty();
    }

    @Test
    void stopWaitsForTheRequestUnderWayAndStartsNothing() {
        services.isSilent = true;
        ShardKeeper keeper = started(CART);
        List<String> ended = new ArrayList<>();
        assertThat(keeper.isBusy()).isTrue();
        keeper.stop(() -> ended.add("stopped"));
        pass(8);
        assertThat(ended).isEmpty();
        services.late.forEach(Runnable::run);
        pass(1);
        assertThat(ended).containsExactly("stopped");
        assertThat(keeper.isBusy()).isFalse();
        services.isSilent = false;
        keeper.run();
        pass(600);
        assertThat(services.writes).isEmpty();
    }

    @Test
    void stopEndsByTheDeadline() {
        services.isSilent = true;
        ShardKeeper keeper = started(CART);
        List<String> ended = new ArrayList<>();
        keeper.stop(() -> ended.add("stopped"));
        pass(8);
        assertThat(ended).isEmpty();
        pass(2);
        assertThat(ended).containsExactly("stopped");
    }

    @Test
    void aServiceThatAppearsBeforeItIsCreatedIsReadAgain() {
        services.before = verb -> {
            if (verb.equals("create")) {
                services.put("shop/cart", CART);
            }
        };
        ShardKeeper keeper = started(CART);
        assertThat(keeper.failures()).containsValue(FOREIGN);
        assertThat(services.writes).isEmpty();
    }

    @Test
    void aServiceThatChangesBeforeItIsReplacedIsReadAgain() {
        ShardKeeper keeper = started(CART);
        AtomicInteger left = new AtomicInteger(2);
        services.before = verb -> {
            if (verb.equals("replace") && left.getAndDecrement() > 0) {
                services.edit("shop/cart", "\"sessionAffinity\"", "\"x" + left + "\":1,\"sessionAffinity\"");
            }
        };
        keeper.templates(templates(CART.replace("80", "81")));
        pass(1);
        assertThat(keeper.failures()).isEmpty();
        assertThat(at("shop/cart", "spec")).containsKeys("x0", "x1");
        assertThat(services.get("shop/cart").orElseThrow()).contains("\"port\":81");
    }

    @Test
    void aServiceThatAlwaysChangesIsNotRetriedForAWhile() {
        ShardKeeper keeper = started(CART);
        AtomicInteger writes = new AtomicInteger();
        services.before = verb -> {
            if (verb.equals("replace")) {
                services.edit(
                        "shop/cart",
                        "\"sessionAffinity\"",
                        "\"x" + writes.incrementAndGet() + "\":1,\"sessionAffinity\"");
            }
        };
        keeper.templates(templates(CART.replace("80", "81")));
        time.pass(Duration.ofMillis(100));
        assertThat(keeper.failures().get("Service shop/cart in cluster foo"))
                .isEqualTo("another program changes it again and again");
        assertThat(writes).hasValue(4);
    }

    @Test
    void aServiceThatIsHandedOverBeforeItIsDeletedStays() {
        ShardKeeper keeper = started(CART);
        services.before = verb -> {
            if (verb.equals("delete")) {
                services.edit("shop/cart", "k8sdns-federation-controller", "Helm");
                services.before = none -> {};
            }
        };
        keeper.templates(List.of());
        pass(120);
        assertThat(services.names()).containsExactly("shop/cart");
        assertThat(keeper.failures()).isEmpty();
    }

    @Test
    void aServiceThatIsReplacedByAnotherOneBeforeItIsDeletedStays() {
        ShardKeeper keeper = started(CART);
        services.before = verb -> {
            if (verb.equals("delete")) {
                services.remove("shop/cart");
                services.put("shop/cart", CART);
                services.before = none -> {};
            }
        };
        keeper.templates(List.of());
        pass(120);
        assertThat(services.names()).containsExactly("shop/cart");
    }

    @Test
    void theClientOfTheApiServerIsClosed() {
        ShardKeeper keeper = started(CART);
        keeper.close();
        assertThat(clients).allMatch(client -> client.isClosed);
        keeper.run();
        pass(600);
        assertThat(services.writes).containsExactly("create shop/cart");
    }

    // ---- two controllers, and everything at random ----

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void twoControllersWithoutClaimsEndWithTheServicesOfTheManifests(int group) {
        for (int i = 0; i < 50; i++) {
            long seed = group * 1_000L + i;
            assertThat(new Simulation(seed).run()).as("seed %d", seed).isEmpty();
        }
    }

    /** Two controllers that both seem to have the claim, other programs, and requests that fail, are late or lose their answer. */
    private static final class Simulation {
        private final long seed;
        private final Random random;
        private final SimulatedServices cluster = new SimulatedServices();
        private final ControllerVirtualTime clock = new ControllerVirtualTime();
        private final Map<String, String> foreign = new TreeMap<>();

        Simulation(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        private ShardKeeper keeper(double faults) {
            return new ShardKeeper(
                    "foo",
                    cluster.new Client(clock, random, faults),
                    clock.new Host(random.nextLong()),
                    new SplittableRandom(seed),
                    new ControllerCore.Settings(
                            "prod",
                            "me",
                            FederatedServices.labelledFor("prod"),
                            Duration.ofSeconds(30),
                            Duration.ofSeconds(10),
                            Duration.ofSeconds(60),
                            "kube-system"),
                    () -> true,
                    () -> {});
        }

        private List<ShardTemplate> manifests() {
            List<String> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                if (random.nextBoolean()) {
                    all.add(service("shop", "s" + i, "\"v\": \"" + random.nextInt(3) + "\"", 80 + random.nextInt(3)));
                }
            }
            return templates(all.toArray(String[]::new));
        }

        /** Returns the differences from the expected Services; empty if there is none. */
        String run() {
            double faults = random.nextDouble() * 0.4;
            List<ShardKeeper> two = List.of(keeper(faults), keeper(faults));
            List<ShardTemplate> now = manifests();
            for (int i = 0; i < 30; i++) {
                happen();
                if (random.nextInt(4) == 0) {
                    now = manifests();
                }
                two.get(random.nextInt(2)).templates(now);
                clock.pass(Duration.ofMillis(random.nextInt(20_000)));
                String touched = touched();
                if (!touched.isEmpty()) {
                    return touched;
                }
            }
            two.forEach(ShardKeeper::close);
            clock.pass(Duration.ofMinutes(1));
            ShardKeeper last = keeper(0);
            last.templates(now);
            clock.pass(Duration.ofMinutes(5));
            Set<String> wanted = new HashSet<>(foreign.keySet());
            List<ShardTemplate> own = now.stream()
                    .filter(template -> !foreign.containsKey(template.toString()))
                    .toList();
            own.forEach(template -> wanted.add(template.toString()));
            if (!cluster.names().equals(wanted)) {
                return cluster.names() + " instead of " + wanted;
            }
            for (ShardTemplate template : own) {
                String json = cluster.get(template.toString()).orElseThrow();
                if (OwnedService.of(json, "prod")
                        .orElseThrow()
                        .update(template, "prod")
                        .isPresent()) {
                    return template + " is " + json;
                }
            }
            return touched();
        }

        private void happen() {
            String name = "shop/s" + random.nextInt(4);
            boolean isThere = cluster.names().contains(name);
            boolean isForeign = foreign.containsKey(name);
            switch (random.nextInt(6)) {
                case 0 -> {
                    if (!isThere) {
                        cluster.put(name, CART.replace("cart", name.substring(5)));
                        foreign.put(name, cluster.get(name).orElseThrow());
                    }
                }
                case 1 -> {
                    if (isThere) {
                        cluster.remove(name);
                        foreign.remove(name);
                    }
                }
                case 2 -> {
                    if (isThere && !isForeign) {
                        cluster.edit(name, "\"type\":\"", "\"type\":\"X");
                    }
                }
                case 3 -> {
                    if (isThere && !isForeign) {
                        cluster.edit(name, "k8sdns-federation-controller\",", "Helm\",");
                        foreign.put(name, cluster.get(name).orElseThrow());
                    }
                }
                default -> {}
            }
        }

        private String touched() {
            for (Map.Entry<String, String> one : foreign.entrySet()) {
                if (!cluster.get(one.getKey()).equals(java.util.Optional.of(one.getValue()))) {
                    return one.getKey() + " was touched";
                }
            }
            return "";
        }
    }

    // ---- manifests ----

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"a\", \"namespace\": \"b\"}}",
                "{\"apiVersion\": \"v2\", \"kind\": \"Service\", \"metadata\": {\"name\": \"a\", \"namespace\": \"b\"}}",
                "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"a\"}}",
                "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"namespace\": \"a\"}}",
                "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"A\", \"namespace\": \"b\"}}",
                "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"../x\", \"namespace\": \"b\"}}",
                "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": 1, \"namespace\": \"b\"}}",
                "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"a\", \"namespace\": \"b\", \"labels\": {\"x\": 1}}}",
                "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"a\", \"namespace\": \"b\"}, \"spec\": 1}",
                "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"a\", \"namespace\": \"b\"}, "
                        + "\"spec\": {\"type\": \"ExternalName\", \"externalName\": \"example.org\"}}",
            })
    void aManifestThatIsNotAShardIsRefused(String json) {
        assertThatThrownBy(() -> ShardTemplate.parse(json)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void templatesAreValues() {
        assertThat(ShardTemplate.parse(CART))
                .isEqualTo(ShardTemplate.parse(CART))
                .hasSameHashCodeAs(ShardTemplate.parse(CART))
                .isNotEqualTo(ShardTemplate.parse(CART.replace("80", "81")))
                .hasToString("shop/cart");
    }
}
