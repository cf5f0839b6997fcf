package io.k8sdns.resolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.upstream.Deadline;
import io.k8sdns.upstream.Forwarder;
import io.k8sdns.upstream.ForwardingResolver;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.SOARecord;

/** The chain with a forwarder whose answers the test completes. */
class ForwardingTest {
    private static final Duration DEADLINE = Duration.ofSeconds(2);

    private final LateForwarder upstream = new LateForwarder();
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final List<String> failures = new ArrayList<>();
    private final ClusterZone zone = Shop.zone(ZoneSettings.DEFAULTS);
    private final DnsResolver chain = ResolverChain.of(zone).withUpstream(forwarding(upstream));

    @Test
    void otherNamesAreForwardedAndNotAuthoritative() {
        Late answer = ask("www.example.com. A");

        assertThat(upstream.asked).containsExactly("www.example.com. A");
        assertThat(answer.lines).isEmpty();
        upstream.complete(0, address("www.example.com.", "192.0.2.1"));
        assertThat(answer.lines).containsExactly("NOERROR ra", "www.example.com. 60 IN A 192.0.2.1");
    }

    @Test
    void namesOfTheClusterAreNotForwardedAndRecursionIsAvailable() {
        assertThat(ask("cart.shop.svc.cluster.local. A").lines).first().isEqualTo("NOERROR aa ra");
        assertThat(ask("nobody.shop.svc.cluster.local. A").lines).first().isEqualTo("NXDOMAIN aa ra");
        assertThat(ask("svc.cluster.local. A").lines).first().isEqualTo("NOERROR aa ra");
        assertThat(ask("9.9.9.10.in-addr.arpa. PTR").lines).first().isEqualTo("NXDOMAIN aa ra");
        assertThat(upstream.asked).isEmpty();
    }

    @Test
    void namesOfTheClusterAreNotForwardedBeforeTheZoneIsSynced() {
        ClusterZone syncing = Shop.zone(ZoneSettings.DEFAULTS);
        ZoneFeed.builder(syncing, InstantSource.system()).build();
        DnsResolver unsure = ResolverChain.of(syncing).withUpstream(forwarding(upstream));
        Late answer = ask(unsure, "nobody.shop.svc.cluster.local. A");

        assertThat(answer.lines).containsExactly("SERVFAIL ra ede 14");
        assertThat(upstream.asked).isEmpty();
    }

    @Test
    void anAliasToAnotherDomainIsForwardedAndKeepsItsAa() {
        Late answer = ask("outside.shop.svc.cluster.local. A");

        assertThat(upstream.asked).containsExactly("db.example.com. A");
        upstream.complete(0, address("db.example.com.", "192.0.2.7"));
        assertThat(answer.lines)
                .containsExactly(
                        "NOERROR aa ra",
                        "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.",
                        "db.example.com. 60 IN A 192.0.2.7");
    }

    @Test
    void theRcodeAndTheSoaAreThoseOfTheUpstreamServer() {
        Late answer = ask("outside.shop.svc.cluster.local. A");
        upstream.complete(0, negative(Rcode.NXDOMAIN));

        assertThat(answer.lines)
                .containsExactly(
                        "NXDOMAIN aa ra",
                        "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.",
                        "authority: example.com. 60 IN SOA ns.example.com. hostmaster.example.com. 1 2 3 4 60");
    }

    @Test
    void anRcodeThatIsAFailureIsPassedOn() {
        Late answer = ask("outside.shop.svc.cluster.local. A");
        upstream.complete(0, Answer.failure(Rcode.REFUSED));

        assertThat(answer.lines)
                .containsExactly("REFUSED aa ra", "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.");
    }

    @Test
    void aFailedForwarderCausesServfailWithTheAlias() {
        Late network = ask("outside.shop.svc.cluster.local. A");
        upstream.fail(0, new CompletionException(new IOException("on purpose")));
        Late other = ask("outside.shop.svc.cluster.local. A");
        upstream.fail(1, new IllegalStateException("on purpose"));

        String alias = "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.";
        assertThat(network.lines).containsExactly("SERVFAIL aa ra ede 23", alias);
        assertThat(other.lines).containsExactly("SERVFAIL aa ra ede 22", alias);
        assertThat(network.answer.orElseThrow().extendedError().orElseThrow().text())
                .contains("db.example.com.");
    }

    @Test
    void aThrowingForwarderCausesServfail() {
        Forwarder broken = (question, client) -> {
            throw new IllegalStateException("on purpose");
        };
        DnsResolver resolver = ResolverChain.of(zone).withUpstream(forwarding(broken));

        assertThat(ask(resolver, "example.com. A").lines).containsExactly("SERVFAIL ra ede 22");
    }

    @Test
    void anUpstreamAliasToTheClusterIsFollowedInTheZone() {
        Late answer = ask("www.example.com. A");
        upstream.complete(0, alias("www.example.com.", "cart.shop.svc.cluster.local."));

        assertThat(answer.lines)
                .containsExactly(
                        "NOERROR ra",
                        "www.example.com. 60 IN CNAME cart.shop.svc.cluster.local.",
                        "cart.shop.svc.cluster.local. 5 IN A 10.96.0.10");
    }

    /** Records of the cluster's names are taken only from the cluster's zone. */
    @ParameterizedTest
    @ValueSource(ints = {Rcode.NOERROR, Rcode.NXDOMAIN})
    void upstreamRecordsOfNamesOfTheClusterAreDropped(int rcode) {
        for (String target : List.of("cart.shop.svc.cluster.local.", "CART.shop.svc.cluster.local.")) {
            Late answer = ask("www.example.com. A");
            Answer forged = Answer.builder(rcode)
                    .answer(List.of(
                            alias("www.example.com.", "web.example.com.")
                                    .answer()
                                    .get(0),
                            alias("web.example.com.", target).answer().get(0),
                            address(target, "203.0.113.1").answer().get(0)))
                    .authority(negative(rcode).authority())
                    .build();
            upstream.complete(upstream.asked.size() - 1, forged);

            assertThat(answer.lines)
                    .containsExactly(
                            "NOERROR ra",
                            "www.example.com. 60 IN CNAME web.example.com.",
                            "web.example.com. 60 IN CNAME " + target,
                            target + " 5 IN A 10.96.0.10");
        }
    }

    @Test
    void anUpstreamAliasWithoutDataIsNotForwardedAgain() {
        Late answer = ask("www.example.com. A");
        Answer noData = Answer.builder(Rcode.NOERROR)
                .recursionAvailable(true)
                .answer(alias("www.example.com.", "web.example.com.").answer())
                .authority(negative(Rcode.NOERROR).authority())
                .build();
        upstream.complete(0, noData);

        assertThat(answer.lines).hasSize(3);
        assertThat(upstream.asked).hasSize(1);
    }

    @Test
    void aLoopThroughAnUpstreamServerEnds() {
        Late answer = ask("outside.shop.svc.cluster.local. A");
        upstream.complete(0, alias("db.example.com.", "outside.shop.svc.cluster.local."));

        assertThat(answer.lines)
                .containsExactly(
                        "NOERROR aa ra",
                        "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.",
                        "db.example.com. 60 IN CNAME outside.shop.svc.cluster.local.");
    }

    @Test
    void aPendingQuestionUsesOneRevision() {
        Late answer = ask("www.example.com. A");
        zone.apply(List.of(new ClusterChange.Put(
                ClusterIpService.of("shop", "cart", List.of(IpAddress.parse("10.96.0.77")), List.of()))));
        upstream.complete(0, alias("www.example.com.", "cart.shop.svc.cluster.local."));

        assertThat(answer.lines).last().isEqualTo("cart.shop.svc.cluster.local. 5 IN A 10.96.0.10");
        assertThat(ask("cart.shop.svc.cluster.local. A").lines)
                .last()
                .isEqualTo("cart.shop.svc.cluster.local. 5 IN A 10.96.0.77");
    }

    @Test
    void tenThousandQuestionsWaitWithoutAThread() {
        int threads = Thread.activeCount();
        List<Late> answers = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            answers.add(ask("n" + i + ".example.com. A"));
        }
        // Threads of earlier tests may end meanwhile.
        assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads);
        for (int i = 0; i < 10_000; i++) {
            upstream.complete(i, address("n" + i + ".example.com.", "192.0.2.1"));
        }

        assertThat(answers).allSatisfy(answer -> assertThat(answer.lines).hasSize(2));
    }

    @Test
    void aForwarderThatNeverCompletesCausesServfailAtTheDeadline() {
        Late direct = ask("www.example.com. A");
        Late alias = ask("outside.shop.svc.cluster.local. A");
        scheduler.pass(DEADLINE.minusNanos(1));
        assertThat(direct.lines).isEmpty();
        scheduler.pass(Duration.ofNanos(1));

        assertThat(direct.lines).containsExactly("SERVFAIL ra ede 22");
        assertThat(direct.answer.orElseThrow().extendedError().orElseThrow().text())
                .isEqualTo("www.example.com. was not answered in time");
        assertThat(alias.lines)
                .containsExactly("SERVFAIL aa ra ede 22", "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.");
        assertThat(failures)
                .containsExactly(
                        "www.example.com. java.util.concurrent.TimeoutException: no answer within 2000 ms",
                        "db.example.com. java.util.concurrent.TimeoutException: no answer within 2000 ms");
    }

    @Test
    void theStageIsCancelledAtTheDeadline() {
        ask("www.example.com. A");
        scheduler.pass(DEADLINE);

        assertThat(upstream.answers.get(0)).isCancelled();
    }

    @Test
    void anAnswerAfterTheDeadlineIsIgnored() {
        CompletableFuture<Answer> source = new CompletableFuture<>();
        Late late = ask(chain((question, client) -> source.minimalCompletionStage()), "www.example.com. A");
        scheduler.pass(DEADLINE);
        assertThat(source.complete(address("www.example.com.", "192.0.2.1")))
                .as("a stage that cannot be cancelled")
                .isTrue();

        assertThat(late.lines).containsExactly("SERVFAIL ra ede 22");
        assertThat(failures).hasSize(1);
    }

    @Test
    void aStageThatRefusesToBeCancelledStillTimesOut() {
        Forwarder hostile = (question, client) -> new CompletableFuture<>() {
            @Override
            public CompletableFuture<Answer> toCompletableFuture() {
                throw new UnsupportedOperationException();
            }
        };
        Late late = ask(chain(hostile), "www.example.com. A");
        scheduler.pass(DEADLINE);

        assertThat(late.lines).containsExactly("SERVFAIL ra ede 22");
    }

    @Test
    void theTimerIsCancelledWhenTheAnswerArrives() {
        Late answer = ask("www.example.com. A");
        Late failure = ask("www.example.com. A");
        assertThat(scheduler.waiting()).isEqualTo(2);
        upstream.complete(0, address("www.example.com.", "192.0.2.1"));
        upstream.fail(1, new IOException("on purpose"));

        assertThat(scheduler.waiting()).isZero();
        scheduler.pass(DEADLINE);
        assertThat(answer.lines).first().isEqualTo("NOERROR ra");
        assertThat(failure.lines).containsExactly("SERVFAIL ra ede 23");
        assertThat(failures).containsExactly("www.example.com. java.io.IOException: on purpose");
    }

    @Test
    void stepsOfOneQuestionShareItsDeadline() {
        Catalog steps = Catalog.builder()
                .route(Name.root, ForwardingResolver.builder(upstream).build())
                .build();
        DnsResolver limited = new Deadline(DEADLINE, scheduler)
                .limiting(
                        new AliasChaser(steps, name -> true),
                        (question, failure) -> failures.add(question.name() + " " + failure));
        Late late = ask(limited, "www.example.com. A");
        scheduler.pass(DEADLINE.minusNanos(1));
        upstream.complete(0, alias("www.example.com.", "db.example.org."));
        assertThat(upstream.asked).containsExactly("www.example.com. A", "db.example.org. A");
        assertThat(late.lines).isEmpty();
        scheduler.pass(Duration.ofNanos(1));

        assertThat(late.lines).containsExactly("SERVFAIL ra ede 22");
        assertThat(failures)
                .containsExactly("www.example.com. java.util.concurrent.TimeoutException: no answer within 2000 ms");
        upstream.complete(1, address("db.example.org.", "192.0.2.1"));
        assertThat(late.lines).containsExactly("SERVFAIL ra ede 22");
        assertThat(scheduler.waiting()).isZero();
    }

    @Test
    void aLimitedResolverKeepsItsAnswersAndItsFastPath() {
        DnsResolver limited = new Deadline(DEADLINE, scheduler).limiting(chain, FailureObserver.NONE);
        assertThat(ask(limited, "cart.shop.svc.cluster.local. A").lines).first().isEqualTo("NOERROR aa ra");
        assertThat(scheduler.waiting()).isZero();
        assertThat(limited.direct()).isEqualTo(chain.direct()).isPresent();
        Late late = ask(limited, "www.example.com. A");
        upstream.complete(0, address("www.example.com.", "192.0.2.1"));
        assertThat(late.lines).containsExactly("NOERROR ra", "www.example.com. 60 IN A 192.0.2.1");
        assertThat(scheduler.waiting()).isZero();
    }

    @Test
    void withoutASchedulerALimitedAnswerIsLateImmediately() {
        scheduler.shutdown();
        DnsResolver limited = new Deadline(DEADLINE, scheduler)
                .limiting(ForwardingResolver.builder(upstream).build(), (question, failure) -> {
                    throw new IllegalStateException("on purpose");
                });
        assertThat(ask(limited, "www.example.com. A").lines).containsExactly("SERVFAIL ra ede 22");
    }

    @Test
    void aSubstituteThatFailsFailsTheLimitedStage() {
        Deadline deadline = new Deadline(DEADLINE, scheduler);
        CompletableFuture<Answer> thrown = deadline.limit(new CompletableFuture<Answer>(), late -> {
                    throw new IllegalStateException("on purpose");
                })
                .toCompletableFuture();
        scheduler.pass(DEADLINE);
        assertThat(thrown).isCompletedExceptionally();
        scheduler.shutdown();
        assertThat(deadline.limit(new CompletableFuture<Answer>(), late -> {
                            throw new IllegalStateException("on purpose");
                        })
                        .toCompletableFuture())
                .isCompletedExceptionally();
    }

    @Test
    void anImmediateAnswerStartsNoTimer() {
        scheduler.shutdown();
        Answer answer = address("www.example.com.", "192.0.2.1");
        Late late = ask(chain((question, client) -> CompletableFuture.completedFuture(answer)), "www.example.com. A");

        assertThat(late.lines).first().isEqualTo("NOERROR ra");
    }

    @Test
    void aSchedulerThatIsShutDownCausesServfail() {
        scheduler.shutdown();
        Late late = ask("www.example.com. A");

        assertThat(late.lines).containsExactly("SERVFAIL ra ede 22");
        assertThat(upstream.answers.get(0)).isCancelled();
        assertThat(failures)
                .containsExactly("www.example.com. " + RejectedExecutionException.class.getName() + ": shut down");
    }

    @Test
    void theCauseIsReported() {
        for (Throwable failure : List.of(
                new IllegalStateException("on purpose"),
                new IOException("on purpose"),
                new AssertionError("on purpose"),
                new NoClassDefFoundError("on purpose"),
                new StackOverflowError("on purpose"))) {
            failures.clear();
            Late thrown = ask(chain((question, client) -> sneak(failure)), "a.example.com. A");
            Late completed = ask(
                    chain((question, client) -> CompletableFuture.failedFuture(new CompletionException(failure))),
                    "b.example.com. A");

            assertThat(thrown.lines).first().asString().startsWith("SERVFAIL ra ede 2");
            assertThat(completed.lines).isEqualTo(thrown.lines);
            assertThat(failures).containsExactly("a.example.com. " + failure, "b.example.com. " + failure);
        }
    }

    @Test
    @SuppressWarnings("NullAway") // what forwarders without a null checker may do
    void aNullAnswerIsAFailure() {
        ask(chain((question, client) -> CompletableFuture.completedFuture(null)), "a.example.com. A");
        ask(chain(new NullForwarder()), "b.example.com. A");

        assertThat(failures)
                .containsExactly(
                        "a.example.com. java.lang.NullPointerException: the forwarder's stage completed with null instead of "
                                + "an answer",
                        "b.example.com. java.lang.NullPointerException: the forwarder returned null instead of a stage");
    }

    @Test
    void aThrowingObserverDoesNotPreventTheAnswer() {
        DnsResolver resolver = ForwardingResolver.builder(upstream)
                .deadline(DEADLINE, scheduler)
                .failures((question, failure) -> sneak(new OutOfMemoryError("on purpose")))
                .build();
        Late late = ask(resolver, "www.example.com. A");
        upstream.fail(0, new IOException("on purpose"));

        assertThat(late.lines).containsExactly("SERVFAIL ede 23");
    }

    @Test
    @SuppressWarnings("NullAway") // what callers without a null checker may do
    void argumentsAreChecked() {
        ForwardingResolver.Builder builder = ForwardingResolver.builder(upstream);
        for (Duration deadline : List.of(Duration.ZERO, Duration.ofMillis(-1))) {
            assertThatThrownBy(() -> builder.deadline(deadline, scheduler))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("deadline must be more than zero and at most 292 years: " + deadline);
        }
        for (Duration deadline : List.of(
                Duration.ofSeconds(Long.MAX_VALUE),
                Duration.ofNanos(Long.MAX_VALUE).plusNanos(1))) {
            assertThatThrownBy(() -> builder.deadline(deadline, scheduler))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("deadline must be more than zero and at most 292 years: " + deadline);
        }
        assertThat(builder.deadline(Duration.ofNanos(Long.MAX_VALUE), scheduler).build())
                .isNotNull();
        assertThatThrownBy(() -> ForwardingResolver.builder(null)).hasMessage("forwarder");
        assertThatThrownBy(() -> builder.deadline(null, scheduler)).hasMessage("time");
        assertThatThrownBy(() -> builder.deadline(DEADLINE, null)).hasMessage("scheduler");
        assertThatThrownBy(() -> builder.failures(null)).hasMessage("failures");
    }

    @Test
    void withoutADeadlineTheAnswerNeverTimesOut() {
        Late late = ask(ForwardingResolver.builder(upstream).build(), "www.example.com. A");
        assertThat(late.answer).isEmpty();
        upstream.complete(0, Answer.failure(Rcode.NXDOMAIN));
        assertThat(late.lines).containsExactly("NXDOMAIN ra");
    }

    private ForwardingResolver forwarding(Forwarder forwarder) {
        return ForwardingResolver.builder(forwarder)
                .deadline(DEADLINE, scheduler)
                .failures((question, failure) -> failures.add(question.name() + " " + failure))
                .build();
    }

    private DnsResolver chain(Forwarder forwarder) {
        return ResolverChain.of(zone).withUpstream(forwarding(forwarder));
    }

    /** Throws any throwable without a declaration, as languages without checked exceptions do. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T, E extends Throwable> T sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    private static final class NullForwarder implements Forwarder {
        @Override
        @SuppressWarnings("NullAway") // violates the contract
        public CompletionStage<Answer> forward(Question question, Client client) {
            return null;
        }
    }

    private Late ask(String question) {
        return ask(chain, question);
    }

    private static Late ask(DnsResolver resolver, String question) {
        Late late = new Late();
        resolver.resolve(ResolverChainTest.question(question), Client.IN_PROCESS)
                .deliver(late::take);
        return late;
    }

    private static Answer address(String name, String address) {
        Name owner = Name.fromConstantString(name);
        return forwarded(RecordSet.of(new ARecord(owner, DClass.IN, 60, inet(address))));
    }

    private static InetAddress inet(String address) {
        try {
            return InetAddress.getByAddress(IpAddress.parse(address).bytes());
        } catch (java.net.UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static Answer alias(String name, String target) {
        return forwarded(RecordSet.of(
                new CNAMERecord(Name.fromConstantString(name), DClass.IN, 60, Name.fromConstantString(target))));
    }

    /** Returns an upstream answer with AA set, which the client must not receive. */
    private static Answer forwarded(RecordSet set) {
        return Answer.builder(Rcode.NOERROR)
                .authoritative()
                .answer(List.of(set))
                .build();
    }

    private static Answer negative(int rcode) {
        RecordSet soa = RecordSet.of(new SOARecord(
                Name.fromConstantString("example.com."),
                DClass.IN,
                60,
                Name.fromConstantString("ns.example.com."),
                Name.fromConstantString("hostmaster.example.com."),
                1,
                2,
                3,
                4,
                60));
        return Answer.builder(rcode).authoritative().authority(List.of(soa)).build();
    }

    /** An answer that may be pending. */
    private static final class Late {
        private Optional<Answer> answer = Optional.empty();
        private List<String> lines = List.of();

        void take(Answer taken) {
            assertThat(answer).as("answered once").isEmpty();
            answer = Optional.of(taken);
            lines = Shop.lines(taken);
        }
    }

    private static final class LateForwarder implements Forwarder {
        private final List<String> asked = new ArrayList<>();
        private final List<CompletableFuture<Answer>> answers = new ArrayList<>();

        @Override
        public CompletionStage<Answer> forward(Question question, Client client) {
            asked.add(question.name() + " " + question.type());
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            answers.add(answer);
            return answer;
        }

        void complete(int index, Answer answer) {
            assertThat(answers.get(index).complete(answer)).isTrue();
        }

        void fail(int index, Throwable failure) {
            assertThat(answers.get(index).completeExceptionally(failure)).isTrue();
        }
    }
}
