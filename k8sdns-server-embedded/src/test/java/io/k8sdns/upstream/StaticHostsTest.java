package io.k8sdns.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.k8sdns.model.IpAddress;
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
import io.k8sdns.resolver.Shop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

class StaticHostsTest {
    private final List<String> passedOn = new ArrayList<>();
    private final DnsResolver others = (question, client) -> {
        passedOn.add(question.toString());
        return new Resolution.Ready(Answer.failure(Rcode.REFUSED));
    };

    private static final String FILE = """
            # of the data centre
            192.0.2.7\tRegistry.corp.example registry # the old one
            192.0.2.6 registry.corp.example.

            2001:db8::7   registry.corp.example
            """;

    private final StaticHosts hosts = StaticHosts.builder(others).file(FILE).build();

    @Test
    void nameHasTheAddressesOfEachFamilyInTheOrderOfTheFile() {
        assertThat(answer(hosts, "REGISTRY.corp.example.", RecordType.A))
                .containsExactly(
                        "NOERROR",
                        "REGISTRY.corp.example. 3600 IN A 192.0.2.7",
                        "REGISTRY.corp.example. 3600 IN A 192.0.2.6");
        assertThat(answer(hosts, "registry.corp.example.", RecordType.AAAA))
                .containsExactly("NOERROR", "registry.corp.example. 3600 IN AAAA 2001:db8::7");
        assertThat(answer(hosts, "registry.", RecordType.A))
                .containsExactly("NOERROR", "registry. 3600 IN A 192.0.2.7");
        assertThat(passedOn).isEmpty();
    }

    @Test
    void addressHasPtrRecordsForItsNames() {
        assertThat(answer(hosts, "7.2.0.192.in-addr.arpa.", RecordType.PTR))
                .containsExactly(
                        "NOERROR",
                        "7.2.0.192.in-addr.arpa. 3600 IN PTR Registry.corp.example.",
                        "7.2.0.192.in-addr.arpa. 3600 IN PTR registry.");
    }

    @Test
    void otherTypesAreNodataAndAnyHasAllTypes() {
        assertThat(answer(hosts, "registry.corp.example.", RecordType.TXT)).containsExactly("NOERROR");
        assertThat(answer(hosts, "registry.", RecordType.AAAA)).containsExactly("NOERROR");
        assertThat(answer(hosts, "registry.corp.example.", RecordType.of(Type.ANY)))
                .hasSize(4);
        assertThat(passedOn).isEmpty();
    }

    @Test
    void otherNamesAndClassesArePassedOn() {
        assertThat(answer(hosts, "corp.example.", RecordType.A)).containsExactly("REFUSED");
        assertThat(answer(hosts, "www.registry.corp.example.", RecordType.A)).containsExactly("REFUSED");
        Question chaos = new Question(DnsLabels.parse("registry.corp.example"), RecordType.A, DClass.CH);
        assertThat(answer(hosts, chaos)).containsExactly("REFUSED");
        assertThat(passedOn).hasSize(3);
    }

    @Test
    void behindAChainTheClusterWinsAndAliasesAreResolved() {
        StaticHosts behind = StaticHosts.builder(others)
                .file("192.0.2.9 cart.shop.svc.cluster.local db.example.com")
                .ttlSeconds(30)
                .build();
        DnsResolver chain = ResolverChain.of(Shop.zone(ZoneSettings.DEFAULTS)).withUpstream(behind);

        assertThat(answer(chain, "cart.shop.svc.cluster.local.", RecordType.A))
                .doesNotContain("cart.shop.svc.cluster.local. 30 IN A 192.0.2.9")
                .hasSize(2);
        assertThat(answer(chain, "outside.shop.svc.cluster.local.", RecordType.A))
                .containsExactly(
                        "NOERROR",
                        "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.",
                        "db.example.com. 30 IN A 192.0.2.9");
        assertThat(chain.direct()).isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "registry 192.0.2.7   | line 2: not an IP address: registry",
                "192.0.2.7            | line 2: no name for 192.0.2.7",
                "fe80::1%eth0 router  | line 2: not an IP address: fe80::1%eth0",
                "192.0.2.7 a..b       | line 2: ",
            })
    void anInvalidLineIsReportedAndNothingIsAdded(String line, String message) {
        StaticHosts.Builder builder = StaticHosts.builder(others);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.file("192.0.2.1 good.example\n" + line))
                .withMessageStartingWith(message);
        assertThat(answer(builder.build(), "good.example.", RecordType.A)).containsExactly("REFUSED");
    }

    @Test
    void laterCallsOfTheBuilderDoNotChangeAResolver() {
        StaticHosts.Builder builder = StaticHosts.builder(others).host(DnsLabels.parse("a.example"), address(1));
        StaticHosts built = builder.build();
        builder.host(DnsLabels.parse("a.example"), address(2)).host(DnsLabels.parse("b.example"), address(3));

        assertThat(answer(built, "a.example.", RecordType.A)).hasSize(2);
        assertThat(answer(built, "b.example.", RecordType.A)).containsExactly("REFUSED");
    }

    private static IpAddress address(int last) {
        return IpAddress.parse("192.0.2." + last);
    }

    private static List<String> answer(DnsResolver resolver, String name, RecordType type) {
        return answer(resolver, new Question(DnsLabels.parse(name), type, DClass.IN));
    }

    /** Returns the RCODE and the records of the answer section. */
    private static List<String> answer(DnsResolver resolver, Question question) {
        List<String> lines = new ArrayList<>();
        resolver.resolve(question, Client.IN_PROCESS).deliver(answer -> {
            lines.add(Rcode.string(answer.rcode()));
            answer.answer().stream().flatMap(RecordSet::lines).forEach(lines::add);
        });
        return lines;
    }
}
