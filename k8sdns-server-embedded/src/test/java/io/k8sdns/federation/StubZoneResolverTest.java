package io.k8sdns.federation;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.upstream.Forwarder;
import io.k8sdns.wire.AnswerOrder;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

class StubZoneResolverTest {
    private static final FederationZoneName ZONE = FederationZoneName.parse("federation.");
    private static final SourceCluster FOO = new SourceCluster("foo");
    private static final Question NAME = Question.of("web.shop.myfed.svc.federation", RecordType.A);
    private static final List<String> ORDER = List.of("10.0.3.64", "104.32.64.130", "108.120.45.12", "104.32.64.1");

    private final List<Question> forwarded = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final List<Question> otherQuestions = new ArrayList<>();
    private final List<Client> otherClients = new ArrayList<>();
    private Answer response = addresses(NAME, ORDER);

    private static Answer addresses(Question question, List<String> addresses) {
        List<Record> records = addresses.stream()
                .<Record>map(address -> new ARecord(question.name(), DClass.IN, 30, inet(address)))
                .toList();
        return Answer.builder(Rcode.NOERROR)
                .authoritative()
                .answer(List.of(RecordSet.inOrder(records)))
                .build();
    }

    private static InetAddress inet(String address) {
        try {
            return InetAddress.getByAddress(
                    io.k8sdns.model.IpAddress.parse(address).bytes());
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static EDNSOption option(int code, String data) {
        return new GenericEDNSOption(code, data.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static Client client(String address, EDNSOption... options) {
        return Client.udp(new InetSocketAddress(inet(address), 40_000)).toBuilder()
                .ednsOptions(List.of(options))
                .build();
    }

    private StubZoneResolver.Builder builder() {
        Forwarder forwarder = (question, client) -> {
            forwarded.add(question);
            clients.add(client);
            return CompletableFuture.completedFuture(response);
        };
        return StubZoneResolver.builder(ZONE, FOO, (question, client) -> {
                    otherQuestions.add(question);
                    otherClients.add(client);
                    return new Resolution.Ready(Answer.failure(Rcode.NXDOMAIN));
                })
                .routes(federation ->
                        Optional.ofNullable(Map.of("myfed", forwarder).get(federation)))
                .peers(client -> client.address()
                        .map(InetSocketAddress::getAddress)
                        .filter(inet("192.0.2.53")::equals)
                        .isPresent());
    }

    private static Answer ask(StubZoneResolver resolver, Question question, Client client) {
        return resolver.resolve(question, client)
                .toStage()
                .toCompletableFuture()
                .join();
    }

    private Answer ask(Question question, Client client) {
        return ask(builder().build(), question, client);
    }

    private List<String> options() {
        return clients.get(clients.size() - 1).ednsOptions().stream()
                .map(option -> option.getCode() + "="
                        + new String(
                                Arrays.copyOfRange(option.toWire(), 4, option.toWire().length),
                                StandardCharsets.US_ASCII))
                .toList();
    }

    @Test
    void aFederatedNameIsForwardedWithTheOwnCluster() {
        assertThat(ask(NAME, client("10.1.1.1")).addresses()).containsExactlyElementsOf(ORDER);
        assertThat(forwarded).containsExactly(NAME);
        assertThat(options()).containsExactly("65432=foo");
    }

    @Test
    void aPodCannotImpersonateAnotherCluster() {
        Answer unused =
                ask(NAME, client("10.1.1.1", option(65_432, "bar"), option(65_432, "baz"), option(10, "cookie12")));
        assertThat(options()).containsExactly("65432=foo");
    }

    @Test
    void theCodeOfTheOptionCanBeSet() {
        Answer unused = ask(builder().optionCode(65_001).build(), NAME, client("10.1.1.1", option(65_432, "bar")));
        assertThat(options()).containsExactly("65001=foo");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "web.shop.other.svc.federation",
                "federation",
                "svc.federation",
                "web.shop.myfed.federation",
                "web.shop.myfed.svc.a.b.c.federation"
            })
    void aNameWithoutRouteIsRefusedAndNotForwarded(String name) {
        assertThat(ask(Question.of(name, RecordType.A), client("10.1.1.1")).status())
                .isEqualTo(AnswerStatus.REFUSED);
        assertThat(forwarded).isEmpty();
        assertThat(otherQuestions).isEmpty();
    }

    @Test
    void otherNamesAreResolvedWithoutTheOption() {
        Question other = Question.of("www.example.com", RecordType.A);
        assertThat(ask(other, client("192.0.2.53", option(65_432, "bar"), option(10, "cookie12")))
                        .status())
                .isEqualTo(AnswerStatus.NXDOMAIN);
        assertThat(otherQuestions).containsExactly(other);
        assertThat(otherClients.get(0).ednsOptions())
                .extracting(EDNSOption::getCode)
                .containsExactly(10);
    }

    @Test
    void aQueryOfAPeerIsNotForwardedAgain() {
        Answer answer = ask(NAME, client("192.0.2.53", option(65_432, "bar")));
        assertThat(answer.status()).isEqualTo(AnswerStatus.REFUSED);
        assertThat(answer.extendedError()).isPresent();
        assertThat(forwarded).isEmpty();
    }

    @Test
    void aPeerWithoutAUsableOptionIsAClient() {
        assertThat(ask(NAME, client("192.0.2.53")).status()).isEqualTo(AnswerStatus.NOERROR);
        assertThat(ask(NAME, client("192.0.2.53", option(65_432, "-"))).status())
                .isEqualTo(AnswerStatus.NOERROR);
        assertThat(options()).containsExactly("65432=foo");
    }

    @Test
    void theLoopMarkOfSkyDnsIsRefused() {
        assertThat(ask(NAME, client("10.1.1.1", option(65_011, "\1"))).status()).isEqualTo(AnswerStatus.REFUSED);
        assertThat(forwarded).isEmpty();
        assertThat(ask(NAME, client("10.1.1.1", option(65_011, "\2"))).status()).isEqualTo(AnswerStatus.NOERROR);
    }

    @Test
    void otherClassesAndZoneTransfersAreRefused() {
        Question chaos = new Question(NAME.labels(), RecordType.TXT, DClass.CH);
        Question transfer = new Question(NAME.labels(), RecordType.of(Type.AXFR), DClass.IN);
        assertThat(ask(chaos, client("10.1.1.1")).status()).isEqualTo(AnswerStatus.REFUSED);
        assertThat(ask(transfer, client("10.1.1.1")).status()).isEqualTo(AnswerStatus.REFUSED);
        assertThat(forwarded).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(AnswerOrder.class)
    void theOrderOfTheNameServerReachesTheClient(AnswerOrder order) throws IOException {
        ClusterZone zone = ClusterZone.create();
        zone.put(ExternalNameService.of("shop", "far", "web.shop.myfed.svc.federation"));
        DnsResponder responder = DnsResponder.builder(
                        ResolverChain.of(zone).withUpstream(builder().build()))
                .order(order)
                .random(new Random(1))
                .build();
        for (String name : List.of("web.shop.myfed.svc.federation.", "far.shop.svc.cluster.local.")) {
            for (int id = 0; id < 8; id++) {
                Message query = new Message(id);
                query.addRecord(
                        Record.newRecord(org.xbill.DNS.Name.fromString(name), Type.A, DClass.IN),
                        org.xbill.DNS.Section.QUESTION);
                List<Answer> answers = new ArrayList<>();
                responder.respond(ByteBuffer.wrap(query.toWire()), client("10.1.1.1"), message -> {
                    byte[] bytes = new byte[message.remaining()];
                    message.get(bytes);
                    try {
                        answers.add(Answer.keepingOrder(new Message(bytes)));
                    } catch (IOException malformed) {
                        throw new AssertionError(malformed);
                    }
                });
                assertThat(answers.get(0).addresses()).as(name).containsExactlyElementsOf(ORDER);
            }
        }
    }

    // ---- this cluster's Service

    private StubZoneResolver withFallback(boolean isReady) {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "web", "10.96.0.20"));
        response = Answer.failure(Rcode.SERVFAIL);
        return builder()
                .fallback(
                        ResolverChain.of(zone),
                        DnsLabels.parse("cluster.local"),
                        (namespace, service) -> isReady && namespace.equals("shop") && service.equals("web"))
                .build();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "web.shop.myfed.svc.federation",
                "foo.web.shop.myfed.svc.federation",
                "WEB.shop.myfed.svc.federation"
            })
    void theOwnServiceIsTheAnswerWhileNoNameServerAnswers(String name) {
        Question question = Question.of(name, RecordType.A);
        Answer answer = ask(withFallback(true), question, client("10.1.1.1"));
        assertThat(answer.addresses()).containsExactly("10.96.0.20");
        assertThat(answer.records()).extracting(Record::getName).containsExactly(question.name());
        assertThat(answer.isOrdered()).isTrue();
        assertThat(answer.authoritative()).isFalse();
        assertThat(forwarded).hasSize(1);
    }

    @Test
    void theOwnServiceOfOneFamilyIsNoDataForTheOther() {
        Question question = Question.of("web.shop.myfed.svc.federation", RecordType.AAAA);
        Answer answer = ask(withFallback(true), question, client("10.1.1.1"));
        assertThat(answer.rcode()).isEqualTo(Rcode.NOERROR);
        assertThat(answer.answer()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bar.web.shop.myfed.svc.federation",
                "web.shop.myfed.svc.europe.federation",
                "no.shop.myfed.svc.federation",
                "myfed.svc.federation"
            })
    void otherNamesStayServfail(String name) {
        Question question = Question.of(name, RecordType.A);
        assertThat(ask(withFallback(true), question, client("10.1.1.1")).status())
                .isEqualTo(AnswerStatus.SERVFAIL);
    }

    @Test
    void aServiceWithoutReadyEndpointIsNotTheAnswer() {
        assertThat(ask(withFallback(false), NAME, client("10.1.1.1")).status()).isEqualTo(AnswerStatus.SERVFAIL);
    }

    @Test
    void anExceptionOfTheForwarderIsServfailOrTheOwnService() {
        Forwarder failing = (question, client) -> CompletableFuture.failedFuture(new IOException("all are dead"));
        List<Throwable> causes = new ArrayList<>();
        StubZoneResolver resolver = builder()
                .routes(federation -> Optional.of(failing))
                .failures((question, cause) -> causes.add(cause))
                .build();
        assertThat(ask(resolver, NAME, client("10.1.1.1")).status()).isEqualTo(AnswerStatus.SERVFAIL);
        assertThat(causes).hasSize(1);
    }

    @Test
    void nxdomainOfANameServerIsTheAnswerThoughTheServiceExists() {
        StubZoneResolver resolver = withFallback(true);
        for (int rcode : List.of(Rcode.NXDOMAIN, Rcode.NOERROR)) {
            response = Answer.failure(rcode);
            assertThat(ask(resolver, NAME, client("10.1.1.1")).rcode()).isEqualTo(rcode);
        }
        assertThat(Stream.of(forwarded.size())).containsExactly(2);
    }

    @Test
    void aRefusalOfTheNameServersIsAFailure() {
        StubZoneResolver resolver = withFallback(true);
        response = Answer.failure(Rcode.REFUSED);
        assertThat(ask(resolver, NAME, client("10.1.1.1")).addresses()).containsExactly("10.96.0.20");

        Question others = Question.of("bar.web.shop.myfed.svc.federation", RecordType.A);
        Answer failure = ask(resolver, others, client("10.1.1.1"));
        assertThat(failure.status()).isEqualTo(AnswerStatus.SERVFAIL);
        assertThat(failure.extendedError())
                .contains(new ExtendedError(
                        ExtendedError.NO_REACHABLE_AUTHORITY, "the name servers of federation myfed refuse"));

        ExtendedError reason = new ExtendedError(ExtendedError.OTHER, "not for you");
        response = Answer.failure(Rcode.REFUSED, reason);
        assertThat(ask(resolver, others, client("10.1.1.1")).extendedError()).contains(reason);
    }
}
