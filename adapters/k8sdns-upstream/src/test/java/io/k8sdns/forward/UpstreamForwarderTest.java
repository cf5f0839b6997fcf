package io.k8sdns.forward;

import static io.k8sdns.forward.ScriptedServer.response;
import static io.k8sdns.forward.TestForwarding.LONG;
import static io.k8sdns.forward.TestForwarding.WWW;
import static io.k8sdns.forward.TestForwarding.ask;
import static io.k8sdns.forward.TestForwarding.begin;
import static io.k8sdns.forward.TestForwarding.numbered;
import static io.k8sdns.forward.TestForwarding.zone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.forward.ScriptedServer.Received;
import io.k8sdns.forward.UpstreamObserver.Failure;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.upstream.ForwardingResolver;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.DNAMERecord;
import org.xbill.DNS.ExtendedFlags;
import org.xbill.DNS.Flags;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.HINFORecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.NSECRecord;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.RRSIGRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** {@link UpstreamForwarder} with servers on loopback that answer, fail or send wrong records. */
class UpstreamForwarderTest {

    @Test
    void anAnswerIsReturned() throws Exception {
        try (ScriptedServer server = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            Answer answer = ask(forwarder, WWW);

            assertThat(answer.addresses()).containsExactly("192.0.2.7");
            assertThat(answer.authoritative()).isFalse();
            Message asked = server.received().get(0).message();
            assertThat(asked.getHeader().getFlag(Flags.RD)).isTrue();
            assertThat(asked.getQuestion()).isEqualTo(Record.newRecord(WWW.name(), Type.A, DClass.IN));
            assertThat(asked.getOPT().getPayloadSize()).isEqualTo(1232);
        }
    }

    /** Each server answers every question with an alias and the address of its target. */
    private static ScriptedServer aliasing(String target, String address) throws IOException {
        return ScriptedServer.start((query, reply) -> {
            Message response = new Message(response(query, Rcode.NOERROR).toWire());
            Name owner = query.message().getQuestion().getName();
            response.addRecord(new CNAMERecord(owner, DClass.IN, 60, Name.fromString(target)), Section.ANSWER);
            response.addRecord(
                    new ARecord(Name.fromString(target), DClass.IN, 60, InetAddress.getByName(address)),
                    Section.ANSWER);
            reply.send(response.toWire());
        });
    }

    /** Sends a question like a host that resolves the targets of aliases itself. */
    private static Answer askEnding(UpstreamForwarder forwarder, Question question) throws Exception {
        return askEnding(forwarder, question, Client.IN_PROCESS);
    }

    private static Answer askEnding(UpstreamForwarder forwarder, Question question, Client client) throws Exception {
        return forwarder
                .endingAtOtherZones()
                .forward(question, client)
                .toCompletableFuture()
                .get(120, TimeUnit.SECONDS);
    }

    @Test
    void serversAreTrustedOnlyForNamesOfTheirZoneIfRequested() throws Exception {
        try (ScriptedServer root = aliasing("db.corp.example.", "192.0.2.1");
                ScriptedServer corp = aliasing("www.example.net.", "192.0.2.2");
                ScriptedServer lab = aliasing("b.lab.example.", "192.0.2.3");
                UpstreamForwarder forwarder = UpstreamForwarder.start(
                        UpstreamZone.of(".", root.text()),
                        UpstreamZone.of("corp.example", corp.text()),
                        UpstreamZone.of("lab.example", lab.text()));
                UpstreamForwarder withoutRoot = UpstreamForwarder.start(UpstreamZone.of("corp.example", corp.text()))) {
            Question inCorp = Question.of("a.corp.example", RecordType.A);
            Question inLab = Question.of("a.lab.example", RecordType.A);
            assertThat(askEnding(forwarder, WWW)).hasToString("NOERROR www.example.com. 60 IN CNAME db.corp.example.");
            assertThat(askEnding(forwarder, inCorp))
                    .hasToString("NOERROR a.corp.example. 60 IN CNAME www.example.net.");
            assertThat(askEnding(forwarder, inLab).addresses()).containsExactly("192.0.2.3");
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.1");
            assertThat(ask(forwarder, inCorp).addresses()).containsExactly("192.0.2.2");
            assertThat(askEnding(withoutRoot, inCorp).addresses())
                    .as("no other zone has the target")
                    .containsExactly("192.0.2.2");
        }
    }

    /** Signed, with the proof that a wildcard needs; the target, its denial and that denial's proof are of another zone. */
    private static Message signedAlias(Received query) {
        Name owner = query.message().getQuestion().getName();
        Name corp = Name.fromConstantString("corp.example.");
        Name target = Name.fromConstantString("www.example.net.");
        Name root = Name.root;
        Message response = new Message(query.id());
        response.getHeader().setFlag(Flags.QR);
        response.addRecord(query.message().getQuestion(), Section.QUESTION);
        response.addRecord(
                new DNAMERecord(corp, DClass.IN, 60, Name.fromConstantString("example.net.")), Section.ANSWER);
        response.addRecord(signature(corp, Type.DNAME, corp), Section.ANSWER);
        response.addRecord(new CNAMERecord(owner, DClass.IN, 60, target), Section.ANSWER);
        response.addRecord(signature(owner, Type.CNAME, corp), Section.ANSWER);
        response.addRecord(new ARecord(target, DClass.IN, 60, new byte[] {(byte) 203, 0, 113, 1}), Section.ANSWER);
        response.addRecord(signature(target, Type.A, root), Section.ANSWER);
        response.addRecord(new NSECRecord(corp, DClass.IN, 60, corp, new int[] {Type.NS}), Section.AUTHORITY);
        response.addRecord(signature(corp, Type.NSEC, corp), Section.AUTHORITY);
        response.addRecord(new NSECRecord(target, DClass.IN, 60, target, new int[] {Type.A}), Section.AUTHORITY);
        response.addRecord(signature(target, Type.NSEC, root), Section.AUTHORITY);
        Name cut = Name.fromConstantString("b.corp.example.");
        response.addRecord(new NSECRecord(cut, DClass.IN, 60, corp, new int[] {Type.NS}), Section.AUTHORITY);
        response.addRecord(signature(cut, Type.NSEC, corp), Section.AUTHORITY);
        return response;
    }

    private static Record signature(Name owner, int covered, Name signer) {
        return new RRSIGRecord(
                owner, DClass.IN, 60, covered, 13, 60, Instant.EPOCH, Instant.EPOCH, 1, signer, new byte[64]);
    }

    @Test
    void theProofsOfAnAliasIntoAnotherZoneAreKept() throws Exception {
        Client secure = Client.IN_PROCESS.toBuilder().dnssecOk(true).build();
        try (ScriptedServer corp = ScriptedServer.start(
                        (query, reply) -> reply.send(signedAlias(query).toWire()));
                UpstreamForwarder forwarder = UpstreamForwarder.start(
                        UpstreamZone.of("corp.example", corp.text()),
                        UpstreamZone.of("b.corp.example", "127.0.0.1:9"),
                        UpstreamZone.of(".", "127.0.0.1:9"))) {
            Answer address = askEnding(forwarder, Question.of("a.corp.example", RecordType.A), secure);
            assertThat(address.answer())
                    .extracting(set -> set.owner() + " " + Type.string(set.typeNumber()))
                    .containsExactlyInAnyOrder(
                            "corp.example. DNAME",
                            "corp.example. RRSIG",
                            "a.corp.example. CNAME",
                            "a.corp.example. RRSIG");
            assertThat(address.authority())
                    .extracting(set -> set.owner() + " " + Type.string(set.typeNumber()))
                    .containsExactlyInAnyOrder(
                            "corp.example. NSEC",
                            "corp.example. RRSIG",
                            "b.corp.example. NSEC",
                            "b.corp.example. RRSIG");
            Question alias = Question.of("a.corp.example", RecordType.CNAME);
            assertThat(askEnding(forwarder, alias, secure)).isEqualTo(ask(forwarder, alias, secure));
            Question any = Question.of("a.corp.example", RecordType.of(Type.ANY));
            assertThat(ask(forwarder, any, secure).answer()).hasSize(6);
            assertThat(askEnding(forwarder, any, secure).answer())
                    .as("the records of the target are of another zone")
                    .isEqualTo(address.answer());
        }
    }

    /** As for the name of an expanded search list, whose answer is an alias with the data of its target. */
    @Test
    void theDataOfAnAliasAreKeptForAnyIfTheResponseHasThem() throws Exception {
        Name target = Name.fromConstantString("b.corp.example.");
        Name denied = Name.fromConstantString("c.corp.example.");
        try (ScriptedServer corp = ScriptedServer.start((query, reply) -> {
                    Message response =
                            new Message(response(query, Rcode.NOERROR).toWire());
                    Name owner = query.message().getQuestion().getName();
                    boolean hasData = owner.toString().startsWith("full.");
                    response.addRecord(
                            new CNAMERecord(owner, DClass.IN, 60, hasData ? target : denied), Section.ANSWER);
                    response.addRecord(new HINFORecord(target, DClass.IN, 60, "RFC8482", ""), Section.ANSWER);
                    response.addRecord(
                            new ARecord(
                                    Name.fromConstantString("d.corp.example."),
                                    DClass.IN,
                                    60,
                                    InetAddress.getByName("192.0.2.1")),
                            Section.ANSWER);
                    reply.send(response.toWire());
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.of("corp.example", corp.text()))) {
            RecordType any = RecordType.of(Type.ANY);
            for (Answer full : List.of(
                    ask(forwarder, Question.of("full.corp.example", any)),
                    askEnding(forwarder, Question.of("full.corp.example", any)))) {
                assertThat(full)
                        .hasToString("NOERROR\n  full.corp.example. 60 IN CNAME b.corp.example.\n"
                                + "  b.corp.example. 60 IN HINFO \"RFC8482\" \"\"");
            }
            assertThat(ask(forwarder, Question.of("alias.corp.example", any)))
                    .hasToString("NOERROR alias.corp.example. 60 IN CNAME c.corp.example.");
        }
    }

    /** The server of a zone decides neither about the existence of names in other zones nor about their records. */
    @ParameterizedTest
    @ValueSource(ints = {Type.A, Type.ANY})
    void theRcodeAndSoaOfATargetInAnotherZoneAreDropped(int type) throws Exception {
        Name target = Name.fromConstantString("www.bank.test.");
        Name bank = Name.fromConstantString("bank.test.");
        try (ScriptedServer corp = ScriptedServer.start((query, reply) -> {
                    Message response =
                            new Message(response(query, Rcode.NXDOMAIN).toWire());
                    Name owner = query.message().getQuestion().getName();
                    response.addRecord(new CNAMERecord(owner, DClass.IN, 60, target), Section.ANSWER);
                    response.addRecord(new HINFORecord(target, DClass.IN, 60, "FORGED", ""), Section.ANSWER);
                    response.addRecord(
                            new SOARecord(bank, DClass.IN, 60, bank, bank, 1, 60, 60, 60, 60), Section.AUTHORITY);
                    response.addRecord(
                            new NSECRecord(bank, DClass.IN, 60, bank, new int[] {Type.NS}), Section.AUTHORITY);
                    reply.send(response.toWire());
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(
                        UpstreamZone.of("corp.example", corp.text()), UpstreamZone.of(".", "127.0.0.1:9"))) {
            Client secure = Client.IN_PROCESS.toBuilder().dnssecOk(true).build();
            Question question = Question.of("mixed.corp.example", RecordType.of(type));
            for (Client client : List.of(Client.IN_PROCESS, secure)) {
                assertThat(askEnding(forwarder, question, client))
                        .hasToString("NOERROR mixed.corp.example. 60 IN CNAME www.bank.test.");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"example.", "."})
    void aDnameAboveTheZoneOfItsServerIsDropped(String above) throws Exception {
        Name evil = Name.fromConstantString("evil.test.");
        try (ScriptedServer corp = ScriptedServer.start((query, reply) -> {
                    Message response = new Message(
                            response(query, Rcode.NOERROR, "192.0.2.7").toWire());
                    response.addRecord(
                            new DNAMERecord(Name.fromConstantString(above), DClass.IN, 60, evil), Section.ANSWER);
                    reply.send(response.toWire());
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.of("corp.example", corp.text()))) {
            assertThat(ask(forwarder, Question.of("a.corp.example", RecordType.A)))
                    .hasToString("NOERROR a.corp.example. 60 IN A 192.0.2.7");
        }
    }

    @Test
    void theDsOfAZoneIsAskedOfTheServersOfItsParent() throws Exception {
        try (ScriptedServer root = ScriptedServer.answering("192.0.2.1");
                ScriptedServer corp = ScriptedServer.answering("192.0.2.2");
                UpstreamForwarder forwarder = UpstreamForwarder.start(
                        UpstreamZone.of(".", root.text()), UpstreamZone.of("corp.example", corp.text()))) {
            for (String name : List.of("corp.example", "a.corp.example", ".")) {
                Answer unused = ask(forwarder, Question.of(name, RecordType.of(Type.DS)));
            }
            assertThat(root.received())
                    .extracting(one -> one.message().getQuestion().getName().toString())
                    .containsExactly("corp.example.", ".");
            assertThat(corp.received()).hasSize(1);
        }
    }

    @Test
    void additionalAddressesOfOtherZonesAreRemovedIfRequested() throws Exception {
        Question services = Question.of("_sip._tcp.corp.example", RecordType.SRV);
        try (ScriptedServer corp = ScriptedServer.start((query, reply) -> {
                    Message response =
                            new Message(response(query, Rcode.NOERROR).toWire());
                    Name owner = query.message().getQuestion().getName();
                    for (String target : List.of("a.corp.example.", "b.lab.example.")) {
                        Name host = Name.fromString(target);
                        response.addRecord(new SRVRecord(owner, DClass.IN, 60, 0, 1, 5060, host), Section.ANSWER);
                        response.addRecord(
                                new ARecord(host, DClass.IN, 60, InetAddress.getByName("192.0.2.1")),
                                Section.ADDITIONAL);
                    }
                    reply.send(response.toWire());
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(
                        UpstreamZone.of("corp.example", corp.text()), UpstreamZone.of("lab.example", "127.0.0.1:9"))) {
            assertThat(ask(forwarder, services).additional()).hasSize(2);
            Answer own = askEnding(forwarder, services);
            assertThat(own.srvTargets()).hasSize(2);
            assertThat(own.additional())
                    .singleElement()
                    .satisfies(set -> assertThat(set.owner()).hasToString("a.corp.example."));
        }
    }

    @Test
    void aLongChainOfAliasesIsReturned() throws Exception {
        int aliases = 30;
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    Message response =
                            new Message(response(query, Rcode.NOERROR).toWire());
                    Name owner = query.message().getQuestion().getName();
                    for (int i = 0; i < aliases; i++) {
                        Name target = Name.fromString("n" + i + ".example.");
                        response.addRecord(new CNAMERecord(owner, DClass.IN, 60, target), Section.ANSWER);
                        owner = target;
                    }
                    response.addRecord(
                            new ARecord(owner, DClass.IN, 60, InetAddress.getByName("192.0.2.7")), Section.ANSWER);
                    reply.send(response.toWire());
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            AnswerCache cache = AnswerCache.builder(forwarder).build();
            for (int i = 0; i < 2; i++) {
                Answer answer = cache.forward(WWW, Client.IN_PROCESS)
                        .toCompletableFuture()
                        .get(120, TimeUnit.SECONDS);
                assertThat(answer.cnames()).hasSize(aliases);
                assertThat(answer.addresses()).containsExactly("192.0.2.7");
            }
            assertThat(server.received()).as("cached").hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, Type.OPT, 128, Type.TKEY, Type.TSIG})
    void typesThatNoNameHasAreNotForwarded(int type) throws Exception {
        try (ScriptedServer server = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            assertThat(ask(forwarder, Question.of("www.example.com", RecordType.of(type)))
                            .rcode())
                    .isEqualTo(Rcode.FORMERR);
            assertThat(server.received()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Type.DNAME, Type.RRSIG})
    void aNegativeAnswerAfterAnAliasKeepsItsSoa(int otherType) throws Exception {
        Name alias = Name.fromConstantString("www.example.net.");
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    Message response =
                            new Message(response(query, Rcode.NOERROR).toWire());
                    Name owner = query.message().getQuestion().getName();
                    Name domain = Name.fromConstantString("example.com.");
                    Name target = Name.fromConstantString("example.net.");
                    response.addRecord(
                            otherType == Type.DNAME
                                    ? new DNAMERecord(domain, DClass.IN, 60, target)
                                    : new RRSIGRecord(
                                            owner,
                                            DClass.IN,
                                            60,
                                            Type.CNAME,
                                            13,
                                            60,
                                            Instant.EPOCH,
                                            Instant.EPOCH,
                                            1,
                                            domain,
                                            new byte[64]),
                            Section.ANSWER);
                    response.addRecord(new CNAMERecord(owner, DClass.IN, 60, alias), Section.ANSWER);
                    response.addRecord(
                            new SOARecord(target, DClass.IN, 60, target, target, 1, 2, 3, 4, 60), Section.AUTHORITY);
                    reply.send(response.toWire());
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            Client secure = Client.IN_PROCESS.toBuilder().dnssecOk(true).build();
            Answer answer = ask(forwarder, WWW, secure);
            assertThat(answer.answer())
                    .extracting(set -> set.typeNumber())
                    .containsExactlyInAnyOrder(otherType, Type.CNAME);
            assertThat(answer.authority())
                    .singleElement()
                    .satisfies(set -> assertThat(set.typeNumber()).isEqualTo(Type.SOA));
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void theBitsDoAndCdOfTheClientAreForwarded(boolean dnssecOk, boolean checkingDisabled) throws Exception {
        Client client = Client.IN_PROCESS.toBuilder()
                .dnssecOk(dnssecOk)
                .checkingDisabled(checkingDisabled)
                .build();
        try (ScriptedServer server = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            Answer unused = ask(forwarder, WWW, client);

            Message asked = server.received().get(0).message();
            assertThat((asked.getOPT().getFlags() & ExtendedFlags.DO) != 0).isEqualTo(dnssecOk);
            assertThat(asked.getHeader().getFlag(Flags.CD)).isEqualTo(checkingDisabled);
        }
    }

    @Test
    void theLongestMatchingZoneIsUsed() throws Exception {
        try (ScriptedServer everything = ScriptedServer.answering("192.0.2.1");
                ScriptedServer corp = ScriptedServer.answering("192.0.2.2");
                ScriptedServer lab = ScriptedServer.answering("192.0.2.3");
                UpstreamForwarder forwarder = UpstreamForwarder.start(
                        UpstreamZone.of(".", everything.text()),
                        UpstreamZone.of("corp.example", corp.text()),
                        UpstreamZone.of("lab.corp.example", lab.text()))) {
            assertThat(ask(forwarder, Question.of("www.example", RecordType.A)).addresses())
                    .containsExactly("192.0.2.1");
            assertThat(ask(forwarder, Question.of("a.CORP.example", RecordType.A))
                            .addresses())
                    .containsExactly("192.0.2.2");
            assertThat(ask(forwarder, Question.of("a.lab.corp.example", RecordType.A))
                            .addresses())
                    .containsExactly("192.0.2.3");
            assertThat(ask(forwarder, Question.of("lab.corp.example", RecordType.A))
                            .addresses())
                    .containsExactly("192.0.2.3");
        }
        try (ScriptedServer corp = ScriptedServer.answering("192.0.2.2");
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.of("corp.example", corp.text()))) {
            assertThat(ask(forwarder, WWW)).hasToString("REFUSED (www.example.com. is not forwarded by this server)");
            assertThat(forwarder.isForwarded(WWW)).isFalse();
            assertThat(forwarder.isForwarded(Question.of("a.CORP.example", RecordType.A)))
                    .isTrue();
            assertThat(forwarder.isForwarded(Question.of("corp.example", RecordType.of(Type.DS))))
                    .as("is in the parent zone")
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Rcode.SERVFAIL, Rcode.REFUSED, Rcode.NXDOMAIN, Rcode.NOTAUTH})
    void failuresOfAServerAreAnswers(int rcode) throws Exception {
        try (ScriptedServer first = ScriptedServer.start(
                        (query, reply) -> reply.send(response(query, rcode).toWire()));
                ScriptedServer second = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(first, second).build())) {
            assertThat(ask(forwarder, WWW).rcode()).isEqualTo(rcode);
            assertThat(second.received()).isEmpty();
        }
    }

    @Test
    void theNextServerIsAskedIfThePortIsUnreachable() throws Exception {
        try (DatagramSocket refusing = TestForwarding.refusing();
                ScriptedServer second = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.builder(".")
                        .server(UpstreamServer.parse(TestForwarding.text(refusing)))
                        .server(UpstreamServer.udp(second.address()))
                        .policy(UpstreamPolicy.SEQUENTIAL)
                        .attemptTimeout(Duration.ofSeconds(1))
                        .deadline(LONG)
                        .build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void theNextServerIsAskedIfOneIsSilent() throws Exception {
        List<String> failed = new CopyOnWriteArrayList<>();
        UpstreamObserver observer = new UpstreamObserver() {
            @Override
            public void failed(UpstreamServer server, Failure failure) {
                failed.add(server.toString());
            }
        };
        try (ScriptedServer silent = ScriptedServer.start((query, reply) -> {});
                ScriptedServer second = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .observer(observer)
                        .zone(zone(silent, second)
                                .attemptTimeout(Duration.ofSeconds(1))
                                .build())
                        .start()) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            assertThat(failed).first().isEqualTo(silent.text() + " (udp)");
            // On a busy machine the second server may be late, too; then they take turns.
            assertThat(failed.stream().skip(1).limit(1)).allMatch(server -> server.equals(second.text() + " (udp)"));
        }
    }

    @Test
    void aServerThatFailsTwiceIsMarkedDownUntilItAnswersAProbe() throws Exception {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        UpstreamObserver observer = new UpstreamObserver() {
            @Override
            public void markedDown(UpstreamServer server) {
                events.add(server + " is down");
            }

            @Override
            public void markedUp(UpstreamServer server) {
                events.add(server + " is up");
            }
        };
        try (ScriptedServer first = ScriptedServer.start((query, reply) -> {});
                ScriptedServer second = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .observer(observer)
                        .zone(zone(first, second)
                                .attemptTimeout(Duration.ofSeconds(1))
                                .build())
                        .start()) {
            ask(forwarder, Question.of("a.example.com", RecordType.A));
            ask(forwarder, Question.of("b.example.com", RecordType.A));
            awaitEvent(events, first.text() + " (udp) is down");

            first.script((query, reply) -> reply.send(response(query, "192.0.2.8")));
            awaitEvent(events, first.text() + " (udp) is up");
            assertThat(asked(first)).contains(".");
            Answer unused = ask(forwarder, WWW);
            assertThat(asked(first)).contains("www.example.com.");
        }
    }

    /** Waits for an event; on a busy machine the other server is marked down as well. */
    private static void awaitEvent(BlockingQueue<String> events, String event) throws InterruptedException {
        String next = "";
        while (!event.equals(next)) {
            next = events.poll(60, TimeUnit.SECONDS);
            assertThat(next).as(event).isNotNull();
        }
    }

    private static List<String> asked(ScriptedServer server) {
        return server.received().stream()
                .map(query -> query.message().getQuestion().getName().toString())
                .toList();
    }

    @Test
    void connectionsAreReported() throws Exception {
        List<String> events = new CopyOnWriteArrayList<>();
        UpstreamObserver observer = new UpstreamObserver() {
            @Override
            public void connecting(UpstreamServer server) {
                events.add("connecting " + server);
            }

            @Override
            public void reusing(UpstreamServer server) {
                events.add("reusing " + server);
            }
        };
        try (ScriptedServer server = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .observer(observer)
                        .zone(UpstreamZone.builder(".")
                                .server(UpstreamServer.udp(server.address()).overTcp())
                                .build())
                        .start()) {
            ask(forwarder, Question.of("a.example.com", RecordType.A));
            ask(forwarder, Question.of("b.example.com", RecordType.A));
            assertThat(events)
                    .containsExactly("connecting " + server.text() + " (tcp)", "reusing " + server.text() + " (tcp)");
        }
    }

    /** Probes of a server that is down are not reported as questions. */
    @Test
    void aQuestionThatNoServerAnswersFailsWithTheServersNameAndIsReported() throws Exception {
        List<UpstreamZone> unanswered = new CopyOnWriteArrayList<>();
        UpstreamObserver observer = new UpstreamObserver() {
            @Override
            public void unanswered(UpstreamZone zone) {
                unanswered.add(zone);
            }
        };
        CountDownLatch isProbed = new CountDownLatch(2);
        try (ScriptedServer silent = ScriptedServer.start((query, reply) -> {
                    if (query.message().getQuestion().getType() == Type.NS) {
                        isProbed.countDown();
                    }
                });
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .observer(observer)
                        .zone(zone(silent)
                                .attemptTimeout(Duration.ofMillis(20))
                                .deadline(LONG)
                                .build())
                        .start()) {
            assertThatThrownBy(() -> ask(forwarder, WWW))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage(silent.text() + " (udp): no response in time");
            assertThat(isProbed.await(60, TimeUnit.SECONDS))
                    .as("the first probe has failed")
                    .isTrue();
            assertThat(unanswered).isEqualTo(forwarder.zones());
        }
    }

    @Test
    void aTruncatedAnswerIsRetriedOverTcpAndTheConnectionStaysOpen() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    Message whole = response(query, 0, "192.0.2.7", "192.0.2.8");
                    if (!query.overTcp()) {
                        whole.removeAllRecords(Section.ANSWER);
                        whole.getHeader().setFlag(Flags.TC);
                    }
                    reply.send(whole.toWire());
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            assertThat(ask(forwarder, WWW).addresses()).hasSize(2);
            assertThat(ask(forwarder, Question.of("b.example.com", RecordType.A))
                            .addresses())
                    .hasSize(2);
            assertThat(server.received()).extracting(Received::overTcp).containsExactly(false, true, false, true);
            assertThat(server.connectionCount()).isEqualTo(1);
        }
    }

    @Test
    void aConnectionThatTheServerHasClosedIsOpenedAgainWithoutAnError() throws Exception {
        try (ScriptedServer server = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.builder(".")
                        .server(UpstreamServer.udp(server.address()).overTcp())
                        .attemptTimeout(LONG)
                        .deadline(LONG)
                        .build())) {
            for (int i = 0; i < 20; i++) {
                assertThat(ask(forwarder, Question.of("n" + i + ".example.com", RecordType.A))
                                .addresses())
                        .containsExactly("192.0.2.7");
                server.closeConnections();
            }
        }
    }

    @Test
    void aConnectionThatIsClosedInsteadOfAnAnswerIsAFailure() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> reply.close());
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.builder(".")
                        .server(UpstreamServer.udp(server.address()).overTcp())
                        .attemptTimeout(LONG)
                        .deadline(LONG)
                        .build())) {
            assertThatThrownBy(() -> ask(forwarder, WWW))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(server.text() + " (tcp): ");
        }
    }

    @Test
    void slowBytesOverTcpAreOneMessage() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {});
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.builder(".")
                        .server(UpstreamServer.udp(server.address()).overTcp())
                        .attemptTimeout(LONG)
                        .deadline(LONG)
                        .build())) {
            server.script((query, reply) -> {
                byte[] message = response(query, "192.0.2.7");
                reply.send(message);
            });
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                answers.add(forwarder
                        .forward(Question.of("n" + i + ".example.com", RecordType.A), Client.IN_PROCESS)
                        .toCompletableFuture());
            }
            for (CompletableFuture<Answer> answer : answers) {
                assertThat(answer.get(60, TimeUnit.SECONDS).addresses()).containsExactly("192.0.2.7");
            }
            assertThat(server.connectionCount()).isBetween(1, 8);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Rcode.FORMERR, Rcode.NOTIMP})
    void aServerWithoutEdnsIsAskedWithoutIt(int rcode) throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> reply.send(
                        query.message().getOPT() == null
                                ? response(query, "192.0.2.7")
                                : response(query, rcode).toWire()));
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            assertThat(ask(forwarder, Question.of("b.example.com", RecordType.A))
                            .addresses())
                    .containsExactly("192.0.2.7");
            assertThat(server.received())
                    .extracting(one -> one.message().getOPT() != null)
                    .containsExactly(true, false, false);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Rcode.FORMERR, Rcode.NOTIMP})
    void aQuestionRefusedWithAndWithoutEdnsDoesNotDisableEdns(int rcode) throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> reply.send(
                        query.message().getQuestion().getName().equals(WWW.name())
                                ? response(query, rcode).toWire()
                                : response(query, "192.0.2.7")));
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            assertThat(ask(forwarder, WWW).rcode()).isEqualTo(rcode);
            assertThat(ask(forwarder, Question.of("b.example.com", RecordType.A))
                            .addresses())
                    .containsExactly("192.0.2.7");
            assertThat(server.received())
                    .extracting(one -> one.message().getOPT() != null)
                    .containsExactly(true, false, true);
        }
    }

    @Test
    void oneQuestionDoesNotDisableEdnsOfAServerThatSupportsIt() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    boolean hasEdns = query.message().getOPT() != null;
                    if (hasEdns && query.message().getQuestion().getName().equals(WWW.name())) {
                        reply.send(response(query, Rcode.FORMERR).toWire());
                        return;
                    }
                    Message response = response(query, Rcode.NOERROR, "192.0.2.7");
                    if (hasEdns) {
                        response.addRecord(new OPTRecord(1232, 0, 0), Section.ADDITIONAL);
                    }
                    reply.send(response.toWire());
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            for (Question question : List.of(numbered(1), WWW, numbered(2))) {
                assertThat(ask(forwarder, question).addresses()).containsExactly("192.0.2.7");
            }
            assertThat(server.received())
                    .extracting(one -> one.message().getOPT() != null)
                    .containsExactly(true, true, false, true);
        }
    }

    @Test
    void aServerThatSendsTheQueryBackIsAskedWithoutEdns() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    if (query.message().getOPT() == null) {
                        reply.send(response(query, "192.0.2.7"));
                        return;
                    }
                    byte[] echo = query.query().clone();
                    echo[2] |= (byte) 0x80; // QR
                    echo[3] |= Rcode.FORMERR;
                    reply.send(echo);
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void badversToAQuestionWithoutEdnsIsAFailure() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    Message badVersion = response(query, 0);
                    badVersion.addRecord(new OPTRecord(1232, Rcode.BADVERS >>> 4, 0), Section.ADDITIONAL);
                    reply.send(badVersion.toWire());
                });
                ScriptedServer second = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server, second).build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            assertThat(server.received()).hasSize(2);
        }
    }

    @Test
    void aServerOfAnotherVersionOfEdnsIsAskedWithoutIt() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    if (query.message().getOPT() == null) {
                        reply.send(response(query, "192.0.2.7"));
                    } else {
                        Message badVersion = response(query, 0);
                        badVersion.addRecord(new OPTRecord(1232, Rcode.BADVERS >>> 4, 0), Section.ADDITIONAL);
                        reply.send(badVersion.toWire());
                    }
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            assertThat(server.received()).hasSize(2);
        }
    }

    @Test
    void aFailingOptionsFunctionDoesNotCountAsAQuestionInFlight() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        try (ScriptedServer server = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.start(zone(server)
                        .maxConcurrent(1)
                        .options((question, client) -> {
                            if (calls.incrementAndGet() < 3) {
                                throw new IllegalStateException("on purpose");
                            }
                            return List.of();
                        })
                        .build())) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> forwarder.forward(WWW, Client.IN_PROCESS))
                        .hasMessage("on purpose");
            }
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void questionsOfAReplacedZoneFailWhenTheForwarderIsClosed() throws Exception {
        try (ScriptedServer silent = ScriptedServer.start((query, reply) -> {})) {
            UpstreamForwarder forwarder = UpstreamForwarder.start(zone(silent).build());
            CompletableFuture<Answer> answer =
                    forwarder.forward(WWW, Client.IN_PROCESS).toCompletableFuture();
            forwarder.replaceZones(List.of());
            forwarder.close();
            assertThatThrownBy(answer::join).hasRootCauseMessage("the forwarder is closed");
        }
    }

    @Test
    void wrongIdsAndQuestionsAreIgnored() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    byte[] otherId = response(query, "203.0.113.1");
                    otherId[0] ^= 1;
                    reply.send(otherId);
                    byte[] otherName = response(query, "203.0.113.2");
                    otherName[13] ^= 1;
                    reply.send(otherName);
                    byte[] query2 = query.query().clone();
                    reply.send(query2);
                    reply.send(new byte[5]);
                    reply.send(response(query, "192.0.2.7"));
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void datagramsFromOtherAddressesAreIgnored() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    try (DatagramSocket other = new DatagramSocket()) {
                        byte[] forged = response(query, "203.0.113.1");
                        other.send(new java.net.DatagramPacket(
                                forged,
                                forged.length,
                                new InetSocketAddress(
                                        InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), query.clientPort())));
                    }
                    reply.send(response(query, "192.0.2.7"));
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void recordsThatWereNotAskedForAreDropped() throws Exception {
        Name alias = Name.fromConstantString("alias.example.net.");
        Name bank = Name.fromConstantString("www.bank.example.");
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    Message response = response(query, 0);
                    Name asked = query.message().getQuestion().getName();
                    response.addRecord(new CNAMERecord(asked, DClass.IN, 60, alias), Section.ANSWER);
                    response.addRecord(
                            new org.xbill.DNS.ARecord(
                                    alias, DClass.IN, 60, InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 7})),
                            Section.ANSWER);
                    response.addRecord(
                            new org.xbill.DNS.ARecord(
                                    bank, DClass.IN, 60, InetAddress.getByAddress(new byte[] {(byte) 203, 0, 113, 1})),
                            Section.ANSWER);
                    response.addRecord(new NSRecord(bank, DClass.IN, 60, bank), Section.AUTHORITY);
                    response.addRecord(
                            new org.xbill.DNS.ARecord(
                                    bank, DClass.IN, 60, InetAddress.getByAddress(new byte[] {(byte) 203, 0, 113, 1})),
                            Section.ADDITIONAL);
                    reply.send(response.toWire());
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            Answer answer = ask(forwarder, WWW);
            assertThat(answer).hasToString("""
                    NOERROR
                      www.example.com. 60 IN CNAME alias.example.net.
                      alias.example.net. 60 IN A 192.0.2.7""");
            assertThat(answer.authority()).isEmpty();
            assertThat(answer.additional()).isEmpty();
        }
    }

    @Test
    void equalQuestionsInFlightShareOneQuery() throws Exception {
        CountDownLatch all = new CountDownLatch(1);
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    try {
                        all.await();
                    } catch (InterruptedException ended) {
                        Thread.currentThread().interrupt();
                    }
                    reply.send(response(query, "192.0.2.7"));
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (String name : List.of("www.example.com", "WWW.example.com", "www.EXAMPLE.com")) {
                answers.add(forwarder
                        .forward(Question.of(name, RecordType.A), Client.IN_PROCESS)
                        .toCompletableFuture());
            }
            assertThat(answers.get(0).cancel(true)).isTrue();
            all.countDown();
            for (CompletableFuture<Answer> answer : answers.subList(1, 3)) {
                assertThat(answer.get(60, TimeUnit.SECONDS).addresses()).containsExactly("192.0.2.7");
            }
            assertThat(server.received()).hasSize(1);
        }
    }

    @Test
    void questionsAboveTheLimitOfAZoneAreRefusedAndOtherZonesAreNotAffected() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        UpstreamObserver observer = new UpstreamObserver() {
            @Override
            public void refused(UpstreamZone zone) {
                refused.incrementAndGet();
            }
        };
        try (ScriptedServer dead = ScriptedServer.start((query, reply) -> {});
                ScriptedServer alive = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .observer(observer)
                        .zone(UpstreamZone.builder("dead.example")
                                .server(UpstreamServer.udp(dead.address()))
                                .attemptTimeout(LONG)
                                .deadline(LONG)
                                .maxConcurrent(2)
                                .build())
                        .zone(zone(alive).build())
                        .start()) {
            List<CompletableFuture<Answer>> waiting = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                waiting.add(forwarder
                        .forward(Question.of(i + ".dead.example", RecordType.A), Client.IN_PROCESS)
                        .toCompletableFuture());
            }
            assertThat(ask(forwarder, Question.of("3.dead.example", RecordType.A)))
                    .hasToString("REFUSED (the limit of 2 concurrent questions for dead.example. is reached)");
            assertThat(refused).hasValue(1);
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
        }
    }

    @Test
    void idsAndPortsAreRandom() throws Exception {
        try (ScriptedServer server = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            for (int i = 0; i < 400; i++) {
                ask(forwarder, Question.of("n" + i + ".example.com", RecordType.A));
            }
            Set<Integer> ids = new HashSet<>();
            Set<Integer> ports = new HashSet<>();
            server.received().forEach(one -> {
                ids.add(one.id());
                ports.add(one.clientPort());
            });
            assertThat(ids).hasSizeGreaterThan(380);
            assertThat(ports).hasSizeGreaterThan(10);
        }
    }

    @Test
    void letterCaseIsRandomIfRequestedAndAServerThatChangesItIsAskedOverTcp() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    byte[] response = response(query, "192.0.2.7");
                    if (!query.overTcp()) {
                        byte[] lower = new String(response, java.nio.charset.StandardCharsets.ISO_8859_1)
                                .replaceAll("(?i)www\\x07example", "www\u0007example")
                                .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
                        response = lower;
                    }
                    reply.send(response);
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).randomCase().build())) {
            Question question =
                    Question.of("www.example." + "abcdefghijklmnopqrstuvwxyz".repeat(2) + ".com", RecordType.A);
            assertThat(ask(forwarder, question).addresses()).containsExactly("192.0.2.7");
            String asked =
                    server.received().get(0).message().getQuestion().getName().toString();
            assertThat(asked)
                    .isNotEqualTo(asked.toLowerCase(java.util.Locale.ROOT))
                    .isEqualToIgnoringCase(question.name().toString());
        }
    }

    @Test
    void optionsOfAZoneAreSentAndThoseOfClientsAreNot() throws Exception {
        try (ScriptedServer server = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.start(zone(server)
                        .options((question, client) -> List.of(new GenericEDNSOption(65_432, new byte[] {'f'})))
                        .build())) {
            Client client = Client.builder(Client.Transport.UDP)
                    .ednsOptions(List.of(new GenericEDNSOption(65_433, new byte[] {'x'})))
                    .build();
            ask(forwarder, WWW, client);
            OPTRecord opt = server.received().get(0).message().getOPT();
            assertThat(opt.getOptions()).extracting(option -> option.getCode()).containsExactly(65_432);
        }
    }

    @Test
    void malformedResponsesAreFailuresOfTheServer() throws Exception {
        try (ScriptedServer first = ScriptedServer.start((query, reply) -> {
                    byte[] lie = response(query, "192.0.2.7");
                    lie[6] = (byte) 0xFF;
                    reply.send(lie);
                });
                ScriptedServer second = ScriptedServer.answering("192.0.2.8");
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(first, second).build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.8");
        }
    }

    @Test
    void tenThousandQuestionsInFlightNeedOneThread() throws Exception {
        List<ScriptedServer.ReplySender> replies = new ArrayList<>();
        List<byte[]> responses = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(10_000);
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    synchronized (replies) {
                        replies.add(reply);
                        responses.add(response(query, "192.0.2.7"));
                    }
                    all.countDown();
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.builder(".")
                        .server(UpstreamServer.udp(server.address()).overTcp())
                        .attemptTimeout(Duration.ofMinutes(5))
                        .deadline(Duration.ofMinutes(5))
                        .maxConcurrent(10_000)
                        .build())) {
            long threads = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("k8sdns-upstream"))
                    .count();
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                answers.add(forwarder
                        .forward(Question.of("n" + i + ".example.com", RecordType.A), Client.IN_PROCESS)
                        .toCompletableFuture());
            }
            assertThat(all.await(120, TimeUnit.SECONDS)).isTrue();
            assertThat(threads).isEqualTo(1);
            synchronized (replies) {
                for (int i = replies.size() - 1; i >= 0; i--) {
                    replies.get(i).send(responses.get(i));
                }
            }
            for (CompletableFuture<Answer> answer : answers) {
                assertThat(answer.get(120, TimeUnit.SECONDS).addresses()).containsExactly("192.0.2.7");
            }
        }
    }

    @Test
    void closingFailsQuestionsInFlightAndEndsTheThread() throws Exception {
        try (ScriptedServer silent = ScriptedServer.start((query, reply) -> {})) {
            UpstreamForwarder forwarder = UpstreamForwarder.start(zone(silent).build());
            CompletableFuture<Answer> answer =
                    forwarder.forward(WWW, Client.IN_PROCESS).toCompletableFuture();
            forwarder.close();
            forwarder.close();
            assertThatThrownBy(answer::join)
                    .isInstanceOf(CompletionException.class)
                    .hasRootCauseMessage("the forwarder is closed");
            assertThatThrownBy(() -> ask(forwarder, WWW)).hasMessage("the forwarder is closed");
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().equals("k8sdns-upstream"));
        }
    }

    @Test
    void zonesCanBeReplacedWhileQuestionsAreInFlight() throws Exception {
        List<ScriptedServer.ReplySender> replies = new CopyOnWriteArrayList<>();
        CountDownLatch asked = new CountDownLatch(1);
        try (ScriptedServer first = ScriptedServer.start((query, reply) -> {
                    replies.add(reply);
                    asked.countDown();
                });
                ScriptedServer second = ScriptedServer.answering("192.0.2.8");
                ScriptedServer stays = ScriptedServer.answering("192.0.2.9");
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(first).build(), UpstreamZone.of("stays.example", stays.text()))) {
            CompletableFuture<Answer> before =
                    forwarder.forward(WWW, Client.IN_PROCESS).toCompletableFuture();
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
            forwarder.replaceZones(List.of(
                    zone(second).build(),
                    UpstreamZone.of("stays.example", stays.text()),
                    UpstreamZone.of("new.example", stays.text())));

            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.8");
            assertThat(ask(forwarder, Question.of("a.new.example", RecordType.A))
                            .addresses())
                    .containsExactly("192.0.2.9");
            replies.get(0).send(response(first.received().get(0), "192.0.2.7"));
            assertThat(before.get(60, TimeUnit.SECONDS).addresses()).containsExactly("192.0.2.7");
            assertThatThrownBy(() -> forwarder.replaceZones(
                            List.of(zone(first).build(), zone(second).build())))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(ask(forwarder, Question.of("b.example.com", RecordType.A))
                            .addresses())
                    .containsExactly("192.0.2.8");
        }
    }

    @Test
    void aLoopIsFound() throws Exception {
        LoopProbe probe = new LoopProbe();
        try (ScriptedServer honest = ScriptedServer.answering("192.0.2.7")) {
            try (UpstreamForwarder forwarder =
                            UpstreamForwarder.start(zone(honest).build());
                    DnsServer self = DnsServer.start(
                            probe.watching(ForwardingResolver.builder(forwarder).build()), 0)) {
                forwarder.replaceZones(List.of(
                        UpstreamZone.of("loop.example", "127.0.0.1:" + self.port()),
                        zone(honest).build()));
                assertThat(probe.looping(forwarder).get(60, TimeUnit.SECONDS))
                        .extracting(zone -> zone.name().toString())
                        .containsExactly("loop.example");
                forwarder.replaceZones(List.of(zone(honest).build()));
                assertThat(probe.looping(forwarder).get(60, TimeUnit.SECONDS)).isEmpty();
            }
        }
    }

    @Test
    void aLoopIsFoundAtTheLimitOfQuestions() throws Exception {
        LoopProbe probe = new LoopProbe();
        CountDownLatch received = new CountDownLatch(1);
        try (ScriptedServer silent = ScriptedServer.start((query, reply) -> received.countDown());
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(silent).build());
                DnsServer self = DnsServer.start(
                        probe.watching(ForwardingResolver.builder(forwarder).build()), 0)) {
            forwarder.replaceZones(List.of(UpstreamZone.builder(".")
                    .policy(UpstreamPolicy.SEQUENTIAL)
                    .server(UpstreamServer.udp(silent.address()))
                    .server(UpstreamServer.parse("127.0.0.1:" + self.port()))
                    .maxConcurrent(1)
                    .build()));
            CompletableFuture<Answer> inFlight = begin(forwarder, WWW);
            received.await();
            CompletableFuture<List<UpstreamZone>> looping = probe.looping(forwarder);
            assertThat(inFlight).as("the limit is reached").isNotDone();
            assertThat(looping.get(60, TimeUnit.SECONDS)).hasSize(1);
        }
    }

    @Test
    void aLoopThatIsClosedLaterIsFoundWhenItsQuestionsFail() throws Exception {
        LoopProbe probe = new LoopProbe();
        CompletableFuture<List<UpstreamZone>> found = new CompletableFuture<>();
        try (ScriptedServer honest = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder other = UpstreamForwarder.start(zone(honest).build());
                DnsServer otherServer =
                        DnsServer.start(ForwardingResolver.builder(other).build(), 0);
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .findLoops(probe, found::complete)
                        .zone(UpstreamZone.of(".", "127.0.0.1:" + otherServer.port()))
                        .start();
                DnsServer self = DnsServer.start(
                        probe.watching(ForwardingResolver.builder(forwarder).build()), 0)) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            other.replaceZones(List.of(UpstreamZone.of(".", "127.0.0.1:" + self.port())));
            var unused = forwarder.forward(WWW, Client.IN_PROCESS);

            assertThat(found.get(60, TimeUnit.SECONDS))
                    .extracting(UpstreamZone::name)
                    .containsExactly(DnsLabels.EMPTY);
        }
    }

    @Test
    void zonesHaveDifferentNames() {
        assertThatThrownBy(() -> UpstreamForwarder.start(
                        UpstreamZone.of("a.example", "192.0.2.1"), UpstreamZone.of("A.example", "192.0.2.2")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("two zones named A.example.");
    }

    private static Answer refusing(int rcode, boolean nextOnFailure, ScriptedServer... servers) throws Exception {
        for (ScriptedServer server : servers) {
            server.script((query, reply) -> reply.send(response(query, rcode).toWire()));
        }
        UpstreamZone.Builder zone = zone(servers);
        if (nextOnFailure) {
            zone.nextOnFailure();
        }
        try (UpstreamForwarder forwarder = UpstreamForwarder.start(zone.build())) {
            return ask(forwarder, WWW);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Rcode.SERVFAIL, Rcode.REFUSED})
    void theNextServerIsAskedAfterAFailureIfRequested(int rcode) throws Exception {
        try (ScriptedServer first = ScriptedServer.answering("192.0.2.1");
                ScriptedServer second = ScriptedServer.answering("192.0.2.2")) {
            assertThat(refusing(rcode, false, first).rcode()).isEqualTo(rcode);
            assertThat(refusing(rcode, true, first, second).rcode()).isEqualTo(rcode);
            assertThat(first.received()).hasSize(2);
            assertThat(second.received()).as("each server is asked once").hasSize(1);
            second.script((query, reply) -> reply.send(ScriptedServer.response(query, "192.0.2.2")));
            try (UpstreamForwarder forwarder =
                    UpstreamForwarder.start(zone(first, second).nextOnFailure().build())) {
                assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.2");
            }
        }
    }

    @Test
    void aZoneCanFailImmediatelyWhileAllServersAreDown() throws Exception {
        try (DatagramSocket refusing = TestForwarding.refusing();
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.builder(".")
                        .server(UpstreamServer.parse(TestForwarding.text(refusing)))
                        .attemptTimeout(LONG)
                        .deadline(LONG)
                        .failFast()
                        .build())) {
            assertThatThrownBy(() -> ask(forwarder, WWW)).hasMessageContaining("nothing listens there");
            assertThatThrownBy(() -> ask(forwarder, WWW)).hasMessage("all servers of . are down");
        }
    }

    @Test
    void aZoneThatFailsImmediatelyIsProbedForLoops() throws Exception {
        CountDownLatch probed = new CountDownLatch(1);
        try (ScriptedServer silent = ScriptedServer.start((query, reply) -> {
                    if (query.message().getQuestion().getType() == Type.HINFO) {
                        probed.countDown();
                    }
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(zone(silent)
                        .attemptTimeout(Duration.ofMillis(50))
                        .deadline(LONG)
                        .failFast()
                        .build())) {
            assertThatThrownBy(() -> ask(forwarder, WWW)).hasMessageContaining("no response in time");
            assertThatThrownBy(() -> ask(forwarder, WWW)).hasMessage("all servers of . are down");
            assertThat(new LoopProbe().looping(forwarder).get(60, TimeUnit.SECONDS))
                    .isEmpty();
            assertThat(probed.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aForwarderToOneZoneAcceptsEveryName() throws Exception {
        try (ScriptedServer server = ScriptedServer.answering("192.0.2.1");
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.builder("corp.example")
                        .server(UpstreamServer.udp(server.address()))
                        .build())) {
            var toZone = forwarder.toZone(io.k8sdns.name.DnsLabels.of("corp", "example"));
            assertThat(toZone.forward(WWW, Client.IN_PROCESS)
                            .toCompletableFuture()
                            .get(120, TimeUnit.SECONDS)
                            .addresses())
                    .containsExactly("192.0.2.1");
            forwarder.replaceZones(List.of());
            assertThat(toZone.forward(WWW, Client.IN_PROCESS)
                            .toCompletableFuture()
                            .get(120, TimeUnit.SECONDS)
                            .rcode())
                    .isEqualTo(Rcode.REFUSED);
        }
    }

    @Test
    void recordsKeepTheOrderOfTheServerEvenFromTheCache() throws Exception {
        List<String> order = List.of("192.0.2.9", "192.0.2.1", "192.0.2.5");
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    Message message = query.message();
                    Message response = new Message(message.getHeader().getID());
                    response.getHeader().setFlag(Flags.QR);
                    response.addRecord(message.getQuestion(), Section.QUESTION);
                    for (String address : order) {
                        response.addRecord(
                                Record.fromString(
                                        message.getQuestion().getName(), Type.A, DClass.IN, 60, address, Name.root),
                                Section.ANSWER);
                    }
                    reply.send(response.toWire());
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            AnswerCache cache = AnswerCache.builder(forwarder).build();
            for (String name : List.of("www.example.com", "WWW.example.com", "www.Example.com")) {
                Answer answer = cache.forward(Question.of(name, RecordType.A), Client.IN_PROCESS)
                        .toCompletableFuture()
                        .get(120, TimeUnit.SECONDS);
                assertThat(answer.addresses()).containsExactlyElementsOf(order);
            }
            assertThat(server.received()).hasSize(1);
        }
    }
}
