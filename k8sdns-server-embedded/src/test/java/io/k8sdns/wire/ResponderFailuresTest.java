package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.DNSOutput;
import org.xbill.DNS.HINFORecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Every failure is SERVFAIL for the client, and its cause is reported to the host. */
class ResponderFailuresTest {
    private static final String CART = "cart.shop.svc.cluster.local.";

    private final List<String> reported = new ArrayList<>();
    private final FailureObserver observer =
            (question, failure) -> reported.add(question.name() + " " + question.type() + " " + failure);

    static List<Throwable> failures() {
        return List.of(
                new IllegalStateException("on purpose"),
                new IOException("on purpose"),
                new AssertionError("on purpose"),
                new NoClassDefFoundError("on purpose"),
                new StackOverflowError("on purpose"),
                new Error("on purpose"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aResolverThatThrowsIsServfailAndReported(Throwable failure) {
        assertThat(rcode(responder((question, client) -> sneak(failure)))).isEqualTo(Rcode.SERVFAIL);
        assertThat(reported).containsExactly(CART + " A " + failure);
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aStageThatFailsIsServfailAndReported(Throwable failure) {
        CompletableFuture<Answer> stage = new CompletableFuture<>();
        List<Integer> rcodes = new ArrayList<>();
        responder((question, client) -> new Resolution.Pending(stage.thenApply(answer -> answer)))
                .respond(
                        query(),
                        Exchange.UDP,
                        response -> rcodes.add(parsed(response).getRcode()));
        assertThat(reported).isEmpty();
        stage.completeExceptionally(failure);

        assertThat(rcodes).containsExactly(Rcode.SERVFAIL);
        assertThat(reported).as("without CompletionException").containsExactly(CART + " A " + failure);
    }

    @Test
    void anErrorOfTheVirtualMachineIsAnsweredReportedAndThrown() {
        OutOfMemoryError failure = new OutOfMemoryError("on purpose");
        List<Integer> rcodes = new ArrayList<>();
        assertThatThrownBy(() -> responder((question, client) -> sneak(failure))
                        .respond(
                                query(),
                                Exchange.UDP,
                                response -> rcodes.add(parsed(response).getRcode())))
                .isSameAs(failure);

        assertThat(rcodes).containsExactly(Rcode.SERVFAIL);
        assertThat(reported).containsExactly(CART + " A " + failure);
    }

    @Test
    void anErrorOfTheVirtualMachineInAStageIsAnsweredAndReported() {
        OutOfMemoryError failure = new OutOfMemoryError("on purpose");
        assertThat(rcode(responder((question, client) ->
                        new Resolution.Pending(CompletableFuture.failedFuture(new CompletionException(failure))))))
                .isEqualTo(Rcode.SERVFAIL);
        assertThat(reported).containsExactly(CART + " A " + failure);
    }

    @Test
    void aResolverThatReturnsNullIsReported() {
        assertThat(rcode(responder(new NullResolver()))).isEqualTo(Rcode.SERVFAIL);
        assertThat(rcode(responder(
                        (question, client) -> new Resolution.Pending(CompletableFuture.completedFuture(null)))))
                .isEqualTo(Rcode.SERVFAIL);
        assertThatNullArgumentsAreReported();
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aStageThatThrowsIsServfailAndReported(Throwable failure) {
        assertThat(rcode(responder((question, client) -> new Resolution.Pending(stage(action -> sneak(failure))))))
                .isEqualTo(Rcode.SERVFAIL);
        assertThat(reported).containsExactly(CART + " A " + failure);
    }

    @Test
    void aStageThatCompletesTwiceIsAnsweredOnce() {
        Answer first = Answer.failure(Rcode.NXDOMAIN);
        List<Consumer<BiConsumer<? super Answer, ? super Throwable>>> stages = List.of(
                action -> {
                    action.accept(first, null);
                    action.accept(null, new IllegalStateException("on purpose"));
                },
                action -> {
                    action.accept(first, null);
                    throw new IllegalStateException("on purpose");
                });
        for (Consumer<BiConsumer<? super Answer, ? super Throwable>> stage : stages) {
            assertThat(rcode(responder((question, client) -> new Resolution.Pending(stage(stage)))))
                    .isEqualTo(Rcode.NXDOMAIN);
        }
        assertThat(reported).isEmpty();
    }

    @Test
    void aStageThatNeverCompletesIsNeitherAnsweredNorReported() {
        Exchange exchange = Exchange.of(
                responder((question, client) -> new Resolution.Pending(new CompletableFuture<>())),
                Exchange.UDP,
                query().array());
        assertThat(exchange.outcomes()).isZero();
        assertThat(reported).isEmpty();
    }

    @Test
    void aResolverOfAChainThatReturnsNullIsReported() {
        DnsResolver nullStage = (question, client) -> new Resolution.Pending(CompletableFuture.completedFuture(null));
        for (DnsResolver resolver : List.of(new NullResolver(), nullStage)) {
            assertThat(rcode(responder(ResolverChain.of(ClusterZone.empty(
                                    new RecordRules(ZoneSettings.builder()
                                            .zone("example.com")
                                            .build()),
                                    Visibility.ALL))
                            .withUpstream(resolver))))
                    .isEqualTo(Rcode.SERVFAIL);
        }
        assertThatNullArgumentsAreReported();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 4096, 99999})
    void anRcodeThatNoMessageHoldsIsServfailAndReported(int rcode) {
        assertThat(rcode(responder((question, client) -> new Resolution.Ready(Answer.failure(rcode)))))
                .isEqualTo(Rcode.SERVFAIL);
        assertThat(reported)
                .containsExactly(CART + " A java.lang.IllegalArgumentException: not an RCODE (0 to 4095): " + rcode);
    }

    @Test
    void anRcodeThatNeedsEdnsIsServfailAndReportedWithoutIt() {
        Answer answer = Answer.failure(Rcode.BADCOOKIE);
        assertThat(rcode(responder((question, client) -> new Resolution.Ready(answer))))
                .isEqualTo(Rcode.SERVFAIL);
        assertThat(reported)
                .containsExactly(CART + " A java.lang.IllegalStateException:"
                        + " RCODE 23 (BADCOOKIE) needs EDNS, and the query has none");
    }

    @Test
    void anAnswerThatCannotBeWrittenIsReported() {
        for (Throwable failure : List.of(new IllegalStateException("on purpose"), new AssertionError("on purpose"))) {
            reported.clear();
            Name owner = Name.fromConstantString(CART);
            Record unwritable = new HINFORecord(owner, DClass.IN, 5, "x", "y") {
                @Override
                protected void rrToWire(DNSOutput out, org.xbill.DNS.Compression names, boolean canonical) {
                    ResponderFailuresTest.<Object, RuntimeException>sneak(failure);
                }
            };
            Answer answer = Answer.builder(Rcode.NOERROR)
                    .authoritative()
                    .answer(List.of(new RecordSet(owner, RecordType.of(Type.HINFO), 5, List.of(unwritable))))
                    .build();
            assertThat(rcode(responder((question, client) -> new Resolution.Ready(answer))))
                    .isEqualTo(Rcode.SERVFAIL);
            assertThat(reported).containsExactly(CART + " A " + failure);
        }
    }

    @Test
    void aFailureOfTheFastPathIsServfailAndReportedOnce() {
        AtomicBoolean broken = new AtomicBoolean();
        InstantSource clock = () -> {
            if (broken.get()) {
                throw new IllegalStateException("on purpose");
            }
            return Instant.EPOCH;
        };
        ClusterZone zone = ClusterZone.create();
        ZoneFeed feed =
                ZoneFeed.builder(zone, clock).staleLimit(Duration.ofSeconds(1)).build();
        feed.stateChanged(SyncState.STALE);
        DnsResponder responder = responder(ResolverChain.of(zone));
        assertThat(rcode(responder)).isEqualTo(Rcode.NXDOMAIN);
        broken.set(true);

        assertThat(responder.session().answer(query(), Client.Transport.UDP)).isFalse();
        assertThat(reported).isEmpty();
        assertThat(rcode(responder)).isEqualTo(Rcode.SERVFAIL);
        assertThat(reported).containsExactly(CART + " A java.lang.IllegalStateException: on purpose");
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aThrowingObserverDoesNotPreventTheAnswer(Throwable ofTheObserver) {
        FailureObserver throwing = (question, failure) -> sneak(ofTheObserver);
        DnsResponder responder = DnsResponder.builder(
                        (question, client) -> sneak(new IllegalStateException("on purpose")))
                .failures(throwing)
                .build();
        assertThat(rcode(responder)).isEqualTo(Rcode.SERVFAIL);
    }

    @ParameterizedTest
    @MethodSource("failures")
    void anExceptionOfAFunctionOfTheHostIsServfailAndReported(Throwable failure) {
        ResolverChain chain = ResolverChain.of(ClusterZone.create());
        List<DnsResponder> responders = List.of(
                DnsResponder.builder(DnsResolver.byClient(client -> sneak(failure)))
                        .failures(observer)
                        .build(),
                DnsResponder.builder(DnsResolver.byClient(client -> chain))
                        .clients(client -> sneak(failure))
                        .failures(observer)
                        .build());
        for (DnsResponder responder : responders) {
            reported.clear();
            assertThat(rcode(responder)).isEqualTo(Rcode.SERVFAIL);
            assertThat(reported).containsExactly(CART + " A " + failure);
        }
    }

    @Test
    void clientsAreCompletedOnlyForQuestions() {
        List<Client> completed = new ArrayList<>();
        DnsResponder responder = DnsResponder.builder(
                        DnsResolver.byClient(client -> ResolverChain.of(ClusterZone.create())))
                .clients(client -> {
                    completed.add(client);
                    throw new IllegalStateException("on purpose");
                })
                .build();
        byte[] notify = query().array();
        notify[2] = 4 << 3;
        byte[] twoQuestions = query().array();
        twoQuestions[5] = 2;
        assertThat(rcode(responder, notify)).isEqualTo(Rcode.NOTIMP);
        assertThat(rcode(responder, twoQuestions)).isEqualTo(Rcode.FORMERR);
        assertThat(completed).isEmpty();
        assertThat(rcode(responder, query().array())).isEqualTo(Rcode.SERVFAIL);
        assertThat(completed).hasSize(1);
    }

    @Test
    void anAnswerThatIsAFailureIsNotReported() {
        assertThat(rcode(responder((question, client) -> new Resolution.Ready(Answer.FAILED))))
                .isEqualTo(Rcode.SERVFAIL);
        assertThat(reported).isEmpty();
    }

    @Test
    @SuppressWarnings("NullAway") // what callers without a null checker may do
    void nullArgumentsAreReported() {
        DnsResponder.Builder builder = DnsResponder.builder(new NullResolver());
        assertThatThrownBy(() -> builder.failures(null)).hasMessage("failures");
        assertThatThrownBy(() -> builder.observer(null)).hasMessage("observer");
        assertThatThrownBy(() -> builder.random(null)).hasMessage("random");
    }

    private DnsResponder responder(DnsResolver resolver) {
        return DnsResponder.builder(resolver).failures(observer).build();
    }

    private static int rcode(DnsResponder responder) {
        return rcode(responder, query().array());
    }

    private static int rcode(DnsResponder responder, byte[] message) {
        return parsed(ByteBuffer.wrap(
                        Exchange.of(responder, Exchange.UDP, message).bytes()))
                .getRcode();
    }

    private static ByteBuffer query() {
        return ByteBuffer.wrap(Packet.query(CART, Type.A).bytes());
    }

    private static Message parsed(ByteBuffer response) {
        try {
            return new Message(response);
        } catch (IOException malformed) {
            throw new AssertionError(malformed);
        }
    }

    private void assertThatNullArgumentsAreReported() {
        assertThat(reported)
                .containsExactly(
                        CART + " A java.lang.NullPointerException: the resolver returned null instead of a resolution",
                        CART + " A java.lang.NullPointerException: the stage completed with null instead of an answer");
    }

    /** Returns a stage with this implementation of whenComplete. */
    private static CompletionStage<Answer> stage(Consumer<BiConsumer<? super Answer, ? super Throwable>> whenComplete) {
        return new CompletableFuture<>() {
            @Override
            public CompletableFuture<Answer> whenComplete(BiConsumer<? super Answer, ? super Throwable> action) {
                whenComplete.accept(action);
                return this;
            }
        };
    }

    /** Throws any throwable without a declaration, as languages without checked exceptions do. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T, E extends Throwable> T sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    private static final class NullResolver implements DnsResolver {
        @Override
        @SuppressWarnings("NullAway") // violates the contract
        public Resolution resolve(Question question, Client client) {
            return null;
        }
    }
}
