package io.k8sdns.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.federation.FederationStore.Entry;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@link EtcdStore} with Debian's etcd on loopback. */
@Tag("real")
@Timeout(600)
class RealEtcdTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    @TempDir
    private Path folder;

    private final RecordingListener listener = new RecordingListener();

    private static <T> T result(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static EtcdStore.Builder builder(URI... members) {
        return EtcdStore.builder(List.of(members)).timeout(TIMEOUT);
    }

    private static EtcdStore store(URI... members) {
        return builder(members).start();
    }

    // ---- keys and values ----

    @Test
    void keysAndValuesAreStoredUnchanged() throws Exception {
        String key = "/myfed/myns/myservice/foo";
        String value = "{\"externalIP\":\"192.0.2.1\",\"clusterIP\":\"10.0.0.1\"}";
        try (RealEtcd etcd = RealEtcd.start(folder);
                EtcdStore store = store(etcd.uri())) {
            store.watch(listener);
            assertThat(listener.awaitUpToDate(Map.of()).calls()).containsExactly("content", "upToDate");
            assertThat(result(store.get(key))).isEmpty();
            assertThat(result(store.compareAndSet(key, 0, value))).isTrue();
            listener.awaitUpToDate(Map.of(key, value));
            assertThat(etcd.etcdctl("get", key)).isEqualTo(key + "\n" + value + "\n");

            assertThat(result(store.compareAndSet(key, 0, "other")))
                    .as("the key exists")
                    .isFalse();
            Entry entry = result(store.get(key)).orElseThrow();
            assertThat(entry.value()).isEqualTo(value);
            assertThat(result(store.compareAndSet(key, entry.version(), "{}"))).isTrue();
            assertThat(result(store.compareAndSet(key, entry.version(), "late")))
                    .isFalse();
            assertThat(result(store.compareAndRemove(key, entry.version()))).isFalse();
            Entry newer = result(store.get(key)).orElseThrow();
            assertThat(newer.version()).isGreaterThan(entry.version());
            assertThat(result(store.compareAndRemove(key, newer.version()))).isTrue();
            assertThat(result(store.get(key))).isEmpty();
            listener.awaitUpToDate(Map.of());

            etcd.etcdctl("put", "/myfed/myns/ümlaut/foo", "ä € 𝄞");
            listener.awaitUpToDate(Map.of("/myfed/myns/ümlaut/foo", "ä € 𝄞"));
        }
    }

    @Test
    void aPrefixSharesAnEtcdWithOthers() throws Exception {
        try (RealEtcd etcd = RealEtcd.start(folder);
                EtcdStore store = builder(etcd.uri()).prefix("/k8sdns").start()) {
            etcd.etcdctl("put", "/registry/pods/one", "x");
            etcd.etcdctl("put", "/k8sdns-not/a", "x");
            etcd.etcdctl("put", "/k8sdns/a", "1");
            store.watch(listener);
            listener.awaitUpToDate(Map.of("/a", "1"));
            assertThat(result(store.compareAndSet("/b", 0, "2"))).isTrue();
            listener.awaitUpToDate(Map.of("/a", "1", "/b", "2"));
            assertThat(etcd.etcdctl("get", "--print-value-only", "/k8sdns/b")).isEqualTo("2\n");
            etcd.etcdctl("del", "--prefix", "/");
            listener.awaitUpToDate(Map.of());
        }
    }

    @Test
    void moreKeysThanAPageAreListedAndKeptUpToDate() throws Exception {
        int keys = 2_345;
        Map<String, String> expected = new HashMap<>();
        try (RealEtcd etcd = RealEtcd.start(folder);
                EtcdStore store = store(etcd.uri())) {
            for (int i = 0; i < keys; i++) {
                String key = "/fed/ns/svc-" + i + "/foo";
                assertThat(result(store.compareAndSet(key, 0, "value " + i))).isTrue();
                expected.put(key, "value " + i);
            }
            store.watch(listener);
            RecordingListener.State state = listener.awaitUpToDate(expected);
            assertThat(state.calls()).containsExactly("content", "upToDate");
            RecordingListener second = new RecordingListener();
            store.watch(second);
            assertThat(second.awaitUpToDate(expected).calls()).containsExactly("content", "upToDate");
        }
    }

    @Test
    void onlyOneOfTwoConcurrentWritersSucceeds() throws Exception {
        try (RealEtcd etcd = RealEtcd.start(folder);
                EtcdStore one = store(etcd.uri());
                EtcdStore other = store(etcd.uri())) {
            int ofOne = 0;
            for (int i = 0; i < 50; i++) {
                long version = result(one.get("/key")).map(Entry::version).orElse(0L);
                CompletionStage<Boolean> first = one.compareAndSet("/key", version, "one " + i);
                CompletionStage<Boolean> second = other.compareAndSet("/key", version, "other " + i);
                boolean firstWrote = result(first);
                assertThat(result(second)).isNotEqualTo(firstWrote);
                assertThat(result(one.get("/key")).orElseThrow().value())
                        .isEqualTo((firstWrote ? "one " : "other ") + i);
                ofOne += firstWrote ? 1 : 0;
            }
            assertThat(ofOne).isBetween(0, 50);
        }
    }

    // ---- outages ----

    @Test
    void noChangeIsMissedOverARestart() throws Exception {
        try (RealEtcd etcd = RealEtcd.start(folder);
                EtcdStore store = store(etcd.uri())) {
            etcd.etcdctl("put", "/a", "1");
            store.watch(listener);
            listener.awaitUpToDate(Map.of("/a", "1"));
            etcd.kill();
            RecordingListener.State away = listener.await("stale", state -> !state.upToDate());
            assertThat(away.values()).as("the last content stays").isEqualTo(Map.of("/a", "1"));
            assertThatThrownBy(() -> result(store.get("/a")))
                    .hasCauseInstanceOf(IOException.class)
                    .hasMessageContaining("127.0.0.1:" + etcd.port());
            assertThatThrownBy(() -> result(store.compareAndSet("/a", 1, "x")))
                    .hasMessageContaining("nothing was written");
            etcd.restart();
            listener.await("up to date", RecordingListener.State::upToDate);
            etcd.etcdctl("put", "/b", "2");
            RecordingListener.State after = listener.awaitUpToDate(Map.of("/a", "1", "/b", "2"));
            assertThat(after.count("content")).as("nothing had to be listed").isEqualTo(1);
        }
    }

    @Test
    void theContentIsListedAfterACompactionDuringAnOutage() throws Exception {
        try (RealEtcd etcd = RealEtcd.start(folder);
                Relay relay = new Relay(etcd.port());
                EtcdStore store = store(relay.uri())) {
            etcd.etcdctl("put", "/a", "1");
            etcd.etcdctl("put", "/gone", "1");
            store.watch(listener);
            listener.awaitUpToDate(Map.of("/a", "1", "/gone", "1"));
            relay.cut();
            listener.await("stale", state -> !state.upToDate());
            etcd.etcdctl("put", "/a", "2");
            etcd.etcdctl("del", "/gone");
            etcd.etcdctl("put", "/b", "1");
            long revision = result(direct(etcd)).orElseThrow().version();
            etcd.etcdctl("compact", Long.toString(revision));
            relay.mend();
            RecordingListener.State state = listener.awaitUpToDate(Map.of("/a", "2", "/b", "1"));
            assertThat(state.count("content")).as("listed again").isEqualTo(2);
        }
    }

    private static CompletionStage<Optional<Entry>> direct(RealEtcd etcd) throws Exception {
        try (EtcdStore store = store(etcd.uri())) {
            CompletionStage<Optional<Entry>> read = store.get("/b");
            result(read);
            return read;
        }
    }

    @Test
    void changesDuringAnOutageArriveWithoutAList() throws Exception {
        try (RealEtcd etcd = RealEtcd.start(folder);
                Relay relay = new Relay(etcd.port());
                EtcdStore store = store(relay.uri())) {
            etcd.etcdctl("put", "/a", "1");
            store.watch(listener);
            listener.awaitUpToDate(Map.of("/a", "1"));
            relay.cut();
            listener.await("stale", state -> !state.upToDate());
            etcd.etcdctl("put", "/a", "2");
            etcd.etcdctl("put", "/b", "1");
            relay.mend();
            RecordingListener.State state = listener.awaitUpToDate(Map.of("/a", "2", "/b", "1"));
            assertThat(state.count("content")).isEqualTo(1);
        }
    }

    @Test
    void aSilentMemberIsReportedAndCallsEndInTime() throws Exception {
        try (RealEtcd etcd = RealEtcd.start(folder);
                EtcdStore store =
                        builder(etcd.uri()).timeout(Duration.ofSeconds(1)).start()) {
            store.watch(listener);
            listener.awaitUpToDate(Map.of());
            etcd.signal("STOP");
            assertThatThrownBy(() -> result(store.compareAndSet("/a", 0, "1")))
                    .hasMessageContaining("no answer within 1000 ms")
                    .hasMessageNotContaining("nothing was written");
            listener.await("stale", state -> !state.upToDate());
            etcd.signal("CONT");
            listener.await("up to date", RecordingListener.State::upToDate);
            assertThat(result(store.get("/b"))).isEmpty();
        }
    }

    @Test
    void anotherMemberIsUsedUntilTheMajorityIsLost() throws Exception {
        List<RealEtcd> members = RealEtcd.startThree(folder);
        try (EtcdStore store = store(members.stream().map(RealEtcd::uri).toArray(URI[]::new))) {
            store.watch(listener);
            listener.awaitUpToDate(Map.of());
            members.get(0).kill();
            // A write in flight may fail when the leader ends; the next one succeeds.
            boolean written = false;
            for (int i = 0; i < 20 && !written; i++) {
                try {
                    written = result(store.compareAndSet("/a", 0, "1"));
                } catch (ExecutionException noLeaderYet) {
                    assertThat(noLeaderYet).hasCauseInstanceOf(IOException.class);
                    written = result(store.get("/a").exceptionally(none -> Optional.empty()))
                            .isPresent();
                }
            }
            assertThat(written).isTrue();
            listener.awaitUpToDate(Map.of("/a", "1"));

            members.get(1).kill();
            RecordingListener.State cutOff = listener.await("stale", state -> !state.upToDate());
            assertThat(cutOff.values()).isEqualTo(Map.of("/a", "1"));
            assertThatThrownBy(() -> result(store.get("/a"))).hasCauseInstanceOf(IOException.class);
            members.get(0).restart();
            members.get(1).restart();
            listener.awaitUpToDate(Map.of("/a", "1"));
            assertThat(result(store.get("/a")).orElseThrow().value()).isEqualTo("1");
        } finally {
            members.forEach(RealEtcd::close);
        }
    }

    @Test
    void theMissingGatewayOfAnEtcdIsReported() throws Exception {
        try (RealEtcd etcd = RealEtcd.start(folder, "--enable-grpc-gateway=false");
                EtcdStore store = store(etcd.uri())) {
            assertThatThrownBy(() -> result(store.get("/a"))).hasMessageContaining("enable-grpc-gateway: true");
        }
    }

    // ---- TLS ----

    private final HeldCertificate ca = new HeldCertificate.Builder()
            .certificateAuthority(0)
            .commonName("test CA")
            .build();
    private final HeldCertificate otherCa = new HeldCertificate.Builder()
            .certificateAuthority(0)
            .commonName("other CA")
            .build();

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private HeldCertificate.Builder server() {
        return new HeldCertificate.Builder()
                .commonName("etcd")
                .addSubjectAlternativeName("127.0.0.1")
                .signedBy(ca);
    }

    private RealEtcd startTls() throws Exception {
        HeldCertificate server = server().build();
        Path certificate = write("server.pem", server.certificatePem());
        Path key = write("server-key.pem", server.privateKeyPkcs8Pem());
        Path authority = write("ca.pem", ca.certificatePem());
        return RealEtcd.start(
                folder,
                "--client-cert-auth",
                "--trusted-ca-file=" + authority,
                "--cert-file=" + certificate,
                "--key-file=" + key);
    }

    private HeldCertificate client(HeldCertificate issuer, Instant from, Instant until) {
        return new HeldCertificate.Builder()
                .commonName("client")
                .validityInterval(from.toEpochMilli(), until.toEpochMilli())
                .signedBy(issuer)
                .build();
    }

    private HeldCertificate client(HeldCertificate issuer) {
        Instant now = Instant.now();
        return client(issuer, now.minusSeconds(60), now.plusSeconds(3_600));
    }

    private SSLContext tls(HeldCertificate authority, HeldCertificate client) throws IOException {
        return EtcdTls.withClientCertificate(
                write("trusted.pem", authority.certificatePem()),
                write("client.pem", client.certificatePem()),
                write("client-key.pem", client.privateKeyPkcs8Pem()));
    }

    @Test
    void bothSidesCheckCertificates() throws Exception {
        try (RealEtcd etcd = startTls()) {
            try (EtcdStore store = builder(etcd.uri()).tls(tls(ca, client(ca))).start()) {
                assertThat(result(store.compareAndSet("/a", 0, "1"))).isTrue();
                store.watch(listener);
                listener.awaitUpToDate(Map.of("/a", "1"));
            }
            Instant now = Instant.now();
            HeldCertificate expired = client(ca, now.minusSeconds(7_200), now.minusSeconds(3_600));
            Map<String, SSLContext> refused = Map.of(
                    "another CA of the server", tls(otherCa, client(ca)),
                    "the JDK's CAs", SSLContext.getDefault());
            for (Map.Entry<String, SSLContext> one : refused.entrySet()) {
                assertRefused(etcd, one.getKey(), one.getValue());
            }
            assertRefused(etcd, "another CA of the client", tls(ca, client(otherCa)));
            assertRefused(etcd, "an expired certificate of the client", tls(ca, expired));
            assertRefused(
                    etcd, "no certificate of the client", EtcdTls.withCa(write("trusted.pem", ca.certificatePem())));
        }
    }

    @Test
    void theExampleOfThePackageRuns() throws Exception {
        HeldCertificate shown = client(this.ca);
        try (RealEtcd etcd = startTls()) {
            Path ca = write("trusted.pem", this.ca.certificatePem());
            Path certificate = write("client.pem", shown.certificatePem());
            Path key = write("client-key.pem", shown.privateKeyPkcs8Pem());
            EtcdStore store = EtcdStore.builder(List.of(etcd.uri()))
                    .tls(EtcdTls.withClientCertificate(ca, certificate, key))
                    .start();
            store.watch(listener);
            listener.awaitUpToDate(Map.of());
            store.close();
        }
    }

    private static void assertRefused(RealEtcd etcd, String what, SSLContext tls) throws Exception {
        try (EtcdStore store = builder(etcd.uri()).tls(tls).start()) {
            RecordingListener nothing = new RecordingListener();
            store.watch(nothing);
            assertThatThrownBy(() -> result(store.get("/a")))
                    .as(what)
                    .hasCauseInstanceOf(IOException.class)
                    .hasMessageContaining("TLS")
                    .hasMessageContaining("127.0.0.1:" + etcd.port());
            assertThat(nothing.state().calls()).as(what).isEmpty();
        }
    }

    @Test
    void certificatesAreRenewedWhileTheStoreRuns() throws Exception {
        try (RealEtcd etcd = startTls();
                EtcdStore store =
                        builder(etcd.uri()).tls(tls(ca, client(otherCa))).start()) {
            store.watch(listener);
            assertThatThrownBy(() -> result(store.get("/a"))).hasMessageContaining("TLS");
            HeldCertificate renewed = client(ca);
            write("client-key.pem", renewed.privateKeyPkcs8Pem());
            write("client.pem", renewed.certificatePem());
            listener.awaitUpToDate(Map.of());
            assertThat(result(store.compareAndSet("/a", 0, "1"))).isTrue();
        }
    }

    @Test
    void anExpiredCertificateOfTheServerIsReportedAndReplacedWhileTheStoreRuns() throws Exception {
        try (RealEtcd etcd = startTls();
                EtcdStore store = builder(etcd.uri()).tls(tls(ca, client(ca))).start()) {
            assertThat(result(store.compareAndSet("/a", 0, "1"))).isTrue();
            HeldCertificate expired = server().validityInterval(1_000_000_000_000L, 1_100_000_000_000L)
                    .build();
            write("server-key.pem", expired.privateKeyPkcs8Pem());
            write("server.pem", expired.certificatePem());
            try (EtcdStore another =
                    builder(etcd.uri()).tls(tls(ca, client(ca))).start()) {
                another.watch(listener);
                assertThatThrownBy(() -> result(another.get("/a")))
                        .hasMessageContaining("127.0.0.1:" + etcd.port())
                        .hasMessageContaining("a certificate of the server has expired, NotAfter");
                HeldCertificate renewed = server().build();
                write("server-key.pem", renewed.privateKeyPkcs8Pem());
                write("server.pem", renewed.certificatePem());
                listener.awaitUpToDate(Map.of("/a", "1"));
            }
        }
    }

    @Test
    void theNameInTheCertificateIsChecked() throws Exception {
        try (RealEtcd etcd = startTls();
                EtcdStore store = builder(URI.create("https://localhost:" + etcd.port()))
                        .tls(tls(ca, client(ca)))
                        .start()) {
            assertThatThrownBy(() -> result(store.get("/a"))).hasMessageContaining("TLS");
        }
    }

    // ---- users ----

    private static void enableUsers(RealEtcd etcd) throws Exception {
        etcd.etcdctl("user", "add", "root:secret");
        etcd.etcdctl("user", "grant-role", "root", "root");
        etcd.etcdctl("user", "add", "dns:pass");
        etcd.etcdctl("role", "add", "reader");
        etcd.etcdctl("role", "grant-permission", "reader", "--prefix=true", "read", "/");
        etcd.etcdctl("user", "grant-role", "dns", "reader");
        etcd.etcdctl("auth", "enable");
    }

    @Test
    void aUserWithoutPermissionCannotWrite() throws Exception {
        try (RealEtcd etcd = RealEtcd.start(folder)) {
            enableUsers(etcd);
            try (EtcdStore root = builder(etcd.uri()).user("root", "secret").start();
                    EtcdStore reader = builder(etcd.uri()).user("dns", "pass").start()) {
                reader.watch(listener);
                listener.awaitUpToDate(Map.of());
                assertThat(result(root.compareAndSet("/a", 0, "1"))).isTrue();
                listener.awaitUpToDate(Map.of("/a", "1"));
                assertThatThrownBy(() -> result(reader.compareAndSet("/b", 0, "1")))
                        .hasMessageContaining("permission denied");
            }
            try (EtcdStore wrong = builder(etcd.uri()).user("dns", "wrong").start()) {
                assertThatThrownBy(() -> result(wrong.get("/a"))).hasMessageContaining("invalid user ID or password");
            }
            try (EtcdStore anonymous = store(etcd.uri())) {
                assertThatThrownBy(() -> result(anonymous.get("/a"))).hasMessageContaining("user name is empty");
            }
        }
    }

    @Test
    void aTokenIsRenewedWhenItHasExpired() throws Exception {
        try (RealEtcd etcd = RealEtcd.start(folder, "--auth-token-ttl=1");
                EtcdStore root = builder(etcd.uri()).user("root", "secret").start();
                EtcdStore reader = builder(etcd.uri()).user("dns", "pass").start()) {
            reader.watch(listener);
            listener.awaitUpToDate(Map.of());
            enableUsers(etcd);
            assertThat(result(root.compareAndSet("/a", 0, "1"))).isTrue();
            listener.awaitUpToDate(Map.of("/a", "1"));
            // Tokens exist only in the memory of a member, so that a restart invalidates them and ends the watch.
            etcd.kill();
            listener.await("stale", state -> !state.upToDate());
            etcd.restart();
            listener.await("up to date", RecordingListener.State::upToDate);
            etcd.awaitHealth();
            assertThat(result(root.compareAndSet("/b", 0, "2"))).isTrue();
            listener.awaitUpToDate(Map.of("/a", "1", "/b", "2"));
            // A change of any user invalidates the tokens of all users.
            etcd.etcdctl("--user=root:secret", "user", "grant-role", "dns", "root");
            assertThat(result(root.compareAndSet("/c", 0, "3"))).isTrue();
            assertThat(result(reader.get("/c")).orElseThrow().value()).isEqualTo("3");
            listener.awaitUpToDate(Map.of("/a", "1", "/b", "2", "/c", "3"));
        }
    }
}
