package io.k8sdns.resolver;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.upstream.Forwarder;
import io.k8sdns.upstream.ForwardingResolver;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.SOARecord;

/** The chain with a forwarder that answers when the test says so. */
class ForwardingTest {
    private final LateForwarder upstream = new LateForwarder();
    private final ClusterZone zone = Shop.zone(ZoneSettings.DEFAULTS);
    private final Resolver chain =
            ResolverChain.of(zone, () -> SyncState.SYNCED, Optional.of(new ForwardingResolver(upstream)));

    @Test
    void whatIsNotOursIsForwardedAndNeverAuthoritative() {
        Late answer = ask("www.example.com. A");

        assertThat(upstream.asked).containsExactly("www.example.com. A");
        assertThat(answer.lines).isEmpty();
        upstream.complete(0, address("www.example.com.", "192.0.2.1"));
        assertThat(answer.lines).containsExactly("NOERROR ra", "www.example.com. 60 IN A 192.0.2.1");
    }

    @Test
    void whatIsOursIsNeverForwardedYetRecursionIsAvailable() {
        assertThat(ask("cart.shop.svc.cluster.local. A").lines).first().isEqualTo("NOERROR aa ra");
        assertThat(ask("nobody.shop.svc.cluster.local. A").lines).first().isEqualTo("NXDOMAIN aa ra");
        assertThat(ask("svc.cluster.local. A").lines).first().isEqualTo("NOERROR aa ra");
        assertThat(ask("9.9.9.10.in-addr.arpa. PTR").lines).first().isEqualTo("NXDOMAIN aa ra");
        assertThat(upstream.asked).isEmpty();
    }

    @Test
    void beforeSynchronisationNothingOfOursLeaks() {
        Resolver unsure =
                ResolverChain.of(zone, () -> SyncState.SYNCING, Optional.of(new ForwardingResolver(upstream)));
        Late answer = ask(unsure, "nobody.shop.svc.cluster.local. A");

        assertThat(answer.lines).containsExactly("SERVFAIL ra ede 14");
        assertThat(upstream.asked).isEmpty();
    }

    @Test
    void anAliasToTheOutsideGoesOnThereAndKeepsItsAa() {
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
    void theRcodeAndTheSoaAreUpstreams() {
        Late answer = ask("outside.shop.svc.cluster.local. A");
        upstream.complete(0, negative(Rcode.NXDOMAIN));

        assertThat(answer.lines)
                .containsExactly(
                        "NXDOMAIN aa ra",
                        "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.",
                        "authority: example.com. 60 IN SOA ns.example.com. hostmaster.example.com. 1 2 3 4 60");
    }

    @Test
    void anRcodeThatIsAFailureIsHandedOn() {
        Late answer = ask("outside.shop.svc.cluster.local. A");
        upstream.complete(0, Answer.failure(Rcode.REFUSED, Optional.empty()));

        assertThat(answer.lines)
                .containsExactly("REFUSED aa ra", "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.");
    }

    @Test
    void aForwarderThatFailsIsServfailWithTheAlias() {
        Late network = ask("outside.shop.svc.cluster.local. A");
        upstream.fail(0, new CompletionException(new IOException("on purpose")));
        Late other = ask("outside.shop.svc.cluster.local. A");
        upstream.fail(1, new IllegalStateException("on purpose"));

        String alias = "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.";
        assertThat(network.lines).containsExactly("SERVFAIL aa ra ede 23", alias);
        assertThat(other.lines).containsExactly("SERVFAIL aa ra ede 22", alias);
        assertThat(network.answer.orElseThrow().error().orElseThrow().text()).contains("db.example.com.");
    }

    @Test
    void aForwarderThatThrowsIsServfailToo() {
        Forwarder broken = (question, client) -> {
            throw new IllegalStateException("on purpose");
        };
        Resolver resolver = ResolverChain.of(zone, () -> SyncState.SYNCED, Optional.of(new ForwardingResolver(broken)));

        assertThat(ask(resolver, "example.com. A").lines).containsExactly("SERVFAIL ra ede 22");
    }

    @Test
    void anUpstreamAliasBackToUsIsFollowedHere() {
        Late answer = ask("www.example.com. A");
        upstream.complete(0, alias("www.example.com.", "cart.shop.svc.cluster.local."));

        assertThat(answer.lines)
                .containsExactly(
                        "NOERROR ra",
                        "www.example.com. 60 IN CNAME cart.shop.svc.cluster.local.",
                        "cart.shop.svc.cluster.local. 5 IN A 10.96.0.10");
    }

    @Test
    void anUpstreamAliasWithoutDataIsNotAskedForAgain() {
        Late answer = ask("www.example.com. A");
        Answer noData = new Answer(
                Rcode.NOERROR,
                false,
                true,
                alias("www.example.com.", "web.example.com.").answer(),
                negative(Rcode.NOERROR).authority(),
                List.of(),
                Optional.empty());
        upstream.complete(0, noData);

        assertThat(answer.lines).hasSize(3);
        assertThat(upstream.asked).hasSize(1);
    }

    @Test
    void aLoopThroughUpstreamEnds() {
        Late answer = ask("outside.shop.svc.cluster.local. A");
        upstream.complete(0, alias("db.example.com.", "outside.shop.svc.cluster.local."));

        assertThat(answer.lines)
                .containsExactly(
                        "NOERROR aa ra",
                        "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.",
                        "db.example.com. 60 IN CNAME outside.shop.svc.cluster.local.");
    }

    @Test
    void oneQuestionSeesOneRevisionEvenWhileItWaits() {
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
        assertThat(Thread.activeCount()).isEqualTo(threads);
        for (int i = 0; i < 10_000; i++) {
            upstream.complete(i, address("n" + i + ".example.com.", "192.0.2.1"));
        }

        assertThat(answers).allSatisfy(answer -> assertThat(answer.lines).hasSize(2));
    }

    private Late ask(String question) {
        return ask(chain, question);
    }

    private static Late ask(Resolver resolver, String question) {
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

    /** As an upstream server may say it: AA set, though it is none to our asker. */
    private static Answer forwarded(RecordSet set) {
        return Answer.authoritative(Rcode.NOERROR, List.of(set), List.of(), List.of());
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
        return Answer.authoritative(rcode, List.of(), List.of(soa), List.of());
    }

    /** An answer that may not be there yet. */
    private static final class Late {
        private Optional<Answer> answer = Optional.empty();
        private List<String> lines = List.of();

        void take(Answer taken) {
            assertThat(answer).as("told once").isEmpty();
            answer = Optional.of(taken);
            lines = Shop.lines(taken);
        }
    }

    private static final class LateForwarder implements Forwarder {
        private final List<String> asked = new ArrayList<>();
        private final List<CompletableFuture<Answer>> answers = new ArrayList<>();

        @Override
        public CompletionStage<Answer> forward(Question question, Client client) {
            asked.add(question.name() + " " + org.xbill.DNS.Type.string(question.type()));
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
