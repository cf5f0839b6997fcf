package io.k8sdns.autopath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.resolver.Shop;
import io.k8sdns.resolver.VirtualScheduler;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Tests the answers as lines of zone files. The cluster is {@link Shop}; a few names exist upstream. */
class AutopathResolverTest {
    private static final String SENTINEL = ".search.shop.cluster.local.ap.k8s.io.";
    private static final String SUFFIX_SOA =
            "authority: ap.k8s.io. 5 IN SOA ns.dns.cluster.local. hostmaster.cluster.local. 1 7200 1800 86400 5";
    private static final Client POD =
            Client.builder(Client.Transport.UDP).namespace("shop").build();

    /** The questions that were forwarded upstream. */
    private final List<String> forwarded = new ArrayList<>();

    private final Map<String, Answer> upstream = new HashMap<>();
    private final ClusterZone zone = Shop.zone(ZoneSettings.DEFAULTS);
    private final ResolverChain chain = ResolverChain.of(zone).withUpstream(this::forward);

    private Resolution forward(Question question, Client client) {
        forwarded.add(question.toString());
        assertThat(client.ednsOptions()).noneMatch(option -> option.getCode() == SearchPaths.OPTION_CODE);
        return new Resolution.Ready(upstream.getOrDefault(
                question.toString(), Answer.builder(Rcode.NXDOMAIN).build()));
    }

    private AutopathResolver.Builder autopath() {
        return AutopathResolver.builder(chain);
    }

    // ---- expansion, in the mode name

    @Test
    void serviceOfTheNamespaceIsFoundByTheFirstDomain() {
        assertThat(lines(autopath().byName().build(), "cart" + SENTINEL + " A"))
                .containsExactly(
                        "NOERROR aa ra ede 29",
                        "cart.search.shop.cluster.local.ap.k8s.io. 5 IN CNAME cart.shop.svc.cluster.local.",
                        "cart.shop.svc.cluster.local. 5 IN A 10.96.0.10");
        assertThat(forwarded).isEmpty();
    }

    @Test
    void spellingOfTheClientIsKept() {
        assertThat(lines(autopath().byName().build(), "CART.Search.SHOP.Cluster.local.AP.k8s.io. A"))
                .containsExactly(
                        "NOERROR aa ra ede 29",
                        "CART.Search.SHOP.Cluster.local.AP.k8s.io. 5 IN CNAME CART.shop.svc.cluster.local.",
                        "CART.shop.svc.cluster.local. 5 IN A 10.96.0.10");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cart.shop", "cart.shop.svc", "cart.shop.svc.cluster.local"})
    void everyShorthandOfAServiceIsFound(String base) {
        AutopathResolver resolver = autopath().byName().build();

        assertThat(lines(resolver, base + ".search.bare.cluster.local.ap.k8s.io. AAAA"))
                .containsExactly(
                        "NOERROR aa ra ede 29",
                        base + ".search.bare.cluster.local.ap.k8s.io. 5 IN CNAME cart.shop.svc.cluster.local.",
                        "cart.shop.svc.cluster.local. 5 IN AAAA fd00:10:96::10");
    }

    @Test
    void hostSearchesFollowTheClusterAndTheBareNameIsLast() {
        upstream.put("www.corp.test. A", data("www.corp.test.", 30));
        upstream.put("www.example.com. A", data("www.example.com.", 60));
        AutopathResolver resolver =
                autopath().byName().hostSearches(labels("corp.test", ".")).build();

        assertThat(lines(resolver, "www" + SENTINEL + " A"))
                .containsExactly(
                        "NOERROR aa ra ede 29",
                        "www.search.shop.cluster.local.ap.k8s.io. 30 IN CNAME www.corp.test.",
                        "www.corp.test. 30 IN A 192.0.2.1");
        assertThat(lines(resolver, "www.example.com" + SENTINEL + " A"))
                .contains("www.example.com.search.shop.cluster.local.ap.k8s.io. 60 IN CNAME www.example.com.");
        assertThat(forwarded).containsExactly("www.corp.test. A", "www.example.com.corp.test. A", "www.example.com. A");
    }

    @Test
    void aliasIsFollowed() {
        upstream.put("db.example.com. A", data("db.example.com.", 60));

        assertThat(lines(autopath().byName().build(), "outside" + SENTINEL + " A"))
                .containsExactly(
                        "NOERROR aa ra ede 29",
                        "outside.search.shop.cluster.local.ap.k8s.io. 5 IN CNAME outside.shop.svc.cluster.local.",
                        "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.",
                        "db.example.com. 60 IN A 192.0.2.1");
    }

    @Test
    void nodataEndsTheExpansionWithTheCnameAndTheSoa() {
        upstream.put("ads.shop.corp.test. AAAA", data("ads.shop.corp.test.", 60));
        AutopathResolver resolver =
                autopath().byName().hostSearches(labels("corp.test")).build();

        assertThat(lines(resolver, "ads" + SENTINEL + " AAAA"))
                .containsExactly(
                        "NOERROR aa ra ede 29",
                        "ads.search.shop.cluster.local.ap.k8s.io. 5 IN CNAME ads.shop.svc.cluster.local.",
                        "authority: cluster.local. 5 IN SOA ns.dns.cluster.local. hostmaster.cluster.local. 1 7200 1800"
                                + " 86400 5");
        assertThat(forwarded).isEmpty();
    }

    @Test
    void missingNameIsNxdomainOfTheSuffix() {
        assertThat(lines(autopath().byName().build(), "no.such" + SENTINEL + " A"))
                .containsExactly(
                        "NXDOMAIN aa ra ede 29",
                        SUFFIX_SOA.replace(" 5 IN", " 0 IN").replaceAll("5$", "0"));
        assertThat(forwarded).containsExactly("no.such. A");
        forwarded.clear();
        upstream.put("no.such. A", missing(".", 3600));
        assertThat(lines(autopath().byName().build(), "no.such" + SENTINEL + " A"))
                .containsExactly("NXDOMAIN aa ra ede 29", SUFFIX_SOA);
        upstream.put("no.such. A", missing(".", 2));
        assertThat(lines(autopath().byName().build(), "no.such" + SENTINEL + " A"))
                .contains(SUFFIX_SOA.replace(" 5 IN", " 2 IN").replaceAll("5$", "2"));
    }

    @Test
    void singleLabelIsNeverForwarded() {
        upstream.put("nobody. A", data("nobody.", 60));

        assertThat(lines(autopath().byName().build(), "nobody" + SENTINEL + " A"))
                .containsExactly("NXDOMAIN aa ra ede 29", SUFFIX_SOA);
        assertThat(forwarded).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {Rcode.SERVFAIL, Rcode.REFUSED, Rcode.NOTIMP})
    void failureIsNotTurnedIntoNxdomain(int rcode) {
        upstream.put("www.example.com. A", Answer.failure(rcode));

        assertThat(lines(autopath().byName().build(), "www.example.com" + SENTINEL + " A"))
                .containsExactly("SERVFAIL ra ede 0");
        assertThat(autopath().byName().build().resolve(question("www.example.com" + SENTINEL + " A"), POD))
                .isInstanceOfSatisfying(
                        Resolution.Ready.class,
                        ready -> assertThat(ready.answer().extendedError())
                                .contains(new ExtendedError(
                                        0, "www.example.com. was answered with " + Rcode.string(rcode))));
    }

    @Test
    void nameThatIsFoundAfterAFailureIsAnswered() {
        upstream.put(
                "www.example.com.corp.test. A",
                Answer.failure(Rcode.SERVFAIL, new ExtendedError(ExtendedError.NETWORK_ERROR, "corp is down")));
        AutopathResolver resolver =
                autopath().byName().hostSearches(labels("corp.test")).build();

        assertThat(lines(resolver, "www.example.com" + SENTINEL + " A")).containsExactly("SERVFAIL ra ede 23");
        upstream.put("www.example.com. A", data("www.example.com.", 60));
        assertThat(lines(resolver, "www.example.com" + SENTINEL + " A")).contains("www.example.com. 60 IN A 192.0.2.1");
    }

    @Test
    void zoneThatIsNotSyncedIsServfail() {
        ZoneFeed.builder(zone, InstantSource.system()).build().stateChanged(SyncState.SYNCING);
        AutopathResolver resolver = autopath().byName().build();

        assertThat(lines(resolver, "cart" + SENTINEL + " A")).containsExactly("SERVFAIL ra ede 14");
        assertThat(lines(resolver, "ap.k8s.io. A")).containsExactly("SERVFAIL ra ede 14");
    }

    @Test
    void namesOfMoreThan255BytesAreSkipped() {
        String base = ("x".repeat(63) + ".").repeat(3) + "y".repeat(16);
        upstream.put(base + ".x.test. A", data(base + ".x.test.", 60));
        AutopathResolver resolver =
                autopath().byName().hostSearches(labels("x.test")).build();

        assertThat(lines(resolver, base + SENTINEL + " A")).contains(base + ".x.test. 60 IN A 192.0.2.1");
    }

    @Test
    void nameIsExpandedOnceOnly() {
        assertThat(lines(autopath().byName().build(), "cart" + SENTINEL + "search.shop.cluster.local.ap.k8s.io. A"))
                .containsExactly("NXDOMAIN aa ra ede 29", SUFFIX_SOA);
        assertThat(forwarded).isEmpty();
    }

    /** A search domain of a node must not bring a name of the suffix to an upstream server. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "cart" + SENTINEL + "search.shop.cluster.local.ap.k8s.io. A",
                "search.bare.cluster.local.ap.k8s.io" + SENTINEL + " A",
                "x.ap.k8s.io" + SENTINEL + " A",
                "AP.k8s.io" + SENTINEL + " A"
            })
    void noSearchDomainIsAppendedToANameThatContainsTheSuffix(String question) {
        DnsResolver falling = chain.withFallthrough(Set.copyOf(labels("cluster.local")));
        List<DnsLabels> host = labels("corp.test", "ap.k8s.io", "x.ap.k8s.io", "test");
        AutopathResolver resolver = AutopathResolver.builder(falling, labels("cluster.local"))
                .byName()
                .byOption()
                .hostSearches(host)
                .build();

        assertThat(lines(resolver, question)).containsExactly("NXDOMAIN aa ra ede 29", SUFFIX_SOA);
        assertThat(Shop.lines(answer(resolver, question(question), trusted(new SearchPaths.PathList(host).toWire()))))
                .containsExactly("NXDOMAIN aa ra ede 29", SUFFIX_SOA);
        assertThat(forwarded).isEmpty();
    }

    @Test
    void searchDomainBelowTheSuffixIsIgnored() {
        AutopathResolver resolver = autopath()
                .byName()
                .hostSearches(labels("ap.k8s.io", "search.bare.cluster.local.ap.k8s.io", "k8s.io", "corp.test"))
                .build();

        assertThat(lines(resolver, "no.ap" + SENTINEL + " A").get(0)).isEqualTo("NXDOMAIN aa ra ede 29");
        assertThat(forwarded).containsExactly("no.ap.corp.test. A", "no.ap. A");
    }

    @Test
    void viewAppliesToTheExpandedNames() {
        DnsResolver nothing = ResolverChain.of(zone.view(Visibility.ofNamespaces(Set.of("bare"))));
        AutopathResolver resolver = AutopathResolver.builder(nothing, labels("cluster.local"))
                .byName()
                .build();

        assertThat(lines(resolver, "cart" + SENTINEL + " A").get(0)).startsWith("NXDOMAIN");
    }

    // ---- the mode name

    @Test
    void namesAreParsedFromTheRight() {
        AutopathZone names =
                new AutopathZone(DnsLabels.parse("ap.k8s.io"), labels("cluster.local", "search.cluster.local"));

        assertThat(parsed(names, "search.search.search.cluster.local.ap.k8s.io"))
                .as("the longest cluster domain is search.cluster.local, so this is a namespace without a base")
                .isEqualTo("-");
        assertThat(parsed(names, "search.search.search.search.cluster.local.ap.k8s.io"))
                .isEqualTo("search in search of search.cluster.local");
        assertThat(parsed(names, "a.b.search.shop.cluster.local.ap.k8s.io")).isEqualTo("a.b in shop of cluster.local");
        assertThat(parsed(names, "search.shop.cluster.local.ap.k8s.io")).isEqualTo("-");
        assertThat(parsed(names, "a.sea.shop.cluster.local.ap.k8s.io")).isEqualTo("-");
        assertThat(parsed(names, "a.search._x.cluster.local.ap.k8s.io")).isEqualTo("-");
        assertThat(parsed(names, "a.search.shop.corp.test.ap.k8s.io")).isEqualTo("-");
        assertThat(parsed(names, "a.search.shop.cluster.local")).isEqualTo("-");
    }

    private static String parsed(AutopathZone names, String name) {
        return names.parse(DnsLabels.parse(name))
                .map(request -> request.base() + " in " + request.searches().namespace() + " of "
                        + request.searches().clusterDomain())
                .orElse("-");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ap.k8s.io.",
                "local.ap.k8s.io.",
                "cluster.local.ap.k8s.io.",
                "shop.cluster.local.ap.k8s.io.",
                "nobody.cluster.local.ap.k8s.io.",
                "search.shop.cluster.local.ap.k8s.io."
            })
    void ancestorsOfNamesToExpandAreNodata(String name) {
        assertThat(lines(autopath().byName().build(), name + " A")).containsExactly("NOERROR aa ra", SUFFIX_SOA);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x.ap.k8s.io.",
                "x.local.ap.k8s.io.",
                "_x.cluster.local.ap.k8s.io.",
                "find.shop.cluster.local.ap.k8s.io.",
                "cart.find.shop.cluster.local.ap.k8s.io.",
                "cart.search.shop.corp.test.ap.k8s.io."
            })
    void otherNamesOfTheSuffixAreNxdomain(String name) {
        assertThat(lines(autopath().byName().build(), name + " A")).containsExactly("NXDOMAIN aa ra", SUFFIX_SOA);
        assertThat(forwarded).isEmpty();
    }

    @Test
    void suffixHasAnSoa() {
        assertThat(lines(autopath().byName().build(), "ap.k8s.io. SOA"))
                .containsExactly("NOERROR aa ra", SUFFIX_SOA.substring("authority: ".length()));
    }

    @Test
    void namespaceNeedNotExist() {
        upstream.put("www.example.com. A", data("www.example.com.", 60));

        assertThat(lines(autopath().byName().build(), "www.example.com.search.no.cluster.local.ap.k8s.io. A"))
                .contains("www.example.com. 60 IN A 192.0.2.1");
    }

    @Test
    void transfersAndOtherClassesAreRefused() {
        AutopathResolver resolver = autopath().byName().build();

        assertThat(lines(resolver, "cart" + SENTINEL + " AXFR")).containsExactly("REFUSED ede 21");
        assertThat(Shop.lines(answer(
                        resolver,
                        new Question(DnsLabels.parse("cart" + SENTINEL), RecordType.A, DClass.CH),
                        Client.IN_PROCESS)))
                .containsExactly("REFUSED ede 21");
        assertThat(forwarded).isEmpty();
    }

    /** An upstream server returns a CNAME to a name below the suffix, with an address of its own. */
    @Test
    void namesBelowTheSuffixAreForwardedForNoAlias() throws Exception {
        String expanded = "cart" + SENTINEL;
        upstream.put("db.example.com. A", alias("db.example.com.", expanded));
        for (AutopathResolver resolver :
                List.of(autopath().byName().build(), autopath().byOption().build())) {
            assertThat(lines(resolver, "db.example.com. A"))
                    .containsExactly("NOERROR ra", "db.example.com. 60 IN CNAME " + expanded);
            assertThat(lines(resolver, "outside.shop.svc.cluster.local. A"))
                    .containsExactly(
                            "NOERROR aa ra",
                            "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.",
                            "db.example.com. 60 IN CNAME " + expanded);
        }
        assertThat(forwarded).containsOnly("db.example.com. A");
    }

    private static Answer alias(String name, String target) throws Exception {
        Name to = Name.fromString(target);
        return Answer.builder(Rcode.NOERROR)
                .answer(List.of(
                        RecordSet.of(new CNAMERecord(Name.fromString(name), DClass.IN, 60, to)),
                        RecordSet.of(new ARecord(to, DClass.IN, 60, InetAddress.getByName("203.0.113.1")))))
                .build();
    }

    @Test
    void namesBelowTheSuffixWithoutAListAreRefusedInTheModeOption() {
        AutopathResolver resolver = AutopathResolver.builder(
                        (question, client) -> chain.resolve(question, client), labels("cluster.local"))
                .byOption()
                .build();

        assertThat(lines(resolver, "cart" + SENTINEL + " A")).containsExactly("REFUSED ede 20");
        assertThat(lines(resolver, "cart" + SENTINEL + " AXFR")).containsExactly("REFUSED ede 21");
        assertThat(forwarded).isEmpty();
    }

    @Test
    void withoutTheModeNameTheSuffixIsNotExpanded() {
        assertThat(lines(autopath().build(), "cart" + SENTINEL + " A")).containsExactly("NXDOMAIN ra");
        assertThat(forwarded).containsExactly("cart" + SENTINEL + " A");
    }

    // ---- the mode option

    @Test
    void listOfATrustedClientIsUsed() {
        AutopathResolver resolver = autopath().byOption().build();
        byte[] list = new SearchPaths.PathList(labels("bare.svc.cluster.local", "svc.cluster.local")).toWire();

        assertThat(Shop.lines(answer(resolver, question("cart.shop" + SENTINEL + " A"), trusted(list))))
                .containsExactly(
                        "NOERROR aa ra ede 29",
                        "cart.shop.search.shop.cluster.local.ap.k8s.io. 5 IN CNAME cart.shop.svc.cluster.local.",
                        "cart.shop.svc.cluster.local. 5 IN A 10.96.0.10");
        assertThat(Shop.lines(answer(resolver, question("cart.shop. A"), trusted(list))))
                .containsExactly(
                        "NOERROR aa ra ede 29",
                        "cart.shop. 5 IN CNAME cart.shop.svc.cluster.local.",
                        "cart.shop.svc.cluster.local. 5 IN A 10.96.0.10");
    }

    @Test
    void otherNamesOfTheSuffixAreRefusedInTheModeOptionAlsoWithAList() {
        AutopathResolver resolver = autopath().byOption().build();
        byte[] list = new SearchPaths.PathList(labels("corp.test")).toWire();

        for (String question : List.of("cart.find.shop.cluster.local.ap.k8s.io. A", "ap.k8s.io. A")) {
            assertThat(Shop.lines(answer(resolver, question(question), trusted(list))))
                    .containsExactly("REFUSED ede 20");
        }
        assertThat(forwarded).isEmpty();
    }

    /** The client has appended its first search domain to a name of the suffix. */
    @Test
    void nameOfTheSuffixInTheFirstDomainOfAPodIsNotExpanded() {
        AutopathResolver resolver =
                autopath().byName().byPod().hostSearches(labels("corp.test")).build();
        String question = "cart" + SENTINEL + "shop.svc.cluster.local. A";

        assertThat(answer(resolver, question(question), POD)).isEqualTo(answer(chain, question(question), POD));
        assertThat(forwarded).isEmpty();
    }

    @Test
    void versionFormIsCompletedByTheServer() {
        upstream.put("www.corp.test. A", data("www.corp.test.", 60));
        AutopathResolver resolver =
                autopath().byOption().hostSearches(labels("corp.test")).build();
        byte[] list = new SearchPaths.OfNamespace(new ClusterSearches("shop", "cluster.local")).toWire();

        assertThat(Shop.lines(answer(resolver, question("www" + SENTINEL + " A"), trusted(list))))
                .contains("www.corp.test. 60 IN A 192.0.2.1");
    }

    @Test
    void bareNameThatIsFoundHasNoCname() {
        upstream.put("www.example.com. A", data("www.example.com.", 60));

        assertThat(Shop.lines(answer(
                        autopath().byOption().build(),
                        question("www.example.com. A"),
                        trusted("svc.cluster.local".getBytes(StandardCharsets.US_ASCII)))))
                .containsExactly("NOERROR ra", "www.example.com. 60 IN A 192.0.2.1");
    }

    @Test
    void missingNameHasTheSoaOfAZoneAboveIt() {
        upstream.put("no.example.com. A", missing("example.com.", 60));
        AutopathResolver resolver = autopath().byOption().build();
        byte[] list = "svc.cluster.local".getBytes(StandardCharsets.US_ASCII);

        assertThat(Shop.lines(answer(resolver, question("no.example.com. A"), trusted(list))))
                .containsExactly(
                        "NXDOMAIN ra ede 29", "authority: example.com. 5 IN SOA ns.example. admin.example. 7 1 1 1 5");
        assertThat(Shop.lines(answer(resolver, question("nobody. A"), trusted(new byte[0])))
                        .get(1))
                .startsWith("authority: . 5 IN SOA ns.dns.cluster.local.");
        assertThat(forwarded).containsExactly("no.example.com. A");
    }

    @Test
    void badListIsFormerrFromATrustedClientAndIgnoredFromOthers() {
        AutopathResolver resolver = autopath().byOption().build();
        byte[] bad = "a,,b".getBytes(StandardCharsets.US_ASCII);
        upstream.put("www.example.com. A", data("www.example.com.", 60));

        assertThat(answer(resolver, question("www.example.com. A"), trusted(bad))
                        .rcode())
                .isEqualTo(Rcode.FORMERR);
        assertThat(answer(resolver, question("www.example.com. A"), client("192.0.2.9", bad))
                        .addresses())
                .containsExactly("192.0.2.1");
        assertThat(forwarded).containsExactly("www.example.com. A");
    }

    @Test
    void optionGivenTwiceIsFormerr() {
        EDNSOption option = new SearchPaths.PathList(List.of()).toOption(SearchPaths.OPTION_CODE);
        Client twice = trusted(new byte[0]).toBuilder()
                .ednsOptions(List.of(option, option))
                .build();

        assertThat(answer(autopath().byOption().build(), question("www.example.com. A"), twice)
                        .rcode())
                .isEqualTo(Rcode.FORMERR);
    }

    @Test
    void untrustedListAndUnknownVersionAreIgnored() {
        AutopathResolver resolver = autopath().byOption().build();
        byte[] list = "shop.svc.cluster.local".getBytes(StandardCharsets.US_ASCII);

        assertThat(answer(resolver, question("cart. A"), client("192.0.2.9", list))
                        .status())
                .isEqualTo(AnswerStatus.NXDOMAIN);
        assertThat(answer(resolver, question("cart. A"), trusted(new byte[] {2, 7}))
                        .status())
                .isEqualTo(AnswerStatus.NXDOMAIN);
        assertThat(forwarded).containsExactly("cart. A", "cart. A");
    }

    /** The first byte is the version if it is a control character, because no domain starts with one. */
    @Test
    void listThatStartsWithAControlCharacterIsAnUnknownVersionAndAnyOtherControlCharacterIsFormerr() {
        AutopathResolver resolver = autopath().byOption().build();
        upstream.put("www.example.com. A", data("www.example.com.", 60));

        for (String version : List.of("\u0000corp.test", "\u0002corp.test", "\tcorp.test", "\u001fcorp.test")) {
            assertThat(answer(resolver, question("www.example.com. A"), trusted(ascii(version)))
                            .addresses())
                    .containsExactly("192.0.2.1");
        }
        assertThat(forwarded).containsOnly("www.example.com. A");
        for (String text : List.of("corp\t.test", "corp.test,\u0002", " \tcorp.test", "\u007fcorp.test")) {
            assertThat(answer(resolver, question("www.example.com. A"), trusted(ascii(text)))
                            .rcode())
                    .isEqualTo(Rcode.FORMERR);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void trustAndCodeAreSet() throws Exception {
        byte[] list = "shop.svc.cluster.local".getBytes(StandardCharsets.US_ASCII);
        AutopathResolver resolver = autopath()
                .byOption(List.of(IpNetwork.parse("192.0.2.0/24")))
                .optionCode(65_000)
                .build();
        Client node = client("192.0.2.9", list);
        Client other = node.toBuilder()
                .ednsOptions(List.of(new GenericEDNSOption(65_000, list), new GenericEDNSOption(10, new byte[8])))
                .build();

        assertThat(answer(resolver, question("cart. A"), other).addresses()).containsExactly("10.96.0.10");
        assertThat(answer(
                                resolver,
                                question("cart. A"),
                                other.toBuilder()
                                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 53))
                                        .build())
                        .status())
                .isEqualTo(AnswerStatus.NXDOMAIN);
    }

    // ---- the mode pod

    @Test
    void firstQueryOfAPodIsExpanded() {
        upstream.put("www.example.com. A", data("www.example.com.", 60));
        AutopathResolver resolver = autopath().byPod().build();

        assertThat(lines(resolver, "cart.shop.shop.svc.cluster.local. A", POD))
                .containsExactly(
                        "NOERROR aa ra ede 29",
                        "cart.shop.shop.svc.cluster.local. 5 IN CNAME cart.shop.svc.cluster.local.",
                        "cart.shop.svc.cluster.local. 5 IN A 10.96.0.10");
        assertThat(lines(resolver, "www.example.com.shop.svc.cluster.local. A", POD))
                .contains("www.example.com. 60 IN A 192.0.2.1");
        assertThat(lines(resolver, "CART.Shop.SVC.cluster.local. A", POD))
                .containsExactly("NOERROR aa ra", "CART.Shop.SVC.cluster.local. 5 IN A 10.96.0.10");
    }

    @Test
    void missingNameOfAPodIsTheFirstAnswer() {
        AutopathResolver resolver = autopath().byPod().build();
        String soa = SUFFIX_SOA.replace("ap.k8s.io.", "cluster.local.");

        assertThat(lines(resolver, "no.such.shop.svc.cluster.local. A", POD))
                .containsExactly("NXDOMAIN aa ra ede 29", soa);
        assertThat(forwarded).containsExactly("no.such. A");
        upstream.put("no.such. A", Answer.failure(Rcode.SERVFAIL));
        assertThat(lines(resolver, "no.such.shop.svc.cluster.local. A", POD))
                .as("the first answer as it is, since not every name is known to be missing")
                .containsExactly("NXDOMAIN aa ra", soa);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "shop.svc.cluster.local. A",
                "cart.shop.bare.svc.cluster.local. A",
                "cart.shop.svc.cluster.local.svc.cluster.local. A",
                "no.cluster.local. A"
            })
    void otherNamesOfAPodAreNotExpanded(String question) {
        AutopathResolver resolver = autopath().byPod().build();

        assertThat(answer(resolver, question(question), POD)).isEqualTo(answer(chain, question(question), POD));
        assertThat(forwarded).isEmpty();
    }

    @Test
    void queriesOfClientsWithoutANamespaceAreNotExpanded() {
        AutopathResolver resolver = autopath()
                .byPod(client -> client.address().isPresent() ? Optional.of("no.label") : Optional.empty())
                .build();
        Question question = question("cart.shop.shop.svc.cluster.local. A");

        for (Client client : List.of(POD, client("192.0.2.9", new byte[0]))) {
            assertThat(answer(resolver, question, client)).isEqualTo(answer(chain, question, client));
        }
    }

    // ---- the mode pod, with a fixed list

    @Test
    void fixedListIsThatOfEveryClient() {
        upstream.put("www.corp.test. A", data("www.corp.test.", 30));
        upstream.put("www.example.com. A", data("www.example.com.", 60));
        AutopathResolver resolver = autopath()
                .byPod(labels("bare.svc.cluster.local", "svc.cluster.local", ".", "corp.test"))
                .hostSearches(labels("lab.test"))
                .build();

        for (Client client : List.of(Client.IN_PROCESS, POD, client("192.0.2.9", new byte[0]))) {
            assertThat(lines(resolver, "cart.shop.bare.svc.cluster.local. A", client))
                    .containsExactly(
                            "NOERROR aa ra ede 29",
                            "cart.shop.bare.svc.cluster.local. 5 IN CNAME cart.shop.svc.cluster.local.",
                            "cart.shop.svc.cluster.local. 5 IN A 10.96.0.10");
        }
        assertThat(lines(resolver, "www.bare.svc.cluster.local. A")).contains("www.corp.test. 30 IN A 192.0.2.1");
        assertThat(lines(resolver, "www.example.com.bare.svc.cluster.local. A"))
                .contains("www.example.com. 60 IN A 192.0.2.1");
        assertThat(forwarded).containsExactly("www.corp.test. A", "www.example.com.corp.test. A", "www.example.com. A");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no.svc.cluster.local. A",
                "xno.svc.cluster.local. A",
                "cart.shop.shop.svc.cluster.local. A",
                "cart.shop.corp.test. A"
            })
    void onlyNamesBelowTheFirstDomainOfAFixedListAreExpanded(String question) {
        AutopathResolver resolver = autopath()
                .byPod(labels("no.svc.cluster.local", "corp.test", "svc.cluster.local"))
                .build();
        Answer plain = answer(chain, question(question), POD);
        forwarded.clear();

        assertThat(answer(resolver, question(question), POD)).isEqualTo(plain);
        assertThat(forwarded).hasSizeLessThan(2).allMatch(question::equals);
    }

    @Test
    void missingNameOfAFixedListIsTheFirstAnswerAndASingleLabelIsNotForwarded() {
        upstream.put("no.corp.test. A", missing("corp.test.", 60));
        AutopathResolver resolver =
                autopath().byPod(labels("corp.test", "svc.cluster.local")).build();

        assertThat(lines(resolver, "no.corp.test. A"))
                .containsExactly(
                        "NXDOMAIN ra ede 29", "authority: corp.test. 60 IN SOA ns.example. admin.example. 7 1 1 1 60");
        assertThat(forwarded).containsExactly("no.corp.test. A");
        assertThat(lines(resolver, "cart.shop.corp.test. A"))
                .contains("cart.shop.corp.test. 5 IN CNAME cart.shop.svc.cluster.local.");
        upstream.put("www.example.com. A", data("www.example.com.", 60));
        assertThat(lines(resolver, "www.example.com.corp.test. A"))
                .as("neither name is in a zone of this server")
                .startsWith("NOERROR ra ede 29", "www.example.com.corp.test. 60 IN CNAME www.example.com.");
    }

    @Test
    void fixedListHasOneToThirtyTwoDomains() {
        for (List<DnsLabels> list : List.of(labels(), labels("."))) {
            assertThatThrownBy(() -> autopath().byPod(list)).isInstanceOf(IllegalArgumentException.class);
        }
        List<DnsLabels> many =
                Stream.generate(() -> DnsLabels.of("a")).limit(33).toList();
        assertThatThrownBy(() -> autopath().byPod(many)).isInstanceOf(IllegalArgumentException.class);
        assertThat(autopath().byPod(many.subList(1, 33)).build()).isNotNull();
    }

    // ---- time

    @Test
    void deadlineEndsTheExpansion() {
        List<CompletableFuture<Answer>> asked = new ArrayList<>();
        DnsResolver slow = (question, client) -> {
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            asked.add(answer);
            return new Resolution.Pending(answer);
        };
        VirtualScheduler scheduler = new VirtualScheduler();
        AutopathResolver.Builder builder =
                AutopathResolver.builder(slow, labels("cluster.local")).deadline(Duration.ofSeconds(4), scheduler);
        List<Answer> answers = new ArrayList<>();

        builder.byName().build().resolve(question("a.b" + SENTINEL + " A"), POD).deliver(answers::add);
        asked.get(0).complete(missing("cluster.local.", 5));
        assertThat(asked).hasSize(2);
        scheduler.pass(Duration.ofSeconds(4));
        assertThat(answers).extracting(Shop::lines).containsExactly(List.of("SERVFAIL ede 22"));
        asked.get(1).complete(missing("cluster.local.", 5));
        assertThat(asked).as("no lookup after the deadline").hasSize(2);
        assertThat(answers).hasSize(1);

        answers.clear();
        asked.clear();
        builder.byPod()
                .build()
                .resolve(question("a.b.shop.svc.cluster.local. A"), POD)
                .deliver(answers::add);
        asked.get(0).complete(missing("cluster.local.", 5));
        scheduler.pass(Duration.ofSeconds(4));
        assertThat(answers).singleElement().isEqualTo(missing("cluster.local.", 5));

        answers.clear();
        asked.clear();
        builder.build().resolve(question("a.b" + SENTINEL + " A"), POD).deliver(answers::add);
        asked.get(0).complete(data("a.b.shop.svc.cluster.local.", 5));
        assertThat(answers)
                .singleElement()
                .satisfies(answer -> assertThat(answer.addresses()).hasSize(1));
        assertThat(scheduler.waiting()).isZero();

        scheduler.shutdown();
        answers.clear();
        builder.build().resolve(question("a.b" + SENTINEL + " A"), POD).deliver(answers::add);
        assertThat(answers).extracting(Answer::status).containsExactly(AnswerStatus.SERVFAIL);
    }

    @Test
    void pendingAnswersAreTreatedLikeReadyOnes() {
        DnsResolver later = (question, client) ->
                new Resolution.Pending(chain.resolve(question, client).toStage());
        upstream.put("www.example.com. A", data("www.example.com.", 60));
        AutopathResolver resolver =
                AutopathResolver.builder(later, chain.zones()).byName().byPod().build();
        AutopathResolver ready = autopath().byName().byPod().build();

        for (String question : List.of(
                "www.example.com" + SENTINEL + " A",
                "no.such" + SENTINEL + " A",
                "nobody" + SENTINEL + " A",
                "x.ap.k8s.io. A",
                "cart.shop.shop.svc.cluster.local. A")) {
            assertThat(answer(resolver, question(question), POD)).isEqualTo(answer(ready, question(question), POD));
        }
    }

    @Test
    void observerReceivesEachExpansion() {
        List<String> seen = new ArrayList<>();
        AutopathResolver resolver = autopath()
                .byName()
                .byOption()
                .byPod()
                .observer(
                        (mode, lookups, status, nanos) -> seen.add(mode + " " + lookups + " " + status + " " + nanos),
                        new AtomicLong()::incrementAndGet)
                .build();

        answer(resolver, question("cart" + SENTINEL + " A"), POD);
        answer(resolver, question("no.such" + SENTINEL + " A"), POD);
        answer(resolver, question("ads.shop.shop.svc.cluster.local. AAAA"), POD);
        answer(resolver, question("cart. A"), trusted("shop.svc.cluster.local".getBytes(StandardCharsets.US_ASCII)));
        answer(resolver, question("cart.shop.svc.cluster.local. A"), Client.IN_PROCESS);
        assertThat(seen)
                .containsExactly("NAME 1 NOERROR 1", "NAME 4 NXDOMAIN 1", "POD 2 NODATA 1", "OPTION 1 NOERROR 1");
    }

    // ---- settings

    @Test
    void suffixAndClusterDomainsMustNotOverlap() {
        for (String suffix : List.of(".", "local", "cluster.local", "ap.cluster.local", "ap.in-addr.arpa")) {
            AutopathResolver.Builder other = autopath().suffix(DnsLabels.parse(suffix));
            assertThat(other.byPod().build()).as("the mode pod has no suffix").isNotNull();
            assertThatThrownBy(() -> other.byName().build()).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> autopath()
                            .suffix(DnsLabels.parse(suffix))
                            .byOption()
                            .build())
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> AutopathResolver.builder(chain, List.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> autopath().optionCode(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> autopath().deadline(Duration.ZERO, new VirtualScheduler()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> autopath()
                        .hostSearches(Stream.generate(() -> DnsLabels.of("a"))
                                .limit(33)
                                .toList()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void suffixCanBeSet() {
        AutopathResolver resolver =
                autopath().suffix(DnsLabels.parse("auto.test")).byName().build();

        assertThat(answer(resolver, question("cart.search.shop.cluster.local.auto.test. A"), POD)
                        .addresses())
                .containsExactly("10.96.0.10");
    }

    private static Client trusted(byte[] list) {
        return client("127.0.0.1", list);
    }

    private static Client client(String address, byte[] list) {
        byte[] bytes = io.k8sdns.model.IpAddress.parse(address).bytes();
        try {
            return Client.udp(new InetSocketAddress(InetAddress.getByAddress(bytes), 53)).toBuilder()
                    .ednsOptions(List.of(new GenericEDNSOption(SearchPaths.OPTION_CODE, list)))
                    .build();
        } catch (java.net.UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static List<DnsLabels> labels(String... texts) {
        return Stream.of(texts).map(DnsLabels::parse).toList();
    }

    private static Answer data(String name, long ttl) {
        return Answer.builder(Rcode.NOERROR)
                .answer(List.of(set(name, ttl, "A 192.0.2.1")))
                .build();
    }

    private static Answer missing(String zone, long ttl) {
        return Answer.builder(Rcode.NXDOMAIN)
                .authority(List.of(set(zone, ttl, "SOA ns.example. admin.example. 7 1 1 1 " + ttl)))
                .build();
    }

    private static RecordSet set(String name, long ttl, String record) {
        String[] parts = record.split(" ", 2);
        try {
            return RecordSet.of(Record.fromString(
                    Name.fromString(name), Type.value(parts[0]), DClass.IN, ttl, parts[1], Name.root));
        } catch (java.io.IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static Question question(String text) {
        String[] parts = text.split(" ", 2);
        return new Question(DnsLabels.parse(parts[0]), RecordType.of(Type.value(parts[1])), DClass.IN);
    }

    private static Answer answer(DnsResolver resolver, Question question, Client client) {
        return resolver.resolve(question, client)
                .toStage()
                .toCompletableFuture()
                .join();
    }

    private static List<String> lines(DnsResolver resolver, String question) {
        return lines(resolver, question, Client.IN_PROCESS);
    }

    private static List<String> lines(DnsResolver resolver, String question, Client client) {
        return Shop.lines(answer(resolver, question(question), client));
    }
}
