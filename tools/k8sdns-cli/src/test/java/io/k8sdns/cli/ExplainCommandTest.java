package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExplainCommandTest {
    private static final String CART_POSITION = Run.BOOKSTORE + "/cart.yaml:9";
    private static final String STATEFUL_SET_POSITION = Run.BOOKSTORE + "/database.yaml:17";

    private static Run explain(String... words) {
        String[] arguments = new String[words.length + 3];
        arguments[0] = "explain";
        arguments[1] = "-f";
        arguments[2] = Run.BOOKSTORE;
        System.arraycopy(words, 0, arguments, 3, words.length);
        return Run.of(arguments);
    }

    @Test
    void aNameThatResolvesHasObjectsFieldsAndRules() {
        Run run = explain("cart.shop");
        assertThat(run.code()).isZero();
        assertThat(run.lines())
                .containsExactly(
                        "cart.shop.svc.cluster.local. (A) resolves",
                        "  cart.shop.svc.cluster.local. 5 IN A 10.96.0.20",
                        "    from Service shop/cart, spec.clusterIPs[0] (" + CART_POSITION
                                + ") (specification 2.3.1), zone cluster.local.");
        assertThat(explain("storefront.shop").lines()).anyMatch(line -> line.endsWith(" ; invented address"));
    }

    @Test
    void objectsHaveTheirPositions(@TempDir Path folder) throws IOException {
        assertThat(explain("db-0.db.shop").lines())
                .as("the slice is not in the manifests, and the Pod is one of the StatefulSet")
                .last()
                .asString()
                .isEqualTo("    from Pod shop/db-0, status.podIPs[0] (" + STATEFUL_SET_POSITION
                        + ") (specification 2.4.1), zone cluster.local.");
        assertThat(explain("_postgres._tcp.db.shop", "SRV").lines())
                .as("no Pod is named, so that it is the position of the Service's port")
                .anyMatch(line -> line.endsWith("Service shop/db, spec.ports[0] (" + Run.BOOKSTORE
                        + "/database.yaml:14) (specification 2.4.2), zone cluster.local."));
        assertThat(explain("db.shop", "--ready", "none").lines())
                .contains("  because: StatefulSet shop/db (" + STATEFUL_SET_POSITION
                        + "): its Pod db-0 is not ready, so that it is not published");
        Path slice = folder.resolve("slice.yaml");
        Files.writeString(slice, """
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: None}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: web-1, namespace: shop, labels: {kubernetes.io/service-name: web}}
                addressType: IPv4
                endpoints: [{addresses: [10.244.0.9]}]
                """);
        assertThat(Run.of("explain", "-f", slice.toString(), "web.shop").lines())
                .last()
                .asString()
                .contains("EndpointSlice shop/web-1, endpoints[0].addresses[0] (" + slice + ":9)");
    }

    @Test
    void fromAWorkloadIsFromItsFirstPod() {
        Run db = explain("--from", "shop/db", "cart");
        assertThat(db.code()).as(db.err()).isZero();
        assertThat(db.lines())
                .startsWith("cart from shop/db is looked up as:", "  cart.shop.svc.cluster.local.: NOERROR");
        Run none = explain("--from", "shop/none", "cart");
        assertThat(none.code()).isEqualTo(Main.INVALID);
        assertThat(none.err()).contains("--from: no Pod shop/none; Pods of the namespace: ", "db-0");
        assertThat(explain("--from", "nowhere/none", "cart").err())
                .contains("--from: no Pod nowhere/none, and no other in the namespace");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "batch/v1 | CronJob | schedule: 0 0 * * *, jobTemplate: {spec: {TEMPLATE}} | spec.jobTemplate.spec.template",
                "batch/v1 | Job | suspend: true, TEMPLATE | spec.template",
                "apps/v1 | Deployment | replicas: 0, selector: {matchLabels: {app: a}}, TEMPLATE | spec.template",
            })
    void fromAWorkloadWithoutPodsIsFromItsTemplate(
            String version, String kind, String spec, String template, @TempDir Path folder) throws IOException {
        Path file = folder.resolve("nightly.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: 10.96.0.7, ports: [{port: 80}]}}
                ---
                {apiVersion: VERSION, kind: KIND, metadata: {name: nightly, namespace: shop}, spec: {SPEC}}
                """.replace("VERSION", version).replace("KIND", kind).replace("SPEC", spec).replace(
                "TEMPLATE",
                "template: {metadata: {labels: {app: a}}, spec: {dnsPolicy: Default, "
                        + (kind.equals("Deployment") ? "" : "restartPolicy: Never, ")
                        + "containers: [{name: a, image: b}]}}"));
        Run run = Run.of("explain", "-f", file.toString(), "--from", "shop/nightly", "web.shop");
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/nigthly", "web.shop")
                        .err())
                .contains("no Pod shop/nigthly, did you mean shop/nightly?");
        assertThat(run.code()).as(run.err()).isEqualTo(Main.FAILED);
        assertThat(run.lines())
                .startsWith("web.shop from shop/nightly is looked up as:")
                .contains("  try: give " + kind + " shop/nightly " + template + ".spec.dnsPolicy ClusterFirst (" + file
                        + ":3)");
    }

    @Test
    void aMisspeltPlaceIsCorrected() {
        for (String place : List.of("shop/crat", "shpo/cart", "shpo/crat", "pod/cart", "nowhere/cart")) {
            Run run = explain("--from", place, "cart.shop");
            assertThat(run.code()).as(place).isEqualTo(Main.INVALID);
            assertThat(run.err())
                    .contains("k8sdns explain: --from: no Pod " + place + ", did you mean shop/cart? (see ");
        }
        assertThat(explain("--from", "shpo/db-1", "cart").err()).contains("did you mean shop/db-1?");
        assertThat(explain("--from", "shpo", "cart.shop").err().lines())
                .contains("warning: --from: there is no namespace shpo, did you mean shop?");
        assertThat(explain("--from", "lab", "cart.shop").err()).doesNotContain("warning: ");
        assertThat(explain("--from", "lab", "cart.shop").err().lines())
                .contains("note: --from: no object is in the namespace lab");
        assertThat(explain("--from", "default", "cart.shop").err()).doesNotContain("--from");
        Run withoutNamespace = explain("--from", "cart", "cart.shop");
        assertThat(withoutNamespace.code()).isEqualTo(Main.INVALID);
        assertThat(withoutNamespace.err()).contains("--from: no namespace cart, did you mean shop/cart?");
    }

    @Test
    void otherWordsThanNamesAreExplained() {
        Map<String, String> hints = Map.of(
                "svc/cart", "the name of the Service is cart.shop",
                "Service/cart", "the name of the Service is cart.shop",
                "svc/none", "no Service has this name; that of a Service is NAME.NAMESPACE",
                "deploy/cart",
                        "only Services have names (SERVICE.NAMESPACE), and Pods below them "
                                + "(HOSTNAME.SERVICE.NAMESPACE)",
                "http://me:secret@cart.shop:80/x?y=z", "the host of this URL is cart.shop",
                "postgresql+psycopg2://[fd00::1]/db", "the host of this URL is [fd00::1]",
                "cart.shop:80", "the name without the port is cart.shop",
                "cart.shop:80/x", "the name without the port is cart.shop");
        hints.forEach((word, hint) -> {
            Run run = explain(word);
            assertThat(run.code()).as(word).isEqualTo(Main.INVALID);
            assertThat(run.out()).isEmpty();
            assertThat(run.err()).contains("k8sdns explain: not a name: '" + word + "'; " + hint + " (see ");
        });
        assertThat(explain("svc", "cart").err())
                .contains("not a name: 'svc/cart'; the name of the Service is cart.shop (");
        assertThat(explain("0/25.2.0.192.in-addr.arpa", "PTR").code()).isEqualTo(Main.FAILED);
        assertThat(explain("fd00::1").err()).doesNotContain("not a name");
    }

    @Test
    void aManifestAsAParameterIsExplained() {
        assertThat(Run.of("explain", "cart.shop", Run.BOOKSTORE).err())
                .contains("missing: -f MANIFEST, --live, --kubeconfig or --in-cluster; to read " + Run.BOOKSTORE
                        + ", write -f " + Run.BOOKSTORE + " (see ");
        assertThat(Run.of("explain", "cart.shop").err()).contains("or --in-cluster; -f - reads standard input (see ");
        assertThat(explain("cart.shop", "missing.yaml").err())
                .contains("not a record type: 'missing.yaml'; to read missing.yaml, write -f missing.yaml (see ");
        assertThat(explain("deploy/web.yaml").err())
                .contains("not a name: 'deploy/web.yaml'; to read deploy/web.yaml, write -f deploy/web.yaml (see ");
        assertThat(explain("cart.shop", "A", Run.BOOKSTORE).err())
                .contains("; to read " + Run.BOOKSTORE + ", write -f ");
    }

    @ParameterizedTest
    @CsvSource({
        "dns-version, A, 'the name has records, but none of type A'",
        "ns.dns, AAAA, 'the name has records, but none of type AAAA'",
        "dns, A, 'the name exists only because others are below it; it has no records of type A'"
    })
    void aNameOfTheZoneHasTheCauseThatItHasOtherRecords(String name, String type, String cause) {
        assertThat(explain(name + ".cluster.local", type).lines())
                .last()
                .asString()
                .isEqualTo("  because: " + cause);
    }

    @Test
    void anInventedPodNameIsMarked(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("web.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: None, selector: {app: web}, ports: [{name: http, port: 80}]}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: shop}
                spec:
                  selector: {matchLabels: {app: web}}
                  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: b}]}}
                """);
        assertThat(Run.of("explain", "--endpoint-names", "pod", "-f", file.toString(), "_http._tcp.web.shop", "SRV")
                        .lines())
                .anyMatch(line -> line.endsWith(" 80 web-deployment-1.web.shop.svc.cluster.local. ; invented name"));
        assertThat(Run.of("explain", "-f", file.toString(), "web.shop").lines())
                .last()
                .asString()
                .isEqualTo("    from Deployment shop/web, spec.template (" + file
                        + ":8) (specification 2.4.1), zone cluster.local.");
    }

    @Test
    void theFieldsToEditHaveTheirLines(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("cart.yaml");
        Files.writeString(file, """
                apiVersion: v1
                kind: Namespace
                metadata: {name: shop}
                ---
                apiVersion: v1
                kind: Service
                metadata:
                  name: cart
                  namespace: shop
                spec:
                  clusterIP: None
                  selector:
                    app: cart
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: cart, namespace: shop}
                spec:
                  replicas: 2
                  selector: {matchLabels: {app: crat}}
                  template:
                    metadata:
                      labels:
                        app: crat
                    spec: {containers: [{name: cart, image: cart}]}
                """);
        String[] lines = {
            "cart.shop.svc.cluster.local. (A) does not resolve: NXDOMAIN",
            "  because: Service shop/cart, spec.selector (FILE:12): {app=cart} matches no Pod;"
                    + " the nearest are the Pods of Deployment shop/cart with {app=crat}",
            "  try: change spec.selector of Service shop/cart to {app=crat} (FILE:12)"
        };
        Run run = Run.of("explain", "-f", file.toString(), "cart.shop");
        assertThat(run.lines().stream().map(line -> line.replace(file.toString(), "FILE")))
                .containsExactly(lines);
        Run piped = Run.withInput(Files.readString(file), "explain", "-f", "-", "cart.shop");
        assertThat(piped.lines().stream().map(line -> line.replace("(-:", "(FILE:")))
                .containsExactly(lines);
        assertThat(Run.of("explain", "-f", file.toString(), "-o", "json", "cart.shop")
                        .out())
                .contains("\"object\": \"Service shop/cart\", \"position\": \"" + file
                        + ":12\", \"field\": \"spec.selector\", \"changes\": [\"Service shop/cart\"]");
        assertThat(Run.of("explain", "-f", file.toString(), "--ready", "none", "a.cart.shop")
                        .lines())
                .anyMatch(line -> line.startsWith("  because: Service shop/cart ("));
    }

    @Test
    void aNameThatDoesNotResolveHasCausesAndSuggestions() {
        Run run = explain("crat.shop");
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.lines())
                .containsExactly(
                        "crat.shop.svc.cluster.local. (A) does not resolve: NXDOMAIN",
                        "  because: Service shop/crat: no such Service",
                        "  try: look up cart.shop.svc.cluster.local.");
    }

    @Test
    void theSearchListOfAPodIsWalked() {
        Run run = explain("--from", "lab", "cart");
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.lines())
                .containsExactly(
                        "cart from lab is looked up as:",
                        "  cart.lab.svc.cluster.local.: NXDOMAIN",
                        "  cart.svc.cluster.local.: NXDOMAIN",
                        "  cart.cluster.local.: NXDOMAIN",
                        "  cart.: another server is asked",
                        "cart.lab.svc.cluster.local. (A) does not resolve: NXDOMAIN",
                        "  because: Namespace lab: no such Namespace",
                        "  try: look up cart.shop.svc.cluster.local.");
        Run found = explain("--from", "shop/db-0", "cart");
        assertThat(found.code()).isZero();
        assertThat(found.lines())
                .startsWith("cart from shop/db-0 is looked up as:", "  cart.shop.svc.cluster.local.: NOERROR");
        assertThat(explain("--from", "shop/none", "cart").err()).contains("--from: no Pod shop/none");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cart.shop.svc. | A | look up cart.shop.svc.cluster.local.",
                "cart.shop.svc.cluster.lcoal | A | look up cart.shop.svc.cluster.local.",
                "_htp._tcp.cart.shop | srv | look up _http._tcp.cart.shop.svc.cluster.local.",
                "db-7.db.shop | A | look up db-2.db.shop.svc.cluster.local.",
            })
    void aNearNameIsSuggested(String name, String type, String suggestion) {
        Run run = explain(name, type);
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.lines()).contains("  try: " + suggestion);
    }

    @ParameterizedTest
    @CsvSource({
        "1, OrderedReady, all, true",
        "3, OrderedReady, all, true",
        "3, OrderedReady, none, false",
        "3, OrderedReady, db-1=false, false",
        "3, OrderedReady, db-2=false, false",
        "3, Parallel, db-2=false, true",
        "3, Parallel, db-3=false, false",
    })
    void oneMoreReplicaIsSuggestedIfItGivesTheName(
            int replicas, String policy, String ready, boolean isSuggested, @TempDir Path folder) throws IOException {
        Path file = folder.resolve("db.yaml");
        String manifest = """
                {apiVersion: v1, kind: Service, metadata: {name: db, namespace: shop}, spec: {clusterIP: None, selector: {app: db}}}
                ---
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: db, namespace: shop}
                spec:
                  replicas: %d
                  podManagementPolicy: %s
                  serviceName: db
                  selector: {matchLabels: {app: db}}
                  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: a, image: b}]}}
                """;
        String[] explain = {"explain", "-f", file.toString(), "--ready", ready, "db-" + replicas + ".db.shop"};
        Files.writeString(file, manifest.formatted(replicas, policy));
        List<String> lines = Run.of(explain).lines();
        assertThat(lines).contains("db-" + replicas + ".db.shop.svc.cluster.local. (A) does not resolve: NXDOMAIN");
        assertThat(lines.contains(
                        "  try: set spec.replicas of StatefulSet shop/db to " + (replicas + 1) + " (" + file + ":7)"))
                .as(lines.toString())
                .isEqualTo(isSuggested);
        Files.writeString(file, manifest.formatted(replicas + 1, policy));
        if (isSuggested) {
            assertThat(Run.of(explain).code()).as("after the change").isZero();
        }
    }

    /** A StatefulSet of three Pods, and Services of single Pods. */
    private static Path statefulSet(Path folder) throws IOException {
        Path file = folder.resolve("db.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: db, namespace: shop}, spec: {clusterIP: None, selector: {app: db}}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: first, namespace: shop}, spec: {clusterIP: None, selector: {app: db, apps.kubernetes.io/pod-index: "0"}}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: fifth, namespace: shop}, spec: {clusterIP: None, selector: {statefulset.kubernetes.io/pod-name: db-4}}}
                ---
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: db, namespace: shop}
                spec:
                  replicas: 3
                  serviceName: db
                  selector: {matchLabels: {app: db}}
                  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: a, image: b}]}}
                """);
        return file;
    }

    @ParameterizedTest
    @CsvSource({"db-5.db.shop, 6", "fifth.shop, 5", "db-12.db.shop, 13"})
    void moreReplicasAreSuggestedForALaterPod(String name, int replicas, @TempDir Path folder) throws IOException {
        Path file = statefulSet(folder);
        String suggestion = "  try: set spec.replicas of StatefulSet shop/db to " + replicas + " (" + file + ":11)";
        Run run = Run.of("explain", "-f", file.toString(), name);
        assertThat(run.lines())
                .contains(
                        "  because: StatefulSet shop/db, spec.replicas (" + file
                                + ":11): is 3, so that its Pods are db-0 to db-2",
                        suggestion);
        Files.writeString(file, Files.readString(file).replace("replicas: 3", "replicas: " + replicas));
        assertThat(Run.of("explain", "-f", file.toString(), name).code())
                .as("after the change")
                .isZero();
    }

    @Test
    void aServiceSelectsOnePodByItsIndex(@TempDir Path folder) throws IOException {
        Path file = statefulSet(folder);
        Run run = Run.of("explain", "-f", file.toString(), "first.shop");
        assertThat(run.code()).isZero();
        assertThat(run.out()).contains("from Pod shop/db-0").doesNotContain("db-1");
        assertThat(Run.of("explain", "-f", file.toString(), "db-13.db.shop").out())
                .as("rather a mistyped name")
                .doesNotContain("set spec.replicas");
    }

    @Test
    void aPodThatAClusterWouldNotMakeYetIsNoted() {
        String note = "StatefulSet shop/db: a cluster makes the Pods after db-0 only when it is ready";
        Run run = explain("db-1.db.shop", "--ready", "db-0=false");
        assertThat(run.code()).as("its Pod is assumed to be ready").isZero();
        assertThat(run.err()).contains(note);
        assertThat(explain("db-1.db.shop", "--ready", "db-0=false", "-o", "json")
                        .err())
                .contains(note);
        assertThat(explain("cart.shop", "--ready", "db-0=false").err()).doesNotContain(note);
    }

    @Test
    void publishingAPodDoesNotHelpIfTheClusterWaitsForAnotherOne(@TempDir Path folder) throws IOException {
        Path file = statefulSet(folder);
        String cause = "  because: StatefulSet shop/db (" + file
                + ":7): its Pod db-1 is not ready, so that it is not published";
        String wait = "; a cluster makes it only when db-0 is ready (spec.podManagementPolicy is OrderedReady)";
        String publish = "  try: set spec.publishNotReadyAddresses of Service shop/db";
        String parallel = ", and recreate StatefulSet shop/db with spec.podManagementPolicy Parallel";
        String position = " (" + file + ":1)";
        String[] explain = {"explain", "-f", file.toString(), "--ready", "none", "db-1.db.shop"};
        assertThat(Run.of(explain).lines()).contains(cause + wait, publish + parallel + position);
        assertThat(Run.of("explain", "-f", file.toString(), "--ready", "none", "db-0.db.shop")
                        .lines())
                .contains(publish + position)
                .doesNotContain(publish + parallel + position);
        assertThat(Run.of("explain", "-f", file.toString(), "--ready", "none", "db.shop")
                        .lines())
                .as("db-0 is published")
                .contains(publish + position);
        Files.writeString(
                file, Files.readString(file).replace("  replicas:", "  podManagementPolicy: Parallel\n  replicas:"));
        assertThat(Run.of(explain).lines()).contains(cause, publish + position);
    }

    @Test
    void aWorkloadWithoutReplicasIsACause(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("store.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: store, namespace: shop}, spec: {clusterIP: None, selector: {app: store}}}
                ---
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: store-a, namespace: shop}
                spec:
                  replicas: 0
                  serviceName: store
                  selector: {matchLabels: {app: store}}
                  template: {metadata: {labels: {app: store}}, spec: {containers: [{name: a, image: b}]}}
                """);
        assertThat(Run.of("explain", "-f", file.toString(), "store.shop").lines())
                .contains(
                        "  because: StatefulSet shop/store-a, spec.replicas (" + file
                                + ":9): Service shop/store selects its Pods, but it has none: spec.replicas is 0",
                        "  try: set spec.replicas of StatefulSet shop/store-a to 1 (" + file + ":9)");
        assertThat(Run.of("explain", "--as-is", "-f", file.toString(), "store.shop")
                        .lines())
                .as("nothing is known about the address of a Pod")
                .containsExactly(
                        "store.shop.svc.cluster.local. (A) does not resolve: NXDOMAIN",
                        "  because: StatefulSet shop/store-a, spec.replicas (" + file
                                + ":9): Service shop/store selects its Pods, but it has none: spec.replicas is 0");
    }

    @Test
    void aSearchListWithoutTheNamespaceIsTheCause(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("ui.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: ui, namespace: shop}
                spec:
                  dnsPolicy: None
                  dnsConfig: {nameservers: [10.96.0.10], searches: [shop.cluster.local]}
                  containers: [{name: a, image: b}]
                """);
        for (String name : List.of("web", "web.shop")) {
            Run run = Run.of("explain", "-f", file.toString(), "--from", "shop/ui", name);
            assertThat(run.code()).isEqualTo(Main.FAILED);
            assertThat(run.lines())
                    .as(name)
                    .endsWith(
                            "  because: Pod shop/ui, spec.dnsConfig.searches (" + file
                                    + ":8): without DNS settings a Pod of the namespace looks up"
                                    + " web.shop.svc.cluster.local., which resolves",
                            "  try: look up web.shop.svc.cluster.local.",
                            "  try: give Pod shop/ui spec.dnsConfig.searches [shop.cluster.local, "
                                    + (name.equals("web") ? "shop." : "") + "svc.cluster.local] (" + file + ":8)");
            Path changed = folder.resolve(name + ".yaml");
            Files.writeString(
                    changed,
                    Files.readString(file)
                            .replace(
                                    "[shop.cluster.local]",
                                    "[shop.cluster.local, " + (name.equals("web") ? "shop." : "")
                                            + "svc.cluster.local]"));
            assertThat(Run.of("explain", "-f", changed.toString(), "--from", "shop/ui", name)
                            .code())
                    .as("after the change, " + name)
                    .isZero();
        }
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/ui", "none")
                        .out())
                .doesNotContain("searches");
    }

    @ParameterizedTest
    @CsvSource({
        "None, data.svc.cluster.locale",
        "None, dta.svc.cluster.local",
        "ClusterFirst, dta.svc.cluster.local.",
    })
    void aMisspeltSearchDomainIsTheCause(String policy, String search, @TempDir Path folder) throws IOException {
        Path file = folder.resolve("ui.yaml");
        String manifests = """
                {apiVersion: v1, kind: Service, metadata: {name: kafka, namespace: data}, spec: {ports: [{port: 80}]}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: ui, namespace: shop}
                spec:
                  dnsPolicy: %s
                  dnsConfig: {nameservers: [10.96.0.10], searches: [corp.example, %s]}
                  containers: [{name: a, image: b}]
                """;
        Files.writeString(file, manifests.formatted(policy, search));

        Run run = Run.of("explain", "-f", file.toString(), "--from", "shop/ui", "kafka");
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.lines())
                .containsSubsequence(
                        "  because: Pod shop/ui, spec.dnsConfig.searches (" + file + ":8): " + search
                                + " is no search domain of the cluster; with data.svc.cluster.local the Pod looks up"
                                + " kafka.data.svc.cluster.local., which resolves",
                        "  try: change " + search
                                + " in spec.dnsConfig.searches of Pod shop/ui to data.svc.cluster.local (" + file
                                + ":8)");
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/ui", "none")
                        .out())
                .doesNotContain("search domain");
        Files.writeString(file, manifests.formatted(policy, "data.svc.cluster.local"));
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/ui", "kafka")
                        .code())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"hostname: ui, spec.hostname", "subdomain: any, metadata.name"})
    void theOwnNameInTheHostsFileIsOfTheFieldThatHasIt(String setting, String field, @TempDir Path folder)
            throws IOException {
        Path file = folder.resolve("ui.yaml");
        Files.writeString(file, """
                apiVersion: v1
                kind: Pod
                metadata: {name: ui, namespace: shop}
                spec: {%s, containers: [{name: a, image: b}]}
                """.formatted(setting));

        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/ui", "ui")
                        .out())
                .contains("from Pod shop/ui, " + field + " (" + file);
    }

    @Test
    void noSearchDomainMoreThanAnApiServerAcceptsIsSuggested(@TempDir Path folder) throws IOException {
        String searches =
                IntStream.rangeClosed(1, 32).mapToObj(i -> "s" + i + ".example").collect(Collectors.joining(", "));
        Path file = folder.resolve("ui.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: ui, namespace: shop}
                spec:
                  dnsPolicy: None
                  dnsConfig: {nameservers: [10.96.0.10], searches: [SEARCHES]}
                  containers: [{name: a, image: b}]
                """.replace("SEARCHES", searches));
        Run run = Run.of("explain", "-f", file.toString(), "--from", "shop/ui", "web");
        assertThat(run.code()).as(run.err()).isEqualTo(Main.FAILED);
        assertThat(run.lines()).last().isEqualTo("  try: look up web.shop.svc.cluster.local.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cart.shop | --from shop/bare (does not resolve), --from shop/idle (does not resolve), --from shop/near (does not resolve), --from shop/agent (does not resolve)",
                "cart.shop --from shop | --from shop/bare (does not resolve), --from shop/idle (does not resolve), --from shop/near (does not resolve), --from shop/agent (does not resolve)",
                "cart --from shop | --from shop/bare (does not resolve), --from shop/idle (does not resolve), --from shop/agent (does not resolve)",
                "own.corp --from shop | --from shop/alias (resolves to 10.1.2.3)",
                "api --from shop | --from shop/near (resolves to 10.96.0.21)",
            })
    void podsWithAnotherResultAreNoted(String arguments, String places, @TempDir Path folder) throws IOException {
        assertThat(fromPodsWithSettings(arguments, folder).err().lines())
                .contains("note: Pods with other DNS settings have another result: " + places);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cart.shop --from shop/tool",
                "cart.shop --from lab",
                "none.shop --from shop",
                "one --from lab",
                "api.lab.svc --from lab"
            })
    void podsWithTheSameResultAreNotNoted(String arguments, @TempDir Path folder) throws IOException {
        assertThat(fromPodsWithSettings(arguments, folder).err()).doesNotContain("another result");
    }

    private static Run fromPodsWithSettings(String arguments, Path folder) throws IOException {
        Path file = folder.resolve("pods.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: lab}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {clusterIP: 10.96.0.20, ports: [{port: 80}]}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: api, namespace: lab}, spec: {clusterIP: 10.96.0.21, ports: [{port: 80}]}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: tool, namespace: shop}, spec: {containers: [{name: a, image: b}]}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: bare, namespace: shop}
                spec: {dnsPolicy: Default, containers: [{name: a, image: b}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: near, namespace: shop}
                spec:
                  dnsPolicy: None
                  dnsConfig: {nameservers: [10.96.0.10], searches: [shop.svc.cluster.local, lab.svc.cluster.local]}
                  containers: [{name: a, image: b}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: alias, namespace: shop}
                spec: {hostAliases: [{ip: 10.1.2.3, hostnames: [own.corp]}], containers: [{name: a, image: b}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: one, namespace: lab}
                spec: {dnsConfig: {options: [{name: edns0}]}, containers: [{name: a, image: b}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: two, namespace: lab}
                spec: {dnsConfig: {options: [{name: edns0}]}, containers: [{name: a, image: b}]}
                ---
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: agent, namespace: shop}
                spec:
                  selector: {matchLabels: {app: agent}}
                  template:
                    metadata: {labels: {app: agent}}
                    spec: {hostNetwork: true, containers: [{name: a, image: b}]}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: idle, namespace: shop}
                spec:
                  replicas: 0
                  selector: {matchLabels: {app: idle}}
                  template:
                    metadata: {labels: {app: idle}}
                    spec: {dnsPolicy: Default, containers: [{name: a, image: b}]}
                """);
        return Run.of(Stream.concat(Stream.of("explain", "-f", file.toString()), Stream.of(arguments.split(" ")))
                .toArray(String[]::new));
    }

    @Test
    void aTargetWithoutTheZoneDoesNotResolve(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("alias.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: old, namespace: shop}, spec: {type: ExternalName, externalName: web.shop.svc}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: pay, namespace: shop}, spec: {type: ExternalName, externalName: pay.example}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: far, namespace: shop}, spec: {type: ExternalName, externalName: web.shop.svc.other.example}}
                """);
        Run old = Run.of("explain", "-f", file.toString(), "old.shop");
        assertThat(old.code()).isEqualTo(Main.FAILED);
        assertThat(old.lines())
                .contains("  because: Service shop/old, spec.externalName (" + file
                        + ":1): is an alias of web.shop.svc, which is in no zone of the cluster, and no search list is"
                        + " appended to it; Service shop/web has the name web.shop.svc.cluster.local")
                .endsWith(
                        "  try: change spec.externalName of Service shop/old to web.shop.svc.cluster.local (" + file
                                + ":1)",
                        "  try: look up web.shop.svc.cluster.local.")
                .noneMatch(line -> line.contains("another one answers it"));
        for (String name : List.of("pay.shop", "far.shop")) {
            Run run = Run.of("explain", "-f", file.toString(), name);
            assertThat(run.out()).contains(name + ".svc.cluster.local. (A) resolves");
            assertThat(run.err()).doesNotContain("search list");
        }
    }

    @Test
    void theTargetOfAnAliasIsAnsweredByAnotherServer(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("alias.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: pay, namespace: shop}, spec: {type: ExternalName, externalName: pay.example}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: old, namespace: shop}, spec: {type: ExternalName, externalName: web.shop.svc.cluster.local}}
                """);
        Run outside = Run.of("explain", "-f", file.toString(), "pay.shop");
        assertThat(outside.code()).isEqualTo(Main.DONE);
        assertThat(outside.lines())
                .contains("  pay.example. is in no zone of this server: another one answers it, and decides whether it"
                        + " resolves");
        assertThat(Run.of("explain", "-f", file.toString(), "-o", "json", "pay.shop")
                        .out())
                .contains("\"targetOfOtherServer\": \"pay.example.\"");
        Run missing = Run.of("explain", "-f", file.toString(), "old.shop");
        assertThat(missing.code()).isEqualTo(Main.FAILED);
        assertThat(missing.lines()).first().isEqualTo("old.shop.svc.cluster.local. (A) does not resolve: NXDOMAIN");
        assertThat(Run.of("explain", "-f", file.toString(), "-o", "json", "old.shop")
                        .out())
                .contains("\"targetOfOtherServer\": \"\"");
    }

    @Test
    void aJobThatHasNoPodsYetIsACause(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("report.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: report, namespace: shop}, spec: {clusterIP: None, selector: {app: report}}}
                ---
                apiVersion: batch/v1
                kind: CronJob
                metadata: {name: nightly, namespace: shop}
                spec:
                  schedule: "0 0 * * *"
                  jobTemplate: {spec: {template: {metadata: {labels: {app: report}}, spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}
                """);
        assertThat(Run.of("explain", "-f", file.toString(), "report.shop").lines())
                .contains("  because: CronJob shop/nightly (" + file + ":3): Service shop/report selects its Pods, but"
                        + " it has none: its schedule has not started a Job");
    }

    @Test
    void aSuspendedCronJobIsACauseWithItsField(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("report.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: report, namespace: shop}, spec: {clusterIP: None, selector: {app: report}}}
                ---
                apiVersion: batch/v1
                kind: CronJob
                metadata: {name: nightly, namespace: shop}
                spec:
                  schedule: "0 0 * * *"
                  suspend: true
                  jobTemplate: {spec: {template: {metadata: {labels: {app: report}}, spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}
                """);
        assertThat(Run.of("explain", "-f", file.toString(), "report.shop").lines())
                .filteredOn(line -> line.startsWith("  because: "))
                .containsExactly("  because: CronJob shop/nightly, spec.suspend (" + file
                        + ":8): Service shop/report selects its Pods, but it has none: spec.suspend is true, so that its"
                        + " schedule starts no Job");
    }

    @Test
    void endpointsThatAreNamesHaveNoRecords(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("slice.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: ext, namespace: shop}, spec: {clusterIP: None, ports: [{name: sql, port: 5432}]}}
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: ext-1, namespace: shop, labels: {kubernetes.io/service-name: ext}}
                addressType: FQDN
                ports: [{name: sql, port: 5432}]
                endpoints: [{addresses: [db.example.com], hostname: db-0}]
                """);
        for (String name : List.of("ext.shop", "db-0.ext.shop", "_sql._tcp.ext.shop")) {
            assertThat(Run.of("explain", "-f", file.toString(), name).lines())
                    .as(name)
                    .filteredOn(line -> line.startsWith("  because: "))
                    .containsExactly("  because: EndpointSlice shop/ext-1, addressType (" + file
                            + ":6): is FQDN, and endpoints whose addresses are names have no records; an alias of a"
                            + " name is a Service of type ExternalName");
        }
    }

    @Test
    void endpointsThatAreNamesAreNotTheOnlyCause(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("slice.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: ext, namespace: shop}, spec: {clusterIP: None, ports: [{name: sql, port: 5432}]}}
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: ext-1, namespace: shop, labels: {kubernetes.io/service-name: ext}}
                addressType: FQDN
                ports: [{name: sql, port: 5432}]
                endpoints: [{addresses: [db.example.com], hostname: db-9}]
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: ext-2, namespace: shop, labels: {kubernetes.io/service-name: ext}}
                addressType: IPv4
                ports: [{name: sql, port: 5432}]
                endpoints: [{addresses: [10.1.2.3], hostname: db-1}]
                """);
        assertThat(Run.of("explain", "-f", file.toString(), "db-0.ext.shop").lines())
                .contains(
                        "  because: Service shop/ext, spec.selector (" + file
                                + ":1): no selector, and no endpoint in an EndpointSlice of it has the hostname db-0",
                        "  try: look up db-1.ext.shop.svc.cluster.local.");
    }

    @Test
    void endpointsWithTheNameOfNoServiceAreACause(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("endpoints.yaml");
        String endpoints = """
                {apiVersion: v1, kind: Service, metadata: {name: s4, namespace: shop}, spec: {clusterIP: None}}
                ---
                apiVersion: v1
                kind: Endpoints
                metadata: {name: NAME, namespace: shop}
                subsets: [{addresses: [{ip: 10.20.0.5}]}]
                """;
        Files.writeString(file, endpoints.replace("NAME", "s4x"));
        for (List<String> options : List.of(List.<String>of(), List.of("--as-is"))) {
            assertThat(Run.of(Stream.concat(Stream.of("explain", "-f", file.toString(), "s4.shop"), options.stream())
                                    .toArray(String[]::new))
                            .lines())
                    .as("%s", options)
                    .contains(
                            "  because: Endpoints shop/s4x, metadata.name (" + file
                                    + ":5): there is no Service of this name; Endpoints have the name of their Service",
                            "  try: rename Endpoints shop/s4x to s4 (" + file + ":5)");
        }
        Files.writeString(file, endpoints.replace("NAME", "s4"));
        assertThat(Run.of("explain", "-f", file.toString(), "s4.shop").code()).isZero();
    }

    @Test
    void endpointsThatAServiceDoesNotUseAreACause(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("endpoints.yaml");
        String objects = """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {clusterIP: None, SELECTOR ports: [{port: 80}]}
                ---
                apiVersion: v1
                kind: Endpoints
                metadata: {name: web, namespace: shop LABELS}
                subsets: [{addresses: [{ip: 10.7.7.13}]}]
                """;
        Files.writeString(
                file, objects.replace("SELECTOR", "selector: {app: web},").replace("LABELS", ""));
        String reason =
                "its Service has a selector, so that a controller replaces its addresses with those of the Pods";
        assertThat(Run.of("explain", "-f", file.toString(), "web.shop").lines())
                .contains(
                        "  because: Service shop/web, spec.selector (" + file + ":4): {app=web} matches no Pod",
                        "  because: Endpoints shop/web (" + file + ":6): " + reason,
                        "  try: remove spec.selector of Service shop/web (" + file + ":4)");
        assertThat(Run.of("explain", "-f", file.toString(), "10.7.7.13").lines())
                .containsExactly(
                        "13.7.7.10.in-addr.arpa. (PTR) does not resolve: NXDOMAIN",
                        "  because: Endpoints shop/web (" + file + ":6): has this address, but " + reason,
                        "  try: remove spec.selector of Service shop/web (" + file + ":4)");

        Files.writeString(
                file,
                objects.replace("SELECTOR", "")
                        .replace("LABELS", ", labels: {endpointslice.kubernetes.io/skip-mirror: 'true'}"));
        Run skipped = Run.of("explain", "-f", file.toString(), "-o", "json", "web.shop");
        assertThat(skipped.out())
                .contains(
                        "is true, so that it gets no EndpointSlice",
                        "\"changes\": [\"Endpoints shop/web\"]",
                        "remove the label endpointslice.kubernetes.io/skip-mirror of Endpoints shop/web");

        Files.writeString(file, objects.replace("SELECTOR", "").replace("LABELS", ""));
        assertThat(Run.of("explain", "-f", file.toString(), "web.shop").code()).isZero();
        assertThat(Run.of("explain", "-f", file.toString(), "10.7.7.13").code()).isZero();
    }

    @Test
    void endpointsThatWereExportedWithoutPodsAreTheSource(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("export.yaml");
        Files.writeString(file, """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop, uid: a}
                spec: {clusterIP: None, selector: {app: web}, ports: [{port: 80}]}
                ---
                apiVersion: v1
                kind: Endpoints
                metadata: {name: web, namespace: shop, uid: b}
                subsets: [{addresses: [{ip: 10.7.7.13, targetRef: {kind: Pod, name: web-5d4f8-x2x9k, namespace: shop}}]}]
                """);
        assertThat(Run.of("explain", "-f", file.toString(), "web.shop").lines())
                .containsExactly(
                        "web.shop.svc.cluster.local. (A) resolves",
                        "  web.shop.svc.cluster.local. 5 IN A 10.7.7.13",
                        "    from Endpoints shop/web, subsets (" + file
                                + ":9) (specification 2.4.1), zone cluster.local.");
    }

    @Test
    void endpointsBesideThePodsOfASelectorAreNotedAndAreNoSource(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("web.yaml");
        Files.writeString(file, """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {clusterIP: None, selector: {app: web}, ports: [{name: http, port: 80}]}
                ---
                {apiVersion: v1, kind: Endpoints, metadata: {name: web, namespace: shop}, subsets: [{addresses: [{ip: 10.7.7.13}]}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: web, namespace: shop, labels: {app: web}}
                spec: {containers: [{name: a, image: b}]}
                status: {podIP: 10.7.7.14}
                """);
        for (String name : List.of("web.shop", "_http._tcp.web.shop")) {
            Run run = Run.of("explain", "-f", file.toString(), name);
            assertThat(run.code()).as(name).isZero();
            assertThat(run.out()).as(name).contains("10").doesNotContain("Endpoints", "10.7.7.13", "10-7-7-13");
            assertThat(run.err().lines())
                    .as(name)
                    .containsOnlyOnce("note: " + file + ":6: Endpoints shop/web: no record: its Service has a selector,"
                            + " so that a controller replaces its addresses with those of the Pods");
        }
    }

    @Test
    void endpointsAndSlicesWithoutTheirServiceAreCausesWithTheSmallestService(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("orphans.yaml");
        String objects = """
                {apiVersion: v1, kind: Endpoints, metadata: {name: old, namespace: shop}, subsets: [{addresses: [{ip: 10.7.7.13}]}]}
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: new-1, namespace: shop, labels: {kubernetes.io/service-name: new}}
                addressType: IPv4
                endpoints: [{addresses: [10.7.7.14]}]
                """;
        Files.writeString(file, objects);
        assertThat(Run.of("explain", "-f", file.toString(), "old.shop").lines())
                .contains(
                        "  because: Service shop/old: no such Service",
                        "  because: Endpoints shop/old (" + file + ":1): there is no Service of that name",
                        "  try: add a headless Service shop/old without a selector");
        assertThat(Run.of("explain", "-f", file.toString(), "10.7.7.13").lines())
                .contains(
                        "  because: Endpoints shop/old (" + file
                                + ":1): has this address, but there is no Service of that name",
                        "  try: add a headless Service shop/old without a selector");
        String reason = "kubernetes.io/service-name is new, and there is no such Service";
        assertThat(Run.of("explain", "-f", file.toString(), "new.shop").lines())
                .contains(
                        "  because: EndpointSlice shop/new-1, metadata.labels (" + file + ":5): " + reason,
                        "  try: add a headless Service shop/new without a selector");
        assertThat(Run.of("explain", "-f", file.toString(), "10.7.7.14").lines())
                .contains(
                        "  because: EndpointSlice shop/new-1, metadata.labels (" + file + ":5): has this address, but "
                                + reason,
                        "  try: add a headless Service shop/new without a selector");
        assertThat(Run.of("explain", "-f", file.toString(), "-o", "json", "old.shop")
                        .out())
                .contains("\"changes\": [\"Service shop/old\"]");

        Files.writeString(file, objects + """
                ---
                {apiVersion: v1, kind: Service, metadata: {name: old, namespace: shop}, spec: {clusterIP: None}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: new, namespace: shop}, spec: {clusterIP: None}}
                """);
        for (String name : List.of("old.shop", "new.shop", "10.7.7.13", "10.7.7.14")) {
            assertThat(Run.of("explain", "-f", file.toString(), name).code())
                    .as(name)
                    .isZero();
        }
    }

    @Test
    void endpointsThatAreNotReadyAreACauseWithoutTheirSlice(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("endpoints.yaml");
        Files.writeString(file, """
                apiVersion: v1
                kind: Service
                metadata: {name: old, namespace: shop}
                spec: {clusterIP: None, ports: [{name: sql, port: 5432}]}
                ---
                apiVersion: v1
                kind: Endpoints
                metadata: {name: old, namespace: shop}
                subsets:
                - notReadyAddresses: [{ip: 192.0.2.7, hostname: two}]
                  ports: [{name: sql, port: 5432}]
                """);
        for (String name : List.of("two.old.shop", "old.shop", "192.0.2.7")) {
            assertThat(Run.of("explain", "-f", file.toString(), name).lines())
                    .as(name)
                    .contains("  because: Endpoints shop/old, subsets (" + file
                            + ":9): 192.0.2.7: not ready, so that it is not published")
                    .noneMatch(line -> line.contains("EndpointSlice") || line.contains("publishNotReadyAddresses"));
        }
        assertThat(Run.of("explain", "-f", file.toString(), "two.old.shop").lines())
                .last()
                .isEqualTo("  try: move 192.0.2.7 from notReadyAddresses of Endpoints shop/old to addresses (" + file
                        + ":9)");
    }

    @Test
    void theChangesOfEndpointsAreThoseOfTheirObject(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("endpoints.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: old, namespace: shop}, spec: {clusterIP: None}}
                ---
                apiVersion: v1
                kind: Endpoints
                metadata: {name: old, namespace: shop}
                subsets: [{notReadyAddresses: [{ip: 192.0.2.7}]}]
                """);
        assertThat(Run.of("explain", "-f", file.toString(), "-o", "json", "old.shop")
                        .out())
                .contains("\"changes\": [\"Endpoints shop/old\"]");
    }

    @Test
    void aSkippedStatefulSetIsACauseOfTheNamesOfItsPods(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("set.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: db, namespace: shop}, spec: {clusterIP: None, selector: {app: db}}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: other, namespace: shop, labels: {app: db}}
                spec: {containers: [{name: a, image: b}]}
                ---
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: pg, namespace: shop}
                spec:
                  serviceName: db
                  selector: {matchLabels: {app: pg}}
                  template:
                    metadata: {labels: {app: postgres}}
                    spec: {containers: [{name: a, image: b}]}
                """);
        String cause = "  because: StatefulSet shop/pg, spec.template.metadata.labels (" + file + ":15): ";
        assertThat(Run.of("explain", "-f", file.toString(), "pg-0.db.shop").lines())
                .anyMatch(line -> line.startsWith(cause));
        for (String other : List.of("pg.db.shop", "pg-x.db.shop", "ag-0.db.shop", "pg-0.db.lab")) {
            assertThat(Run.of("explain", "-f", file.toString(), other).lines())
                    .as(other)
                    .noneMatch(line -> line.startsWith(cause));
        }
    }

    @Test
    void aServiceWithAnInvalidNameIsACauseOfThatName(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("service.yaml");
        Files.writeString(file, """
                apiVersion: v1
                kind: Service
                metadata: {name: My_Cart, namespace: shop}
                spec: {ports: [{port: 80}]}
                """);
        for (String name : List.of("my_cart.shop", "a.My_Cart.shop")) {
            assertThat(Run.of("explain", "-f", file.toString(), name).lines())
                    .as(name)
                    .anyMatch(line ->
                            line.startsWith("  because: Service shop/My_Cart, metadata.name (" + file + ":3): not a "));
        }
        assertThat(Run.of("explain", "-f", file.toString(), "your_cart.shop").lines())
                .noneMatch(line -> line.contains("My_Cart"));
    }

    @Test
    void aZoneTransferIsNotExplained() {
        for (String type : List.of("AXFR", "ixfr")) {
            Run run = explain("cart.shop", type);
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err()).contains("'" + type + "' is a zone transfer");
        }
    }

    @Test
    void aPodBelowAServiceOfAKustomizationHasItsPrefixAndSuffix(@TempDir Path folder) throws IOException {
        Files.writeString(
                folder.resolve("kustomization.yaml"),
                "{namePrefix: p-, nameSuffix: -s, namespace: shop, resources: [cart.yaml]}");
        Files.writeString(folder.resolve("cart.yaml"), """
                {apiVersion: v1, kind: Service, metadata: {name: cart}, spec: {clusterIP: None, selector: {app: cart}}}
                ---
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: cart}
                spec:
                  serviceName: cart
                  replicas: 2
                  selector: {matchLabels: {app: cart}}
                  template: {metadata: {labels: {app: cart}}, spec: {containers: [{name: a, image: b}]}}
                """);
        String nearest = "  try: look up p-cart-s-0.p-cart-s.shop.svc.cluster.local.";
        assertThat(Run.of("explain", "-f", folder.toString(), "cart-0.cart.shop")
                        .lines())
                .contains(nearest);
        assertThat(Run.of("explain", "-f", folder.toString(), "--from", "shop", "cart-0.cart")
                        .lines())
                .contains(nearest);
    }

    @Test
    void whatKustomizationsWouldChangeIsReported(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("kustomization.yaml");
        Files.writeString(file, """
                namespace: shop
                resources: [cart.yaml, missing.yaml]
                replicas: [{name: cart, count: 2}]
                """);
        Files.writeString(folder.resolve("cart.yaml"), """
                {apiVersion: v1, kind: Service, metadata: {name: cart}, spec: {clusterIP: None, selector: {app: cart}}}
                ---
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: cart}
                spec:
                  serviceName: cart
                  selector: {matchLabels: {app: cart}}
                  template: {metadata: {labels: {app: cart}}, spec: {containers: [{name: a, image: b}]}}
                """);
        for (String command : List.of("explain", "query")) {
            Run run = Run.of(command, "-f", folder.toString(), "cart-1.cart.shop");
            assertThat(run.err().lines())
                    .as(command)
                    .contains(
                            "warning: " + file + ":3: not applied: replicas",
                            "note: to read it: kubectl kustomize " + folder + " | k8sdns " + command + " -f - NAME",
                            "warning: " + file + ":2: \"missing.yaml\" is not read: no such file or directory");
        }
    }

    @Test
    void theCommandThatRendersAChartIsNoted(@TempDir Path folder) throws IOException {
        Path templates = Files.createDirectories(folder.resolve("chart/templates"));
        Files.writeString(folder.resolve("chart/Chart.yaml"), "{apiVersion: v2, name: web, version: 0.1.0}");
        Files.writeString(templates.resolve("web.yaml"), """
                apiVersion: v1
                kind: Service
                metadata:
                  name: {{ .Release.Name }}-web
                spec: {ports: [{port: 80}]}
                """);
        Files.writeString(
                folder.resolve("cart.yaml"),
                "{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {ports: [{port: 80}]}}");
        for (String command : List.of("explain", "query")) {
            assertThat(Run.of(command, "-f", folder.toString(), "rel-web.shop")
                            .err()
                            .lines())
                    .as(command)
                    .contains("note: templates are not rendered; use helm template RELEASE " + folder
                            + "/chart | k8sdns " + command + " -f - NAME");
        }
        assertThat(Run.of("explain", "-f", folder.resolve("cart.yaml").toString(), "rel-web.shop")
                        .err())
                .doesNotContain("helm template");
        Files.delete(folder.resolve("cart.yaml"));
        assertThat(Run.of("explain", "-f", folder.toString(), "rel-web.shop").err())
                .as("a chart below the directory is not rendered by --render")
                .contains("use helm template RELEASE " + folder + "/chart | k8sdns explain -f - NAME")
                .doesNotContain("--render");
        assertThat(Run.of("explain", "-f", folder.resolve("chart").toString(), "rel-web.shop")
                        .err())
                .contains(" -f - NAME, or --render");
    }

    @Test
    void theFinalDotOfANameIsACauseIfTheSearchListLeadsToTheName() {
        Run run = explain("--from", "shop", "cart.");
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.lines())
                .contains(
                        "  because: the name ends with a dot, so that no search domain is appended to it; without the dot the Pod"
                                + " looks up cart.shop.svc.cluster.local., which resolves",
                        "  try: look up cart.shop.svc.cluster.local.");
        assertThat(explain("--from", "shop", "cart.shop.svc.").lines())
                .filteredOn(line -> line.startsWith("  try: "))
                .containsExactly("  try: look up cart.shop.svc.cluster.local.");
        assertThat(explain("--from", "shop", "crat.").out()).doesNotContain("ends with a dot");
    }

    /** After the suggested change of the manifest the name resolves. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "batch/v1 Job | suspend: true, | suspend: false, | spec.suspend | set spec.suspend of Job lab/w to false",
                "batch/v1 Job | parallelism: 0, | parallelism: 1, | spec.parallelism | set spec.parallelism of Job lab/w to 1",
                "apps/v1 DaemonSet | nodeSelector: {disk: ssd}, | '' | spec.template.spec.nodeSelector"
                        + " | remove {disk=ssd} from spec.template.spec.nodeSelector of DaemonSet lab/w",
                "apps/v1 DaemonSet | nodeName: n2, | '' | spec.template.spec.nodeName"
                        + " | remove spec.template.spec.nodeName of DaemonSet lab/w",
                "apps/v1 DaemonSet | affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
                        + " {nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: In, values: [ssd]}]}]}}}, | ''"
                        + " | spec.template.spec.affinity.nodeAffinity"
                        + " | allow Node n1 in spec.template.spec.affinity.nodeAffinity of DaemonSet lab/w",
            })
    void aFieldThatKeepsAWorkloadFromRunningIsToBeChanged(
            String kind, String field, String changed, String named, String suggestion, @TempDir Path folder)
            throws IOException {
        Path file = folder.resolve("w.yaml");
        Files.writeString(file, workload(kind, field, ""));
        Run run = Run.of("explain", "-f", file.toString(), "w.lab");
        assertThat(run.lines())
                .anyMatch(line -> line.startsWith(
                        "  because: " + kind.substring(kind.indexOf(' ') + 1) + " lab/w, " + named + " ("))
                .anyMatch(line -> line.startsWith("  try: " + suggestion + " ("));
        Files.writeString(file, workload(kind, changed, ""));
        assertThat(Run.of("explain", "-f", file.toString(), "w.lab").code()).isZero();
    }

    @Test
    void aTaintThatADaemonSetDoesNotTolerateIsTheCause(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("w.yaml");
        String taint = "spec: {taints: [{key: dedicated, value: db, effect: NoSchedule}]}, ";
        Files.writeString(file, workload("apps/v1 DaemonSet", "", taint));
        assertThat(Run.of("explain", "-f", file.toString(), "w.lab").lines())
                .contains("  because: DaemonSet lab/w, spec.template.spec.tolerations (" + file
                        + ":3): Service lab/w selects its"
                        + " Pods, but it has none: its template allows none of the Nodes; it does not tolerate"
                        + " [dedicated=db:NoSchedule], the taints of Node n1")
                .anyMatch(line -> line.startsWith("  try: tolerate [dedicated=db:NoSchedule] in"
                        + " spec.template.spec.tolerations of DaemonSet lab/w"));
        Files.writeString(
                file, workload("apps/v1 DaemonSet", "tolerations: [{key: dedicated, operator: Exists}], ", taint));
        assertThat(Run.of("explain", "-f", file.toString(), "w.lab").code()).isZero();
        Files.writeString(file, workload("apps/v1 DaemonSet", "nodeSelector: {disk: ssd}, ", taint));
        assertThat(Run.of("explain", "-f", file.toString(), "w.lab").lines())
                .anyMatch(line -> line.startsWith("  because: DaemonSet lab/w (")
                        && line.endsWith("Node n1 lacks the labels {disk=ssd}, and it does not tolerate"
                                + " [dedicated=db:NoSchedule], the taints of Node n1"))
                .noneMatch(line -> line.startsWith("  try: "));
    }

    /** Returns a Node, a Service and a workload; a field before the template of a Job, or in the template of a DaemonSet. */
    private static String workload(String type, String field, String node) {
        String[] words = type.split(" ", -1);
        boolean isJob = words[1].equals("Job");
        return "{apiVersion: v1, kind: Service, metadata: {name: w, namespace: lab}, spec: {clusterIP: None, selector: {app: w}}}\n---\n"
                + "{apiVersion: " + words[0] + ", kind: " + words[1] + ", metadata: {name: w, namespace: lab}, spec: {"
                + (isJob ? field : "selector: {matchLabels: {app: w}}, ")
                + "template: {metadata: {labels: {app: w}}, spec: {" + (isJob ? "restartPolicy: Never, " : field)
                + "containers: [{name: a, image: b}]}}}}\n---\n"
                + "{apiVersion: v1, kind: Node, " + node + "metadata: {name: n1}}\n";
    }

    @Test
    void aNameThatEndsInSvcIsCompletedByTheZone() {
        assertThat(explain("cart.shop.svc").lines()).first().isEqualTo("cart.shop.svc.cluster.local. (A) resolves");
        assertThat(explain("10-244-0-1.shop.pod").lines())
                .first()
                .asString()
                .startsWith("10-244-0-1.shop.pod.cluster.local. (A) ");
    }

    @Test
    void aPodWithTheConfigurationOfItsNodeNeedsAnotherPolicy(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("agent.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {clusterIP: 10.96.0.20, ports: [{port: 80}]}}
                ---
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: agent, namespace: shop}
                spec:
                  selector: {matchLabels: {app: agent}}
                  template:
                    metadata: {labels: {app: agent}}
                    spec: {hostNetwork: true, containers: [{name: a, image: b}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: tool, namespace: shop}
                spec: {dnsPolicy: Default, containers: [{name: a, image: b}]}
                """);
        Run agent = Run.of("explain", "-f", file.toString(), "--from", "shop/agent-0", "cart");
        assertThat(agent.lines().stream().map(line -> line.replaceAll(" \\(.*yaml:\\d+\\)", "")))
                .containsExactly(
                        "cart from shop/agent-0 is looked up as:",
                        "  cart.: another server is asked",
                        "cart. (A) does not resolve in the cluster: another server is asked",
                        "  because: StatefulSet shop/agent, spec.template.spec.dnsPolicy: missing, which is ClusterFirst,"
                                + " and spec.template.spec.hostNetwork is true, so that the Pod has the resolv.conf of its node, and asks the node's name servers",
                        "  try: give StatefulSet shop/agent spec.template.spec.dnsPolicy ClusterFirstWithHostNet");
        assertThat(agent.code()).isEqualTo(Main.FAILED);
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/tool", "cart.shop")
                        .out())
                .contains("spec.dnsPolicy (" + file + ":17): Default, so that the Pod has the resolv.conf of its node")
                .contains("try: give Pod shop/tool spec.dnsPolicy ClusterFirst ");
    }

    @Test
    void theDnsConfigOfThePodDecidesWhichNamesItLooksUpAndWhereItAsks(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("tool.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {clusterIP: 10.96.0.20, ports: [{port: 80}]}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: near, namespace: shop}
                spec:
                  dnsPolicy: None
                  dnsConfig: {nameservers: [10.96.0.10], searches: [shop.svc.cluster.local]}
                  containers: [{name: a, image: b}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: far, namespace: shop}
                spec:
                  dnsPolicy: None
                  dnsConfig: {nameservers: [198.51.100.8, 10.96.0.10], searches: [shop.svc.cluster.local]}
                  containers: [{name: a, image: b}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: dots, namespace: shop}
                spec:
                  dnsConfig: {options: [{name: ndots, value: "1"}]}
                  containers: [{name: a, image: b}]
                """);
        Run near = Run.of("explain", "-f", file.toString(), "--from", "shop/near", "cart");
        assertThat(near.code()).as(near.err()).isZero();
        assertThat(near.lines()).element(1).isEqualTo("  cart.shop.svc.cluster.local.: NOERROR");
        Run far = Run.of("explain", "-f", file.toString(), "--from", "shop/far", "cart");
        assertThat(far.code()).as(far.err()).isEqualTo(Main.FAILED);
        assertThat(far.lines())
                .contains("  cart.shop.svc.cluster.local.: another server is asked")
                .endsWith(
                        "  because: Pod shop/far, spec.dnsPolicy (" + file
                                + ":15): None, so that the Pod asks 198.51.100.8,"
                                + " the first of spec.dnsConfig.nameservers, which is not the DNS server of the cluster",
                        "  try: give Pod shop/far spec.dnsPolicy ClusterFirst (" + file + ":15)");
        assertThat(Run.of("explain", "-f", file.toString(), "-o", "json", "--from", "shop/far", "cart")
                        .out())
                .contains("\"status\": \"OTHER_SERVER\", \"resolves\": false, \"steps\": [{\"name\":"
                        + " \"cart.shop.svc.cluster.local.\", \"status\": \"OTHER_SERVER\"}");
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/dots", "cart.shop")
                        .lines())
                .startsWith(
                        "cart.shop from shop/dots is looked up as:",
                        "  cart.shop.: another server is asked",
                        "  cart.shop.shop.svc.cluster.local.: NXDOMAIN",
                        "  cart.shop.svc.cluster.local.: NOERROR");
    }

    private static final String PODS_WITH_HOSTS = """
            {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {clusterIP: 10.96.0.20, ports: [{port: 80}]}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: tool, namespace: shop}
            spec:
              hostAliases:
              - {ip: 10.1.2.3, hostnames: [mirror.corp, cart]}
              - {ip: "2001:db8::7", hostnames: [six.corp, Mirror.Corp]}
              subdomain: tools
              containers: [{name: a, image: b}]
            status: {podIP: 10.244.0.9}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: agent, namespace: shop}
            spec:
              selector: {matchLabels: {app: agent}}
              template:
                metadata: {labels: {app: agent}}
                spec: {hostname: agent, hostAliases: [{ip: 10.1.2.4, hostnames: [old]}], containers: [{name: a, image: b}]}
            ---
            apiVersion: apps/v1
            kind: DaemonSet
            metadata: {name: node, namespace: shop}
            spec:
              selector: {matchLabels: {app: node}}
              template:
                metadata: {labels: {app: node}}
                spec: {hostNetwork: true, hostname: node, hostAliases: [{ip: 10.1.2.5, hostnames: [new]}], containers: [{name: a, image: b}]}
            ---
            apiVersion: batch/v1
            kind: CronJob
            metadata: {name: report, namespace: shop}
            spec:
              schedule: '@daily'
              jobTemplate:
                spec: {template: {spec: {hostname: report-host, restartPolicy: Never, containers: [{name: a, image: b}]}}}
            ---
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: idle, namespace: shop}
            spec:
              replicas: 0
              selector: {matchLabels: {app: idle}}
              template: {metadata: {labels: {app: idle}}, spec: {containers: [{name: a, image: b}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: pending, namespace: shop}, spec: {containers: [{name: a, image: b}]},
             status: {phase: Pending}}
            """;

    @Test
    void aNameInTheHostsFileOfThePodResolvesWithoutAQuery(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("pods.yaml");
        Files.writeString(file, PODS_WITH_HOSTS);
        Run mirror = Run.of("explain", "-f", file.toString(), "--from", "shop/tool", "mirror.corp");
        assertThat(mirror.code()).as(mirror.err()).isZero();
        assertThat(mirror.lines())
                .containsExactly(
                        "mirror.corp from shop/tool is in /etc/hosts of the Pod, so that no query is sent",
                        "mirror.corp. (A) resolves",
                        "  mirror.corp. 0 IN A 10.1.2.3",
                        "    from Pod shop/tool, spec.hostAliases[0] (" + file + ":10) (/etc/hosts of the Pod)",
                        "  programs that ask DNS only, such as nslookup: mirror.corp. (A) does not resolve in the cluster:"
                                + " another server is asked");
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/tool", "cart")
                        .lines())
                .as("the address of the Service is hidden")
                .contains("  cart. 0 IN A 10.1.2.3")
                .endsWith("  programs that ask DNS only, such as nslookup: cart.shop.svc.cluster.local. (A) resolves to"
                        + " 10.96.0.20");
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/tool", "-o", "json", "cart")
                        .out())
                .contains(
                        "\"status\": \"HOSTS_FILE\", \"resolves\": true, \"steps\": []",
                        "\"dns\": {\"name\": \"cart.shop.svc.cluster.local.\", \"type\": \"A\", \"status\":"
                                + " \"NOERROR\", \"resolves\": true, \"addresses\": [\"10.96.0.20\"]}");
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/tool", "-o", "svg", "cart")
                        .out())
                .contains("resolves from /etc/hosts of the Pod, without a query");
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/tool", "-o", "name", "cart")
                        .out()
                        .trim())
                .isEqualTo("Pod shop/tool");
    }

    @ParameterizedTest
    @CsvSource({
        "shop/tool, mirror.corp, A, 10.1.2.3",
        "shop/tool, mirror.corp, AAAA, 2001:db8::7",
        "shop/tool, six.corp, , 2001:db8::7",
        "shop/tool, tool, , 10.244.0.9",
        "shop/tool, tool.tools.shop.svc.cluster.local, , 10.244.0.9",
        "shop/agent, old, , 10.1.2.4",
        "shop/node, new, , 10.1.2.5",
        "shop, localhost, , 127.0.0.1",
        "shop/agent, LOCALHOST, AAAA, ::1",
        "shop/agent, ip6-loopback, , ::1",
        "shop/tool, ip6-allnodes, , fe00::1",
        "shop/node, localhost, , 127.0.0.1",
        "shop/node, localhost, AAAA, ::1",
        "shop/report, report-host, , 192.0.2.1",
        "shop/idle, idle-0, , 10.244",
        "shop/pending, pending, , 192.0.2.1",
    })
    void theHostsFileHasTheAliasesAndThePodItself(
            String place, String name, String type, String address, @TempDir Path folder) throws IOException {
        Run run = fromPodWithHosts(place, name, type, folder);
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.lines())
                .element(2)
                .asString()
                .startsWith("  " + name + ". 0 IN " + (address.contains(":") ? "AAAA" : "A") + " " + address);
    }

    @ParameterizedTest
    @CsvSource({
        "shop/tool, mirror, ",
        "shop/tool, mirror.corp., ",
        "shop/tool, mirror.corp, TXT",
        "shop/tool, six.corp, A",
        "shop/tool, tool.tools.shop, ",
        "shop/agent, mirror.corp, ",
        "shop/node, node, ",
        "shop/node, ip6-allnodes, A",
        "shop/node, ip6-allnodes, AAAA",
        "shop/node, localhost, SRV",
        "shop, localhost, SRV",
        "shop, pod, ",
        "shop/report, report, ",
        "shop/idle, idle, ",
    })
    void theHostsFileHasNoOtherNames(String place, String name, String type, @TempDir Path folder) throws IOException {
        Run run = fromPodWithHosts(place, name, type, folder);
        assertThat(run.code()).as(run.out()).isEqualTo(Main.FAILED);
        assertThat(run.lines()).first().isEqualTo(name + " from " + place + " is looked up as:");
    }

    @Test
    void theInventedAddressOfAPodInItsHostsFileIsMarked(@TempDir Path folder) throws IOException {
        assertThat(fromPodWithHosts("shop/agent", "agent", null, folder).lines())
                .element(2)
                .asString()
                .matches("  agent\\. 0 IN A 10\\.\\S+ ; invented address");
        assertThat(fromPodWithHosts("shop/agent", "agent", null, folder).lines())
                .element(3)
                .asString()
                .startsWith("    from Deployment shop/agent, spec.template.spec.hostname (");
    }

    @Test
    void theHostsFileOfANodeHasLocalhost(@TempDir Path folder) throws IOException {
        assertThat(fromPodWithHosts("shop/node", "localhost", null, folder).lines())
                .containsExactly(
                        "localhost from shop/node is in /etc/hosts of the Pod, so that no query is sent",
                        "localhost. (A) resolves",
                        "  localhost. 0 IN A 127.0.0.1",
                        "    from the node (/etc/hosts of every node)",
                        "  programs that ask DNS only, such as nslookup: localhost. (A) does not resolve in the cluster: another"
                                + " server is asked");
        assertThat(fromPodWithHosts("shop/tool", "localhost", "SRV", folder).lines())
                .startsWith(
                        "localhost from shop/tool is looked up as:", "  localhost.shop.svc.cluster.local.: NXDOMAIN");
    }

    @Test
    void thePodOfATemplateWithoutAnAddressHasAnInventedOneInItsHostsFile(@TempDir Path folder) throws IOException {
        assertThat(fromPodWithHosts("shop/report", "report-host", null, folder).lines())
                .contains("  report-host. 0 IN A 192.0.2.1 ; invented address")
                .element(3)
                .asString()
                .startsWith("    from CronJob shop/report, spec.jobTemplate.spec.template.spec.hostname (");
    }

    @Test
    void anAddressIsNotLookedUpFromAPod(@TempDir Path folder) throws IOException {
        Run run = fromPodWithHosts("shop", "10.96.0.20", null, folder);
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .contains(
                        "--from: glibc sends no query for '10.96.0.20', which is an address; without --from its reverse"
                                + " name is looked up");
    }

    private static Run fromPodWithHosts(String place, String name, @Nullable String type, Path folder)
            throws IOException {
        Path file = folder.resolve("pods.yaml");
        Files.writeString(file, PODS_WITH_HOSTS);
        return Run.of(Stream.concat(
                        Stream.of("explain", "-f", file.toString(), "--from", place, name), Stream.ofNullable(type))
                .toArray(String[]::new));
    }

    @Test
    void anInventedAddressInASuggestionIsMarked(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("pod.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Pod, metadata: {name: tool, namespace: shop}, spec: {containers: [{name: a, image: b}]}}
                ---
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: db, namespace: shop}
                spec:
                  selector: {matchLabels: {app: db}}
                  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: a, image: b}]}}
                """);
        assertThat(Run.of("explain", "-f", file.toString(), "tool.shop.pod.cluster.local")
                        .lines())
                .last()
                .asString()
                .matches("  try: look up 10-[0-9-]+\\.shop\\.pod\\.cluster\\.local\\. ; invented address");
        assertThat(Run.of("explain", "-f", file.toString(), "-o", "json", "tool.shop.pod.cluster.local")
                        .out())
                .contains("\"changes\": [], \"invented\": true}]");
        assertThat(Run.of("explain", "-f", file.toString(), "db-0.shop.pod.cluster.local")
                        .out())
                .as("a predicted Pod has no address at all")
                .doesNotContain("try:");
    }

    @Test
    void anInventedAddressInACauseIsMarked() {
        assertThat(explain("storefront.shop", "AAAA").lines())
                .anyMatch(line ->
                        line.matches("  because: Service shop/storefront, spec\\.clusterIPs .*; its addresses are"
                                + " \\[10\\.\\S+ \\(invented address\\)\\]"));
        assertThat(explain("storefront.shop", "AAAA", "-o", "json").out())
                .containsPattern("its addresses are \\[10\\.[0-9.]+\\]\", \"invented\": true\\}");
        assertThat(explain("storefront.shop", "AAAA", "-o", "svg").out()).contains("(invented address)");
        assertThat(explain("cart.shop", "AAAA").out()).contains("its addresses are [10.96.0.20]\n");
        assertThat(explain("cart.shop", "AAAA", "-o", "json").out()).doesNotContain("\"invented\"");
    }

    @Test
    void noInventedPodNameIsListed() {
        assertThat(explain("--from", "shop/nope", "cart").err())
                .contains(
                        "no Pod shop/nope; Pods of the namespace: db-0, db-1, db-2, those of Deployment shop/cart, those of ")
                .doesNotContain("-deployment-");
        assertThat(explain("--from", "shop/cart-deployment-9", "cart").err())
                .contains("--from: no Pod shop/cart-deployment-9; Pods of the namespace: ")
                .doesNotContain("cart-deployment-1");
        assertThat(explain("storefront.shop", "-l", "app=nope").err())
                .contains(
                        "note: hidden by --labels: Service shop/storefront, the Pods of Deployment shop/storefront\n");
    }

    @Test
    void aMisspeltNameIsACauseBesideThePolicyOfThePod(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("tool.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {clusterIP: 10.96.0.20, ports: [{port: 80}]}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: tool, namespace: shop}, spec: {dnsPolicy: Default, containers: [{name: a, image: b}]}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: host, namespace: shop}, spec: {hostNetwork: true, dnsPolcy: ClusterFirstWithHostNet, containers: [{name: a, image: b}]}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: misspelt, namespace: shop}, spec: {dnsPolcy: Default, containers: [{name: a, image: b}]}}
                """);
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/tool", "crat")
                        .lines())
                .endsWith(
                        "  because: Service shop/crat: no such Service",
                        "  try: give Pod shop/tool spec.dnsPolicy ClusterFirst, and look up"
                                + " cart.shop.svc.cluster.local. (" + file + ":3)");
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/tool", "github.com")
                        .lines())
                .as("not a name of the cluster")
                .endsWith(
                        "github.com. (A) does not resolve in the cluster: another server is asked",
                        "  because: outside the cluster's zones (cluster.local): an upstream server answers it, and decides whether"
                                + " it resolves");
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/host", "cart")
                        .err())
                .contains("unknown field \"spec.dnsPolcy\"; did you mean \"dnsPolicy\"?");
        Run found = Run.of("explain", "-f", file.toString(), "--from", "shop/misspelt", "cart");
        assertThat(found.code()).isZero();
        assertThat(found.err())
                .as("the Pod that asks is no cause")
                .contains("unknown field \"spec.dnsPolcy\"")
                .doesNotContain("Pod shop/misspelt: completed");
    }

    @Test
    void aPodWithTheConfigurationOfItsNodeResolvesNoNameOfTheCluster(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("agent.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {clusterIP: 10.96.0.20, ports: [{port: 80}]}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: agent, namespace: shop}
                spec: {hostNetwork: true, containers: [{name: a, image: b}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: tool, namespace: shop}
                spec: {dnsPolicy: Default, dnsConfig: {searches: [shop.svc.cluster.local]}, containers: [{name: a, image: b}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: host, namespace: shop}
                spec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{name: a, image: b}]}
                """);
        String name = "cart.shop.svc.cluster.local";
        Run agent = Run.of("explain", "-f", file.toString(), "--from", "shop/agent", name);
        assertThat(agent.code()).isEqualTo(Main.FAILED);
        assertThat(agent.lines())
                .containsExactly(
                        name + " from shop/agent is looked up as:",
                        "  cart.shop.svc.cluster.local.: another server is asked",
                        "cart.shop.svc.cluster.local. (A) does not resolve in the cluster: another server is asked",
                        "  because: Pod shop/agent, spec.dnsPolicy (" + file
                                + ":8): missing, which is ClusterFirst, and"
                                + " spec.hostNetwork is true, so that the Pod has the resolv.conf of its node, and asks the"
                                + " node's name servers",
                        "  try: give Pod shop/agent spec.dnsPolicy ClusterFirstWithHostNet (" + file + ":8)");
        for (String one : List.of(name, name + ".", "cart")) {
            Run tool = Run.of("explain", "-f", file.toString(), "--from", "shop/tool", one);
            assertThat(tool.code()).as(one).isEqualTo(Main.FAILED);
            assertThat(tool.out())
                    .contains(
                            "Default, so that the Pod has the resolv.conf of its node, and asks the node's name servers")
                    .contains("try: give Pod shop/tool spec.dnsPolicy ClusterFirst (");
        }
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "shop/host", name)
                        .code())
                .isZero();
    }

    @Test
    void aSkippedWorkloadMayMakeTheMissingPods(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("cart.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {clusterIP: None, selector: {app: cart}}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: db, namespace: shop}, spec: {clusterIP: None}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: backend, namespace: shop}
                spec:
                  selector: {matchLabels: {app: backend}}
                  template: {metadata: {labels: {app: backend}}, spec: {containers: [{name: a}]}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: shop}
                spec:
                  unknown: 1
                  selector: {matchLabels: {app: web}}
                  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: b}]}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: elsewhere, namespace: lab}
                spec:
                  selector: {matchLabels: {app: lab}}
                  template: {metadata: {labels: {app: lab}}, spec: {containers: [{name: a}]}}
                """);
        Run run = Run.of("explain", "-f", file.toString(), "cart.shop");
        assertThat(run.out()).contains("{app=cart} matches no Pod");
        assertThat(run.err())
                .contains("Deployment shop/backend, spec.template.spec.containers[0].image: Required value; this")
                .doesNotContain("Deployment shop/web")
                .doesNotContain("Deployment lab/elsewhere");
        assertThat(Run.of("explain", "-f", file.toString(), "db.shop").err())
                .as("a Service without a selector selects no Pod of a workload")
                .doesNotContain("Deployment shop/backend");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "selector: {matchLabels: {app: cart}}, template: {metadata: {labels: {app: cart}}, spec: {containers: [{name: a}]}} "
                        + "| spec.template.spec.containers[0].image | Required value",
                "template: {metadata: {labels: {app: cart}}, spec: {containers: [{name: a, image: b}]}} | spec.selector | Required value",
                "selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: cart}}, spec: {containers: [{name: a, image: b}]}} "
                        + "| spec.template.metadata.labels | `selector` does not match template `labels`",
            })
    void aSkippedWorkloadWhosePodsAServiceWouldSelectIsTheCause(
            String spec, String field, String problem, @TempDir Path folder) throws IOException {
        Path file = folder.resolve("cart.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {clusterIP: None, selector: {app: cart}}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: None, selector: {app: web}}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: cart, namespace: lab}, spec: {clusterIP: None, selector: {app: cart}}}
                ---
                {apiVersion: apps/v1, kind: Deployment, metadata: {name: backend, namespace: shop}, spec: {SPEC}}
                """.replace("SPEC", spec));
        String text = "Service shop/cart selects its Pods, but it has none: " + problem
                + "; this Deployment is skipped, as an API server would refuse it";
        String[] explain = {"explain", "-f", file.toString(), "cart.shop", "-o", "json"};
        assertThat(Run.of(Arrays.copyOf(explain, 4)).lines())
                .last()
                .isEqualTo("  because: Deployment shop/backend, " + field + " (" + file + ":7): " + text);
        assertThat(Run.of(explain).out())
                .contains("\"causes\": [{\"object\": \"Deployment shop/backend\", \"position\": \"" + file
                        + ":7\", \"field\": \"" + field + "\", \"text\": \"" + text + "\"}]");
        for (String other : List.of("web.shop", "cart.lab")) {
            assertThat(Run.of("explain", "-f", file.toString(), other).out())
                    .as(other)
                    .contains("matches no Pod")
                    .doesNotContain("backend selects", "Deployment");
        }
    }

    @Test
    void warningsAboutTheWorkloadBehindANameArePrinted(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("web.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: None, selector: {app: web}}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: backend, namespace: shop}
                spec:
                  replcas: 2
                  selector: {matchLabels: {app: web}}
                  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: b}]}}
                """);
        assertThat(Run.of("explain", "-f", file.toString(), "web.shop").err())
                .contains("Deployment shop/backend, spec.replcas: unknown field \"spec.replcas\"");
    }

    @Test
    void theNearestNameOfTheSearchListIsExplained(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("tempo.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Namespace, metadata: {name: default}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: observability}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: obs-tempo}, spec: {clusterIP: None, selector: {app: tempo}}}
                """);
        String[] explained = {
            "obs-tempo.default.svc.cluster.local. (A) does not resolve: NXDOMAIN",
            "  because: Service default/obs-tempo, spec.selector (" + file + ":5): {app=tempo} matches no Pod"
        };
        for (String name :
                List.of("obs-tempo.default", "obs-tempo.default.svc", "obs-tempo.default.svc.cluster.local")) {
            assertThat(Run.of("explain", "-f", file.toString(), "--from", "observability", name)
                            .lines())
                    .as(name)
                    .endsWith(explained);
        }
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "observability", "tempo.default")
                        .lines())
                .as("no such Service, but the Namespace exists")
                .endsWith(
                        "tempo.default.svc.cluster.local. (A) does not resolve: NXDOMAIN",
                        "  because: Service default/tempo: no such Service",
                        "  because: Service default/obs-tempo (" + file + ":5): the most similar Service, but "
                                + "obs-tempo.default.svc.cluster.local. has no records of type A, either",
                        explained[1]);
        assertThat(Run.of("explain", "-f", file.toString(), "--from", "observability", "a.default.svc.cluster.local")
                        .lines())
                .as("a full name is explained as it is")
                .endsWith(
                        "a.default.svc.cluster.local. (A) does not resolve: NXDOMAIN",
                        "  because: Service default/a: no such Service");
    }

    @Test
    void aNameOutsideTheClusterIsAnsweredByAnotherServer() {
        for (String name : List.of("github.com", "api.github.com")) {
            Run run = explain("--from", "shop", name);
            assertThat(run.lines())
                    .as(name)
                    .containsSequence(
                            name + ". (A) does not resolve in the cluster: another server is asked",
                            "  because: outside the cluster's zones (cluster.local): an upstream server answers it, and"
                                    + " decides whether it resolves");
            assertThat(run.out()).doesNotContain("no such Service").doesNotContain("underscore");
        }
        assertThat(explain("--from", "shop", "crat.shop").lines())
                .as("a misspelt name of the cluster")
                .endsWith("  try: look up cart.shop.svc.cluster.local.");
        assertThat(explain("--from", "shop", "-o", "svg", "github.com").out()).contains("outside the cluster");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-n shop cart | cart.svc.cluster.local.; --from shop looks the name up as a Pod of this namespace does, and it resolves",
                "cart | cart.svc.cluster.local.; --from shop looks the name up as a Pod of this namespace does, and it resolves",
                "db-0.db | db-0.db.svc.cluster.local.; --from shop looks the name up as a Pod of this namespace does, and it resolves",
                "db-9.db | db-9.db.svc.cluster.local.; --from shop looks the name up as a Pod of this namespace does",
                "card | card.svc.cluster.local.; --from NAMESPACE looks the name up as a Pod does, also outside the cluster",
                "google.com | google.com.svc.cluster.local.; --from NAMESPACE looks the name up as a Pod does, also outside the cluster",
            })
    void aNameThatASearchListCompletesHasAHint(String arguments, String hint) {
        Run run = explain(arguments.split(" "));
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.lines()).element(1).isEqualTo("  because: read as " + hint);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cart.shop",
                "crat.shop",
                "cart.shpo",
                "shop",
                "cart.",
                "google.com.",
                "crat.shop.svc",
                "crat.svc.cluster.local",
                "--from shop crat",
                "-n shop crat.shop",
            })
    void otherNamesHaveNoHint(String arguments) {
        Run run = explain(arguments.split(" "));
        assertThat(run.code()).isIn(Main.DONE, Main.FAILED);
        assertThat(run.out() + run.err()).doesNotContain("--from");
    }

    @Test
    void theNamespaceOfKubectlHasAHint() {
        String hint = " instead looks the name up as a Pod of that namespace does";
        for (String name : List.of("cart.shop", "cart.shop.svc.cluster.local")) {
            assertThat(explain("-n", "default", name).err().lines())
                    .contains("note: --namespace limits what is published; --from default" + hint);
        }
        assertThat(explain("-n", "default", "-n", "lab", "cart.shop").err().lines())
                .contains("note: --namespace limits what is published; --from NAMESPACE" + hint);
    }

    @Test
    void aMisspeltServiceWithoutNamespaceIsCorrected() {
        for (List<String> arguments : List.of(List.of("-n", "shop", "card"), List.of("card"))) {
            assertThat(explain(arguments.toArray(String[]::new)).lines())
                    .endsWith("  try: look up cart.shop.svc.cluster.local.");
        }
        assertThat(explain("--from", "shop", "card").lines())
                .contains("  because: Service shop/card: no such Service")
                .endsWith("  try: look up cart.shop.svc.cluster.local.");
    }

    @Test
    void settingsThatHideNamesAreCauses() {
        assertThat(explain("cart.shop", "-n", "lab").lines())
                .containsExactly(
                        "cart.shop.svc.cluster.local. (A) does not resolve: NXDOMAIN",
                        "  because: Namespace shop (" + Run.BOOKSTORE
                                + "/namespace.yaml:2): hidden, because the server publishes" + " only some namespaces",
                        "  try: publish Namespace shop (--namespace or --namespace-labels)");
        assertThat(explain("db.shop", "--no-endpoints").out()).contains("publishes no endpoints (--no-endpoints)");
    }

    /** With the suggested options the name resolves. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cart.shop            | -n lab          | publish Namespace shop (--namespace or --namespace-labels) | -n lab -n shop",
                "db.shop              | --no-endpoints  | publish endpoints (leave out --no-endpoints)               | -A",
                "cart.shop            | -l app=nope     | publish Service shop/cart (--labels app=cart)              | -l app=cart",
                "10-9-9-9.shop.pod    | --pods disabled | have a pod name for every address (--pods insecure)        | --pods insecure",
                "_postgres._tcp.db.shop | --no-endpoints  | publish endpoints (leave out --no-endpoints)               | -A",
            })
    void anOptionThatTookTheNameAwayIsToBeChanged(String name, String options, String suggestion, String changed) {
        Run run = explainWith(options, name);
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.lines()).contains("  try: " + suggestion);
        assertThat(explainWith(options + " -o json", name).out()).contains("{\"text\": \"" + suggestion + "\", ");
        assertThat(explainWith(changed, name).code()).isZero();
    }

    private static Run explainWith(String options, String name) {
        return explain(
                Stream.concat(Stream.of(options.split(" ")), Stream.of(name)).toArray(String[]::new));
    }

    @Test
    void aReadinessOfNoPodIsAWarning() {
        String warning = "warning: Pod dbb: the assumed readiness has no effect";
        assertThat(explain("db.shop", "--ready", "dbb=false").err()).contains(warning);
        assertThat(explain("-o", "json", "cart.shop", "--ready", "dbb=false").err())
                .contains(warning);
        assertThat(explain("db.shop", "--ready", "db=false").err()).doesNotContain("has no effect");
    }

    @Test
    void aParameterOfATemplateWithoutAValueIsAWarning(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("template.yaml"), """
                apiVersion: template.openshift.io/v1
                kind: Template
                metadata: {name: db}
                parameters: [{name: NAME, required: true}]
                objects:
                - {apiVersion: v1, kind: Service, metadata: {name: "${NAME}"}, spec: {ports: [{port: 80}]}}
                """);
        Run run = Run.of("explain", "-f", file.toString(), "mongo.default");
        assertThat(run.err()).contains(file + ":4: Template db, parameters: no value: NAME; ${NAME} stays in a name");
        assertThat(run.code()).isEqualTo(Main.FAILED);
    }

    @Test
    void aDaemonSetOnTheHostNetworkResolvesWithoutNodes(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("exporter.yaml"), """
                apiVersion: v1
                kind: Service
                metadata: {name: exporter, namespace: shop}
                spec: {clusterIP: None, selector: {app: exporter}, ports: [{port: 9100}]}
                ---
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: exporter, namespace: shop}
                spec:
                  selector: {matchLabels: {app: exporter}}
                  template:
                    metadata: {labels: {app: exporter}}
                    spec: {hostNetwork: true, containers: [{name: a, image: b}]}
                """);
        assertThat(Run.of("explain", "-f", file.toString(), "exporter.shop").lines())
                .anyMatch(line -> line.matches("  exporter\\.shop\\S+ 5 IN A \\S+ ; invented address"));
    }

    @Test
    void jsonHasTheSameParts() {
        assertThat(explain("-o", "json", "cart.shop").lines())
                .containsExactly(
                        "{\"name\": \"cart.shop.svc.cluster.local.\", \"type\": \"A\", \"status\": \"NOERROR\","
                                + " \"resolves\": true, \"steps\": [{\"name\": \"cart.shop.svc.cluster.local.\", \"status\":"
                                + " \"NOERROR\"}], \"records\": [{\"name\": \"cart.shop.svc.cluster.local.\", \"ttl\": 5, \"class\":"
                                + " \"IN\", \"type\": \"A\", \"data\": \"10.96.0.20\", \"zone\": \"cluster.local.\", \"object\": \"Service shop/cart\", \"position\": \""
                                + CART_POSITION + "\", \"field\":"
                                + " \"spec.clusterIPs[0]\", \"rule\": \"specification 2.3.1\"}], \"targetOfOtherServer\": \"\","
                                + " \"causes\": [], \"suggestions\": []}");
        assertThat(explain("-o", "json", "db.shop", "--ready", "none").out())
                .contains("{\"object\": \"StatefulSet shop/db\", \"position\": \"" + STATEFUL_SET_POSITION
                        + "\", \"field\": \"\", \"text\": \"its Pod db-0 is not ready")
                .contains("\"changes\": [\"StatefulSet shop/db\"]");
    }

    @Test
    void theNameOfAPortHasTypeSrvByDefault() {
        assertThat(explain("_http._tcp.cart.shop").lines())
                .first()
                .isEqualTo("_http._tcp.cart.shop.svc.cluster.local. (SRV) resolves");
        assertThat(explain("_http._tcp.cart.shop", "A").lines())
                .containsExactly(
                        "_http._tcp.cart.shop.svc.cluster.local. (A) does not resolve: NODATA",
                        "  because: the name of a port has SRV records only",
                        "  try: look up type SRV");
    }

    @Test
    void onlyNotesAboutNamedObjectsArePrinted() {
        Run run = explain("db-0.db.shop");
        assertThat(run.err().lines())
                .containsExactly(
                        "note: 22 notes and warnings about other objects; --verbose prints all",
                        "note: Pods of workloads are assumed to be ready; --ready none assumes the opposite");
        assertThat(explain("--verbose", "db-0.db.shop").err().lines()).hasSizeGreaterThan(4);
        assertThat(explain("cart.shop").err().lines())
                .hasSize(3)
                .allMatch(line -> line.contains(": Service shop/cart: ") || line.endsWith(" prints all"));
    }

    @Test
    void aFaultOfAManifestIsReportedTogetherWithTheCause(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("web.yaml");
        Files.writeString(
                file, "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: []}}");
        Run run = Run.of("explain", "-f", file.toString(), "web.shop");
        String[] onlyCause = {
            "web.shop.svc.cluster.local. (A) does not resolve: NXDOMAIN",
            "  because: Service shop/web, spec.ports (" + file
                    + ":1): Required value; this Service is skipped, as an API server would refuse it"
        };
        assertThat(run.lines())
                .as("neither the Service nor its Namespace is missing")
                .containsExactly(onlyCause);
        assertThat(run.err()).doesNotContain("Required value");
        String other =
                "{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {ports: [{port: 80}]}}";
        Path withOther = folder.resolve("other.yaml");
        Files.writeString(withOther, other);
        assertThat(Run.of("explain", "-f", file.toString(), "-f", withOther.toString(), "web.shop")
                        .lines())
                .containsExactly(onlyCause);
    }

    @Test
    void aServiceWithoutARangeOfItsFamilyHasThatAsACause(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("six.yaml");
        Files.writeString(
                file,
                "{apiVersion: v1, kind: Service, metadata: {name: six, namespace: shop}, spec: {ports: [{port: 80}],"
                        + " ipFamilies: [IPv6]}}");
        String text = "no service CIDR of family IPv6: it gets no IPv6 address (--service-cidr)";
        Run run = Run.of("explain", "-f", file.toString(), "six.shop", "AAAA");
        assertThat(run.lines()).contains("  because: Service shop/six (" + file + ":1): " + text);
        assertThat(run.err()).doesNotContain("it gets no IPv6 address");
        assertThat(Run.of("explain", "-f", file.toString(), "six.shop", "-o", "json")
                        .out())
                .contains("\"text\": \"" + text + "\"");
        assertThat(Run.of("explain", "-f", file.toString(), "--service-cidr", "fd00:1::/108", "six.shop")
                        .out())
                .doesNotContain("CIDR");
    }

    @Test
    void theNotesFollowTheAnswer() {
        StringWriter both = new StringWriter();
        PrintWriter terminal = new PrintWriter(both, true);
        String[] arguments = {"explain", "-f", Run.BOOKSTORE, "db-0.db.shop"};
        Main.commandLine(arguments)
                .setOut(new PrintWriter(new BufferedWriter(both)))
                .setErr(terminal)
                .execute(arguments);
        assertThat(both.toString())
                .startsWith("db-0.db.shop.svc.cluster.local. (A) resolves")
                .contains("note: 22 notes and warnings");
    }

    @Test
    void theAddressOfTheNameServerIsInvented() {
        assertThat(explain("ns.dns.cluster.local").lines())
                .containsExactly(
                        "ns.dns.cluster.local. (A) resolves",
                        "  ns.dns.cluster.local. 5 IN A 127.0.0.1 ; invented address",
                        "    from the zone itself (CoreDNS, plugin kubernetes; not in the specification), zone"
                                + " cluster.local.");
        assertThat(explain("ns.dns.cluster.local", "-o", "json").out()).contains("\"invented\": true");
        assertThat(explain("ns.dns.cluster.local", "--ns-address", "10.96.0.10").out())
                .contains("IN A 10.96.0.10\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.96.0.20", "a b", "x<y>"})
    void aNameThatAPodSendsNoQueryForIsAUsageError(String name) {
        Run run = explain("--from", "shop", name);
        assertThat(run.err()).contains("--from: glibc sends no query for '" + name + "'");
        assertThat(run.code()).isEqualTo(Main.INVALID);
    }

    @Test
    void anAddressIsLookedUpByItsReverseName() {
        for (List<String> arguments : List.of(List.of("10.96.0.20"), List.of("10.96.0.20", "ptr"))) {
            Run run = explain(arguments.toArray(String[]::new));
            assertThat(run.code()).as(run.out()).isZero();
            assertThat(run.lines())
                    .startsWith(
                            "20.0.96.10.in-addr.arpa. (PTR) resolves",
                            "  20.0.96.10.in-addr.arpa. 5 IN PTR cart.shop.svc.cluster.local.");
            assertThat(run.err().lines())
                    .contains("note: 10.96.0.20 is an address: its reverse name and type PTR are looked up");
        }
        assertThat(explain("fd00::1").lines())
                .first()
                .asString()
                .startsWith("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa. (PTR) does not");
        assertThat(explain("10.96.0.20", "A").lines()).first().asString().startsWith("10.96.0.20.");
    }

    @Test
    void aNameWithOtherLettersIsShownAsItWasWritten() {
        Run run = explain("k\u00fcche.shop");
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.err())
                .contains(
                        "note: 'k\u00fcche.shop' is read as k",
                        "; names of Services and Pods have only letters of ASCII");
        assertThat(explain("cart.shop").err()).doesNotContain("is read as");
    }

    @Test
    void invalidInputIsAUsageError() {
        assertThat(explain("cart.shop", "NONSENSE").err()).contains("not a record type: 'NONSENSE'");
        assertThat(explain("a..b").err()).contains("not a name: ");
        for (List<String> arguments : List.of(List.of(""), List.of("--from", "shop", ""), List.of("", "MX"))) {
            Run empty = explain(arguments.toArray(String[]::new));
            assertThat(empty.code()).isEqualTo(Main.INVALID);
            assertThat(empty.err()).contains("not a name: it is empty; write SERVICE.NAMESPACE, or . for the root");
        }
        assertThat(explain("--from", "A_B", "cart").code()).isEqualTo(Main.INVALID);
        assertThat(Run.of("explain", "cart.shop").err())
                .contains("missing: -f MANIFEST, --live, --kubeconfig or --in-cluster");
    }
}
