package io.k8sdns.federation;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.upstream.Forwarder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Rcode;

/** Laws for the destination of a query, for all names and options. */
class StubZoneLaws {
    private static final int CODE = SourceCluster.OPTION_CODE;
    private static final DnsLabels FEDERATION = DnsLabels.of("federation");

    /** Names made of few labels, so that most resemble federated names. */
    @Provide
    Arbitrary<DnsLabels> names() {
        return Arbitraries.of(
                        "federation",
                        "FEDERATION",
                        "svc",
                        "SVC",
                        "myfed",
                        "other",
                        "web",
                        "shop",
                        "pod",
                        "local",
                        "a_b",
                        "x\0")
                .list()
                .ofMaxSize(8)
                .flatMap(labels -> Arbitraries.of(true, true, false)
                        .map(isInZone -> DnsLabels.of(labels.toArray(String[]::new))
                                .append(isInZone ? FEDERATION : DnsLabels.EMPTY)));
    }

    @Provide
    Arbitrary<List<EDNSOption>> options() {
        Arbitrary<Integer> codes = Arbitraries.of(CODE, CODE, 65_011, 65_433, 8, 10);
        Arbitrary<byte[]> data = Arbitraries.of(
                new byte[0],
                new byte[] {1},
                "foo".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                "bar".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                new byte[] {-1, 0, 46});
        return codes.flatMap(code -> data.<EDNSOption>map(some -> new GenericEDNSOption(code, some)))
                .list()
                .ofMaxSize(4);
    }

    @Property
    void queriesGoWhereTheyMay(
            @ForAll("names") DnsLabels name, @ForAll("options") List<EDNSOption> options, @ForAll boolean isPeer) {
        List<Client> toServers = new ArrayList<>();
        List<Client> toOthers = new ArrayList<>();
        Forwarder forwarder = (question, client) -> {
            toServers.add(client);
            return CompletableFuture.completedFuture(Answer.failure(Rcode.NXDOMAIN));
        };
        StubZoneResolver resolver = StubZoneResolver.builder(
                        new FederationZoneName(FEDERATION), new SourceCluster("foo"), (question, client) -> {
                            toOthers.add(client);
                            return new Resolution.Ready(Answer.failure(Rcode.NXDOMAIN));
                        })
                .routes(federation -> federation.equals("myfed") ? Optional.of(forwarder) : Optional.empty())
                .peers(client -> isPeer)
                .build();
        Client client =
                Client.builder(Client.Transport.UDP).ednsOptions(options).build();
        Answer answer = resolver.resolve(new Question(name, RecordType.A, DClass.IN), client)
                .toStage()
                .toCompletableFuture()
                .join();

        boolean isFederated = name.endsWith(FEDERATION);
        assertThat(toOthers).hasSize(isFederated ? 0 : 1);
        assertThat(toOthers)
                .allSatisfy(one -> assertThat(one.ednsOptions())
                        .extracting(EDNSOption::getCode)
                        .doesNotContain(CODE));
        assertThat(toServers)
                .allSatisfy(
                        one -> assertThat(one.ednsOptions()).containsExactly(new SourceCluster("foo").toOption(CODE)));
        boolean hasRoute = resolvesTo(name).filter("myfed"::equals).isPresent();
        boolean isLoop = isPeer && SourceCluster.find(options, CODE).isPresent()
                || options.stream().anyMatch(StubZoneLaws::isMark);
        assertThat(toServers).hasSize(hasRoute && !isLoop ? 1 : 0);
        assertThat(answer.status())
                .isEqualTo(toOthers.size() + toServers.size() == 1 ? AnswerStatus.NXDOMAIN : AnswerStatus.REFUSED);
    }

    private static boolean isMark(EDNSOption option) {
        return option.getCode() == 65_011
                && java.util.Arrays.equals(option.toWire(), new byte[] {(byte) 0xFD, (byte) 0xF3, 0, 1, 1});
    }

    /** Returns the federation of a name according to the forms in the design document. */
    private static Optional<String> resolvesTo(DnsLabels name) {
        java.util.regex.Matcher form = java.util.regex.Pattern.compile(
                        "(?:.*\\.)?([a-z0-9-]+)\\.svc\\.(?:(?!svc\\.)[^.]+\\.){0,2}federation")
                .matcher(name.toString().toLowerCase(java.util.Locale.ROOT));
        return form.matches() ? Optional.of(form.group(1)) : Optional.empty();
    }
}
