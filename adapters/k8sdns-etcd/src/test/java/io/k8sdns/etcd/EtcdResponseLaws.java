package io.k8sdns.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Parsing random responses of a server gives a response or an IOException. */
class EtcdResponseLaws {
    private static final List<String> SAMPLES = List.of(
            "{\"header\":{\"cluster_id\":\"16128400632968936350\",\"revision\":\"5\",\"raft_term\":\"2\"},\"kvs\":[{\"key\":\"L2I=\",\"create_revision\":\"5\",\"mod_revision\":\"5\",\"version\":\"1\",\"value\":\"eyJhIjoxfQ==\"}],\"more\":true,\"count\":\"2\"}",
            "{\"header\":{\"revision\":\"3\"},\"succeeded\":true,\"responses\":[{\"response_delete_range\":{\"header\":{\"revision\":\"3\"},\"deleted\":\"1\"}}]}",
            "{\"header\":{\"revision\":\"3\"},\"token\":\"abcdefgh.12\"}",
            "{\"result\":{\"header\":{\"cluster_id\":\"1\",\"revision\":\"3\"},\"created\":true}}",
            "{\"result\":{\"header\":{\"cluster_id\":\"1\"},\"canceled\":true,\"compact_revision\":\"3\"}}",
            "{\"result\":{\"header\":{\"revision\":\"9\"},\"events\":[{\"kv\":{\"key\":\"L2E=\",\"mod_revision\":\"2\",\"value\":\"Yg==\"}},{\"type\":\"DELETE\",\"kv\":{\"key\":\"L2E=\",\"mod_revision\":\"3\"}}]}}",
            "{\"error\":{\"grpc_code\":14,\"http_code\":503,\"message\":\"etcdserver: no leader\",\"http_status\":\"Service Unavailable\"}}",
            "{\"error\":\"etcdserver: invalid auth token\",\"message\":\"etcdserver: invalid auth token\",\"code\":16}");

    private static final String BYTES = "{}[]\":,0-9.eE\\u truenl\n\0\u00ff";

    @Property
    void aMutatedResponseIsParsedOrGivesAnIoException(@ForAll Random random) {
        byte[] bytes = SAMPLES.get(random.nextInt(SAMPLES.size())).getBytes(StandardCharsets.UTF_8);
        for (int i = random.nextInt(6); i > 0; i--) {
            switch (random.nextInt(3)) {
                case 0 -> bytes[random.nextInt(bytes.length)] = (byte) BYTES.charAt(random.nextInt(BYTES.length()));
                case 1 -> bytes = Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
                default -> {
                    int from = random.nextInt(bytes.length);
                    int length = random.nextInt(bytes.length - from);
                    System.arraycopy(bytes, from, bytes, random.nextInt(bytes.length - length), length);
                }
            }
        }
        byte[] response = bytes;
        List<JsonFields.ValueReader<?>> readings = List.of(
                EtcdRequest.Range.one("/a")::read,
                new EtcdRequest.Swap("/a", 1, new EtcdRequest.Swap.Delete())::read,
                new EtcdRequest.Authenticate("user", "password")::read,
                WatchMessage::read);
        for (JsonFields.ValueReader<?> reading : readings) {
            try {
                assertThat((Object) JsonFields.document(response, reading)).isNotNull();
            } catch (IOException malformed) {
                assertThat(malformed).hasMessageMatching("(?s).+");
            }
        }
        assertThat(EtcdErrors.ofStatus(400, response).text()).isNotEmpty().doesNotContain("\n");
    }

    @Property
    void aKeyOfArbitraryBytesIsPreserved(@ForAll byte[] key) {
        assertThat(KeyRange.encode(KeyRange.decode(key))).isEqualTo(key);
    }

    @Property
    void aTextIsItsOwnKey(@ForAll Random random) {
        StringBuilder text = new StringBuilder("/");
        random.ints(random.nextInt(10), 1, 0x11_0000)
                .filter(one -> one < 0xd800 || one > 0xdfff)
                .forEach(text::appendCodePoint);
        assertThat(KeyRange.decode(KeyRange.encode(text.toString()))).isEqualTo(text.toString());
    }

    @Test
    void responsesOfEtcdAreRead() throws IOException {
        EtcdRequest.RangeResponse range =
                JsonFields.document(SAMPLES.get(0).getBytes(StandardCharsets.UTF_8), EtcdRequest.Range.one("/b")::read);
        assertThat(range)
                .isEqualTo(new EtcdRequest.RangeResponse(
                        new EtcdHeader("16128400632968936350", 5),
                        List.of(new EtcdKeyValue("/b", "{\"a\":1}", 5)),
                        true,
                        2));
        WatchMessage changed = JsonFields.document(SAMPLES.get(5).getBytes(StandardCharsets.UTF_8), WatchMessage::read);
        assertThat(changed)
                .isEqualTo(new WatchMessage.Changed(List.of(
                        new WatchMessage.Event(new EtcdKeyValue("/a", "b", 2), false),
                        new WatchMessage.Event(new EtcdKeyValue("/a", "", 3), true))));
        assertThat(JsonFields.document(SAMPLES.get(6).getBytes(StandardCharsets.UTF_8), WatchMessage::read))
                .isEqualTo(new WatchMessage.Canceled(
                        EtcdFailure.of(EtcdFailure.Cause.UNAVAILABLE, "etcdserver: no leader")));
        assertThat(EtcdErrors.ofStatus(401, SAMPLES.get(7).getBytes(StandardCharsets.UTF_8))
                        .cause())
                .isEqualTo(EtcdFailure.Cause.UNAUTHENTICATED);
    }
}
