package io.k8sdns.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.ClusterDns;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Job;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.Position;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.records.EndpointNames;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReversePolicy;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.SrvPort;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.slices.EndpointSliceRules;
import io.k8sdns.zone.ClusterZone;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.Name;

class ExplainerTest {
    private static final Pattern LABELS_OPTION = Pattern.compile("\\(--labels ([^)]+)\\)");
    private static final ServicePort HTTP = ServicePort.of("http", Protocol.TCP, 80);
    private static final ClusterIpService CART = ClusterIpService.builder("shop", "cart")
            .clusterIps(List.of(IpAddress.parse("10.96.0.20")))
            .port(HTTP)
            .build();
    private static final HeadlessService DB = HeadlessService.builder("shop", "db")
            .selector("app=db")
            .port(ServicePort.of("sql", Protocol.TCP, 5432))
            .build();
    private static final Pod DB_0 = Pod.builder("shop", "db-0")
            .labels("app=db")
            .hostname("db-0")
            .subdomain("db")
            .phase(PodPhase.RUNNING)
            .ready(true)
            .ips("10.244.0.5")
            .build();

    private static ClusterSnapshot cluster(ClusterObject... given) {
        List<ClusterObject> objects = new ArrayList<>(Arrays.asList(given));
        objects.add(Namespace.of("shop"));
        objects.add(Namespace.of("lab"));
        List<Pod> pods = ofType(objects, Pod.class);
        ofType(objects, Service.class)
                .forEach(service -> objects.addAll(EndpointSliceRules.of(service, pods, List.<Node>of())));
        return ClusterSnapshot.of(objects);
    }

    private static <T> List<T> ofType(List<ClusterObject> objects, Class<T> type) {
        return objects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    private static Explanation explain(ClusterSnapshot cluster, String name, RecordType type) {
        Explanation explanation = Explainer.of(cluster).explain(name, type);
        assertSuggestionsResolve(cluster, ZoneSettings.DEFAULTS, explanation);
        return explanation;
    }

    private static Explanation explain(
            ClusterSnapshot cluster, ZoneSettings settings, Visibility visibility, String name, RecordType type) {
        Explanation explanation = Explainer.of(cluster, settings, visibility).explain(name, type);
        assertSuggestionsResolve(cluster, settings, visibility, explanation);
        return explanation;
    }

    private static void assertSuggestionsResolve(
            ClusterSnapshot cluster, ZoneSettings settings, Explanation explanation) {
        assertSuggestionsResolve(cluster, settings, Visibility.ALL, explanation);
    }

    /** Applies each suggestion here, too: the EndpointSlices are made again from scratch. */
    static void assertSuggestionsResolve(
            ClusterSnapshot cluster, ZoneSettings settings, Visibility visibility, Explanation explanation) {
        for (Suggestion suggestion : explanation.suggestions()) {
            List<ClusterObject> objects = new ArrayList<>(cluster.objects());
            for (ClusterChange change : suggestion.changes()) {
                objects.removeIf(object -> object.ref().equals(change.ref()));
                if (change instanceof ClusterChange.Put put) {
                    objects.add(put.object());
                }
            }
            if (!suggestion.changes().isEmpty()) {
                List<Pod> pods = ofType(objects, Pod.class);
                for (Service service : ofType(objects, Service.class)) {
                    boolean hasUnknownPods = cluster.objects(EndpointSlice.class)
                            .filter(slice -> slice.belongsTo(service))
                            .flatMap(slice -> slice.endpoints().stream())
                            .anyMatch(endpoint ->
                                    endpoint.targetRef().flatMap(cluster::get).isEmpty());
                    if (EndpointSliceRules.selection(service).selector().isPresent() && !hasUnknownPods) {
                        objects.removeIf(object -> object instanceof EndpointSlice slice
                                && slice.namespace().equals(service.namespace())
                                && slice.serviceName().orElse("").equals(service.name()));
                        objects.addAll(EndpointSliceRules.of(service, pods, List.<Node>of()));
                    }
                }
            }
            ClusterZone zone = ClusterZone.of(
                    ClusterSnapshot.of(objects),
                    new RecordRules(suggestion.settings().orElse(settings)),
                    after(suggestion, visibility));
            assertThat(ClusterDns.of(zone)
                            .lookup(suggestion.name(), suggestion.type())
                            .status())
                    .as(suggestion.text())
                    .isEqualTo(AnswerStatus.NOERROR);
        }
    }

    /** Returns which objects a server shows after a suggestion: its text has the options. */
    private static Visibility after(Suggestion suggestion, Visibility visibility) {
        Matcher option = LABELS_OPTION.matcher(suggestion.text());
        return new Visibility(
                suggestion.text().contains("--namespace or ") ? Visibility.ALL.namespaces() : visibility.namespaces(),
                option.find()
                        ? Selector.parse(option.group(1))
                        : suggestion.text().contains("leave out --labels")
                                ? Visibility.ALL.labels()
                                : visibility.labels());
    }

    private static List<String> causes(Explanation explanation) {
        return explanation.causes().stream().map(Cause::toString).toList();
    }

    private static List<String> fields(Explanation explanation) {
        return explanation.sources().stream().map(Explanation.Source::field).toList();
    }

    private static List<String> suggestions(Explanation explanation) {
        return explanation.suggestions().stream().map(Suggestion::text).toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cart.shop | A | Service shop/cart spec.clusterIPs[0] specification 2.3.1",
                "cart.shop | SRV | Service shop/cart spec.ports[0] specification 2.3.2",
                "_http._tcp.cart.shop | SRV | Service shop/cart spec.ports[0] specification 2.3.2",
                "20.0.96.10.in-addr.arpa. | PTR | Service shop/cart spec.clusterIPs[0] specification 2.3.3",
                "db.shop | A | EndpointSlice shop/db-ipv4-1 endpoints[0].addresses[0] of Pod shop/db-0 specification 2.4.1",
                "db-0.db.shop | A | EndpointSlice shop/db-ipv4-1 endpoints[0].addresses[0] of Pod shop/db-0 specification 2.4.1",
                "_sql._tcp.db.shop | SRV | EndpointSlice shop/db-ipv4-1 ports[0] specification 2.4.2",
                "5.0.244.10.in-addr.arpa. | PTR | EndpointSlice shop/db-ipv4-1 endpoints[0].addresses[0] of Pod shop/db-0 specification 2.4.3",
                "pay.shop | CNAME | Service shop/pay spec.externalName specification 2.5",
                "10-244-0-5.shop.pod.cluster.local. | A | Pod shop/db-0 status.podIPs[0] DNS for Services and Pods, A/AAAA records",
            })
    void eachRecordHasItsObjectFieldAndRule(String name, String type, String source) {
        ClusterSnapshot cluster = cluster(CART, DB, DB_0, ExternalNameService.of("shop", "pay", "pay.example"));
        Explanation explanation = explain(cluster, name, RecordType.parse(type));
        assertThat(explanation.resolves()).isTrue();
        assertThat(explanation.sources())
                .singleElement()
                .satisfies(one -> assertThat(one.object().orElseThrow() + " " + one.field() + " " + one.rule())
                        .isEqualTo(source));
        assertThat(explanation.sources())
                .extracting(Explanation.Source::record)
                .isEqualTo(explanation.answer().answer().stream()
                        .flatMap(RecordSet::lines)
                        .toList());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10-244-0-7.cart.shop | A | DNS for Services and Pods, A/AAAA records",
                "7.0.244.10.in-addr.arpa. | PTR | CoreDNS, plugin kubernetes; not in the specification",
            })
    void endpointsOfAServiceWithAClusterIpHaveOtherRules(String name, String type, String rule) {
        Pod pod = Pod.builder("shop", "web")
                .labels("app=cart")
                .phase(PodPhase.RUNNING)
                .ready(true)
                .ips("10.244.0.7")
                .build();
        ClusterSnapshot cluster = cluster(CART.toBuilder().selector("app=cart").build(), pod);

        assertThat(explain(cluster, name, RecordType.parse(type)).sources())
                .singleElement()
                .satisfies(one -> assertThat(one.rule()).isEqualTo(rule));
    }

    @ParameterizedTest
    @CsvSource({
        "cart.shop.svc.cluster.local., A, cluster.local.",
        "cart.shop.svc.east.cluster.local., A, east.cluster.local.",
        "20.0.96.10.in-addr.arpa., PTR, 10.in-addr.arpa.",
        "dns-version.cluster.local., TXT, cluster.local.",
    })
    void eachRecordHasItsZone(String name, String type, String zone) {
        ZoneSettings settings = ZoneSettings.builder()
                .zones("cluster.local", "east.cluster.local")
                .reverseZones("10.0.0.0/8", "192.0.2.0/24")
                .build();
        Explanation explanation = Explainer.of(cluster(CART), settings).explain(name, RecordType.parse(type));
        assertThat(explanation.sources())
                .singleElement()
                .satisfies(one -> assertThat(one.zone().map(Name::toString)).contains(zone));
    }

    @Test
    void portsOfOneNumberAreTheSourceByNameAndProtocol() {
        ClusterIpService dns = ClusterIpService.builder("shop", "kube-dns")
                .clusterIps(List.of(IpAddress.parse("10.96.0.10")))
                .ports(ServicePort.of("dns", Protocol.UDP, 53), ServicePort.of("dns-tcp", Protocol.TCP, 53))
                .build();
        ClusterSnapshot cluster = cluster(dns);
        assertThat(fields(explain(cluster, "_dns._udp.kube-dns.shop", RecordType.SRV)))
                .containsExactly("spec.ports[0]");
        assertThat(fields(explain(cluster, "_dns-tcp._tcp.kube-dns.shop", RecordType.SRV)))
                .containsExactly("spec.ports[1]");
        assertThat(fields(explain(cluster, "kube-dns.shop", RecordType.SRV))).containsExactly("spec.ports[0]");
    }

    @Test
    void thePortOfASliceIsTheSourceOfASrvRecordWithTheNumberOfTheService() {
        HeadlessService db = DB.toBuilder()
                .ports(
                        ServicePort.of("metrics", Protocol.TCP, 81).withTargetPort(9090),
                        ServicePort.of("sql", Protocol.TCP, 80).withTargetPort(5432))
                .build();
        ClusterSnapshot cluster = cluster(db, DB_0);
        ZoneSettings settings = ZoneSettings.builder().srvPort(SrvPort.SERVICE).build();
        EndpointSlice slice = cluster.objects(EndpointSlice.class).findFirst().orElseThrow();
        for (String name : List.of("_sql._tcp.db.shop", "db.shop")) {
            Explanation explanation = Explainer.of(cluster, settings).explain(name, RecordType.SRV);
            assertThat(explanation.sources())
                    .filteredOn(source -> source.record().contains(" 80 db-0."))
                    .as(name)
                    .singleElement()
                    .satisfies(source -> {
                        int port = slice.ports().indexOf(EndpointPort.of("sql", Protocol.TCP, 5432));
                        assertThat(source.field()).isEqualTo("ports[" + port + "]");
                    });
        }
    }

    @Test
    void theSameServiceInAnotherNamespaceComesFirst() {
        Explanation explanation = explain(
                cluster(
                        CART,
                        ClusterIpService.builder("lab", "card")
                                .clusterIps(List.of(IpAddress.parse("10.96.0.21")))
                                .build()),
                "cart.lab",
                RecordType.A);
        assertThat(explanation.resolves()).isFalse();
        assertThat(causes(explanation)).containsExactly("Service lab/cart: no such Service");
        assertThat(suggestions(explanation))
                .containsExactlyInAnyOrder(
                        "look up cart.shop.svc.cluster.local.", "look up card.lab.svc.cluster.local.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cart.shop.svc. | A | not below a zone of this server (cluster.local) | look up cart.shop.svc.cluster.local.",
                "cart.shop. | A | not below a zone of this server (cluster.local) | look up cart.shop.svc.cluster.local.",
                "cart.shop.svc.cluster.lcoal. | A | not below a zone of this server (cluster.local) | look up cart.shop.svc.cluster.local.",
                "cart.shop.cluster.local. | A | the label before the zone is \"shop\"; it is \"svc\" for Services and \"pod\" for Pods | look up cart.shop.svc.cluster.local.",
                "crat.shop | A | Service shop/crat: no such Service | look up cart.shop.svc.cluster.local.",
                "cart.shp | A | Namespace shp: no such Namespace | look up cart.shop.svc.cluster.local.",
                "shop.cart | A | Namespace cart: no such Namespace | look up cart.shop.svc.cluster.local.",
                "http.tcp.cart.shop | SRV | a port name and a protocol begin with an underscore: _PORT._PROTOCOL.SERVICE.NAMESPACE.svc | look up _http._tcp.cart.shop.svc.cluster.local.",
                "_htpt._tcp.cart.shop | SRV | Service shop/cart, spec.ports: no port named htpt over TCP; the ports are: http/TCP | look up _http._tcp.cart.shop.svc.cluster.local.",
                "_http._udp.cart.shop | SRV | Service shop/cart, spec.ports: no port named http over UDP; the ports are: http/TCP | look up _http._tcp.cart.shop.svc.cluster.local.",
                "_http._tcp.cart.shop | A | the name of a port has SRV records only | look up type SRV",
                "_tcp.cart.shop | A | the name of a protocol has no records itself, only the names of ports below it | look up _http._tcp.cart.shop.svc.cluster.local. with type SRV",
                "_udp.cart.shop | A | the name of a protocol has no records itself, only the names of ports below it, and there are none | look up _http._tcp.cart.shop.svc.cluster.local. with type SRV",
                "db-1.db.shop | A | Service shop/db: no Pod in the namespace has the hostname or the name db-1 | look up db-0.db.shop.svc.cluster.local.",
                "db-0.db.shop | AAAA | Service shop/db: the name has records, but none of type AAAA | look up type A",
                "10-244-0-5.db.shop | SRV | Service shop/db: the name has records, but none of type SRV | look up type A",
                "cart.shop | AAAA | Service shop/cart, spec.clusterIPs: has records, but none of type AAAA; its addresses are [10.96.0.20] | look up type A",
                "10.244.0.5.shop.pod.cluster.local. | A | not a pod name, which is the address with dashes, the namespace and \"pod\" | look up 10-244-0-5.shop.pod.cluster.local.",
                "10-244-0-5.lab.pod.cluster.local. | A | Pod shop/db-0, metadata.namespace: has this address, in another namespace | look up 10-244-0-5.shop.pod.cluster.local.",
                "20.0.96.10.in-addr.arpa. | A | a reverse name has PTR records only | look up type PTR",
                "db-0.shop | A | Pod shop/db-0: the name of a Pod is HOSTNAME.SUBDOMAIN.NAMESPACE.svc | look up db-0.db.shop.svc.cluster.local.",
                "crat | A | Namespace crat: no such Namespace | look up cart.shop.svc.cluster.local.",
                "db-0.svc.cluster.local. | A | Namespace db-0: no such Namespace | look up db-0.db.shop.svc.cluster.local.",
                "_http.cart.shop | SRV | the name of a port has its protocol, too: _PORT._PROTOCOL.SERVICE.NAMESPACE.svc | look up _http._tcp.cart.shop.svc.cluster.local.",
                "tcp._http.cart.shop | SRV | a port name and a protocol begin with an underscore: _PORT._PROTOCOL.SERVICE.NAMESPACE.svc | look up _http._tcp.cart.shop.svc.cluster.local.",
                "_tcp._http.cart.shop | SRV | the order is wrong: first the port, then the protocol: _PORT._PROTOCOL.SERVICE.NAMESPACE.svc | look up _http._tcp.cart.shop.svc.cluster.local.",
                "_http._http.cart.shop | SRV | the second label is no protocol, which is _tcp, _udp or _sctp: _PORT._PROTOCOL.SERVICE.NAMESPACE.svc | look up _http._tcp.cart.shop.svc.cluster.local.",
                "_http._tcp.a-0.cart.shop.svc.cluster.local. | SRV | an endpoint has no names of ports; those of its Service are _PORT._PROTOCOL.SERVICE.NAMESPACE.svc | look up _http._tcp.cart.shop.svc.cluster.local.",
                "cart.shop.pod.cluster.local. | A | not a pod name, which is the address with dashes, the namespace and \"pod\" | look up cart.shop.svc.cluster.local.",
                "cart.shop.svc.cluster.local.svc.cluster.local. | A | the zone cluster.local occurs twice in the name | look up cart.shop.svc.cluster.local.",
                "cart.shop.svc.cluster.local.cluster.local. | A | the zone cluster.local occurs twice in the name | look up cart.shop.svc.cluster.local.",
                "cart.shop.svc.cluster.local.lab.svc.cluster.local. | A | the zone cluster.local occurs twice in the name | look up cart.shop.svc.cluster.local.",
            })
    void aNearNameIsSuggested(String name, String type, String cause, String suggestion) {
        Explanation explanation = explain(cluster(CART, DB, DB_0), name, RecordType.parse(type));
        assertThat(explanation.resolves()).isFalse();
        assertThat(causes(explanation)).contains(cause);
        assertThat(suggestions(explanation)).startsWith(suggestion);
    }

    @Test
    void aPodThatIsNotReadyIsNamed() {
        Explanation explanation =
                explain(cluster(DB, DB_0.toBuilder().ready(false).build()), "db.shop", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly("Pod shop/db-0, status.conditions: not ready, so that it is not published");
        assertThat(suggestions(explanation))
                .containsExactly("make Pod shop/db-0 ready", "set spec.publishNotReadyAddresses of Service shop/db");
    }

    @Test
    void aSelectorThatMatchesNothingIsComparedWithTheNearestPod() {
        Explanation explanation =
                explain(cluster(DB, DB_0.toBuilder().labels("app=dbx").build()), "db.shop", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly("Service shop/db, spec.selector: {app=db} matches no Pod; the nearest is Pod shop/db-0"
                        + " with {app=dbx}");
        assertThat(suggestions(explanation))
                .containsExactly(
                        "change spec.selector of Service shop/db to {app=dbx}",
                        "give Pod shop/db-0 the labels {app=db}");
    }

    @Test
    void ofEquallySimilarPodsThatOfTheServicesNameIsTheNearestThenOneWithoutAService() {
        HeadlessService cache = HeadlessService.builder("shop", "cache")
                .selector("app=shop,tier=cache")
                .build();
        Service api = CART.toBuilder().selector("app=shop,tier=api").build();
        Pod ofApi = DB_0.toBuilder()
                .metadata(Metadata.of("shop", "a-0"))
                .labels("app=shop,tier=api")
                .build();
        Pod other = ofApi.toBuilder()
                .metadata(Metadata.of("shop", "m-0"))
                .labels("app=shop,tier=memory")
                .build();
        Pod ofSameName = ofApi.toBuilder()
                .metadata(Metadata.of("shop", "cache-0"))
                .labels("app=shop,tier=store")
                .build();
        assertThat(suggestions(explain(cluster(cache, api, ofApi, other), "cache.shop", RecordType.A)))
                .startsWith("change spec.selector of Service shop/cache to {app=shop, tier=memory}");
        assertThat(suggestions(explain(cluster(cache, api, ofApi, other, ofSameName), "cache.shop", RecordType.A)))
                .startsWith("change spec.selector of Service shop/cache to {app=shop, tier=store}");
    }

    @Test
    void aPodOfAnotherNamespaceIsNotSelected() {
        Pod elsewhere = Pod.builder("lab", "db-0")
                .labels("app=db")
                .ready(true)
                .ips("10.244.0.9")
                .build();
        assertThat(causes(explain(cluster(DB, elsewhere), "db.shop", RecordType.A)))
                .containsExactly(
                        "Service shop/db, spec.selector: {app=db} matches no Pod; it matches Pod lab/db-0, but a"
                                + " Service selects Pods of its own namespace only");
    }

    @Test
    void anotherSubdomainAndAMissingHostnameAreFound() {
        HeadlessService other =
                HeadlessService.builder("shop", "data").selector("app=db").build();
        Explanation subdomain = explain(cluster(DB, DB_0, other), "db-0.data.shop", RecordType.A);
        assertThat(causes(subdomain))
                .containsExactly(
                        "Pod shop/db-0, spec.subdomain: is db; it must be data, the name of the Service (a StatefulSet sets it to its spec.serviceName)");
        assertThat(suggestions(subdomain))
                .as("the asked name first")
                .containsExactly("give Pod shop/db-0 spec.subdomain data", "look up db-0.db.shop.svc.cluster.local.");
        Pod bare = Pod.builder("shop", "db-0")
                .labels("app=db")
                .ready(true)
                .ips("10.244.0.5")
                .build();
        Explanation hostname = explain(cluster(DB, bare), "db-0.db.shop", RecordType.A);
        assertThat(causes(hostname))
                .containsExactly(
                        "Pod shop/db-0, spec.hostname: missing; the name of an endpoint is the hostname of its Pod",
                        "Pod shop/db-0, spec.subdomain: missing; it must be db, the name of the Service (a StatefulSet sets it to its spec.serviceName)");
        assertThat(suggestions(hostname)).containsExactly("give Pod shop/db-0 spec.hostname db-0, spec.subdomain db");
    }

    @Test
    void theServiceNameOfAStatefulSetIsSuggestedForItsPods() {
        HeadlessService other =
                HeadlessService.builder("shop", "data").selector("app=db").build();
        Pod ofSet = DB_0.toBuilder()
                .labels("app=db,statefulset.kubernetes.io/pod-name=db-0")
                .build();
        assertThat(suggestions(explain(cluster(DB, ofSet, other), "db-0.data.shop", RecordType.A)))
                .contains(
                        "set spec.serviceName of StatefulSet shop/db to data (an existing StatefulSet must be recreated)");
    }

    @Test
    void theNamedPortsOfThePodsAreSuggestedForAMissingTargetPort() {
        HeadlessService service = HeadlessService.builder("shop", "db")
                .selector("app=db")
                .ports(ServicePort.of("pg", Protocol.TCP, 5432).withTargetPort("postgres"))
                .build();
        Pod pod = DB_0.toBuilder()
                .ports(new ContainerPort("sql", Protocol.TCP, 5432), new ContainerPort("udp", Protocol.UDP, 53))
                .build();
        Explanation explanation = explain(cluster(service, pod), "_pg._tcp.db.shop", RecordType.SRV);
        assertThat(causes(explanation))
                .containsExactly(
                        "Service shop/db, spec.ports[0].targetPort: no container of its Pods has the target port postgres of pg;"
                                + " the named ports are: sql");
        assertThat(suggestions(explanation))
                .containsExactly("change the targetPort of port pg of Service shop/db to sql");
        assertThat(causes(explain(cluster(service, pod), "_pg._tcp.db.shop", RecordType.A)))
                .contains("the name of a port has SRV records only");
    }

    @Test
    void aWorkloadWithoutPodsIsTheCauseAlsoIfAnotherOneHasTheHostname() {
        StatefulSet set = StatefulSet.builder("shop", "db")
                .replicas(0)
                .service("db")
                .template(PodTemplate.of("app=db"))
                .build();
        Pod first = DB_0.toBuilder().workload(set.ref()).build();
        Pod other = Pod.builder("shop", "web")
                .labels("app=web")
                .hostname("db-0")
                .subdomain("web")
                .ready(true)
                .ips("10.244.0.8")
                .build();
        ClusterSnapshot cluster = cluster(DB, other)
                .withIdleWorkloads(
                        List.of(new IdleWorkload(set, "spec.replicas", "spec.replicas is 0", Optional.of(first))));
        Explanation explanation = explain(cluster, "db-0.db.shop", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly(
                        "StatefulSet shop/db, spec.replicas: Service shop/db selects its Pods, but it has none:"
                                + " spec.replicas is 0");
        assertThat(suggestions(explanation)).containsExactly("set spec.replicas of StatefulSet shop/db to 1");
    }

    @Test
    void aTargetPortWithAnotherProtocolIsACause() {
        HeadlessService service = HeadlessService.builder("shop", "db")
                .selector("app=db")
                .ports(ServicePort.of("pg", Protocol.TCP, 5432).withTargetPort("sql"))
                .build();
        Pod pod = DB_0.toBuilder()
                .ports(new ContainerPort("sql", Protocol.UDP, 5432))
                .build();
        Explanation explanation = explain(cluster(service, pod), "_pg._tcp.db.shop", RecordType.SRV);
        assertThat(causes(explanation))
                .containsExactly(
                        "Service shop/db, spec.ports[0].targetPort: no container of its Pods has the target port sql of pg with the"
                                + " protocol TCP, but one with UDP; the named ports with TCP are: none");
        assertThat(suggestions(explanation))
                .containsExactly("change the protocol of the container port sql of Pod shop/db-0 to TCP");
    }

    @Test
    void aServiceWithoutPortsHasNoSrvRecords() {
        HeadlessService service =
                HeadlessService.builder("shop", "db").selector("app=db").build();
        Explanation explanation = explain(cluster(service, DB_0), "db.shop", RecordType.SRV);
        assertThat(causes(explanation))
                .containsExactly(
                        "Service shop/db: has records, but none of type SRV",
                        "Service shop/db, spec.ports: missing; an SRV record is that of a port");
        assertThat(suggestions(explanation)).containsExactly("look up type A");
    }

    @Test
    void anUnderscoreStandsForADash() {
        ClusterIpService service = CART.toBuilder().build();
        Explanation explanation = explain(
                cluster(
                        service,
                        ClusterIpService.builder("shop", "cart-db")
                                .clusterIps(List.of(IpAddress.parse("10.96.0.21")))
                                .port(HTTP)
                                .build()),
                "Cart_db.shop",
                RecordType.A);
        assertThat(causes(explanation)).containsExactly("only the labels of ports and protocols have underscores");
        assertThat(suggestions(explanation)).containsExactly("look up cart-db.shop.svc.cluster.local.");
    }

    @Test
    void onlyTheSimilarPortIsSuggested() {
        ClusterIpService service = CART.toBuilder()
                .ports(ServicePort.of("metrics", Protocol.TCP, 81), HTTP)
                .build();
        assertThat(suggestions(explain(cluster(service), "_metric._tcp.cart.shop", RecordType.SRV)))
                .containsExactly("look up _metrics._tcp.cart.shop.svc.cluster.local.");
        assertThat(suggestions(explain(cluster(service), "_grpc._tcp.cart.shop", RecordType.SRV)))
                .as("none is similar")
                .hasSize(2);
    }

    @Test
    void thePortWithTheAskedNumberOrTargetIsMeant() {
        ClusterIpService service = CART.toBuilder()
                .selector("app=db")
                .ports(
                        ServicePort.of("metrics", Protocol.TCP, 9090).withTargetPort("prom"),
                        ServicePort.of("pg", Protocol.TCP, 80).withTargetPort(5432),
                        ServicePort.of("admin", Protocol.TCP, 81))
                .build();
        Pod pod = DB_0.toBuilder()
                .ports(new ContainerPort("sql", Protocol.TCP, 5432), new ContainerPort("prom", Protocol.TCP, 9090))
                .build();
        for (String asked : List.of("sql", "5432", "80")) {
            assertThat(suggestions(explain(cluster(service, pod), "_" + asked + "._tcp.cart.shop", RecordType.SRV)))
                    .as(asked)
                    .containsExactly(
                            "look up _pg._tcp.cart.shop.svc.cluster.local.",
                            "rename port pg of Service shop/cart to " + asked);
        }
        ClusterIpService dns = CART.toBuilder()
                .ports(ServicePort.of("dns-tcp", Protocol.TCP, 53), ServicePort.of("dns", Protocol.UDP, 53))
                .build();
        assertThat(suggestions(explain(cluster(dns), "_53._udp.cart.shop", RecordType.SRV)))
                .as("of the asked protocol")
                .containsExactly(
                        "look up _dns._udp.cart.shop.svc.cluster.local.", "rename port dns of Service shop/cart to 53");
        assertThat(suggestions(explain(cluster(service, pod), "_prom._tcp.cart.shop", RecordType.SRV)))
                .containsExactly(
                        "look up _metrics._tcp.cart.shop.svc.cluster.local.",
                        "rename port metrics of Service shop/cart to prom");
        assertThat(suggestions(explain(cluster(CART), "_grpc._tcp.cart.shop", RecordType.SRV)))
                .as("the only port")
                .containsExactly(
                        "look up _http._tcp.cart.shop.svc.cluster.local.",
                        "rename port http of Service shop/cart to grpc");
        assertThat(suggestions(explain(cluster(CART), "_http._udp.cart.shop", RecordType.SRV)))
                .as("only its protocol is another one")
                .containsExactly("look up _http._tcp.cart.shop.svc.cluster.local.");
    }

    @Test
    void theContainerPortThatIsMostProbablyMeantIsTheTarget() {
        ServicePort metrics = ServicePort.of("metrics", Protocol.TCP, 9090).withTargetPort("prom");
        Pod pod = DB_0.toBuilder()
                .ports(
                        new ContainerPort("prom", Protocol.TCP, 9090),
                        new ContainerPort("probes", Protocol.TCP, 8081),
                        new ContainerPort("sql", Protocol.TCP, 5432))
                .build();
        assertThat(targets(metrics, ServicePort.of("pg", Protocol.TCP, 80).withTargetPort("sqll"), pod))
                .as("like the target")
                .containsExactly("sql");
        assertThat(targets(metrics, ServicePort.of("sql", Protocol.TCP, 80).withTargetPort("postgres"), pod))
                .as("like the port")
                .containsExactly("sql");
        assertThat(targets(metrics, ServicePort.of("pg", Protocol.TCP, 5432).withTargetPort("postgres"), pod))
                .as("its number")
                .containsExactly("sql");
        assertThat(targets(metrics, ServicePort.of("pg", Protocol.TCP, 80).withTargetPort("postgres"), pod))
                .as("not the target of another port")
                .containsExactly("probes", "sql");
    }

    /** Returns the suggested targets of the second port of a Service. */
    private static List<String> targets(ServicePort first, ServicePort second, Pod pod) {
        HeadlessService service = DB.toBuilder().ports(first, second).build();
        String name = "_" + second.name().orElseThrow() + "._tcp.db.shop";
        return suggestions(explain(cluster(service, pod), name, RecordType.SRV)).stream()
                .map(text -> text.substring(text.lastIndexOf(' ') + 1))
                .toList();
    }

    @Test
    void thePortOfAnotherProtocolIsNamed() {
        ClusterIpService service = ClusterIpService.builder("shop", "cart")
                .clusterIps(List.of(IpAddress.parse("10.96.0.20")))
                .port(ServicePort.unnamed(Protocol.TCP, 80))
                .build();
        assertThat(suggestions(explain(cluster(service), "_http._udp.cart.shop", RecordType.SRV)))
                .containsExactly("name port 80 of Service shop/cart http, and look up"
                        + " _http._tcp.cart.shop.svc.cluster.local.");
        assertThat(suggestions(explain(cluster(service), "_http._tcp.cart.shop", RecordType.SRV)))
                .containsExactly("name port 80 of Service shop/cart http");
        assertThat(suggestions(explain(cluster(service), "_a_b._tcp.cart.shop", RecordType.SRV)))
                .as("no name of a port")
                .isEmpty();
    }

    @Test
    void aPodOfAnotherNamespaceIsSuggestedForAnEndpoint() {
        HeadlessService other =
                HeadlessService.builder("lab", "db").selector("app=db").build();
        Explanation explanation = explain(cluster(DB, DB_0, other), "db-0.db.lab", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly(
                        "Service lab/db: no Pod in the namespace has the hostname or the name db-0",
                        "Service lab/db, spec.selector: {app=db} matches no Pod; it matches Pod shop/db-0, but a Service selects"
                                + " Pods of its own namespace only",
                        "Pod shop/db-0: the name of a Pod is HOSTNAME.SUBDOMAIN.NAMESPACE.svc");
        assertThat(suggestions(explanation)).containsExactly("look up db-0.db.shop.svc.cluster.local.");
    }

    @Test
    void aPodInTheNetworkOfAnUnknownNodeHasNoAddress() {
        Pod pod = DB_0.toBuilder().ips(List.of()).hostNetwork(true).build();
        assertThat(causes(explain(cluster(DB, pod), "db.shop", RecordType.A)))
                .containsExactly("Pod shop/db-0, spec.hostNetwork: no address, because spec.hostNetwork is true and"
                        + " spec.nodeName is missing, so that its Node is unknown (add it and the Node, or explain a live"
                        + " cluster)");
        Pod placed = pod.toBuilder().nodeName("n").build();
        assertThat(causes(explain(cluster(DB, placed), "db.shop", RecordType.A)))
                .containsExactly("Pod shop/db-0, spec.hostNetwork: no address, because spec.hostNetwork is true and"
                        + " there is no Node n among the objects (add it, or explain a live cluster)");
        assertThat(causes(explain(cluster(DB, placed, Node.of("n")), "db.shop", RecordType.A)))
                .containsExactly("Pod shop/db-0, spec.hostNetwork: no address, because spec.hostNetwork is true and"
                        + " Node n has neither an InternalIP nor an ExternalIP");
        Pod ofDaemonSet = pod.toBuilder()
                .workload(ObjectRef.of("DaemonSet", "shop", "db"))
                .build();
        assertThat(causes(explain(cluster(DB, ofDaemonSet), "db.shop", RecordType.A)))
                .containsExactly("DaemonSet shop/db, spec.template.spec.hostNetwork: its Pods have no address, because"
                        + " spec.hostNetwork is true and there is no Node among the objects (add the Nodes, or explain"
                        + " a live cluster)");
    }

    @Test
    void anAliasOfAMissingNameDoesNotResolve() {
        ExternalNameService alias = ExternalNameService.of("shop", "alias", "web.shop.svc.cluster.local");
        Explanation missing = explain(cluster(alias), "alias.shop", RecordType.A);
        assertThat(missing.resolves()).isFalse();
        assertThat(fields(missing)).containsExactly("spec.externalName");
        assertThat(causes(missing))
                .containsExactly(
                        "Service shop/alias, spec.externalName: is an alias of web.shop.svc.cluster.local., which has"
                                + " no records of type A",
                        "Service shop/web: no such Service");
        assertThat(explain(cluster(alias), "alias.shop", RecordType.CNAME).resolves())
                .isTrue();
        assertThat(suggestions(explain(cluster(alias), "alia.shop", RecordType.A)))
                .as("an alias of a missing name is not suggested")
                .isEmpty();
        Explanation outside =
                explain(cluster(ExternalNameService.of("shop", "pay", "pay.example")), "pay.shop", RecordType.A);
        assertThat(outside.resolves()).isTrue();
        assertThat(outside.targetOfOtherServer().map(Name::toString)).contains("pay.example.");
        assertThat(explain(cluster(CART), "cart.shop", RecordType.A).targetOfOtherServer())
                .isEmpty();
    }

    @Test
    void aChangeOfTheTargetOfAnAliasIsSuggestedForTheAlias() {
        ExternalNameService alias = ExternalNameService.of("shop", "alias", "other.shop.svc.cluster.local");
        ExternalNameService other = ExternalNameService.of("shop", "other", "db.shop.svc.cluster.local");
        Pod waiting = DB_0.toBuilder().ready(false).build();
        Explanation explanation = explain(cluster(alias, other, DB, waiting), "alias.shop", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly(
                        "Service shop/alias, spec.externalName: is an alias of other.shop.svc.cluster.local., which"
                                + " leads to db.shop.svc.cluster.local., which has no records of type A",
                        "Pod shop/db-0, status.conditions: not ready, so that it is not published");
        assertThat(suggestions(explanation))
                .containsExactly("make Pod shop/db-0 ready", "set spec.publishNotReadyAddresses of Service shop/db");
    }

    @Test
    void aliasesThatFormALoopDoNotResolve() {
        ClusterSnapshot cluster = cluster(
                ExternalNameService.of("shop", "a", "b.shop.svc.cluster.local"),
                ExternalNameService.of("shop", "b", "a.shop.svc.cluster.local"));
        Explanation explanation = explain(cluster, "a.shop", RecordType.A);
        assertThat(explanation.resolves()).isFalse();
        assertThat(causes(explanation))
                .containsExactly("Service shop/a, spec.externalName: is an alias of b.shop.svc.cluster.local., which"
                        + " leads to a.shop.svc.cluster.local.: the aliases form a loop");
    }

    @Test
    void anAliasThatResemblesItsMissingTargetIsNotExplainedAgain() {
        ExternalNameService alias = ExternalNameService.of("shop", "web", "webb.shop.svc.cluster.local");
        assertThat(causes(explain(cluster(alias), "web.shop", RecordType.A)))
                .containsExactly(
                        "Service shop/web, spec.externalName: is an alias of webb.shop.svc.cluster.local., which has no"
                                + " records of type A",
                        "Service shop/webb: no such Service");
    }

    @Test
    void aQuestionForAddressesIsNotAnsweredWithPorts() {
        assertThat(suggestions(explain(cluster(CART), "cart.shop", RecordType.AAAA)))
                .containsExactly("look up type A");
        assertThat(suggestions(explain(cluster(DB, DB_0), "db.shop", RecordType.AAAA)))
                .containsExactly("look up type A");
    }

    @Test
    void theFamiliesOfAHeadlessServiceAreNamed() {
        HeadlessService ipv4 = DB.toBuilder().ipFamilies(IpFamily.IPV4).build();
        Pod dual = DB_0.toBuilder().ips("10.244.0.5", "fd00::5").build();
        for (String name : List.of("db.shop", "db-0.db.shop")) {
            Explanation explanation = explain(cluster(ipv4, dual), name, RecordType.AAAA);
            assertThat(causes(explanation)).contains("Service shop/db, spec.ipFamilies: is [IPv4]");
            assertThat(suggestions(explanation))
                    .contains(
                            "look up type A",
                            "change spec.ipFamilies of Service shop/db to [IPv4, IPv6] and spec.ipFamilyPolicy to"
                                    + " PreferDualStack");
        }
        HeadlessService ipv6 = DB.toBuilder().ipFamilies(IpFamily.IPV6).build();
        assertThat(suggestions(explain(cluster(ipv6, dual), "db.shop", RecordType.A)))
                .startsWith("look up type AAAA")
                .anyMatch(text -> text.startsWith("change spec.ipFamilies of Service shop/db to [IPv6, IPv4]"));
        Explanation without = explain(cluster(ipv4, DB_0), "db.shop", RecordType.AAAA);
        assertThat(causes(without)).contains("Service shop/db, spec.ipFamilies: is [IPv4]");
        assertThat(suggestions(without))
                .as("the Pods have no such address")
                .noneMatch(text -> text.contains("ipFamilies"));
    }

    @Test
    void aServiceBesideThePodsOfAnotherNamespaceIsToBeMoved() {
        HeadlessService apart =
                DB.toBuilder().metadata(Metadata.of("lab", "db")).build();
        assertThat(suggestions(explain(cluster(apart, DB_0), "db.lab", RecordType.A)))
                .containsExactly("move Service lab/db to the namespace shop, and look up db.shop.svc.cluster.local.");
        Explanation below = explain(cluster(apart, DB_0), "_sql._tcp.db.lab", RecordType.SRV);
        assertThat(suggestions(below))
                .containsExactly(
                        "move Service lab/db to the namespace shop, and look up _sql._tcp.db.shop.svc.cluster.local.");
        assertThat(below.suggestions().get(0).changes())
                .extracting(ClusterChange::ref)
                .containsExactly(apart.ref(), DB.ref());
        assertThat(suggestions(explain(cluster(apart, DB, DB_0), "db.lab", RecordType.A)))
                .containsExactly("look up db.shop.svc.cluster.local.");
    }

    @Test
    void aWorkloadWithoutPodsIsNamedBeforeTheSelector() {
        Pod canary = Pod.builder("shop", "db-canary-1")
                .labels("app=db-canary")
                .ready(true)
                .ips("10.244.0.9")
                .workload(ObjectRef.of("Deployment", "shop", "db-canary"))
                .build();
        StatefulSet set = StatefulSet.builder("shop", "db")
                .replicas(0)
                .service("db")
                .template(PodTemplate.of("app=db"))
                .build();
        Pod first = DB_0.toBuilder().workload(set.ref()).build();
        ClusterSnapshot cluster = cluster(DB, canary)
                .withIdleWorkloads(
                        List.of(new IdleWorkload(set, "spec.replicas", "spec.replicas is 0", Optional.of(first))));
        String cause = "StatefulSet shop/db, spec.replicas: Service shop/db selects its Pods, but it has none:"
                + " spec.replicas is 0";
        for (String name : List.of("db.shop", "db-0.db.shop")) {
            Explanation explanation = explain(cluster, name, RecordType.A);
            assertThat(causes(explanation)).as(name).containsExactly(cause);
            assertThat(suggestions(explanation))
                    .as(name)
                    .containsExactly("set spec.replicas of StatefulSet shop/db to 1");
        }
        assertThat(suggestions(explain(cluster, "db-1.db.shop", RecordType.A)))
                .as("one replica does not help")
                .isEmpty();
    }

    @Test
    void aPortIsServedIfAPodHasItsTarget() {
        HeadlessService service = HeadlessService.builder("shop", "db")
                .selector("app=db")
                .ports(
                        ServicePort.of("http", Protocol.TCP, 80).withTargetPort("http"),
                        ServicePort.of("other", Protocol.TCP, 81).withTargetPort("nope"))
                .build();
        Pod pod = DB_0.toBuilder()
                .ips(List.of())
                .port(new ContainerPort("http", Protocol.TCP, 8080))
                .build();
        assertThat(causes(explain(cluster(service, pod), "_http._tcp.db.shop", RecordType.SRV)))
                .containsExactly("Pod shop/db-0, status.podIPs: no address yet");
    }

    @Test
    void endpointsOfUnknownPodsAreExplainedByTheirSlices() {
        EndpointSlice given = EndpointSlice.builder("shop", "db-x7k2p")
                .service("db")
                .endpoints(Endpoint.builder("10.244.0.5")
                        .hostname("db-0")
                        .targetRef(DB_0.ref())
                        .ready(false)
                        .build())
                .port(EndpointPort.of("sql", Protocol.TCP, 5432))
                .build();
        ClusterSnapshot cluster = ClusterSnapshot.of(List.of(Namespace.of("shop"), DB, given));
        for (String name : List.of("db.shop", "db-0.db.shop")) {
            Explanation explanation = explain(cluster, name, RecordType.A);
            assertThat(causes(explanation))
                    .as(name)
                    .containsExactly("EndpointSlice shop/db-x7k2p, endpoints[0].conditions: not ready, so that it is"
                            + " not published (Pod shop/db-0)");
        }
        assertThat(suggestions(explain(cluster, "db.shop", RecordType.A)))
                .as("the endpoints remain after the change")
                .containsExactly("set spec.publishNotReadyAddresses of Service shop/db");
        assertThat(causes(explain(cluster, "db-7.db.shop", RecordType.A)))
                .containsExactly("Service shop/db: no endpoint in an EndpointSlice of it has the hostname db-7");
        ClusterSnapshot withPods = ClusterSnapshot.of(List.of(Namespace.of("shop"), DB, DB_0, given));
        for (String name : List.of("db.shop", "db-0.db.shop")) {
            assertThat(causes(explain(withPods, name, RecordType.A)))
                    .as(name)
                    .containsExactly("EndpointSlice shop/db-x7k2p, endpoints[0].conditions: not ready, so that it is"
                            + " not published (Pod shop/db-0)");
        }
    }

    @Test
    void theFamiliesOfAServiceAreComparedWithThoseOfItsPods() {
        HeadlessService service = DB.toBuilder().ipFamilies(IpFamily.IPV6).build();
        for (String name : List.of("db.shop", "db-0.db.shop")) {
            Explanation explanation = explain(cluster(service, DB_0), name, RecordType.A);
            assertThat(causes(explanation))
                    .as(name)
                    .containsExactly("Service shop/db, spec.ipFamilies: is [IPv6], but Pod shop/db-0 has only addresses"
                            + " of IPv4");
            assertThat(suggestions(explanation))
                    .as(name)
                    .containsExactly("change spec.ipFamilies of Service shop/db to [IPv4]");
        }
    }

    @Test
    void theOtherTypeIsSuggestedTogetherWithTheFamilyOfThePods() {
        HeadlessService service = DB.toBuilder().ipFamilies(IpFamily.IPV4).build();
        Pod pod = DB_0.toBuilder().ips("fd00::5").build();
        for (String name : List.of("db.shop", "db-0.db.shop")) {
            String change = "change spec.ipFamilies of Service shop/db to [IPv6]";
            assertThat(suggestions(explain(cluster(service, pod), name, RecordType.A)))
                    .as(name)
                    .containsExactly(change + ", and look up type AAAA");
            assertThat(suggestions(explain(cluster(service, pod), name, RecordType.AAAA)))
                    .as(name)
                    .containsExactly(change);
        }
    }

    @Test
    void theNameOfAPortInPlaceOfAHostnameIsACause() {
        for (RecordType type : List.of(RecordType.A, RecordType.SRV)) {
            Explanation explanation = explain(cluster(CART), "http.cart.shop", type);
            assertThat(causes(explanation))
                    .contains("Service shop/cart, spec.ports: http is the name of a port, which is looked up as"
                            + " _PORT._PROTOCOL.SERVICE.NAMESPACE.svc");
            assertThat(suggestions(explanation))
                    .containsExactly("look up _http._tcp.cart.shop.svc.cluster.local."
                            + (type.equals(RecordType.A) ? " with type SRV" : ""));
        }
    }

    @Test
    void anotherTargetOfAnAliasIsSuggested() {
        ExternalNameService alias = ExternalNameService.of("lab", "basket", "crat.shop.svc.cluster.local");
        ExternalNameService first = ExternalNameService.of("lab", "first", "basket.lab.svc.cluster.local");
        String change = "change spec.externalName of Service lab/basket to cart.shop.svc.cluster.local";
        for (String name : List.of("basket.lab", "first.lab")) {
            assertThat(suggestions(explain(cluster(CART, alias, first), name, RecordType.A)))
                    .as(name)
                    .containsExactly(change, "look up cart.shop.svc.cluster.local.");
        }
    }

    @Test
    void anAddressAsExternalNameIsSuggestedAsAnEndpoint() {
        ExternalNameService service = ExternalNameService.of("lab", "old", "192.0.2.7");
        assertThat(suggestions(explain(cluster(service), "old.lab", RecordType.A)))
                .containsExactly("make Service lab/old headless without a selector, and add an EndpointSlice with"
                        + " 192.0.2.7");
        assertThat(suggestions(explain(cluster(service), "old.lab", RecordType.AAAA)))
                .isEmpty();
    }

    @Test
    void aReverseNameInNoZoneHasTheReverseZonesInItsCause() {
        ZoneSettings settings = ZoneSettings.builder()
                .reverseZones(ReverseZone.parse("10.240.0.0/12"))
                .build();
        Explanation explanation =
                explain(cluster(CART), settings, Visibility.ALL, "20.0.96.10.in-addr.arpa.", RecordType.PTR);
        assertThat(causes(explanation))
                .containsExactly("in no reverse zone of this server (240.10.in-addr.arpa, 241.10.in-addr.arpa,"
                        + " 242.10.in-addr.arpa and 13 more)");
        assertThat(suggestions(explanation))
                .containsExactly("serve the reverse names of all addresses (leave out --reverse-zone)");
    }

    @Test
    void aPodThatHasEndedIsNotCalledNotReady() {
        HeadlessService service = DB.toBuilder().publishNotReadyAddresses(true).build();
        Pod ended = DB_0.toBuilder().phase(PodPhase.SUCCEEDED).ready(false).build();
        for (HeadlessService one : List.of(service, DB)) {
            for (String name : List.of("db.shop", "db-0.db.shop")) {
                Explanation explanation = explain(cluster(one, ended), name, RecordType.A);
                assertThat(causes(explanation))
                        .as(name)
                        .containsExactly(
                                "Pod shop/db-0, status.phase: has ended, so that it is not published: Succeeded");
                assertThat(explanation.suggestions()).as(name).isEmpty();
            }
        }
    }

    @Test
    void aPodThatAFilterHidesIsNotMissing() {
        Visibility team = Visibility.ALL.onlyWith(Selector.parse("team=a"));
        ZoneSettings settings = ZoneSettings.builder().pods(PodsMode.VERIFIED).build();
        assertThat(causes(Explainer.of(cluster(DB_0), settings, team)
                        .explain("10-244-0-5.shop.pod.cluster.local.", RecordType.A)))
                .containsExactly(
                        "Pod shop/db-0, metadata.labels: hidden, because the server publishes only objects with"
                                + " certain labels");
        for (String name : List.of("5.0.244.10.in-addr.arpa.", "20.0.96.10.in-addr.arpa.")) {
            assertThat(causes(Explainer.of(cluster(CART, DB, DB_0), settings, team)
                            .explain(name, RecordType.PTR)))
                    .as(name)
                    .singleElement()
                    .asString()
                    .startsWith("Service shop/")
                    .endsWith("metadata.labels: hidden, because the server publishes only objects with certain labels");
        }
    }

    @Test
    void theSettingsThatLimitPtrRecordsAreNamed() {
        ClusterIpService web = CART.toBuilder().selector("app=db").build();
        Pod bare = Pod.builder("shop", "db-0")
                .labels("app=db")
                .ready(true)
                .ips("10.244.0.5")
                .build();
        String only = "the server has PTR records only for endpoints ";
        assertThat(causesOfReverseName(ZoneSettings.builder().reversePolicy(ReversePolicy.HEADLESS_ONLY), web, bare))
                .containsExactly("Service shop/cart, spec.clusterIP: is not None, and " + only
                        + "of headless Services (--ptr headless-only)");
        assertThat(causesOfReverseName(ZoneSettings.builder().reversePolicy(ReversePolicy.HOSTNAME_ONLY), web, bare))
                .containsExactly("EndpointSlice shop/cart-ipv4-1, endpoints[0].hostname: missing, and " + only
                        + "with a hostname (--ptr hostname-only)");
        assertThat(causesOfReverseName(ZoneSettings.builder().endpoints(false), web, bare))
                .containsExactly("the server publishes no endpoints (--no-endpoints)");
        assertThat(causesOfReverseName(
                        ZoneSettings.builder(),
                        web,
                        bare.toBuilder().ready(false).build()))
                .containsExactly("Pod shop/db-0, status.conditions: not ready, so that it is not published");
    }

    private static List<String> causesOfReverseName(ZoneSettings.Builder settings, ClusterObject... objects) {
        return causes(
                Explainer.of(cluster(objects), settings.build()).explain("5.0.244.10.in-addr.arpa.", RecordType.PTR));
    }

    @Test
    void theSettingThatIgnoresEmptyServicesIsNamed() {
        ZoneSettings settings = ZoneSettings.builder().ignoreEmptyServices(true).build();
        ClusterIpService web = CART.toBuilder().selector("app=db").build();
        Explainer explainer =
                Explainer.of(cluster(web, DB_0.toBuilder().ready(false).build()), settings);
        String ignored = "Service shop/cart: has no ready endpoint, and the server ignores such Services"
                + " (--ignore-empty-services)";
        assertThat(causes(explainer.explain("cart.shop", RecordType.A)))
                .containsExactly(ignored, "Pod shop/db-0, status.conditions: not ready, so that it is not published");
        assertThat(causes(explainer.explain("20.0.96.10.in-addr.arpa.", RecordType.PTR)))
                .containsExactly(ignored);
    }

    @Test
    void aPortOfThePodsThatTheServiceLacksIsAdded() {
        ClusterIpService service = CART.toBuilder().selector("app=db").build();
        Pod pod = DB_0.toBuilder()
                .ports(new ContainerPort("http", Protocol.TCP, 80), new ContainerPort("metrics", Protocol.TCP, 9090))
                .build();
        assertThat(suggestions(explain(cluster(service, pod), "_metrics._tcp.cart.shop", RecordType.SRV)))
                .containsExactly(
                        "add port metrics (9090/TCP) to Service shop/cart",
                        "look up _http._tcp.cart.shop.svc.cluster.local.");
    }

    @Test
    void theNameToLookUpIsPrintedOnce() {
        assertThat(suggestions(explain(cluster(CART), "_grpc._udp.crat.shop", RecordType.SRV)))
                .containsExactly(
                        "look up _http._tcp.cart.shop.svc.cluster.local.",
                        "rename port http of Service shop/cart to grpc, and look up"
                                + " _grpc._tcp.cart.shop.svc.cluster.local.");
    }

    @Test
    void theNumbersOfAStatefulSetAndRandomNamesAreCauses() {
        StatefulSet set = StatefulSet.builder("shop", "db")
                .replicas(2)
                .firstOrdinal(1)
                .service("db")
                .template(PodTemplate.of("app=db"))
                .build();
        Pod[] pods = Stream.of(0, 1)
                .map(index -> set.pod(index).toBuilder()
                        .ready(true)
                        .ips("10.244.0." + (index + 5))
                        .workload(set.ref())
                        .build())
                .toArray(Pod[]::new);
        ClusterSnapshot cluster = cluster(DB, pods[0], pods[1]);
        assertThat(causes(explain(cluster, "db-0.db.shop", RecordType.A)))
                .contains("StatefulSet shop/db, spec.ordinals.start: its Pods are db-1 to db-2");
        assertThat(causes(explain(cluster, "db-3.db.shop", RecordType.A)))
                .contains("StatefulSet shop/db, spec.replicas: its Pods are db-1 to db-2");
        Pod next = set.toBuilder().replicas(3).build().pod(2).toBuilder()
                .ready(true)
                .ips("10.244.0.8")
                .workload(set.ref())
                .build();
        Pod afterNext = set.toBuilder().replicas(4).build().pod(3).toBuilder()
                .ready(true)
                .ips("10.244.0.9")
                .workload(set.ref())
                .build();
        ClusterSnapshot withNext = cluster.withNumberedPods(Map.of(set, List.of(next, afterNext)), Map.of());
        assertThat(causes(explain(withNext, "db-3.db.shop", RecordType.A)))
                .contains(
                        "StatefulSet shop/db, spec.replicas: is 2 and spec.ordinals.start 1, so that its Pods are db-1 to db-2");
        assertThat(causes(explain(withNext, "db-0.db.shop", RecordType.A)))
                .contains("StatefulSet shop/db, spec.ordinals.start: is 1, so that its Pods are db-1 to db-2");
        assertThat(suggestions(explain(withNext, "db-3.db.shop", RecordType.A)))
                .startsWith("set spec.replicas of StatefulSet shop/db to 3");
        Explanation.Suggestion two =
                explain(withNext, "db-4.db.shop", RecordType.A).suggestions().get(0);
        assertThat(two.text()).isEqualTo("set spec.replicas of StatefulSet shop/db to 4");
        assertThat(two.changes())
                .as("with the Pods before it")
                .extracting(ClusterChange::ref)
                .containsExactly(next.ref(), afterNext.ref());
        for (String other : List.of("db-0.db.shop", "db-5.db.shop")) {
            assertThat(suggestions(explain(withNext, other, RecordType.A)))
                    .as(other)
                    .noneMatch(text -> text.contains("spec.replicas"));
        }
        assertThat(suggestions(explain(
                        cluster.withNumberedPods(
                                Map.of(
                                        set,
                                        List.of(next.toBuilder().ready(false).build())),
                                Map.of()),
                        "db-3.db.shop",
                        RecordType.A)))
                .as("it would not be ready")
                .noneMatch(text -> text.contains("spec.replicas"));
        assertThat(causes(explain(cluster(DB, pods[0]), "db-3.db.shop", RecordType.A)))
                .contains("StatefulSet shop/db, spec.replicas: its only Pod is db-1");
        Pod random = Pod.builder("shop", "db-deployment-1")
                .labels("app=db")
                .ready(true)
                .ips("10.244.0.7")
                .workload(ObjectRef.of("Deployment", "shop", "db"))
                .build();
        String text = "Deployment shop/db: its Pods have random names and no hostnames; those of a StatefulSet have"
                + " both, with a number";
        assertThat(causes(explain(cluster(DB, random), "db-0.db.shop", RecordType.A)))
                .contains(text);
        assertThat(causes(explain(cluster(DB, random), "primary.db.shop", RecordType.A)))
                .doesNotContain(text);
    }

    @Test
    void labelsOfAWholeApplicationMakeNoPodSimilar() {
        HeadlessService service = HeadlessService.builder("shop", "db")
                .selector("app=db,app.kubernetes.io/part-of=shop")
                .build();
        Pod other = DB_0.toBuilder()
                .labels("app=cart,app.kubernetes.io/part-of=shop")
                .subdomain("cart")
                .build();
        Explanation explanation = explain(cluster(service, other), "db.shop", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly(
                        "Service shop/db, spec.selector: {app=db, app.kubernetes.io/part-of=shop} matches no Pod");
        assertThat(explanation.suggestions()).isEmpty();
    }

    @Test
    void longLabelsAreExplained() {
        String longest = "p".repeat(63);
        assertThat(causes(explain(cluster(CART), longest + ".tcp.cart.shop", RecordType.SRV)))
                .containsExactly("a port name and a protocol begin with an underscore:"
                        + " _PORT._PROTOCOL.SERVICE.NAMESPACE.svc");
    }

    @Test
    void labelsThatAreNoAddressAreNotJoinedToOne() {
        String label = "x".repeat(20);
        Explanation explanation = explain(
                cluster(DB_0), String.join(".", label, label, label, label, "shop.pod.cluster.local."), RecordType.A);
        assertThat(causes(explanation))
                .containsExactly("not a pod name, which is the address with dashes, the namespace and \"pod\"");
        assertThat(explanation.suggestions()).isEmpty();
    }

    @Test
    void aPortNameThatIsTooLongForALabelIsNotSuggested() {
        ClusterIpService service = CART.toBuilder()
                .ports(HTTP, ServicePort.of("p".repeat(63), Protocol.TCP, 81))
                .build();
        assertThat(suggestions(explain(cluster(service), "_htpt._tcp.cart.shop", RecordType.SRV)))
                .containsExactly("look up _http._tcp.cart.shop.svc.cluster.local.");
        assertThat(suggestions(explain(cluster(service), "_tcp.cart.shop", RecordType.SRV)))
                .containsExactly("look up _http._tcp.cart.shop.svc.cluster.local.");
    }

    @Test
    void aServiceThatIsAskedForWithoutItsNamespaceIsSuggested() {
        Explanation explanation = explain(cluster(CART), "cart.svc.cluster.local.", RecordType.A);
        assertThat(causes(explanation)).containsExactly("Namespace cart: no such Namespace");
        assertThat(suggestions(explanation)).containsExactly("look up cart.shop.svc.cluster.local.");
    }

    @Test
    void theServiceOfASubdomainIsSuggested() {
        Explanation explanation = explain(cluster(DB_0), "db-0.db.shop", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly(
                        "Service shop/db: no such Service", "Pod shop/db-0, spec.subdomain: names this Service");
        assertThat(suggestions(explanation))
                .containsExactly("add a headless Service shop/db with the selector {app=db}");
    }

    @Test
    void whatAFilterHidesIsNotMissing() {
        Visibility team = Visibility.ALL.onlyWith(Selector.parse("team=a"));
        Explanation labels =
                Explainer.of(cluster(CART), ZoneSettings.DEFAULTS, team).explain("cart.shop", RecordType.A);
        assertThat(causes(labels))
                .containsExactly(
                        "Service shop/cart, metadata.labels: hidden, because the server publishes only objects with"
                                + " certain labels");
        Visibility lab = Visibility.ofNamespaces(Set.of("lab"));
        Explanation namespaces =
                Explainer.of(cluster(CART), ZoneSettings.DEFAULTS, lab).explain("cart.shop", RecordType.A);
        assertThat(causes(namespaces))
                .containsExactly("Namespace shop: hidden, because the server publishes only some namespaces");
    }

    @Test
    void aFilterThatTookTheNameAwayIsToBeChanged() {
        ZoneSettings settings = ZoneSettings.DEFAULTS;
        Visibility team = Visibility.ALL.onlyWith(Selector.parse("team=a"));
        assertThat(suggestions(explain(cluster(CART), settings, team, "cart.shop", RecordType.A)))
                .containsExactly("publish Service shop/cart (leave out --labels)");
        ClusterIpService labelled = CART.toBuilder().labels("app=cart,tier=web").build();
        assertThat(suggestions(explain(cluster(labelled), settings, team, "cart.shop", RecordType.A)))
                .containsExactly("publish Service shop/cart (--labels app=cart,tier=web)");
        assertThat(suggestions(
                        explain(cluster(DB_0), settings, team, "10-244-0-5.shop.pod.cluster.local.", RecordType.A)))
                .containsExactly("publish Pod shop/db-0 (--labels app=db)");
        HeadlessService hidden = DB.toBuilder().labels("app=db").build();
        Pod waiting = DB_0.toBuilder().ready(false).build();
        Explanation both = explain(cluster(hidden, waiting), settings, team, "db-0.db.shop", RecordType.A);
        assertThat(causes(both)).contains("Pod shop/db-0, status.conditions: not ready, so that it is not published");
        assertThat(suggestions(both))
                .contains("publish Service shop/db (leave out --labels), and give Pod shop/db-0 condition Ready");
        Visibility lab = Visibility.ofNamespaces(Set.of("lab"));
        assertThat(suggestions(explain(cluster(CART), settings, lab, "crat.shop", RecordType.A)))
                .containsExactly(
                        "publish Namespace shop (--namespace or --namespace-labels), and look up cart.shop.svc.cluster.local.");
        assertThat(suggestions(explain(
                        cluster(labelled),
                        settings,
                        new Visibility(lab.namespaces(), team.labels()),
                        "cart.shop",
                        RecordType.A)))
                .containsExactly(
                        "publish Namespace shop (--namespace or --namespace-labels), and publish Service shop/cart"
                                + " (--labels app=cart,tier=web)");
        assertThat(Explainer.of(cluster(CART), settings, team)
                        .withoutChanges()
                        .explain("cart.shop", RecordType.A)
                        .suggestions())
                .isEmpty();
    }

    @Test
    void aSettingThatTookTheNameAwayIsToBeChanged() {
        Visibility all = Visibility.ALL;
        ZoneSettings noEndpoints = ZoneSettings.builder().endpoints(false).build();
        Explanation endpoints = explain(cluster(DB, DB_0), noEndpoints, all, "db.shop", RecordType.A);
        assertThat(suggestions(endpoints)).containsExactly("publish endpoints (leave out --no-endpoints)");
        assertThat(endpoints.suggestions().get(0).settings()).contains(ZoneSettings.DEFAULTS);
        assertThat(suggestions(explain(
                        cluster(DB, DB_0.toBuilder().ready(false).build()), noEndpoints, all, "db.shop", RecordType.A)))
                .startsWith("publish endpoints (leave out --no-endpoints), and make Pod shop/db-0 ready");
        assertThat(suggestions(
                        explain(cluster(DB, DB_0), noEndpoints, all, "5.0.244.10.in-addr.arpa.", RecordType.PTR)))
                .containsExactly("publish endpoints (leave out --no-endpoints)");
        ZoneSettings ignoring = ZoneSettings.builder().ignoreEmptyServices(true).build();
        ClusterIpService web = CART.toBuilder().selector("app=db").build();
        assertThat(suggestions(explain(
                        cluster(web, DB_0.toBuilder().ready(false).build()), ignoring, all, "cart.shop", RecordType.A)))
                .containsExactly(
                        "publish Services without ready endpoints (leave out --ignore-empty-services)",
                        "make Pod shop/db-0 ready",
                        "set spec.publishNotReadyAddresses of Service shop/cart");
        ZoneSettings noPods = ZoneSettings.builder().pods(PodsMode.DISABLED).build();
        assertThat(suggestions(explain(cluster(DB_0), noPods, all, "10-244-0-5.shop.pod.cluster.local.", RecordType.A)))
                .containsExactly("have names for the addresses of Pods (--pods verified)");
        assertThat(suggestions(explain(cluster(DB_0), noPods, all, "10-244-0-6.shop.pod.cluster.local.", RecordType.A)))
                .containsExactly("have a pod name for every address (--pods insecure)");
        assertThat(suggestions(explain(cluster(DB_0), noPods, all, "10-244-0-5.nope.pod.cluster.local.", RecordType.A)))
                .isEmpty();
        for (ReversePolicy policy : List.of(ReversePolicy.HEADLESS_ONLY, ReversePolicy.HOSTNAME_ONLY)) {
            ZoneSettings limited = ZoneSettings.builder().reversePolicy(policy).build();
            ClusterSnapshot bare = cluster(
                    web,
                    Pod.builder("shop", "db-0")
                            .labels("app=db")
                            .ready(true)
                            .ips("10.244.0.5")
                            .build());
            assertThat(suggestions(explain(bare, limited, all, "5.0.244.10.in-addr.arpa.", RecordType.PTR)))
                    .containsExactly("have PTR records for all endpoints (--ptr all)");
        }
        ZoneSettings noBareSrv = ZoneSettings.builder().bareSrv(false).build();
        Explanation srv = explain(cluster(CART), noBareSrv, all, "cart.shop", RecordType.SRV);
        assertThat(causes(srv)).startsWith("the server has SRV records only at the names of ports (--no-bare-srv)");
        assertThat(suggestions(srv))
                .containsExactly(
                        "have SRV records at the names of Services (leave out --no-bare-srv)", "look up type A");
    }

    @Test
    void aChangeOfSettingsIsNotNeededForANameThatResolves() {
        Visibility shop = Visibility.ofNamespaces(Set.of("shop"));
        Explanation explanation = explain(cluster(CART), ZoneSettings.DEFAULTS, shop, "cart.lab", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly(
                        "Namespace lab: hidden, because the server publishes only some namespaces",
                        "Service lab/cart: no such Service");
        assertThat(suggestions(explanation)).containsExactly("look up cart.shop.svc.cluster.local.");
    }

    @Test
    void servicesWithoutAddressOrTargetAreNamed() {
        ClusterSnapshot cluster = cluster(
                ClusterIpService.builder("shop", "new").build(),
                ExternalNameService.of("shop", "ip", "192.0.2.1"),
                HeadlessService.builder("shop", "manual").build());
        assertThat(causes(explain(cluster, "new.shop", RecordType.A)))
                .containsExactly("Service shop/new, spec.clusterIP: no cluster IP yet, and not \"None\"");
        assertThat(causes(explain(cluster, "ip.shop", RecordType.A)))
                .containsExactly(
                        "Service shop/ip, spec.externalName: not a DNS name that can be an alias: \"192.0.2.1\"");
        assertThat(causes(explain(cluster, "manual.shop", RecordType.A)))
                .containsExactly(
                        "Service shop/manual, spec.selector: no selector, and no EndpointSlice of it has a ready"
                                + " endpoint");
        assertThat(causes(explain(cluster, "a.ip.shop", RecordType.A)))
                .containsExactly(
                        "Service shop/ip, spec.type: an ExternalName Service is an alias and has no names below it");
    }

    @Test
    void endpointSlicesWithoutTheLabelOfAServiceAreNamed() {
        HeadlessService manual = HeadlessService.builder("shop", "manual").build();
        EndpointSlice unlabelled = EndpointSlice.builder("shop", "manual-1")
                .endpoints(Endpoint.of("10.20.0.5"))
                .build();
        Explanation explanation = explain(cluster(manual, unlabelled), "manual.shop", RecordType.A);
        assertThat(causes(explanation))
                .endsWith(
                        "EndpointSlice shop/manual-1, metadata.labels: no label kubernetes.io/service-name, so that it"
                                + " belongs to no Service");
        assertThat(suggestions(explanation))
                .containsExactly("set the label kubernetes.io/service-name of EndpointSlice shop/manual-1 to manual");
        EndpointSlice misspelt = unlabelled.toBuilder().service("manaul").build();
        assertThat(causes(explain(cluster(manual, misspelt), "manual.shop", RecordType.A)))
                .endsWith(
                        "EndpointSlice shop/manual-1, metadata.labels: kubernetes.io/service-name is manaul, and there is"
                                + " no such Service");
        EndpointSlice ofOther = EndpointSlice.builder("shop", "remote-1")
                .endpoints(Endpoint.of("10.20.0.5"))
                .build();
        assertThat(explain(cluster(manual, ofOther), "manual.shop", RecordType.A)
                        .suggestions())
                .isEmpty();
    }

    @Test
    void podNamesNeedTheirOption() {
        ZoneSettings settings = ZoneSettings.builder().pods(PodsMode.DISABLED).build();
        Explanation explanation =
                Explainer.of(cluster(DB_0), settings).explain("10-244-0-5.shop.pod.cluster.local.", RecordType.A);
        assertThat(causes(explanation)).containsExactly("the server has no pod names (--pods disabled)");
    }

    @Test
    void addressesWithoutAServiceAreNamed() {
        assertThat(causes(explain(cluster(DB_0), "5.0.244.10.in-addr.arpa.", RecordType.PTR)))
                .containsExactly("Pod shop/db-0: has this address, but no Service publishes it");
        assertThat(causes(explain(cluster(), "5.0.244.10.in-addr.arpa.", RecordType.PTR)))
                .containsExactly("no Service and no endpoint has the address 10.244.0.5");
    }

    @Test
    void anExternalNameThatIsNoDnsNameIsACause() {
        ExternalNameService alias = new ExternalNameService(Metadata.of("shop", "pay"), Optional.empty());
        assertThat(causes(explain(cluster(alias), "pay.shop", RecordType.A)))
                .containsExactly("Service shop/pay, spec.externalName: missing, or not a DNS name");
    }

    @Test
    void aServiceWithTheReleaseInItsNameIsSuggested() {
        ClusterIpService redis = CART.toBuilder().build();
        ClusterSnapshot cluster = cluster(
                redis,
                ClusterIpService.builder("shop", "prod-redis")
                        .clusterIps(List.of(IpAddress.parse("10.96.0.21")))
                        .build(),
                ClusterIpService.builder("shop", "redis-master")
                        .clusterIps(List.of(IpAddress.parse("10.96.0.22")))
                        .build(),
                ClusterIpService.builder("shop", "myredis-0")
                        .clusterIps(List.of(IpAddress.parse("10.96.0.23")))
                        .build());
        assertThat(suggestions(explain(cluster, "redis.shop", RecordType.A)))
                .containsExactly(
                        "look up prod-redis.shop.svc.cluster.local.", "look up redis-master.shop.svc.cluster.local.");
        assertThat(suggestions(explain(cluster, "test-cart.shop", RecordType.A)))
                .containsExactly("look up cart.shop.svc.cluster.local.");
    }

    @Test
    void theServiceThatSelectsAPodOfAMissingOneIsSuggested() {
        StatefulSet set = StatefulSet.builder("shop", "db")
                .service("prod-db")
                .template(PodTemplate.of("app=db"))
                .build();
        Pod pod = set.pod(0).toBuilder()
                .ready(true)
                .ips("10.244.0.5")
                .workload(set.ref())
                .build();
        Pod next = set.toBuilder().replicas(2).build().pod(1).toBuilder()
                .ready(true)
                .ips("10.244.0.6")
                .workload(set.ref())
                .build();
        HeadlessService other =
                HeadlessService.builder("shop", "other").selector("app=other").build();
        ClusterSnapshot cluster = cluster(DB, pod, other).withNumberedPods(Map.of(set, List.of(next)), Map.of());
        Explanation explanation = explain(cluster, "db-0.prod-db.shop", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly(
                        "Service shop/prod-db: no such Service",
                        "StatefulSet shop/db, spec.serviceName: names this Service",
                        "Service shop/db: selects Pod db-0 of StatefulSet shop/db, but has another name");
        assertThat(suggestions(explanation))
                .containsExactly(
                        "add a headless Service shop/prod-db with the selector {app=db}",
                        "give StatefulSet shop/db spec.serviceName db, and look up db-0.db.shop.svc.cluster.local.");
        assertThat(causes(explain(cluster, "db-1.db.shop", RecordType.A)))
                .as("more replicas are not enough")
                .contains("StatefulSet shop/db, spec.serviceName: is prod-db; it must be db, the name of the Service");
        assertThat(suggestions(explain(cluster, "db-1.db.shop", RecordType.A)))
                .contains(
                        "set spec.replicas of StatefulSet shop/db to 2, and set spec.serviceName of StatefulSet shop/db to"
                                + " db (an existing StatefulSet must be recreated)");
    }

    @Test
    void aSuggestedSelectorKeepsTheReleaseOfAChart() {
        HeadlessService service = HeadlessService.builder("shop", "db")
                .selector("app.kubernetes.io/name=db,app.kubernetes.io/instance=test,helm.sh/chart=db-1.1.0")
                .build();
        Pod pod = DB_0.toBuilder()
                .labels("app.kubernetes.io/name=db,app.kubernetes.io/instance=prod,helm.sh/chart=db-1.2.0")
                .build();
        assertThat(suggestions(explain(cluster(service, pod), "db.shop", RecordType.A)))
                .contains(
                        "change spec.selector of Service shop/db to {app.kubernetes.io/instance=prod, app.kubernetes.io/name=db}");
    }

    @Test
    void aMissingSelectorIsThatOfThePodsOfTheSubdomain() {
        HeadlessService service = HeadlessService.builder("shop", "db").build();
        Explainer explainer = Explainer.of(cluster(service, DB_0));
        Map<String, String> causes = Map.of(
                "db.shop", "no selector, and no EndpointSlice of it has a ready endpoint",
                "db-0.db.shop", "no selector, and no endpoint in an EndpointSlice of it has the hostname db-0");
        causes.forEach((name, cause) -> {
            Explanation explanation = explainer.explain(name, RecordType.A);
            assertThat(causes(explanation)).containsExactly("Service shop/db, spec.selector: " + cause);
            assertThat(suggestions(explanation)).containsExactly("change spec.selector of Service shop/db to {app=db}");
        });
        EndpointSlice slice = EndpointSlice.builder("shop", "db-x")
                .service("db")
                .endpoints(Endpoint.builder("10.244.0.7").build())
                .build();
        assertThat(suggestions(explain(cluster(service, DB_0, slice), "db-0.db.shop", RecordType.A)))
                .as("an EndpointSlice is written for a Service without a selector")
                .isEmpty();
    }

    @Test
    void noPodOfAnotherProgramIsSuggested() {
        HeadlessService service = HeadlessService.builder("shop", "redis")
                .selector("app=redis,cluster=rec-source,role=node")
                .build();
        for (String labels :
                List.of("app=metrics,cluster=rec", "app=metrics,cluster=rec-source", "cluster=rec-source")) {
            Pod pod = Pod.builder("shop", "metrics")
                    .ips("10.244.0.9")
                    .ready(true)
                    .labels(labels)
                    .build();
            Explanation explanation = explain(cluster(service, pod), "redis.shop", RecordType.A);
            assertThat(causes(explanation))
                    .as(labels)
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("; the nearest is Pod shop/metrics");
            assertThat(suggestions(explanation)).as(labels).isEmpty();
        }
    }

    @Test
    void aPodWithHalfOfTheLabelsOfASelectorIsSuggested() {
        HeadlessService service = HeadlessService.builder("shop", "redis")
                .selector("app=redis,cluster=rec-source,role=node")
                .build();
        for (String labels : List.of("app=redis,cluster=rec", "app=redis,role=nodes", "app=redis,cluster=rec-source")) {
            Pod pod = Pod.builder("shop", "redis-0")
                    .ips("10.244.0.9")
                    .ready(true)
                    .labels(labels)
                    .build();
            assertThat(suggestions(explain(cluster(service, pod), "redis.shop", RecordType.A)))
                    .startsWith("change spec.selector of Service shop/redis to {" + labels.replace(",", ", ") + "}");
        }
        Pod other = Pod.builder("shop", "redis-0")
                .ips("10.244.0.9")
                .ready(true)
                .subdomain("redis")
                .labels("cluster=rec,program=redis-enterprise")
                .build();
        assertThat(suggestions(explain(cluster(service, other), "redis.shop", RecordType.A)))
                .as("the Service is the subdomain of the Pod")
                .startsWith("change spec.selector of Service shop/redis to {cluster=rec, program=redis-enterprise}");
    }

    @Test
    void noTemplateGetsALabelThatAControllerAdds() {
        Pod pod = DB_0.toBuilder()
                .labels("app=db,apps.kubernetes.io/pod-index=0")
                .workload(ObjectRef.of("StatefulSet", "shop", "db"))
                .build();
        HeadlessService hash = HeadlessService.builder("shop", "db")
                .selector("app=db,controller-revision-hash=db-5c9")
                .build();
        Explanation unpredictable = explain(cluster(hash, pod), "db.shop", RecordType.A);
        assertThat(causes(unpredictable))
                .containsExactly(
                        "Service shop/db, spec.selector: {app=db, controller-revision-hash=db-5c9} matches no Pod; the nearest is Pod"
                                + " db-0 of StatefulSet shop/db with {app=db}",
                        "Service shop/db, spec.selector: the controller of a workload chooses the value of"
                                + " controller-revision-hash, which manifests do not have: explain a live cluster, or select other labels");
        assertThat(suggestions(unpredictable)).containsExactly("change spec.selector of Service shop/db to {app=db}");
        Pod live = DB_0.toBuilder()
                .labels("app=db,controller-revision-hash=db-777")
                .build();
        assertThat(causes(explain(cluster(hash, live), "db.shop", RecordType.A)))
                .as("the Pods have it")
                .containsExactly(
                        "Service shop/db, spec.selector: {app=db, controller-revision-hash=db-5c9} matches no Pod; the nearest is Pod"
                                + " shop/db-0 with {app=db, controller-revision-hash=db-777}");
        HeadlessService index = HeadlessService.builder("shop", "db")
                .selector("app=db,apps.kubernetes.io/pod-index=1")
                .build();
        assertThat(causes(explain(cluster(index, pod), "db.shop", RecordType.A)))
                .containsExactly(
                        "Service shop/db, spec.selector: {app=db, apps.kubernetes.io/pod-index=1} matches no Pod; the nearest is Pod db-0"
                                + " of StatefulSet shop/db with {app=db, apps.kubernetes.io/pod-index=0}");
        assertThat(suggestions(explain(
                        cluster(
                                HeadlessService.builder("shop", "db")
                                        .selector("app=db,statefulset.kubernetes.io/pod-name=db-0")
                                        .build(),
                                pod.toBuilder()
                                        .workload(ObjectRef.of("Deployment", "shop", "db"))
                                        .build()),
                        "db.shop",
                        RecordType.A)))
                .containsExactly("change spec.selector of Service shop/db to {app=db}");
    }

    @Test
    void noLabelThatAWorkloadMaySelectIsChanged() {
        Pod pod = DB_0.toBuilder()
                .labels("app=dbx")
                .workload(ObjectRef.of("StatefulSet", "shop", "db"))
                .build();
        Explainer explainer = Explainer.of(cluster(DB, pod));
        assertThat(causes(explainer.explain("db.shop", RecordType.A)))
                .containsExactly("Service shop/db, spec.selector: {app=db} matches no Pod; the nearest is Pod db-0 of"
                        + " StatefulSet shop/db with {app=dbx}");
        for (String name : List.of("db.shop", "db-0.db.shop")) {
            assertThat(suggestions(explainer.explain(name, RecordType.A)))
                    .as(name)
                    .containsExactly("change spec.selector of Service shop/db to {app=dbx}");
        }
        Pod ofReplicaSet =
                DB_0.toBuilder().labels("app=dbx,pod-template-hash=5c9").build();
        assertThat(suggestions(explain(cluster(DB, ofReplicaSet), "db.shop", RecordType.A)))
                .as("the workload is not known, but the label shows that there is one")
                .containsExactly("change spec.selector of Service shop/db to {app=dbx}");
    }

    @Test
    void aLabelIsAddedToTheTemplateOfAWorkload() {
        HeadlessService service = HeadlessService.builder("shop", "db")
                .selector("app=db,tier=data")
                .build();
        Pod pod = DB_0.toBuilder()
                .workload(ObjectRef.of("StatefulSet", "shop", "db"))
                .build();
        Explainer explainer = Explainer.of(cluster(service, pod));
        for (String name : List.of("db.shop", "db-0.db.shop")) {
            assertThat(suggestions(explainer.explain(name, RecordType.A)))
                    .as(name)
                    .contains("give StatefulSet shop/db spec.template.metadata.labels {app=db, tier=data}");
        }
    }

    @Test
    void aSuggestedSelectorHasNoLabelsOfAWholeApplication() {
        String shared = "helm.sh/chart=db-1.2.0,app.kubernetes.io/version=1.2.0,app.kubernetes.io/managed-by=Helm";
        Pod pod = DB_0.toBuilder().labels("name=db," + shared).build();
        String suggestion = "change spec.selector of Service shop/db to {name=db}";
        assertThat(suggestions(explain(cluster(DB, pod), "db.shop", RecordType.A)))
                .contains(suggestion);
        assertThat(suggestions(explain(cluster(DB, pod), "db-0.db.shop", RecordType.A)))
                .contains(suggestion);
        assertThat(suggestions(explain(cluster(pod), "db-0.db.shop", RecordType.A)))
                .containsExactly("add a headless Service shop/db with the selector {name=db}");
        HeadlessService versioned = HeadlessService.builder("shop", "db")
                .selector("name=db,app.kubernetes.io/version=1.1.0,app.kubernetes.io/managed-by=Helm")
                .build();
        assertThat(suggestions(explain(cluster(versioned, pod), "db.shop", RecordType.A)))
                .as("labels of the selector that the Pod has stay")
                .contains("change spec.selector of Service shop/db to {app.kubernetes.io/managed-by=Helm, name=db}");
        Pod onlyShared = DB_0.toBuilder().labels("release=a").build();
        assertThat(suggestions(explain(cluster(onlyShared), "db-0.db.shop", RecordType.A)))
                .containsExactly("add a headless Service shop/db with the selector {release=a}");
    }

    @Test
    void theNameOfAnEndpointThatIsNotReadyCanBePublished() {
        Explanation explanation =
                explain(cluster(DB, DB_0.toBuilder().ready(false).build()), "db-0.db.shop", RecordType.A);
        assertThat(suggestions(explanation))
                .containsExactly(
                        "give Pod shop/db-0 condition Ready", "set spec.publishNotReadyAddresses of Service shop/db");
    }

    @Test
    void aPodWhoseNameIsThatOfItsEndpointNeedsNoHostname() {
        ZoneSettings settings =
                ZoneSettings.builder().endpointNames(EndpointNames.POD).build();
        Pod bare = Pod.builder("shop", "db-0")
                .labels("app=db")
                .ready(false)
                .ips("10.244.0.5")
                .build();
        Explanation explanation = Explainer.of(cluster(DB, bare), settings).explain("db-0.db.shop", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly("Pod shop/db-0, status.conditions: not ready, so that it is not published");
        assertThat(suggestions(explanation))
                .containsExactly(
                        "give Pod shop/db-0 condition Ready", "set spec.publishNotReadyAddresses of Service shop/db");
        Pod primary =
                bare.toBuilder().ready(true).hostname("primary").subdomain("db").build();
        assertThat(causes(Explainer.of(cluster(DB, primary), settings).explain("db-0.db.shop", RecordType.A)))
                .as("the hostname comes first")
                .containsExactly("Pod shop/db-0, spec.hostname: is primary; the name of an endpoint is the hostname of"
                        + " its Pod");
    }

    @Test
    void aPodWithoutAnEndpointOfItsOwnIsNamed() {
        ClusterSnapshot withoutSlices = ClusterSnapshot.of(List.of(Namespace.of("shop"), DB, DB_0));
        assertThat(causes(Explainer.of(withoutSlices).explain("db-0.db.shop", RecordType.A)))
                .containsExactly("Service shop/db: no published endpoint is Pod shop/db-0");
    }

    @Test
    void endpointsNeedTheirOption() {
        ZoneSettings settings = ZoneSettings.builder().endpoints(false).build();
        Explainer explainer = Explainer.of(cluster(CART, DB, DB_0), settings);
        for (String name : List.of("db.shop", "db-0.db.shop", "_sql._tcp.db.shop")) {
            assertThat(causes(explainer.explain(name, RecordType.A)))
                    .as(name)
                    .startsWith("Service shop/db, spec.clusterIP: is None, so that its records are those of its"
                            + " endpoints, and the server publishes no endpoints (--no-endpoints)");
        }
        assertThat(causes(explainer.explain("10-244-0-5.cart.shop", RecordType.A)))
                .startsWith("the server publishes no endpoints (--no-endpoints)");
    }

    @Test
    void aHiddenNamespaceIsToBePublished() {
        Visibility lab = Visibility.ofNamespaces(Set.of("lab"));
        Explainer explainer = Explainer.of(cluster(CART), ZoneSettings.DEFAULTS, lab);
        assertThat(suggestions(explainer.explain("cart.shop", RecordType.A)))
                .containsExactly("publish Namespace shop (--namespace or --namespace-labels)");
        assertThat(suggestions(explainer.explain("store.shop", RecordType.A))).isEmpty();
        assertThat(suggestions(explainer.withoutChanges().explain("cart.shop", RecordType.A)))
                .isEmpty();
    }

    @Test
    void theReadinessOfAPodIsTheNextObstacleOfItsMissingSubdomain() {
        Pod waiting = DB_0.toBuilder().subdomain("nope").ready(false).build();
        Explanation nope = explain(cluster(waiting), "db-0.nope.shop", RecordType.A);
        assertThat(causes(nope))
                .containsExactly(
                        "Service shop/nope: no such Service",
                        "Pod shop/db-0, spec.subdomain: names this Service",
                        "Pod shop/db-0, status.conditions: not ready, so that it is not published");
        assertThat(suggestions(nope))
                .containsExactly(
                        "add a headless Service shop/nope with the selector {app=db}, and make Pod shop/db-0 ready",
                        "add a headless Service shop/nope with the selector {app=db} and"
                                + " spec.publishNotReadyAddresses");
        Explanation other = explain(cluster(DB, DB_0), "db-0.nope.shop", RecordType.A);
        assertThat(causes(other))
                .containsExactly(
                        "Service shop/nope: no such Service",
                        "Pod shop/db-0: the name of a Pod is HOSTNAME.SUBDOMAIN.NAMESPACE.svc");
        assertThat(suggestions(other)).containsExactly("look up db-0.db.shop.svc.cluster.local.");
        Explanation waitingOther =
                explain(cluster(DB, DB_0.toBuilder().ready(false).build()), "db-0.nope.shop", RecordType.A);
        assertThat(causes(waitingOther))
                .contains("Pod shop/db-0, status.conditions: not ready, so that it is not published");
        assertThat(suggestions(waitingOther))
                .containsExactly("make Pod shop/db-0 ready, and look up db-0.db.shop.svc.cluster.local.");
    }

    @Test
    void theServiceOfTheApiServerIsMissingInManifestsOnly() {
        ClusterSnapshot cluster = cluster(Namespace.of("default"));
        assertThat(causes(explain(cluster, "kubernetes.default", RecordType.A)))
                .containsExactly(
                        "Service default/kubernetes: no such Service; the API server of every cluster creates it, so that"
                                + " manifests seldom have it");
    }

    @Test
    void theNameOfTheZoneIsNotSaidToExistOnlyBecauseOfOthers() {
        Explanation explanation = explain(cluster(DB, DB_0), "cluster.local", RecordType.A);
        assertThat(causes(explanation)).containsExactly("the name of the zone itself, which has no records of type A");
    }

    @Test
    void aPodBelowAMisspeltServiceIsNotSaidToHaveNoRecords() {
        Explanation explanation = explain(cluster(DB, DB_0), "db-0.dbs.shop", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly(
                        "Service shop/dbs: no such Service",
                        "Pod shop/db-0: the name of a Pod is HOSTNAME.SUBDOMAIN.NAMESPACE.svc");
        assertThat(suggestions(explanation)).containsExactly("look up db-0.db.shop.svc.cluster.local.");
    }

    @Test
    void aSimilarServiceThatDoesNotResolveIsExplained() {
        Pod waiting = DB_0.toBuilder().ready(false).build();
        HeadlessService data = DB.toBuilder().build();
        Explanation explanation = explain(cluster(data, waiting), "db.lab", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly(
                        "Service lab/db: no such Service",
                        "Service shop/db: the most similar Service, but db.shop.svc.cluster.local. has no records of"
                                + " type A, either",
                        "Pod shop/db-0, status.conditions: not ready, so that it is not published");
        assertThat(suggestions(explanation))
                .containsExactly(
                        "make Pod shop/db-0 ready, and look up db.shop.svc.cluster.local.",
                        "set spec.publishNotReadyAddresses of Service shop/db, and look up db.shop.svc.cluster.local.");
        assertThat(suggestions(explain(cluster(CART), "_grpc._tcp.crat.shop", RecordType.SRV)))
                .as("its port has another name, too")
                .containsExactly(
                        "look up _http._tcp.cart.shop.svc.cluster.local.",
                        "rename port http of Service shop/cart to grpc, and look up"
                                + " _grpc._tcp.cart.shop.svc.cluster.local.");
        assertThat(suggestions(explain(cluster(CART), "crat.shop", RecordType.AAAA)))
                .contains("look up cart.shop.svc.cluster.local. with type A");
        Explainer hidden =
                Explainer.of(cluster(data, waiting), ZoneSettings.DEFAULTS, Visibility.ofNamespaces(Set.of("lab")));
        assertThat(causes(hidden.explain("db.lab", RecordType.A))).containsExactly("Service lab/db: no such Service");
    }

    @Test
    void similarServicesWithReadyEndpointsComeFirst() {
        ClusterIpService idle = ClusterIpService.builder("shop", "cart1")
                .clusterIps(List.of(IpAddress.parse("10.96.0.21")))
                .selector("app=cart1")
                .port(HTTP)
                .build();
        ClusterIpService busy = idle.toBuilder().selector("app=db").build();
        ClusterIpService second = ClusterIpService.builder("shop", "cart22")
                .clusterIps(List.of(IpAddress.parse("10.96.0.22")))
                .selector("app=db")
                .port(HTTP)
                .build();
        assertThat(suggestions(explain(cluster(idle, second, DB_0), "cart2.shop", RecordType.A)))
                .containsExactly(
                        "look up cart22.shop.svc.cluster.local.",
                        "look up cart1.shop.svc.cluster.local. (Service shop/cart1 has no ready endpoint)");
        assertThat(suggestions(explain(cluster(busy, second, DB_0), "cart2.shop", RecordType.A)))
                .containsExactly("look up cart1.shop.svc.cluster.local.", "look up cart22.shop.svc.cluster.local.");
    }

    @Test
    void theEndpointsOfAServiceWithoutASelectorHaveTheHostnamesOfItsSlices() {
        HeadlessService manual = HeadlessService.builder("shop", "manual")
                .port(ServicePort.of("sql", Protocol.TCP, 5432))
                .build();
        EndpointSlice slice = EndpointSlice.builder("shop", "manual-1")
                .service("manual")
                .endpoints(Endpoint.builder("10.244.0.5").targetRef(DB_0.ref()).build())
                .build();
        Pod bare = Pod.builder("shop", "db-0").ips("10.244.0.5").ready(true).build();
        Explanation named = explain(cluster(manual, slice, bare), "db-0.manual.shop", RecordType.A);
        assertThat(causes(named))
                .containsExactly("EndpointSlice shop/manual-1, endpoints[0].hostname: missing; it is the name of an"
                        + " endpoint of a Service without a selector");
        assertThat(suggestions(named)).containsExactly("give EndpointSlice shop/manual-1 endpoints[0].hostname db-0");
        EndpointSlice waiting = slice.toBuilder()
                .endpoints(List.of(Endpoint.builder("10.244.0.5")
                        .hostname("a-0")
                        .ready(false)
                        .build()))
                .build();
        for (String name : List.of("a-0.manual.shop", "manual.shop")) {
            Explanation notReady = explain(cluster(manual, waiting), name, RecordType.A);
            assertThat(causes(notReady))
                    .containsExactly(
                            "EndpointSlice shop/manual-1, endpoints[0].conditions: not ready, so that it is not"
                                    + " published");
            assertThat(suggestions(notReady))
                    .as("no controller reads publishNotReadyAddresses of a Service without a selector")
                    .containsExactly("set endpoints[0].conditions.ready of EndpointSlice shop/manual-1 to true");
        }
        assertThat(causes(explain(
                        cluster(manual, slice, bare), "_sql._tcp.b.manual.shop.svc.cluster.local.", RecordType.A)))
                .noneMatch(cause -> cause.contains("spec.hostname"));
        assertThat(causes(explain(cluster(manual, slice, bare), "b.manual.shop", RecordType.A)))
                .containsExactly("Service shop/manual, spec.selector: no selector, and no endpoint in an EndpointSlice"
                        + " of it has the hostname b");
    }

    @Test
    void noPredictedPodIsShownAsObserved() {
        Pod predicted = Pod.builder("shop", "web-deployment-1")
                .labels("app=db")
                .phase(PodPhase.PENDING)
                .ready(true)
                .ips("10.244.0.7")
                .workload(ObjectRef.of("Deployment", "shop", "web"))
                .build();
        assertThat(explain(cluster(DB, predicted), "db.shop", RecordType.A).sources())
                .extracting(Explanation.Source::field)
                .containsExactly("endpoints[0].addresses[0] of a Pod of Deployment shop/web");
        ClusterSnapshot waiting = cluster(DB, predicted.toBuilder().ready(false).build());
        assertThat(causes(explain(waiting, "db.shop", RecordType.A)))
                .containsExactly("Deployment shop/web: its Pods are not ready, so that they are not published");
        assertThat(causes(explain(waiting, "web-deployment-1.db.shop", RecordType.A)))
                .containsExactly(
                        "Service shop/db: no Pod in the namespace has the hostname or the name web-deployment-1",
                        "Deployment shop/web: its Pods have random names and no hostnames; those of a StatefulSet have"
                                + " both, with a number");
        assertThat(causes(explain(waiting, "7.0.244.10.in-addr.arpa.", RecordType.PTR)))
                .containsExactly("Deployment shop/web: its Pods are not ready, so that they are not published");
        assertThat(causes(explain(cluster(predicted), "7.0.244.10.in-addr.arpa.", RecordType.PTR)))
                .containsExactly("Deployment shop/web: one of its Pods has this address, but no Service publishes it");
        assertThat(causes(explain(waiting, "10-244-0-7.lab.pod.cluster.local.", RecordType.A)))
                .containsExactly("Deployment shop/web, metadata.namespace: one of its Pods has this address, in"
                        + " another namespace");
        assertThat(causes(explain(waiting, "10-244-0-7.shop.pod.cluster.local.", RecordType.AAAA)))
                .containsExactly("Deployment shop/web: one of its Pods has records, but none of type AAAA");
    }

    @Test
    void withoutPodsNothingIsAssumedAboutThem() {
        Explainer explainer = Explainer.of(
                        cluster(DB, CART, DB_0.toBuilder().ready(false).build()),
                        ZoneSettings.builder().pods(PodsMode.VERIFIED).build())
                .withoutPods();
        assertThat(causes(explainer.explain("db.shop", RecordType.A)))
                .containsExactly("Service shop/db: no EndpointSlice of it has a ready endpoint");
        assertThat(causes(explainer.explain("_sql._tcp.db.shop", RecordType.SRV)))
                .containsExactly("Service shop/db: no EndpointSlice of it has a ready endpoint with this port");
        assertThat(causes(explainer.explain("db-0.db.shop", RecordType.A)))
                .containsExactly("Service shop/db: no published endpoint has the hostname db-0");
        assertThat(causes(explainer.explain("10-244-0-5.shop.pod.cluster.local.", RecordType.A)))
                .containsExactly("the server does not know the Pods");
        assertThat(suggestions(explainer.explain("crat.shop", RecordType.A)))
                .containsExactly("look up cart.shop.svc.cluster.local.");
    }

    @Test
    void aServiceWithAReadyEndpointHasNoCauseThatItHasNone() {
        HeadlessService manual = HeadlessService.builder("shop", "manual").build();
        EndpointSlice slice = EndpointSlice.builder("shop", "manual-1")
                .service("manual")
                .endpoints(Endpoint.of("10.20.0.5"))
                .build();
        assertThat(causes(explain(cluster(manual, slice), "manual.shop", RecordType.AAAA)))
                .containsExactly("Service shop/manual: has records, but none of type AAAA");
        assertThat(causes(explain(cluster(manual, slice), "10-20-0-6.manual.shop", RecordType.A)))
                .containsExactly("Service shop/manual: no published endpoint has the address 10.20.0.6");
        Explainer withoutPods = Explainer.of(cluster(DB, DB_0)).withoutPods();
        assertThat(causes(withoutPods.explain("db.shop", RecordType.AAAA)))
                .startsWith("Service shop/db: has records, but none of type AAAA")
                .noneMatch(cause -> cause.contains("no EndpointSlice"));
    }

    @Test
    void everyNameHasACauseOrASource() {
        ClusterSnapshot cluster = cluster(CART, DB, DB_0);
        for (String name : Stream.of(
                        ".",
                        "svc.cluster.local.",
                        "shop.svc.cluster.local.",
                        "pod.cluster.local.",
                        "cluster.local.",
                        "_tcp.cart.shop",
                        "a.b.c.d.e.f.svc.cluster.local.",
                        "x.arpa.",
                        "10.in-addr.arpa.",
                        "*.shop",
                        "dns.cluster.local.",
                        "10-0-0-1.db.shop",
                        "nowhere.svc.cluster.local.")
                .toList()) {
            for (RecordType type : List.of(RecordType.A, RecordType.SRV, RecordType.PTR, RecordType.TXT)) {
                Explanation explanation = explain(cluster, name, type);
                assertThat(explanation.causes().isEmpty())
                        .as("%s %s", name, type)
                        .isEqualTo(explanation.resolves());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"redis, rel-redis-master", "nats, my-nats-headless", "web, dev-web-v2", "dev-web-v2, web"})
    void aServiceWithAPrefixAndASuffixIsSuggested(String asked, String service) {
        ClusterSnapshot cluster = cluster(
                ClusterIpService.builder("shop", service)
                        .clusterIps(List.of(IpAddress.parse("10.96.0.7")))
                        .build(),
                CART);
        assertThat(explain(cluster, asked + ".shop", RecordType.A).suggestions())
                .extracting(Suggestion::text)
                .containsExactly("look up " + service + ".shop.svc.cluster.local.");
        assertThat(explain(cluster, asked, RecordType.A).suggestions())
                .extracting(Suggestion::text)
                .containsExactly("look up " + service + ".shop.svc.cluster.local.");
    }

    @Test
    void aSuggestedSelectorMatchesThePodsOfOneRelease() {
        HeadlessService kafka = HeadlessService.builder("shop", "b-kafka")
                .selector("name=kafka,release=b,component=broker")
                .build();
        Pod own = pod("db-0", "name=kafka,release=b,component=controller,chart=kafka-1")
                .subdomain("b-kafka")
                .build();
        Pod other = pod("db-1", "name=kafka,release=c,component=controller")
                .subdomain("c-kafka")
                .build();
        ClusterSnapshot cluster = cluster(kafka, own, other);
        String change = "change spec.selector of Service shop/b-kafka to {component=controller, name=kafka, release=b}";
        for (String name : List.of("b-kafka.shop", "db-0.b-kafka.shop")) {
            assertThat(explain(cluster, name, RecordType.A).suggestions())
                    .as(name)
                    .extracting(Suggestion::text)
                    .startsWith(change);
        }
    }

    @Test
    void aSuggestedSelectorGetsMoreLabelsIfItMatchedOtherWorkloads() {
        HeadlessService web =
                HeadlessService.builder("shop", "web").selector("app=wbe").build();
        Pod own = pod("web-1", "app=web,tier=front")
                .subdomain("web")
                .workload(ObjectRef.of("Deployment", "shop", "web"))
                .build();
        Pod other = pod("admin-1", "app=web,tier=back")
                .workload(ObjectRef.of("Deployment", "shop", "admin"))
                .build();
        assertThat(explain(cluster(web, own, other), "web.shop", RecordType.A).suggestions())
                .extracting(Suggestion::text)
                .contains("change spec.selector of Service shop/web to {app=web, tier=front}");
        assertThat(explain(cluster(web, own), "web.shop", RecordType.A).suggestions())
                .extracting(Suggestion::text)
                .contains("change spec.selector of Service shop/web to {app=web}");
    }

    private static Pod.Builder pod(String name, String labels) {
        return Pod.builder("shop", name)
                .labels(labels)
                .hostname(name)
                .phase(PodPhase.RUNNING)
                .ready(true)
                .ips("10.244.0.6");
    }

    @Test
    void theSelectorIsACauseIfTheHostnameIsUnknownToo() {
        HeadlessService misspelt =
                HeadlessService.builder("shop", "db").selector("app=dv").build();
        assertThat(explain(cluster(misspelt, DB_0), "none.db.shop", RecordType.A)
                        .causes())
                .extracting(Cause::toString)
                .containsExactly(
                        "Service shop/db: no Pod in the namespace has the hostname or the name none",
                        "Service shop/db, spec.selector: {app=dv} matches no Pod; the nearest is Pod shop/db-0 with {app=db}");
    }

    @Test
    void warningsAboutTheObjectsOfANameAreItsFirstCauses() {
        Diagnostic port = Diagnostic.warning("invalid-port", CART.ref(), "not a port")
                .atField("spec.ports[1]")
                .atPosition(new Position("cart.yaml", 7));
        Diagnostic other = Diagnostic.warning("invalid-port", DB.ref(), "not a port");
        Explainer explainer = Explainer.of(cluster(CART, DB)).withWarnings(List.of(port, other), List.of());
        Explanation missing = explainer.explain("_sql._tcp.cart.shop", RecordType.SRV);
        assertThat(missing.causes())
                .extracting(Cause::toString)
                .containsExactly(
                        "Service shop/cart, spec.ports[1]: not a port",
                        "Service shop/cart, spec.ports: no port named sql over TCP; the ports are: http/TCP");
        assertThat(missing.causes().get(0).position()).contains(new Position("cart.yaml", 7));
        assertThat(explainer.explain("cart.shop", RecordType.A).resolves())
                .as("an API server does not refuse the Service")
                .isTrue();
    }

    @Test
    void recordsOfRefusedObjectsCannotBeUsed() {
        Diagnostic refusal =
                Diagnostic.warning("unsupported-value", CART.ref(), "wrong").atField("spec.sessionAffinity");
        ClusterSnapshot cluster =
                cluster(CART, ExternalNameService.of("lab", "alias", "cart.shop.svc.cluster.local"), DB, DB_0);
        Explainer explainer = Explainer.of(cluster).withWarnings(List.of(refusal), List.of(refusal));
        for (String name : List.of("cart.shop", "alias.lab")) {
            Explanation refused = explainer.explain(name, RecordType.A);
            assertThat(refused.resolves()).as(name).isFalse();
            assertThat(refused.hasUnusableRecords()).as(name).isTrue();
            assertThat(refused.sources()).as(name).isNotEmpty();
            assertThat(refused.causes())
                    .extracting(Cause::toString)
                    .containsExactly(
                            "Service shop/cart, spec.sessionAffinity: wrong; an API server refuses this Service");
        }
        assertThat(explainer.explain("db.shop", RecordType.A).resolves()).isTrue();
        assertThat(explainer.explain("crat.shop", RecordType.A).suggestions())
                .as("the similar Service is refused")
                .isEmpty();
    }

    @Test
    void anAliasOfAServiceWithoutTheZoneDoesNotResolve() {
        ClusterSnapshot cluster = cluster(
                CART,
                ExternalNameService.of("lab", "short", "cart.shop"),
                ExternalNameService.of("lab", "svc", "cart.shop.svc"),
                ExternalNameService.of(
                        "lab", "long", "a".repeat(63) + ("." + "b".repeat(63)).repeat(2) + "." + "c".repeat(58)),
                ExternalNameService.of("lab", "other", "crat.shop"));
        for (String name : List.of("short", "svc")) {
            Explanation alias = explain(cluster, name + ".lab", RecordType.A);
            assertThat(alias.resolves()).as(name).isFalse();
            assertThat(alias.suggestions())
                    .extracting(Suggestion::text)
                    .containsExactly(
                            "change spec.externalName of Service lab/" + name + " to cart.shop.svc.cluster.local",
                            "look up cart.shop.svc.cluster.local.");
            assertThat(explain(cluster, name + ".lab", RecordType.CNAME).resolves())
                    .as("the alias itself is asked for")
                    .isTrue();
        }
        assertThat(explain(cluster, "long.lab", RecordType.A).resolves()).isTrue();
        assertThat(explain(cluster, "other.lab", RecordType.A).resolves())
                .as("no such Service")
                .isTrue();
    }

    @Test
    void anAliasOfASingleLabelMeansAServiceOfItsNamespace() {
        ClusterSnapshot cluster = cluster(
                CART, ExternalNameService.of("shop", "alias", "cart"), ExternalNameService.of("lab", "alias", "cart"));
        Explanation alias = explain(cluster, "alias.shop", RecordType.A);
        assertThat(alias.resolves()).isFalse();
        assertThat(alias.suggestions())
                .extracting(Suggestion::text)
                .containsExactly(
                        "change spec.externalName of Service shop/alias to cart.shop.svc.cluster.local",
                        "look up cart.shop.svc.cluster.local.");
        assertThat(explain(cluster, "alias.lab", RecordType.A).resolves())
                .as("the namespace of the alias has no such Service")
                .isTrue();
    }

    @Test
    void aPortThatOnlyAnEndpointSliceHasIsMissingBecauseOfItsEndpoints() {
        HeadlessService service = HeadlessService.builder("shop", "db").build();
        EndpointSlice slice = EndpointSlice.builder("shop", "db-1")
                .service("db")
                .ports(List.of(EndpointPort.of("pg", Protocol.TCP, 5432)))
                .endpoints(Endpoint.builder("192.0.2.7").ready(false).build())
                .build();
        assertThat(causes(explain(cluster(service, slice), "_pg._tcp.db.shop", RecordType.SRV)))
                .containsExactly(
                        "EndpointSlice shop/db-1, endpoints[0].conditions: not ready, so that it is not published");
    }

    @Test
    void anEndpointOfASliceThatIsNotReadyCanBePublishedByItsHostname() {
        HeadlessService manual = HeadlessService.builder("shop", "manual").build();
        EndpointSlice slice = EndpointSlice.builder("shop", "manual-1")
                .service("manual")
                .endpoints(Endpoint.builder("10.20.0.5")
                        .hostname("db-0")
                        .ready(false)
                        .build())
                .build();
        for (String name : List.of("manual.shop", "db-0.manual.shop")) {
            assertThat(suggestions(explain(cluster(manual, slice), name, RecordType.A)))
                    .as(name)
                    .containsExactly("set endpoints[0].conditions.ready of EndpointSlice shop/manual-1 to true");
        }
        ClusterIpService withAddress = ClusterIpService.builder("shop", "db")
                .clusterIp("10.96.0.21")
                .selector("app=db")
                .build();
        assertThat(suggestions(explain(
                        cluster(withAddress, DB_0.toBuilder().ready(false).build()), "db-0.db.shop", RecordType.A)))
                .containsExactly(
                        "give Pod shop/db-0 condition Ready", "set spec.publishNotReadyAddresses of Service shop/db");
    }

    @Test
    void theNearestNumberOfAStatefulSetIsSuggested() {
        StatefulSet set = StatefulSet.builder("shop", "db")
                .replicas(3)
                .firstOrdinal(15)
                .service("db")
                .template(PodTemplate.of("app=db"))
                .build();
        ClusterSnapshot cluster = cluster(
                        Stream.concat(Stream.of(DB), predictedPods(set)).toArray(ClusterObject[]::new))
                .withNumberedPods(Map.of(set, List.of()), Map.of());
        assertThat(suggestions(explain(cluster, "db-18.db.shop", RecordType.A)))
                .containsExactly("look up db-17.db.shop.svc.cluster.local.");
        assertThat(suggestions(explain(cluster, "db-0.db.shop", RecordType.A)))
                .containsExactly(
                        "set spec.ordinals.start of StatefulSet shop/db to 0, so that its Pods are db-0 to db-2",
                        "look up db-15.db.shop.svc.cluster.local.");
        assertThat(explain(cluster, "db-14.db.shop", RecordType.A).suggestions().get(0))
                .satisfies(first -> {
                    assertThat(first.text())
                            .isEqualTo("set spec.ordinals.start of StatefulSet shop/db to 14, so that its Pods are"
                                    + " db-14 to db-16");
                    assertThat(first.changes())
                            .filteredOn(ClusterChange.Put.class::isInstance)
                            .extracting(change -> change.ref().name())
                            .containsExactly("db-14", "db-15", "db-16");
                });
    }

    @Test
    void theFirstNumberOfAStatefulSetIsSuggestedTogetherWithItsServiceName() {
        StatefulSet set = StatefulSet.builder("shop", "db")
                .replicas(2)
                .firstOrdinal(5)
                .service("dbx")
                .template(PodTemplate.of("app=db"))
                .build();
        ClusterSnapshot cluster = cluster(
                        Stream.concat(Stream.of(DB), predictedPods(set)).toArray(ClusterObject[]::new))
                .withNumberedPods(Map.of(set, List.of()), Map.of());
        assertThat(suggestions(explain(cluster, "db-0.db.shop", RecordType.A)))
                .containsExactly(
                        "set spec.ordinals.start of StatefulSet shop/db to 0, so that its Pods are db-0 to db-1,"
                                + " and set spec.serviceName of StatefulSet shop/db to db (an existing StatefulSet must be"
                                + " recreated)");
        StatefulSet unnamed = StatefulSet.builder("shop", "db")
                .replicas(2)
                .template(PodTemplate.of("app=db"))
                .build();
        ClusterSnapshot withUnnamed = cluster(
                        Stream.concat(Stream.of(DB), predictedPods(unnamed)).toArray(ClusterObject[]::new))
                .withNumberedPods(Map.of(unnamed, List.of()), Map.of());
        assertThat(causes(explain(withUnnamed, "db-7.db.shop", RecordType.A)))
                .contains("StatefulSet shop/db, spec.serviceName: missing; it must be db, the name of the Service");
    }

    @Test
    void theHostnameOfATemplateIsReplacedByTheController() {
        StatefulSet set = StatefulSet.builder("shop", "db")
                .replicas(2)
                .service("db")
                .template(PodTemplate.of("app=db").toBuilder().hostname("zoo").build())
                .build();
        ClusterSnapshot cluster = cluster(
                        Stream.concat(Stream.of(DB), predictedPods(set)).toArray(ClusterObject[]::new))
                .withNumberedPods(Map.of(set, List.of()), Map.of());
        Explanation explanation = explain(cluster, "zoo.db.shop", RecordType.A);
        assertThat(causes(explanation))
                .containsExactly(
                        "Service shop/db: no Pod in the namespace has the hostname or the name zoo",
                        "StatefulSet shop/db, spec.template.spec.hostname: is zoo, but the controller gives each Pod"
                                + " another hostname: db- and its number");
        assertThat(suggestions(explanation)).containsExactly("look up db-0.db.shop.svc.cluster.local.");
    }

    @Test
    void theTargetPortIsAnotherCauseIfAWorkloadHasNoPods() {
        HeadlessService service = HeadlessService.builder("shop", "db")
                .selector("app=db")
                .port(ServicePort.of("sql", Protocol.TCP, 5432).withTargetPort("sql"))
                .build();
        StatefulSet set = StatefulSet.builder("shop", "db")
                .replicas(0)
                .service("db")
                .template(PodTemplate.of("app=db"))
                .build();
        Pod first = DB_0.toBuilder()
                .ports(List.of(new ContainerPort("postgres", Protocol.TCP, 5432)))
                .workload(set.ref())
                .build();
        ClusterSnapshot cluster = cluster(service)
                .withIdleWorkloads(
                        List.of(new IdleWorkload(set, "spec.replicas", "spec.replicas is 0", Optional.of(first))));
        Explanation explanation = explain(cluster, "_sql._tcp.db.shop", RecordType.SRV);
        assertThat(causes(explanation))
                .containsExactly(
                        "StatefulSet shop/db, spec.replicas: Service shop/db selects its Pods, but it has none:"
                                + " spec.replicas is 0",
                        "Service shop/db, spec.ports[0].targetPort: no container of its Pods has the target port sql of"
                                + " sql; the named ports are: postgres");
        assertThat(suggestions(explanation))
                .containsExactly(
                        "set spec.replicas of StatefulSet shop/db to 1, and change the targetPort of port sql of"
                                + " Service shop/db to postgres");
        assertThat(suggestions(explain(cluster, "db.shop", RecordType.A)))
                .containsExactly("set spec.replicas of StatefulSet shop/db to 1");
    }

    @ParameterizedTest
    @CsvSource({
        "cart.shop.svc.clster.local, true",
        "cart.shop.svc.cluster.locl, true",
        "cart.shop.svc.prod.example, true",
        "cart.shop.svc.clusterset.local, false",
        "none.shop.svc.clster.local, false",
        "cart.shop.example, false",
        "cart.shop.svc.cluster.local, false"
    })
    void theZoneIsSuggestedForTheTargetOfAnAlias(String target, boolean isSuggested) {
        Explanation explanation =
                explain(cluster(CART, ExternalNameService.of("lab", "basket", target)), "basket.lab", RecordType.A);
        assertThat(explanation.resolves())
                .as("another server may have the target")
                .isTrue();
        assertThat(suggestions(explanation))
                .isEqualTo(
                        isSuggested
                                ? List.of("change spec.externalName of Service lab/basket to"
                                        + " cart.shop.svc.cluster.local")
                                : List.of());
    }

    @Test
    void theRecordsOfAZoneItselfHaveARule() {
        Map<String, RecordType> names = Map.of(
                "ns.dns.cluster.local.",
                RecordType.A,
                "dns-version.cluster.local.",
                RecordType.TXT,
                "cluster.local.",
                RecordType.SOA,
                "in-addr.arpa.",
                RecordType.NS);
        Map<String, String> rules = new HashMap<>();
        names.forEach((name, type) -> {
            Explanation.Source source =
                    explain(cluster(CART), name, type).sources().get(0);
            assertThat(source.object()).as(name).isEmpty();
            rules.put(name, source.rule());
        });
        assertThat(rules)
                .isEqualTo(Map.of(
                        "ns.dns.cluster.local.",
                        "CoreDNS, plugin kubernetes; not in the specification",
                        "dns-version.cluster.local.",
                        "specification 2.2",
                        "cluster.local.",
                        "RFC 1035, section 3.3.13",
                        "in-addr.arpa.",
                        "RFC 1035, section 3.3.11"));
    }

    private static Stream<Pod> predictedPods(StatefulSet set) {
        return IntStream.range(0, set.replicas())
                .mapToObj(index -> set.pod(index).toBuilder()
                        .ready(true)
                        .ips("10.244.0." + (index + 5))
                        .workload(set.ref())
                        .build());
    }

    @Test
    void thePodOfAStatefulSetWithAPrefixAndASuffixIsSuggested() {
        StatefulSet set = StatefulSet.builder("shop", "p-cart-s")
                .replicas(2)
                .service("p-cart-s")
                .template(PodTemplate.of("app=cart"))
                .build();
        HeadlessService service =
                HeadlessService.builder("shop", "p-cart-s").selector("app=cart").build();
        ClusterSnapshot cluster =
                cluster(Stream.concat(Stream.of(service), predictedPods(set)).toArray(ClusterObject[]::new));
        for (String name : List.of("cart-1.cart.shop", "cart-1.p-cart-s.shop")) {
            assertThat(suggestions(explain(cluster, name, RecordType.A)))
                    .as(name)
                    .containsExactly("look up p-cart-s-1.p-cart-s.shop.svc.cluster.local.");
        }
    }

    @Test
    void aChangeOfTheLabelsToServeKeepsTheAlias() {
        ExternalNameService alias = new ExternalNameService(
                Metadata.of("shop", "alias").withLabels(Labels.parse("tier=front")),
                Optional.of("cart.shop.svc.cluster.local"));
        ClusterSnapshot cluster =
                cluster(alias, CART.toBuilder().labels("app=cart").build());
        Visibility front = new Visibility(Visibility.ALL.namespaces(), Selector.parse("tier=front"));
        assertThat(suggestions(explain(cluster, ZoneSettings.DEFAULTS, front, "alias.shop", RecordType.A)))
                .containsExactly("publish Service shop/cart (leave out --labels)");
        assertThat(suggestions(explain(cluster, ZoneSettings.DEFAULTS, front, "cart.shop", RecordType.A)))
                .containsExactly("publish Service shop/cart (--labels app=cart)");
    }

    @Test
    void aPodThatIsNotReadyAndHasNoAddressNeedsBoth() {
        Pod waiting = DB_0.toBuilder().ready(false).ips(List.of()).build();
        assertThat(suggestions(explain(cluster(DB, waiting), "db-0.db.shop", RecordType.A)))
                .containsExactly("give Pod shop/db-0 condition Ready, an address");
        for (RecordType type : List.of(RecordType.A, RecordType.AAAA)) {
            assertThat(suggestions(explain(cluster(DB, waiting), "db.shop", type)))
                    .containsExactly("make Pod shop/db-0 ready and give it an address");
        }
        assertThat(suggestions(explain(cluster(DB, waiting), "db-0.nope.shop", RecordType.A)))
                .containsExactly("make Pod shop/db-0 ready and give it an address, and look up"
                        + " db-0.db.shop.svc.cluster.local.");
        Pod ready = DB_0.toBuilder().ips(List.of()).build();
        assertThat(suggestions(explain(cluster(DB, ready), "db.shop", RecordType.A)))
                .containsExactly("give Pod shop/db-0 an address");
        assertThat(suggestions(explain(
                        cluster(DB, waiting.toBuilder().hostNetwork(true).build()), "db.shop", RecordType.A)))
                .as("the address is that of its Node")
                .isEmpty();
        HeadlessService ipv4 = DB.toBuilder().ipFamilies(IpFamily.IPV4).build();
        assertThat(suggestions(explain(cluster(ipv4, waiting), "db.shop", RecordType.AAAA)))
                .isEmpty();
    }

    @Test
    void theSubdomainOfASuspendedIndexedJobIsACauseToo() {
        PodTemplate template = PodTemplate.of("app=db");
        Job job = new Job(Metadata.of("shop", "load"), 3, Optional.of(3), true, true, template);
        Pod first = job.resumed().pod(0, "load-job-1").toBuilder()
                .ready(true)
                .ips("10.244.0.9")
                .workload(job.ref())
                .build();
        ClusterSnapshot cluster = cluster(DB)
                .withIdleWorkloads(List.of(new IdleWorkload(
                        job,
                        "spec.suspend",
                        "spec.suspend is true",
                        "set spec.suspend of Job shop/load to false",
                        Optional.of(first))));
        for (String name : List.of("load-0.db.shop", "load-2.db.shop")) {
            Explanation explanation = explain(cluster, name, RecordType.A);
            assertThat(causes(explanation))
                    .as(name)
                    .containsExactly(
                            "Job shop/load, spec.suspend: Service shop/db selects its Pods, but it has none: spec.suspend is"
                                    + " true",
                            "Job shop/load, spec.template.spec.subdomain: missing; it must be db, the name of the Service");
            assertThat(suggestions(explanation))
                    .as(name)
                    .containsExactly("set spec.suspend of Job shop/load to false, and give Job shop/load"
                            + " spec.template.spec.subdomain db");
        }
        Explanation beyond = explain(cluster, "load-3.db.shop", RecordType.A);
        assertThat(beyond.causes()).as("the Job has no such Pod").hasSize(1);
        assertThat(beyond.suggestions()).isEmpty();
    }

    @Test
    void endpointsWithTheNameOfNoServiceAreNamed() {
        HeadlessService manual = HeadlessService.builder("shop", "s4").build();
        Endpoints misspelt = new Endpoints(
                Metadata.of("shop", "s4x"),
                List.of(new Endpoints.Subset(
                        List.of(new Endpoints.Address(
                                IpAddress.parse("10.20.0.5"), Optional.empty(), Optional.empty(), Optional.empty())),
                        List.of(),
                        List.of())));
        Explanation explanation =
                explain(cluster(manual).withUnusedEndpoints(List.of(misspelt)), "s4.shop", RecordType.A);
        assertThat(causes(explanation))
                .endsWith("Endpoints shop/s4x, metadata.name: there is no Service of this name; Endpoints have the name"
                        + " of their Service");
        assertThat(suggestions(explanation)).containsExactly("rename Endpoints shop/s4x to s4");
        Endpoints ofOther = new Endpoints(Metadata.of("shop", "remote"), misspelt.subsets());
        assertThat(explain(cluster(manual).withUnusedEndpoints(List.of(ofOther)), "s4.shop", RecordType.A)
                        .suggestions())
                .isEmpty();
        EndpointSlice slice = EndpointSlice.builder("shop", "other-1")
                .service("s4x")
                .endpoints(Endpoint.of("10.20.0.5"))
                .build();
        assertThat(suggestions(explain(cluster(manual, slice), "s4.shop", RecordType.A)))
                .containsExactly("set the label kubernetes.io/service-name of EndpointSlice shop/other-1 to s4");
    }
}
