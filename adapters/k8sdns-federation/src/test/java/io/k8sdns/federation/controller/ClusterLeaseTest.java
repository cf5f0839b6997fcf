package io.k8sdns.federation.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.FederatedServices;
import io.k8sdns.federation.controller.ClusterLease.Intent;
import io.k8sdns.federation.json.RelaxedJson;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Lease of one cluster, in virtual time. */
class ClusterLeaseTest {
    private static final Duration TICK = Duration.ofSeconds(5);

    private final ControllerVirtualTime time = new ControllerVirtualTime();
    private final SimulatedLeases leases = new SimulatedLeases(time);

    /** One controller, which wants to hold the Lease unless the test sets another intent. */
    private final class Contender {
        private final ControllerVirtualTime.Host host;
        private final SimulatedLeases.Client client;
        private final ClusterLease lease;
        private Intent intent = Intent.HOLD;

        Contender(String name, Duration clock) {
            host = time.new Host(clock.toNanos());
            client = leases.new Client(name);
            ControllerCore.Settings settings = new ControllerCore.Settings(
                    "prod",
                    name,
                    FederatedServices.labelledFor("prod"),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(60),
                    "kube-system");
            lease = new ClusterLease(client, name, host, settings, () -> intent, () -> {});
            tick();
        }

        private void tick() {
            lease.run();
            var unused = host.after(TICK, this::tick);
        }
    }

    private Contender contender(String name) {
        return new Contender(name, Duration.ZERO);
    }

    private void pass(int seconds) {
        time.pass(Duration.ofSeconds(seconds));
    }

    private Map<String, @Nullable Object> lease() {
        return new RelaxedJson().object(leases.get().orElseThrow());
    }

    private Map<String, @Nullable Object> spec() {
        return JsonTree.object(lease(), "spec");
    }

    @Test
    void theFirstHolderCreatesTheLease() {
        Contender a = contender("a");
        assertThat(a.lease.isHeld()).isFalse();
        pass(1);
        assertThat(a.lease.isHeld()).isTrue();
        assertThat(a.lease.problem()).isEmpty();
        assertThat(lease())
                .containsEntry("apiVersion", "coordination.k8s.io/v1")
                .containsEntry("kind", "Lease");
        assertThat(JsonTree.object(lease(), "metadata"))
                .containsEntry("namespace", "kube-system")
                .containsEntry("name", "k8sdns-federation-prod")
                .containsEntry("labels", Map.of("app.kubernetes.io/managed-by", "k8sdns-federation-controller"));
        assertThat(spec())
                .isEqualTo(Map.of(
                        "holderIdentity", "a",
                        "leaseDurationSeconds", 30,
                        "acquireTime", "1970-01-01T00:00:00.000000Z",
                        "renewTime", "1970-01-01T00:00:00.000000Z",
                        "leaseTransitions", 0));
    }

    @Test
    void itIsRenewedAfterEachThird() {
        Contender a = contender("a");
        for (int i = 0; i < 600; i++) {
            pass(1);
            assertThat(a.lease.isHeld()).isTrue();
        }
        assertThat(leases.writes).hasSize(61).containsOnly("a: a");
        assertThat(spec())
                .containsEntry("acquireTime", "1970-01-01T00:00:00.000000Z")
                .containsEntry("renewTime", "1970-01-01T00:10:00.000000Z")
                .containsEntry("leaseTransitions", 0);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 4_000_000, -4_000_000})
    void anotherControllerWaitsWhileItIsRenewedWhateverItsClock(long seconds) {
        Contender a = contender("a");
        pass(1);
        Contender b = new Contender("b", Duration.ofSeconds(seconds));
        pass(1);
        assertThat(b.lease.isDecided(3)).as("a may have ended").isFalse();
        pass(600);
        assertThat(leases.writes).containsOnly("a: a");
        assertThat(b.lease.isHeld()).isFalse();
        assertThat(b.lease.isDecided(3)).as("a renews it").isTrue();
        assertThat(b.lease.problem())
                .contains("they are written by the controller a (Lease kube-system/k8sdns-federation-prod)");
        assertThat(a.lease.isHeld()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 4_000_000, -4_000_000})
    void aLeaseIsTakenOverOneDurationAfterTheLastRenewal(long seconds) {
        Contender a = contender("a");
        pass(1);
        Contender b = new Contender("b", Duration.ofSeconds(seconds));
        pass(19);
        // Renewed at 20 seconds.
        a.host.kill();
        pass(29);
        assertThat(leases.holder()).isEqualTo("a");
        assertThat(b.lease.isHeld()).isFalse();
        pass(7);
        assertThat(leases.holder()).isEqualTo("b");
        assertThat(b.lease.isHeld()).isTrue();
        assertThat(spec()).containsEntry("leaseTransitions", 1);
    }

    @Test
    void aReleasedLeaseIsTakenOverAtOnce() {
        Contender a = contender("a");
        Contender b = contender("b");
        pass(2);
        boolean[] released = new boolean[1];
        a.lease.release(() -> released[0] = true);
        assertThat(a.lease.isHeld()).isFalse();
        pass(1);
        assertThat(released[0]).isTrue();
        assertThat(a.client.isClosed).isTrue();
        assertThat(leases.holder()).isEmpty();
        pass(5);
        assertThat(leases.holder()).isEqualTo("b");
        pass(600);
        assertThat(leases.holder()).isEqualTo("b");
        assertThat(b.lease.isHeld()).isTrue();
    }

    @Test
    void aReleaseWritesNothingIfTheLeaseIsNotHeld() {
        Contender a = contender("a");
        pass(2);
        Contender b = contender("b");
        pass(2);
        boolean[] released = new boolean[1];
        b.lease.release(() -> released[0] = true);
        assertThat(released[0]).isTrue();
        pass(60);
        assertThat(leases.writes).containsOnly("a: a");
        assertThat(a.lease.isHeld()).isTrue();
    }

    @Test
    void aLeaseThatIsBeingAcquiredIsReleasedToo() {
        Contender a = contender("a");
        a.client.delay = () -> Duration.ofSeconds(1);
        pass(8);
        a.lease.run();
        boolean[] released = new boolean[1];
        // A renewal is under way.
        pass(3);
        a.lease.release(() -> released[0] = true);
        pass(10);
        assertThat(released[0]).isTrue();
        assertThat(leases.holder()).isEmpty();
        assertThat(leases.writes).endsWith("a: ");
    }

    @Test
    void aReleaseEndsIfTheApiServerFails() {
        Contender a = contender("a");
        pass(2);
        a.client.refusal = "connection refused";
        boolean[] released = new boolean[1];
        a.lease.release(() -> released[0] = true);
        pass(1);
        assertThat(released[0]).isTrue();
        assertThat(leases.holder()).isEqualTo("a");
    }

    @Test
    void aLateClaimNeitherRenewsNorReleasesTheLease() {
        Contender a = contender("a");
        pass(2);
        a.intent = Intent.WAIT;
        pass(17);
        assertThat(a.lease.isHeld()).isTrue();
        pass(2);
        assertThat(a.lease.isHeld()).isFalse();
        assertThat(leases.writes).containsExactly("a: a");
        assertThat(leases.holder()).isEqualTo("a");
        a.intent = Intent.HOLD;
        pass(6);
        assertThat(a.lease.isHeld()).isTrue();
        a.intent = Intent.RELEASE;
        pass(6);
        assertThat(a.lease.isHeld()).isFalse();
        assertThat(leases.writes).containsExactly("a: a", "a: a", "a: ");
    }

    @Test
    void leaseIsNotHeldForLongerThanTwoThirdsWithoutARenewal() {
        Contender a = contender("a");
        pass(1);
        a.client.refusal = "the API server answered 503";
        pass(18);
        assertThat(a.lease.isHeld()).isTrue();
        assertThat(a.lease.problem()).isEmpty();
        pass(2);
        assertThat(a.lease.isHeld()).isFalse();
        assertThat(a.lease.problem())
                .contains("nothing is written without the Lease kube-system/k8sdns-federation-prod: "
                        + "the API server answered 503");
        a.client.refusal = "";
        pass(6);
        assertThat(a.lease.isHeld()).isTrue();
    }

    @Test
    void aRenewalCountsFromWhenItWasSent() {
        Contender a = contender("a");
        a.client.delay = () -> Duration.ofSeconds(4);
        // The read ends at 4 s, the write is sent at 4 s and answered at 12 s.
        pass(13);
        assertThat(a.lease.isHeld()).isTrue();
        a.client.refusal = "no";
        pass(10);
        assertThat(a.lease.isHeld()).isTrue();
        pass(2);
        assertThat(a.lease.isHeld()).isFalse();
    }

    @Test
    void withoutPermissionNoLeaseIsHeld() {
        Contender a = contender("a");
        a.client.refusal = "the API server answered 403: leases is forbidden";
        pass(11);
        assertThat(a.lease.isHeld()).isFalse();
        assertThat(a.lease.isDecided(3)).isTrue();
        assertThat(a.lease.problem())
                .contains("nothing is written without the Lease kube-system/k8sdns-federation-prod: "
                        + "the API server answered 403: leases is forbidden");
        assertThat(leases.writes).isEmpty();
    }

    @Test
    void aLeaseThatIsDeletedIsCreatedAgain() {
        Contender a = contender("a");
        pass(2);
        leases.remove();
        pass(15);
        assertThat(leases.holder()).isEqualTo("a");
        assertThat(a.lease.isHeld()).isTrue();
    }

    @Test
    void aControllerThatSeesAnotherHolderDoesNotHoldTheLease() {
        Contender a = contender("a");
        pass(2);
        leases.edit("\"holderIdentity\":\"a\"", "\"holderIdentity\":\"x\"");
        pass(9);
        assertThat(a.lease.isHeld()).isFalse();
        assertThat(a.lease.problem().orElseThrow()).startsWith("they are written by the controller x (");
        pass(36);
        assertThat(leases.holder()).isEqualTo("a");
    }

    @Test
    void aLeaseThatAlwaysChangesIsNotHeld() {
        Contender a = contender("a");
        leases.put("{\"metadata\":{},\"spec\":{}}");
        a.client.delay = () -> {
            leases.put("{\"metadata\":{},\"spec\":{}}");
            return Duration.ofMillis(1);
        };
        pass(1);
        assertThat(a.lease.isHeld()).isFalse();
        assertThat(a.lease.problem().orElseThrow()).endsWith("another program changes it again and again");
    }

    // ---- writes of other programs ----

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"metadata\":{}}",
                "{\"metadata\":{},\"spec\":null}",
                "{\"metadata\":{},\"spec\":{\"holderIdentity\":null}}",
                "{\"metadata\":{},\"spec\":{\"holderIdentity\":\"\",\"leaseDurationSeconds\":99999,\"leaseTransitions\":-7}}",
            })
    void aLeaseWithoutAHolderIsTakenAtOnceAndItsOtherMembersStay(String json) {
        leases.put(json.replace("\"metadata\":{", "\"x\":{\"y\":1},\"metadata\":{\"annotations\":{\"a\":\"b\"}"));
        Contender a = contender("a");
        pass(1);
        assertThat(a.lease.isHeld()).isTrue();
        assertThat(lease()).containsEntry("x", Map.of("y", 1));
        assertThat(JsonTree.object(lease(), "metadata")).containsEntry("annotations", Map.of("a", "b"));
        assertThat(spec())
                .containsEntry("holderIdentity", "a")
                .containsEntry("leaseDurationSeconds", 30)
                .containsEntry("leaseTransitions", 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"leaseDurationSeconds\":1,\"renewTime\":\"1970-01-01T00:00:00.000000Z\"",
                "\"leaseDurationSeconds\":-5",
                "\"leaseDurationSeconds\":0,\"leaseTransitions\":2147483647",
                "\"leaseDurationSeconds\":99999999,\"leaseTransitions\":\"x\"",
                "\"leaseDurationSeconds\":\"x\",\"renewTime\":7,\"acquireTime\":{}",
                "\"renewTime\":\"9999-01-01T00:00:00.000000Z\",\"leaseTransitions\":1e400",
            })
    void theOwnDurationCountsWhateverAnotherHolderWrote(String members) {
        leases.put("{\"metadata\":{},\"spec\":{\"holderIdentity\":\"x\"," + members + "}}");
        Contender a = contender("a");
        pass(29);
        assertThat(a.lease.isHeld()).isFalse();
        assertThat(leases.writes).isEmpty();
        pass(2);
        assertThat(a.lease.isHeld()).isTrue();
        assertThat(spec()).containsEntry("leaseDurationSeconds", 30);
        assertThat(spec().get("leaseTransitions"))
                .isInstanceOfSatisfying(
                        Integer.class, count -> assertThat(count).isBetween(0, 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"metadata\":{},\"spec\":7}",
                "{\"metadata\":{},\"spec\":[]}",
                "{\"metadata\":{},\"spec\":{\"holderIdentity\":7}}",
                "{\"metadata\":{},\"spec\":{\"holderIdentity\":{\"a\":1}}}",
                "{\"metadata\":{\"labels\":{\"app.kubernetes.io/managed-by\":\"Helm\"}},\"spec\":{}}",
                "{\"metadata\":{\"labels\":{\"app.kubernetes.io/managed-by\":\"Helm\\n\"}}}",
            })
    void aLeaseThatIsForeignOrMalformedIsNeverWritten(String json) {
        leases.put(json);
        String before = leases.get().orElseThrow();
        Contender a = contender("a");
        pass(300);
        assertThat(a.lease.isHeld()).isFalse();
        assertThat(a.lease.isDecided(3)).isTrue();
        assertThat(leases.get()).contains(before);
        assertThat(a.lease.problem().orElseThrow())
                .startsWith("nothing is written without the Lease kube-system/k8sdns-federation-prod: ")
                .doesNotContain("\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "<html>",
                "{}",
                "{\"metadata\":{\"resourceVersion\":7}}",
                "{\"metadata\":{\"resourceVersion\":\"\"},\"spec\":{\"holderIdentity\":\"a\"}}",
            })
    void aLeaseWithoutAVersionIsNeverWritten(String json) {
        leases.putWithoutVersion(json);
        Contender a = contender("a");
        pass(300);
        assertThat(a.lease.isHeld()).isFalse();
        assertThat(leases.get()).contains(json);
        assertThat(a.lease.isDecided(3)).isTrue();
    }

    @Test
    void aLeaseThatBecomesForeignIsNoLongerHeld() {
        Contender a = contender("a");
        pass(2);
        leases.edit("k8sdns-federation-controller", "Helm");
        pass(9);
        assertThat(a.lease.isHeld()).isFalse();
        assertThat(a.lease.problem().orElseThrow()).endsWith("another program manages it, Helm; it is not touched");
    }

    @Test
    void theNameOfAHolderIsPrintedInOneShortLine() {
        leases.put("{\"metadata\":{},\"spec\":{\"holderIdentity\":\"x\\u001b[31m\\n\\u202e" + "y".repeat(100_000)
                + "\"}}");
        Contender a = contender("a");
        pass(1);
        assertThat(a.lease.problem().orElseThrow())
                .startsWith("they are written by the controller x?[31m??yyy")
                .matches("[ -~]{1,300}");
    }
}
