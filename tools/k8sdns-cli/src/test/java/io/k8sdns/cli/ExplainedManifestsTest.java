package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the causes in {@code explain} that are found when manifests are read. */
class ExplainedManifestsTest {
    private static final String REFUSED = "does not resolve: NOERROR, but its records cannot be used";

    @TempDir
    private Path folder;

    /** Explains a name in manifests, one a line in flow style. */
    private Run explain(String manifests, String... words) throws IOException {
        Path file = folder.resolve("all.yaml");
        Files.writeString(file, manifests.replace("\n", "\n---\n"));
        String[] arguments = new String[words.length + 3];
        arguments[0] = "explain";
        arguments[1] = "-f";
        arguments[2] = file.toString();
        System.arraycopy(words, 0, arguments, 3, words.length);
        return Run.of(arguments);
    }

    private static String service(String name, String spec) {
        return "{apiVersion: v1, kind: Service, metadata: {name: NAME, namespace: shop}, spec: {SPEC}}\n"
                .replace("NAME", name)
                .replace("SPEC", spec);
    }

    private static String deployment(String name, String labels) {
        return ("{apiVersion: apps/v1, kind: Deployment, metadata: {name: NAME, namespace: shop}, spec: {selector: {matchLabels: {LABELS}},"
                        + " template: {metadata: {labels: {LABELS}}, spec: {containers: [{name: a, image: b}]}}}}\n")
                .replace("NAME", name)
                .replace("LABELS", labels);
    }

    private static final String NUMBERED =
            service("db", "clusterIP: None, selector: {app: db}, ports: [{name: sql, port: 5432}]")
                    + service("web", "clusterIP: None, selector: {app: web}, ports: [{port: 80}]")
                    + service("idle", "clusterIP: None, selector: {app: idle}, ports: [{port: 80}]")
                    + service("load", "clusterIP: None, selector: {job-name: load}, ports: [{port: 80}]")
                    + statefulSet("db", 2)
                    + statefulSet("idle", 0)
                    + deployment("web", "app: web")
                    + "{apiVersion: batch/v1, kind: Job, metadata: {name: load, namespace: shop}, spec: {completions: 5, parallelism: 2,"
                    + " completionMode: Indexed, template: {spec: {subdomain: load, restartPolicy: Never, containers: [{name: a, image: b}]}}}}\n";

    private static String statefulSet(String name, int replicas) {
        return ("{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: NAME, namespace: shop}, spec: {replicas: "
                        + replicas
                        + ", serviceName: NAME, selector: {matchLabels: {app: NAME}},"
                        + " template: {metadata: {labels: {app: NAME}}, spec: {containers: [{name: a, image: b}]}}}}\n")
                .replace("NAME", name);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "load-2.load.shop | Job shop/load, spec.parallelism: is 2, so that load-2 runs only when Pods before it have succeeded | set spec.parallelism of Job shop/load to 3",
                "load-4.load.shop | Job shop/load, spec.parallelism: is 2, so that load-4 runs only when Pods before it have succeeded | set spec.parallelism of Job shop/load to 5",
                "load-5.load.shop | Job shop/load, spec.completions: is 5, so that its last Pod is load-4 | look up load-1.load.shop.svc.cluster.local.",
                "idle-0.idle.shop | StatefulSet shop/idle, spec.replicas: Service shop/idle selects its Pods, but it has none: spec.replicas is 0 | set spec.replicas of StatefulSet shop/idle to 1",
                "idle-2.idle.shop | StatefulSet shop/idle, spec.replicas: Service shop/idle selects its Pods, but it has none: spec.replicas is 0 | set spec.replicas of StatefulSet shop/idle to 3",
                "db-01.db.shop | the number at the end of the name of a Pod has no leading zeros | look up db-1.db.shop.svc.cluster.local.",
                "db-05.db.shop | StatefulSet shop/db, spec.replicas: is 2, so that its Pods are db-0 to db-1 | look up db-1.db.shop.svc.cluster.local.",
                "db-999999999999.db.shop | StatefulSet shop/db, spec.replicas: is 2, so that its Pods are db-0 to db-1 | look up db-1.db.shop.svc.cluster.local.",
                "_sql._tcp.db-6.db.shop | an endpoint has no names of ports; those of its Service are _PORT._PROTOCOL.SERVICE.NAMESPACE.svc | look up _sql._tcp.db.shop.svc.cluster.local.",
                "db-0.web.shop | Service shop/web, spec.selector: {app=web} does not match Pod db-0 of StatefulSet shop/db with {app=db} | look up db-0.db.shop.svc.cluster.local.",
            })
    void theNumberOfAPodIsTheCause(String name, String cause, String suggestion) throws IOException {
        Run run = explain(NUMBERED, name);
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.lines())
                .map(line -> line.replaceAll(" \\(" + folder + "[^)]*\\)", ""))
                .contains("  because: " + cause, "  try: " + suggestion);
    }

    @Test
    void anApiServerRefusesAWorkloadWhosePodsCannotHaveTheirHostname() throws IOException {
        String invalid =
                deployment("web", "app: web").replace("spec: {containers", "spec: {hostname: Bad_Host, containers");
        Run run = explain(
                service("web", "clusterIP: None, selector: {app: web}, ports: [{port: 80}]") + invalid, "web.shop");
        assertThat(run.code()).as(run.out()).isEqualTo(Main.FAILED);
        assertThat(run.lines())
                .contains("  because: Deployment shop/web, spec.template.spec.hostname (" + folder.resolve("all.yaml")
                        + ":3): not a DNS label: \"Bad_Host\"; an API server refuses this Deployment");
        Run ofStatefulSet =
                explain(NUMBERED.replace("spec: {containers", "spec: {hostname: Bad_Host, containers"), "db-0.db.shop");
        assertThat(ofStatefulSet.code())
                .as("a StatefulSet chooses the hostnames")
                .isEqualTo(Main.DONE);
    }

    @Test
    void anInitContainerThatWaitsForItsOwnPodsIsNoted() throws IOException {
        String waiting = deployment("web", "app: web")
                .replace(
                        "spec: {containers",
                        "spec: {initContainers: [{name: wait, image: b, command: [sh, -c, 'until nslookup web.shop.svc; do sleep 1; done']}],"
                                + " containers");
        String headless = "clusterIP: None, selector: {app: web}, ports: [{port: 80}]";
        String note =
                "Deployment shop/web, spec.template.spec.initContainers[0].command[2] has web.shop.svc: if the init"
                        + " container waits for this name, its Pods never become ready, so that a cluster has no records;"
                        + " spec.publishNotReadyAddresses of Service shop/web publishes them";
        assertThat(explain(service("web", headless) + waiting, "web.shop").err())
                .contains(note);
        for (String other :
                new String[] {"ports: [{port: 80}], selector: {app: web}", headless + ", publishNotReadyAddresses: true"
                }) {
            assertThat(explain(service("web", other) + waiting, "web.shop").err())
                    .doesNotContain("init container");
        }
        assertThat(explain(
                                service("web", headless.replace("app: web", "tier: front"))
                                        + waiting.replace("labels: {app: web}", "labels: {app: web, tier: front}")
                                        + deployment("api", "tier: front"),
                                "web.shop")
                        .err())
                .as("other Pods are ready")
                .doesNotContain("init container");
    }

    @Test
    void anEndpointSliceThatNoManifestHoldsIsNotNamed() throws IOException {
        assertThat(explain(NUMBERED, "db-0.db.shop").out())
                .contains("    from Pod shop/db-0, status.podIPs[0] (" + folder.resolve("all.yaml")
                        + ":9) (specification 2.4.1)")
                .doesNotContain("EndpointSlice");
        assertThat(explain(NUMBERED, "_sql._tcp.db.shop").out())
                .contains("    from Service shop/db, spec.ports[0] (" + folder.resolve("all.yaml")
                        + ":1) (specification 2.4.2)")
                .doesNotContain("EndpointSlice");
        assertThat(explain(NUMBERED, "web.shop", "-o", "json").out())
                .contains("\"object\": \"Deployment shop/web\"")
                .doesNotContain("EndpointSlice");
        assertThat(explain(NUMBERED, "web.shop", "-o", "svg").out()).doesNotContain("EndpointSlice");
        assertThat(explain(NUMBERED, "web.shop", "-o", "name").lines()).containsExactly("Deployment shop/web");
        String endpoints =
                "{apiVersion: v1, kind: Endpoints, metadata: {name: ext, namespace: shop}, subsets: [{addresses: [{ip: 192.0.2.9}], ports: [{port: 80}]}]}\n";
        assertThat(explain(service("ext", "clusterIP: None, ports: [{port: 80}]") + endpoints, "ext.shop")
                        .out())
                .contains("    from Endpoints shop/ext, subsets (")
                .doesNotContain("EndpointSlice");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ports: [{name: HTTP, port: 80}] | spec.ports[0].name | not a DNS label",
                "sessionAffinity: Sticky, ports: [{port: 80}] | spec.sessionAffinity | Unsupported value: \"Sticky\"",
                "ports: [{port: 80}, {name: b, port: 81}] | spec.ports[0].name | Required value",
                "clusterIP: none, ports: [{port: 80}] | spec.clusterIP | not an IP address; did you mean None?",
                "publishNotReadyAddresses: 'true', ports: [{port: 80}] | spec.publishNotReadyAddresses | expected true or false",
            })
    void aNameDoesNotResolveIfAnApiServerRefusesItsService(String spec, String field, String reason)
            throws IOException {
        Run run = explain(service("web", spec), "web.shop");
        assertThat(run.code()).as(run.out()).isEqualTo(Main.FAILED);
        assertThat(run.lines())
                .filteredOn(line -> line.startsWith("  because: "))
                .first()
                .asString()
                .startsWith(
                        "  because: Service shop/web, " + field + " (" + folder.resolve("all.yaml") + ":1): " + reason)
                .endsWith("; an API server refuses this Service");
        assertThat(run.err()).doesNotContain("warning: ");
    }

    @Test
    void recordsOfARefusedObjectAreShownBelowTheCause() throws IOException {
        String manifests = service("web", "clusterIP: 10.96.0.9, ports: [{name: HTTP, port: 80}]");
        Run run = explain(manifests, "web.shop");
        assertThat(run.lines().get(0)).isEqualTo("web.shop.svc.cluster.local. (A) " + REFUSED);
        assertThat(run.lines())
                .containsSubsequence(
                        "  the records that cannot be used:", "  web.shop.svc.cluster.local. 5 IN A 10.96.0.9");
        assertThat(explain(manifests, "web", "--from", "shop").lines())
                .contains("  web.shop.svc.cluster.local.: NOERROR, but its records cannot be used");
        assertThat(explain(manifests, "-o", "json", "web.shop").out())
                .contains("\"resolves\": false", "\"data\": \"10.96.0.9\"", "\"field\": \"spec.ports[0].name\"");
    }

    @Test
    void aNameResolvesIfOnlySomeOfItsPodsAreOfARefusedWorkload() throws IOException {
        String refused = deployment("one", "app: web").replace("containers:", "restartPolicy: Never, containers:");
        String manifests = service("web", "clusterIP: None, selector: {app: web}") + refused;
        assertThat(explain(manifests, "web.shop").lines())
                .startsWith("web.shop.svc.cluster.local. (A) " + REFUSED)
                .anyMatch(line -> line.startsWith("  because: Deployment shop/one, spec.template.spec.restartPolicy (")
                        && line.endsWith("; an API server refuses this Deployment"));
        assertThat(explain(manifests + deployment("two", "app: web"), "web.shop")
                        .code())
                .isZero();
    }

    @Test
    void anObjectThatIsGivenAgainIsNoCause() throws IOException {
        String web = service("web", "clusterIP: 10.96.0.9, ports: [{port: 80}]");
        assertThat(explain(web + web, "web.shop", "AAAA").out()).doesNotContain("given before");
        String other = service("web", "clusterIP: 10.96.0.8, ports: [{port: 80}]");
        assertThat(explain(web + other, "web.shop", "AAAA").out()).contains("given before");
    }

    @Test
    void anOptionIsSuggestedBesideARefusedObject() throws IOException {
        String manifests = service("web", "clusterIP: 10.96.0.9, ports: [{port: 80}]")
                + service("other", "clusterIP: 10.96.0.8, ports: [{name: HTTP, port: 80}]");
        assertThat(explain(manifests, "-l", "tier=web", "web.shop").lines())
                .contains("  try: publish Service shop/web (leave out --labels)");
        assertThat(explain(manifests, "-l", "tier=web", "other.shop").lines())
                .noneMatch(line -> line.startsWith("  try: "));
    }

    @Test
    void aFieldThatAnApiServerDropsIsACauseButRefusesNoObject() throws IOException {
        Run resolved = explain(service("web", "clusterIp: None, ports: [{port: 80}]"), "web.shop");
        assertThat(resolved.code()).isZero();
        assertThat(resolved.err()).contains("unknown field \"spec.clusterIp\"");
        Run missing = explain(service("web", "clusterIP: None, selectors: {app: web}"), "web.shop");
        assertThat(missing.lines().get(1)).contains("spec.selectors", "unknown field \"spec.selectors\"");
        assertThat(missing.out()).doesNotContain("API server");
    }

    @Test
    void anIgnoredPartOfAServiceIsACauseBeforeThoseOfTheRest() throws IOException {
        String manifests =
                service("web", "clusterIP: None, selector: {app: web, version: 1}") + deployment("web", "app: web");
        assertThat(explain(manifests, "web.shop").lines())
                .filteredOn(line -> line.startsWith("  because: "))
                .singleElement()
                .asString()
                .contains("spec.selector[version] (")
                .endsWith("expected text, found a number: 1 (quote it); an API server refuses this Service");
        assertThat(explain(service("web", "clusterIP: None, selector: [app]"), "web.shop")
                        .lines())
                .filteredOn(line -> line.startsWith("  because: "))
                .singleElement()
                .asString()
                .endsWith("expected a mapping, found a list; an API server refuses this Service");
        assertThat(explain(service("web", "ports: [{name: _HTTP._tcp, port: 80}]"), "_http._tcp.web.shop")
                        .lines())
                .satisfiesExactly(
                        line -> assertThat(line).endsWith("NXDOMAIN"),
                        line -> assertThat(line)
                                .contains("spec.ports[0].name (", "\"_HTTP._tcp\"; an API server refuses"),
                        line -> assertThat(line).endsWith("the ports are: none (without the part that is refused)"));
    }

    @Test
    void aSkippedObjectIsACauseWithItsReason() throws IOException {
        assertThat(explain(service("web", "selector: {app: web}") + deployment("web", "app: web"), "web.shop")
                        .lines())
                .satisfiesExactly(
                        line -> assertThat(line).endsWith("NXDOMAIN"),
                        line -> assertThat(line)
                                .contains("Service shop/web, spec.ports (", "Required value; this Service is skipped"));
    }

    @Test
    void theWrongCaseOfAKindOrNameIsACause() throws IOException {
        assertThat(explain(service("web", "ports: [{port: 80}]").replace("Service", "service"), "web.shop")
                        .lines()
                        .get(1))
                .contains("service web", "no matches for kind \"service\"");
        assertThat(explain(service("Web", "ports: [{port: 80}]"), "web.shop")
                        .lines()
                        .get(1))
                .contains("Service shop/Web, metadata.name (");
    }

    @Test
    void aMisspeltKindOfAServiceIsACause() throws IOException {
        assertThat(explain(service("web", "ports: [{port: 80}]").replace("Service", "Servce"), "web.shop")
                        .lines()
                        .get(1))
                .contains("Servce web", "did you mean \"Service\"?");
    }

    @ParameterizedTest
    @CsvSource({"apps/v1, apps/v1beta1", "kind: Deployment, kind: Deploymnet"})
    void aWorkloadOfAnUnknownTypeIsACauseIfTheSelectorMatchesNoPod(String known, String unknown) throws IOException {
        String service = service("web", "clusterIP: None, selector: {app: web}");
        String workload = deployment("web-backend", "app: web").replace(known, unknown);
        assertThat(explain(service + "---\n" + workload, "web.shop").lines().get(1))
                .contains("web-backend", "no matches for kind");
        assertThat(explain(service + "---\n" + workload.replace("web-backend", "other"), "web.shop")
                        .lines()
                        .get(1))
                .contains("{app=web} matches no Pod");
    }

    @ParameterizedTest
    @ValueSource(strings = {"app: webb", "tier: web"})
    void aSkippedWorkloadWithASimilarSelectorIsACauseIfTheSelectorMatchesNoPod(String labels) throws IOException {
        String service = service("web", "clusterIP: None, selector: {app: web}");
        String workload = deployment("backend", "app: web")
                .replace("metadata: {labels: {app: web}}", "metadata: {labels: {" + labels + "}}");
        assertThat(explain(service + "---\n" + workload, "web.shop").lines().get(1))
                .startsWith("  because: Deployment shop/backend, spec.template.metadata.labels (")
                .contains("`selector` does not match template `labels`; this Deployment is skipped");
        assertThat(explain(service.replace("app: web", "app: shop") + "---\n" + workload, "web.shop")
                        .out())
                .doesNotContain("Deployment");
    }

    @Test
    void aFaultOfAWorkloadWithTheServiceAsItsServiceNameIsACause() throws IOException {
        String statefulSet = deployment("web", "app: web")
                .replace("Deployment", "StatefulSet")
                .replace("spec: {selector", "spec: {serviceName: web, replicas: '2', selector");
        assertThat(explain(service("web", "clusterIP: None, selector: {app: wbe}") + statefulSet, "web.shop")
                        .lines()
                        .get(1))
                .startsWith("  because: StatefulSet shop/web, spec.replicas (")
                .endsWith("expected a number, found text: 2; an API server refuses this StatefulSet");
    }

    @Test
    void aLoadBalancerIpOfNoneIsACauseBelowTheService() throws IOException {
        String manifests = service("web", "loadBalancerIP: none, selector: {app: web}, ports: [{port: 80}]")
                + deployment("web", "app: web");
        assertThat(explain(manifests, "web-0.web.shop").lines().get(1))
                .startsWith("  because: Service shop/web, spec.loadBalancerIP (")
                .endsWith("; for a headless one, set spec.clusterIP to None");
        Run service = explain(manifests, "web.shop");
        assertThat(service.code()).as("an API server accepts it").isZero();
        assertThat(service.err()).contains("warning: ", "spec.loadBalancerIP: None makes no Service headless");
    }

    @Test
    void aFaultIsNoCauseIfAnotherDocumentOfTheObjectIsUsed() throws IOException {
        String manifests = service("web", "ports: [{name: HTTP, port: 80}]") + service("web", "ports: [{port: 80}]");
        assertThat(explain(manifests, "web.shop").code()).isZero();
    }
}
