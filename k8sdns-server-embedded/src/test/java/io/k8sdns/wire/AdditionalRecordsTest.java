package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.DClass;

class AdditionalRecordsTest {
    private static final int TARGETS = 40;

    /** The length in bytes of a compression pointer, type, class, TTL, data length and an IPv4 address. */
    private static final int SMALLEST_ADDRESS_RECORD = 16;

    /** The resolver looks up no more targets than the response can hold. */
    @Test
    void addressesEndWithTheTargetThatFillsTheResponse() {
        DnsResolver resolver =
                ResolverChain.of(ClusterZone.of(cluster(), new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL));
        Question question =
                new Question(DnsLabels.parse("_p._tcp.db.shop.svc.cluster.local"), RecordType.SRV, DClass.IN);
        List<RecordSet> all = answer(resolver, question, 65535).additional();
        assertThat(all).hasSize(TARGETS);
        int answers = answerSection(resolver, question);
        for (int limit = 512; limit < 3000; limit++) {
            List<RecordSet> additional = answer(resolver, question, limit).additional();
            int count = additional.size();

            assertThat(additional).isEqualTo(all.subList(0, count));
            if (answers > limit) {
                assertThat(count).isZero();
            } else {
                assertThat(answers + (count - 1) * SMALLEST_ADDRESS_RECORD).isLessThanOrEqualTo(limit);
                assertThat(count == TARGETS || answers + count * SMALLEST_ADDRESS_RECORD > limit)
                        .as("%s sets for %s bytes", count, limit)
                        .isTrue();
            }
        }
    }

    /** Returns the length of the written answer section, without the question. */
    private static int answerSection(DnsResolver resolver, Question question) {
        Answer whole = answer(resolver, question, 65535);
        Answer alone = Answer.builder(whole.rcode())
                .authoritative()
                .answer(whole.answer())
                .build();
        Query query = new Query(0, 0, Optional.of(question), Optional.empty(), false);
        int header = 12 + question.labels().wireLength() + 1 + 4;
        return MessageWriter.write(query, alone, 65535, RecordSet::records).remaining() - header;
    }

    private static Answer answer(DnsResolver resolver, Question question, int limit) {
        return ((Resolution.Ready) resolver.resolve(question, Client.IN_PROCESS.withResponseLimit(limit))).answer();
    }

    private static ClusterSnapshot cluster() {
        List<Endpoint> endpoints = IntStream.range(0, TARGETS)
                .mapToObj(i -> Endpoint.of(IpAddress.ofIpv4(0x0A00_0000L + i)).withHostname("db-" + i))
                .toList();
        return ClusterSnapshot.of(List.of(
                Namespace.of("shop"),
                HeadlessService.of("shop", "db", ServicePort.of("p", Protocol.TCP, 1)),
                EndpointSlice.builder("shop", "db-1")
                        .service("db")
                        .endpoints(endpoints)
                        .ports(EndpointPort.of("p", Protocol.TCP, 1))
                        .build()));
    }
}
