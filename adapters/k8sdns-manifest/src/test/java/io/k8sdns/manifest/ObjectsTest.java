package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.Readiness;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HostAlias;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServiceExport;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the reading of the other kinds, and the parts that are omitted. */
class ObjectsTest {
    @Test
    void aNamespaceWithLabels() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: v1
                kind: Namespace
                metadata:
                  name: shop
                  labels:
                    team: checkout
                    empty: null
                    count: 5
                    "bad key": x
                    bad: "-"
                  creationTimestamp: null
                """);

        assertThat(text.only(Namespace.class).labels().values()).isEqualTo(Map.of("team", "checkout", "empty", ""));
        assertThat(text.warnings())
                .containsExactly(
                        "wrong-type test.yaml:8: Namespace shop, metadata.labels[count]: "
                                + "expected text, found a number: 5 (quote it)",
                        "invalid-label test.yaml:9: Namespace shop, metadata.labels[bad key]: "
                                + "not a label key: \"bad key\"",
                        "invalid-label test.yaml:10: Namespace shop, metadata.labels[bad]: not a label value: \"-\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Shop", "a.b", "\"\"", "5", "{a: b}", "null", "x_y"})
    void anObjectWithAnInvalidNameIsSkipped(String name) {
        ManifestText text = ManifestText.asIs("{apiVersion: v1, kind: Namespace, metadata: {name: " + name + "}}");

        assertThat(text.snapshot().objects()).isEmpty();
        assertThat(text.warnings()).hasSize(1).first().asString().contains("metadata.name: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Shop", "a.b", "5", "[x]"})
    void anObjectWithAnInvalidNamespaceIsSkipped(String namespace) {
        ManifestText text =
                ManifestText.asIs("{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: " + namespace + "}}");

        assertThat(text.snapshot().objects()).isEmpty();
        assertThat(text.warnings()).hasSize(1).first().asString().contains("metadata.namespace: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "namespace: null", "namespace: \"\""})
    void anObjectWithoutNamespaceIsInTheDefaultNamespace(String namespace) {
        ManifestText text = ManifestText.of(
                "{apiVersion: v1, kind: Service, metadata: {name: a, " + namespace + "}, spec: {ports: [{port: 80}]}}",
                ManifestOptions.DEFAULTS.withDefaultNamespace("shop"));

        assertThat(text.has("Service", "shop", "a")).isTrue();
    }

    @Test
    void aNodeWithItsAddresses() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: v1
                kind: Node
                metadata: {name: worker-1.example, labels: {topology.kubernetes.io/zone: east}}
                status:
                  addresses:
                  - {type: InternalIP, address: 192.0.2.1}
                  - {type: InternalIP, address: "2001:db8::1"}
                  - {type: InternalIP, address: worker}
                  - {type: Hostname, address: worker-1}
                  - {type: ExternalIP, address: 198.51.100.1}
                """);
        Node node = text.only(Node.class);

        assertThat(node.topologyZone()).contains("east");
        assertThat(node.internalIps()).containsExactly(IpAddress.parse("192.0.2.1"), IpAddress.parse("2001:db8::1"));
        assertThat(node.externalIps()).containsExactly(IpAddress.parse("198.51.100.1"));
        assertThat(text.warnings()).hasSize(1).first().asString().contains("status.addresses[2].address");
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1alpha1", "v1beta1"})
    void aServiceExport(String version) {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: multicluster.x-k8s.io/%s
                kind: ServiceExport
                metadata: {name: cart, namespace: shop, labels: {app: cart}}
                status: {conditions: [{type: Valid, status: "True"}]}
                """.formatted(version));
        ServiceExport export = text.only(ServiceExport.class);

        assertThat(export.service()).isEqualTo(ObjectRef.of(Service.KIND, "shop", "cart"));
        assertThat(export.labels().get("app")).contains("cart");
        assertThat(text.warnings()).isEmpty();
    }

    @Test
    void aPodAsTheClusterPrintsIt() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: web-0
                  uid: abc
                  labels: {app: web}
                  deletionTimestamp: 2026-01-01T00:00:00Z
                  managedFields: [{manager: kubectl, fieldsV1: {"f:metadata": {}}}]
                spec:
                  hostNetwork: true
                  hostname: web-0
                  subdomain: web
                  nodeName: worker-1
                  dnsPolicy: None
                  dnsConfig:
                    nameservers: [192.0.2.53]
                    searches: [example.com, corp.test]
                    options: [{name: ndots, value: "2"}, {name: edns0}]
                  hostAliases: [{ip: 10.1.2.3, hostnames: [a.test, b]}, {ip: none}]
                  os: {name: linux}
                  containers:
                  - {name: a, ports: [{name: http, containerPort: 8080}, {containerPort: 9}]}
                  - {name: b, ports: [{name: dns, containerPort: 53, protocol: UDP}]}
                  initContainers:
                  - {name: c, ports: [{name: early, containerPort: 1}]}
                  - {name: d, restartPolicy: Always, ports: [{name: side, containerPort: 2}]}
                status:
                  phase: Running
                  conditions:
                  - {type: Initialized, status: "True"}
                  - {type: Ready, status: "False"}
                  podIP: 10.1.0.1
                  podIPs: [{ip: 10.1.0.1}, {ip: "2001:db8::1"}]
                """);
        Pod pod = text.only(Pod.class);

        assertThat(text.warnings()).isEmpty();
        assertThat(pod.phase()).contains(PodPhase.RUNNING);
        assertThat(pod.ready()).contains(false);
        assertThat(pod.terminating()).isTrue();
        assertThat(pod.hostNetwork()).isTrue();
        assertThat(pod.hostname()).contains("web-0");
        assertThat(pod.subdomain()).contains("web");
        assertThat(pod.nodeName()).contains("worker-1");
        assertThat(pod.dnsPolicy()).contains("None");
        assertThat(pod.dnsConfig())
                .contains(new DnsConfig(
                        List.of("192.0.2.53"),
                        List.of("example.com", "corp.test"),
                        List.of(DnsConfig.Option.of("ndots", "2"), DnsConfig.Option.of("edns0"))));
        assertThat(pod.hostAliases()).containsExactly(HostAlias.of("10.1.2.3", "a.test", "b"), HostAlias.of("none"));
        assertThat(pod.os()).contains("linux");
        assertThat(pod.ips()).containsExactly(IpAddress.parse("10.1.0.1"), IpAddress.parse("2001:db8::1"));
        assertThat(pod.ports())
                .containsExactly(
                        new ContainerPort("http", Protocol.TCP, 8080),
                        new ContainerPort("dns", Protocol.UDP, 53),
                        new ContainerPort("side", Protocol.TCP, 2));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "os: {name: windows} | windows",
                "nodeSelector: {kubernetes.io/os: windows} | windows",
                "os: {name: linux}, nodeSelector: {kubernetes.io/os: windows} | linux",
                "nodeSelector: {kubernetes.io/os: ''} | ",
                "os: {name: plan9} | plan9",
                "nodeSelector: {disk: ssd} | ",
                "os: windows | ",
                "os: null, nodeSelector: [kubernetes.io/os] | ",
            })
    void operatingSystemOfAPodIsThatOfItsSpecOrOfItsNodeSelector(String fields, String expected) {
        assertThat(podWith(fields.replace("''", "\"\"")).os()).isEqualTo(Optional.ofNullable(expected));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dnsPolicy: ClusterFirst | ClusterFirst",
                "dnsPolicy: clusterfirst | clusterfirst",
                "dnsPolicy: ClusterFirstWithAutopath | ClusterFirstWithAutopath",
                "dnsPolicy: \"\" | ",
                "dnsPolicy: null | ",
                "dnsPolicy: 1 | ",
                "hostNetwork: false | ",
            })
    void policyOfAPodIsReadAsWritten(String field, String expected) {
        assertThat(podWith(field).dnsPolicy()).isEqualTo(Optional.ofNullable(expected));
    }

    @Test
    void podsOfAStatefulSetHaveThePolicyOfTheTemplate() {
        Pod pod = ManifestText.asApplied("""
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: db}
                spec:
                  selector: {matchLabels: {app: db}}
                  template:
                    metadata: {labels: {app: db}}
                    spec:
                      dnsPolicy: Default
                      dnsConfig: {searches: [example.com], options: [{name: ndots, value: "1"}]}
                      hostAliases: [{ip: 10.1.2.3, hostnames: [a.test]}]
                      nodeSelector: {kubernetes.io/os: windows}
                      containers: [{name: db, image: sql}]
                """).only(Pod.class);

        assertThat(pod.dnsPolicy()).contains("Default");
        assertThat(pod.dnsConfig())
                .contains(new DnsConfig(List.of(), List.of("example.com"), List.of(DnsConfig.Option.of("ndots", "1"))));
        assertThat(pod.hostAliases()).containsExactly(HostAlias.of("10.1.2.3", "a.test"));
        assertThat(pod.os()).contains("windows");
    }

    private static Pod podWith(String fields) {
        return ManifestText.asIs("{apiVersion: v1, kind: Pod, metadata: {name: web-0}, spec: {" + fields
                        + ", containers: [{name: web, image: web}]}}")
                .only(Pod.class);
    }

    @Test
    void onlyTheWrongPartOfAPodIsOmitted() {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: v1
                kind: Pod
                metadata: {name: web-0}
                spec:
                  hostname: Web
                  subdomain: a.b
                  nodeName: -
                  containers:
                  - name: web
                    image: web
                    ports: [{name: toolongforaportname, containerPort: 1}, {name: x, containerPort: 0}]
                status: {phase: Sleeping, podIP: 10.1.0.256}
                """.replace("nodeName: -", "nodeName: \"-\""));
        Pod pod = text.only(Pod.class);

        assertThat(pod.hostname()).isEmpty();
        assertThat(pod.subdomain()).isEmpty();
        assertThat(pod.nodeName()).isEmpty();
        assertThat(pod.ports()).isEmpty();
        assertThat(pod.ips()).isEmpty();
        assertThat(pod.phase()).contains(PodPhase.UNKNOWN);
        assertThat(text.warnings()).hasSize(7);
    }

    @Test
    void aBadPodAddressIsNotReplaced() {
        ManifestText text = ManifestText.asApplied("{apiVersion: v1, kind: Pod, metadata: {name: a},"
                + " spec: {containers: [{name: a, image: b}]}, status: {podIPs: [{ip: x}]}}");

        assertThat(text.only(Pod.class).ips()).isEmpty();
    }

    @Test
    void anEndpointSliceWithEverything() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: web-abc, namespace: shop, labels: {kubernetes.io/service-name: web}}
                addressType: IPv4
                endpoints:
                - addresses: [10.1.0.1, 10.1.0.2]
                  conditions: {ready: false, serving: true, terminating: true}
                  hostname: web-0
                  nodeName: worker-1
                  zone: east
                  targetRef: {kind: Pod, name: web-0, uid: x}
                - addresses: [10.1.0.3]
                  conditions: {}
                ports:
                - {name: http, port: 8080}
                - {name: any, protocol: SCTP, port: null}
                """);
        EndpointSlice slice = text.only(EndpointSlice.class);

        assertThat(text.warnings()).isEmpty();
        assertThat(slice.serviceName()).contains("web");
        assertThat(slice.addressType()).isEqualTo(AddressType.IPV4);
        Endpoint first = slice.endpoints().get(0);
        assertThat(first.addresses()).containsExactly(IpAddress.parse("10.1.0.1"), IpAddress.parse("10.1.0.2"));
        assertThat(first.ready()).contains(false);
        assertThat(first.hostname()).contains("web-0");
        assertThat(first.nodeName()).contains("worker-1");
        assertThat(first.topologyZone()).contains("east");
        assertThat(first.targetRef()).contains(ObjectRef.of("Pod", "shop", "web-0"));
        assertThat(slice.endpoints().get(1).ready()).isEmpty();
        assertThat(slice.ports())
                .containsExactly(
                        EndpointPort.of("http", Protocol.TCP, 8080), EndpointPort.everyPort("any", Protocol.SCTP));
    }

    @Test
    void onlyTheWrongPartOfASliceIsOmitted() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: web-abc, labels: {kubernetes.io/service-name: web}}
                addressType: IPv4
                endpoints:
                - {addresses: [10.1.0.1, "2001:db8::1", nonsense]}
                - {addresses: []}
                - {}
                - {addresses: ["2001:db8::2"]}
                - {addresses: [10.1.0.2], conditions: {ready: "true"}}
                - {addresses: [10.1.0.3], hostname: Upper}
                - nothing
                ports:
                - {name: dns, port: 53, protocol: UDP}
                - {name: dns, port: 53, protocol: TCP}
                - {name: dns, port: 54, protocol: TCP}
                """);
        EndpointSlice slice = text.only(EndpointSlice.class);

        assertThat(slice.endpoints())
                .extracting(Endpoint::addresses)
                .containsExactly(
                        java.util.List.of(IpAddress.parse("10.1.0.1")), java.util.List.of(IpAddress.parse("10.1.0.3")));
        assertThat(slice.endpoints().get(1).hostname()).isEmpty();
        assertThat(slice.ports())
                .containsExactly(EndpointPort.of("dns", Protocol.UDP, 53), EndpointPort.of("dns", Protocol.TCP, 53));
        assertThat(text.warnings()).hasSize(10);
        assertThat(text.warnings().get(0))
                .isEqualTo("invalid-address test.yaml:6: EndpointSlice default/web-abc, endpoints[0].addresses[1]: "
                        + "not an address of type IPv4: 2001:db8::1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "addressType: IP", "addressType: null", "addressType: 4"})
    void aSliceNeedsAnAddressType(String type) {
        ManifestText text = ManifestText.asIs("apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\n"
                + "metadata: {name: a}\n" + type + "\nendpoints: []\n");

        assertThat(text.snapshot().objects()).isEmpty();
        assertThat(text.warnings()).hasSize(1).first().asString().contains("addressType: ");
    }

    @Test
    void aSliceOfNamesHasNoEndpoints() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: a}
                addressType: FQDN
                endpoints: [{addresses: [a.example]}]
                """);

        assertThat(text.only(EndpointSlice.class).endpoints()).isEmpty();
        assertThat(text.warnings()).isEmpty();
    }

    @Test
    void legacyEndpointsBecomeSlices() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: v1
                kind: Service
                metadata: {name: web}
                spec: {clusterIP: None, ports: [{name: http, port: 80}]}
                ---
                apiVersion: v1
                kind: Endpoints
                metadata: {name: web}
                subsets:
                - addresses: [{ip: 10.1.0.1, hostname: web-0, nodeName: w, targetRef: {kind: Pod, name: web-0}}, {ip: x}]
                  notReadyAddresses: [{ip: 10.1.0.2}]
                  ports: [{name: http, port: 8080}, {name: bad}]
                """);
        EndpointSlice slice = text.only(EndpointSlice.class);

        assertThat(slice.endpoints()).hasSize(2);
        assertThat(slice.endpoints().get(0).hostname()).contains("web-0");
        assertThat(slice.ports()).containsExactly(EndpointPort.of("http", Protocol.TCP, 8080));
        assertThat(text.warnings()).hasSize(2);
    }

    @Test
    void endpointsThatAreTheLockOfALeaderElectionBecomeNoSlices() {
        String objects = """
                {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {clusterIP: None, ports: [{port: 80}]}}
                ---
                apiVersion: v1
                kind: Endpoints
                metadata: {name: web, annotations: {ANNOTATION: '{"holderIdentity":"a"}'}}
                subsets: [{addresses: [{ip: 10.1.0.1}]}]
                """;
        assertThat(ManifestText.asIs(objects.replace("ANNOTATION", "control-plane.alpha.kubernetes.io/leader"))
                        .snapshot()
                        .objects(EndpointSlice.class))
                .isEmpty();
        assertThat(ManifestText.asIs(objects.replace("ANNOTATION", "example.com/leader"))
                        .snapshot()
                        .objects(EndpointSlice.class))
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'[{type: Initialized, status: \"True\"}]' | false",
                "'[{type: Initialized, status: \"True\"}, {type: Ready, status: \"True\"}]' | true",
                "'[{type: Ready, status: Unknown}]' | false",
                "'[]' | true",
            })
    void aPodWithConditionsIsReadyOnlyWithTheConditionReady(String conditions, boolean ready) {
        ManifestText text = ManifestText.of(
                "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: a, image: b}]},"
                        + " status: {phase: Running, podIP: 10.1.0.1, conditions: " + conditions + "}}",
                ManifestOptions.DEFAULTS.withStrict());
        assertThat(text.only(Pod.class).ready()).contains(ready);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "apps/v1 | Deployment | replicas: 2, SELECTOR | 2",
                "apps/v1 | Deployment | SELECTOR | 1",
                "apps/v1 | Deployment | replicas: 0, SELECTOR | 0",
                "apps/v1 | ReplicaSet | replicas: 2, SELECTOR | 2",
                "apps/v1 | DaemonSet | SELECTOR | 1",
                "v1 | ReplicationController | replicas: 2 | 2",
                "v1 | ReplicationController | 'replicas: 2, selector: {app: web}' | 2",
                "batch/v1 | Job | backoffLimit: 1 | 1",
                "batch/v1 | Job | parallelism: 3 | 3",
                "batch/v1 | Job | completions: 3 | 1",
                "batch/v1 | Job | 'parallelism: 3, completions: 2' | 2",
                "batch/v1 | Job | 'parallelism: 3, completions: 0' | 0",
                "batch/v1 | Job | 'parallelism: 3, completions: null' | 3",
                "batch/v1 | Job | 'parallelism: 3, suspend: true' | 0",
                "batch/v1 | CronJob | schedule: '* * * * *' | 0",
            })
    void podsAreDerivedFromEveryWorkload(String apiVersion, String kind, String spec, int pods) {
        String template = "template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: b, ports: "
                + "[{name: http, containerPort: 8080}]}]"
                + (apiVersion.equals("batch/v1") ? ", restartPolicy: Never" : "")
                + "}}";
        String whole = spec.replace("SELECTOR", "selector: {matchLabels: {app: web}}") + ", "
                + (kind.equals("CronJob") ? "jobTemplate: {spec: {" + template + "}}" : template);
        ManifestText text = ManifestText.of(
                "{apiVersion: " + apiVersion + ", kind: " + kind + ", metadata: {name: web, namespace: shop}, spec: {"
                        + whole + "}}",
                ManifestOptions.DEFAULTS.withStrict());
        assertThat(text.result().snapshot().objects(Pod.class)).hasSize(pods).allSatisfy(pod -> {
            assertThat(pod.namespace()).isEqualTo("shop");
            assertThat(pod.labels().get("app")).contains("web");
            assertThat(pod.ports()).containsExactly(new ContainerPort("http", Protocol.TCP, 8080));
        });
    }

    @Test
    void aReplicaSetOfADeploymentMakesNoPodsOfItsOwn() {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web}
                spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: &template {metadata: {labels: {app: web}},
                  spec: {containers: [{name: a, image: b}]}}}
                ---
                apiVersion: apps/v1
                kind: ReplicaSet
                metadata:
                  name: web-5d4
                  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: u, controller: true}]
                spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}},
                  spec: {containers: [{name: a, image: b}]}}}
                """);
        assertThat(text.result().snapshot().objects(Pod.class)).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"template.openshift.io/v1", "v1"})
    void theObjectsOfAnOpenShiftTemplateHaveItsDefaults(String apiVersion) {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: API
                kind: Template
                metadata: {name: shop}
                parameters:
                  - {name: NAME, value: web}
                  - {name: REPLICAS, value: "2"}
                  - {name: SECRET, generate: expression, from: "[a-z]{8}"}
                objects:
                  - apiVersion: apps/v1
                    kind: Deployment
                    metadata: {name: "${NAME}-app", namespace: shop, annotations: {secret: "${SECRET}"}}
                    spec:
                      replicas: ${{REPLICAS}}
                      selector: {matchLabels: {app: "${NAME}"}}
                      template: {metadata: {labels: {app: "${NAME}"}}, spec: {containers: [{name: a, image: b}]}}
                  - apiVersion: v1
                    kind: Service
                    metadata: {name: "${NAME}", namespace: shop}
                    spec: {clusterIP: None, selector: {app: "${NAME}"}}
                """.replace("API", apiVersion));
        assertThat(text.warnings()).isEmpty();
        assertThat(text.result().snapshot().objects(Pod.class)).hasSize(2);
        assertThat(text.result().snapshot().objects(EndpointSlice.class))
                .singleElement()
                .satisfies(slice -> assertThat(slice.serviceName()).contains("web"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'helm.sh/hook': test} | 0",
                "{'helm.sh/hook': 'test-success, test-failure'} | 0",
                "{'helm.sh/hook': 'post-install,test'} | 1",
                "{'helm.sh/hook': post-install} | 1",
                "{} | 1",
                "{'helm.sh/hook': test}}, status: {phase: Running | 1"
            })
    void anObjectOfATestOfAChartIsNotRead(String annotations, int pods) {
        ManifestText text =
                ManifestText.asApplied("{apiVersion: v1, kind: Pod, spec: {containers: [{name: a, image: b}]},"
                        + " metadata: {name: web, annotations: " + annotations + "}}");
        assertThat(text.result().snapshot().objects(Pod.class)).hasSize(pods);
        assertThat(text.notes().stream().filter(line -> line.startsWith("helm-test test.yaml:1: Pod default/web")))
                .hasSize(1 - pods);
    }

    @Test
    void aParameterOfATemplateWithoutAValueIsEmpty() {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: template.openshift.io/v1
                kind: Template
                metadata: {name: shop}
                parameters: [{name: PREFIX}, {name: SUFFIX, value: "", required: false}, {name: NS, generate: ""}]
                objects:
                  - apiVersion: v1
                    kind: Service
                    metadata: {name: "${PREFIX}web${SUFFIX}", namespace: "${NS}"}
                    spec: {ports: [{port: 80}]}
                """);
        assertThat(text.warnings()).isEmpty();
        assertThat(text.result().snapshot().objects(Service.class))
                .extracting(Service::ref)
                .containsExactly(ObjectRef.of("Service", "default", "web"));
    }

    @Test
    void aNamespaceInATemplateIsRemovedUnlessItHasAParameter() {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: template.openshift.io/v1
                kind: Template
                metadata: {name: shop}
                parameters: [{name: NS, value: shop}]
                objects:
                  - {apiVersion: v1, kind: Service, metadata: {name: a, namespace: prod}, spec: {ports: [{port: 80}]}}
                  - {apiVersion: v1, kind: Service, metadata: {name: b, namespace: "${NS}"}, spec: {ports: [{port: 80}]}}
                """);
        assertThat(text.result().snapshot().objects(Service.class))
                .extracting(Service::ref)
                .containsExactlyInAnyOrder(
                        ObjectRef.of("Service", "default", "a"), ObjectRef.of("Service", "shop", "b"));
        assertThat(text.notes())
                .anyMatch(line ->
                        line.contains("Template shop, objects: oc process removes a metadata.namespace that is no "
                                + "parameter: prod; the objects are in default"));
    }

    @Test
    void theObjectsOfATemplateHaveItsLabels() {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: template.openshift.io/v1
                kind: Template
                metadata: {name: shop}
                parameters: [{name: NAME, value: web}]
                labels: {app: "${NAME}"}
                objects:
                  - apiVersion: v1
                    kind: Pod
                    metadata: {name: web, labels: {app: own, tier: front}}
                    spec: {containers: [{name: a, image: b}]}
                """);
        assertThat(text.result().snapshot().objects(Pod.class))
                .singleElement()
                .satisfies(pod -> assertThat(pod.metadata().labels()).isEqualTo(Labels.parse("app=web,tier=front")));
    }

    @ParameterizedTest
    @CsvSource({"true, 0", "yes, 1", "'', 1"})
    void aParameterInTwoBracesIsJson(String value, int warnings) {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: template.openshift.io/v1
                kind: Template
                metadata: {name: shop}
                parameters: [{name: PUBLISH, value: "VALUE"}]
                objects:
                  - apiVersion: v1
                    kind: Service
                    metadata: {name: web}
                    spec: {publishNotReadyAddresses: "${{PUBLISH}}", ports: [{port: 80}]}
                """.replace("VALUE", value));
        assertThat(text.warnings()).hasSize(warnings).allMatch(line -> line.startsWith("wrong-type"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "metadata: {name: '${NAME}'}",
                "metadata: {name: web, namespace: '${NAME}'}",
                "metadata: {name: web}, spec: {selector: {app: '${NAME}'}}",
                "metadata: {name: web}, spec: {replicas: '${{NAME}}'}",
            })
    void aParameterWithoutAValueThatAnObjectNeedsIsReported(String fields) {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: template.openshift.io/v1
                kind: Template
                metadata: {name: shop}
                parameters:
                  - {name: SECRET, generate: expression, from: "[a-z]{8}"}
                  - {name: NAME, required: true}
                objects:
                  - {apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {a: "${SECRET}"}}
                  - {apiVersion: v1, kind: Service, FIELDS}
                """.replace("FIELDS", fields));
        assertThat(text.warnings())
                .anyMatch(line -> line.contains("Template shop, parameters: no value: NAME; ${NAME} stays in a name, "
                        + "a label or a selector, so that objects are skipped or select nothing; oc process fails, because NAME "
                        + "is required; oc process -f FILE -p NAME=VALUE sets it"));
    }

    @Test
    void aRequiredParameterWithoutAValueIsReportedOnceWhereverItIsUsed() {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: template.openshift.io/v1
                kind: Template
                metadata: {name: shop}
                parameters:
                  - {name: SECRET, required: true, generate: expression, from: "[a-z]{8}"}
                  - {name: GIVEN, required: true, value: b}
                  - {name: IMAGE, required: true}
                  - {name: UNUSED, required: true}
                objects:
                  - apiVersion: v1
                    kind: Pod
                    metadata: {name: web}
                    spec: {containers: [{name: a, image: "${IMAGE}"}, {name: b, image: "${IMAGE}-${GIVEN}-${SECRET}"}]}
                """);
        assertThat(text.warnings())
                .singleElement()
                .asString()
                .endsWith(
                        "Template shop, parameters: no value: IMAGE, UNUSED; oc process fails, because IMAGE is required; "
                                + "oc process -f FILE -p IMAGE=VALUE sets it");
        assertThat(text.result().snapshot().objects(Pod.class)).hasSize(1);
    }

    @Test
    void aParameterInAKeyIsReplaced() {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: template.openshift.io/v1
                kind: Template
                metadata: {name: shop}
                parameters: [{name: KEY, value: app}, {name: NONE, required: true}]
                labels: {"all-${KEY}": "yes"}
                objects:
                  - apiVersion: v1
                    kind: Pod
                    metadata: {name: web, labels: {"${KEY}": web}}
                    spec: {containers: [{name: a, image: b}]}
                """);
        assertThat(text.result().snapshot().objects(Pod.class))
                .singleElement()
                .satisfies(pod -> assertThat(pod.metadata().labels()).isEqualTo(Labels.parse("app=web,all-app=yes")));
        assertThat(text.warnings()).singleElement().asString().contains("no value: NONE; oc process fails");
    }

    @ParameterizedTest
    @ValueSource(strings = {"apps.openshift.io/v1", "v1"})
    void aDeploymentConfigOfOpenShiftHasThePodsOfItsReplicas(String apiVersion) {
        String config = """
                {apiVersion: API, kind: DeploymentConfig, metadata: {name: web, namespace: shop},
                 spec: {replicas: 2, selector: {app: web}, template: {metadata: {labels: {app: web}},
                   spec: {containers: [{name: web, image: " "}]}}}}
                ---
                {apiVersion: v1, kind: ReplicationController,
                 metadata: {name: web-1, namespace: shop, ownerReferences:
                   [{apiVersion: API, kind: DeploymentConfig, name: web, uid: u, controller: true}]},
                 spec: {replicas: 2, selector: {app: web}, template: {metadata: {labels: {app: web}},
                   spec: {containers: [{name: web, image: web}]}}}}
                """.replace("API", apiVersion);
        ManifestText text = ManifestText.asApplied(config);
        assertThat(text.warnings()).isEmpty();
        assertThat(text.result().snapshot().objects(Pod.class))
                .extracting(Pod::name)
                .as("not again for its ReplicationController")
                .containsExactly("web-deploymentconfig-1", "web-deploymentconfig-2");
        String withoutReplicas = config.substring(0, config.indexOf("---")).replace("replicas: 2, ", "");
        assertThat(ManifestText.asApplied(withoutReplicas).result().snapshot().idleWorkloads())
                .singleElement()
                .satisfies(one -> assertThat(one.reason()).isEqualTo("spec.replicas is 0"));
    }

    @Test
    void aDeploymentThatIsPausedBeforeItsFirstRolloutHasNoPods() {
        String deployment = """
                {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop, annotations: {}},
                 spec: {paused: true, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}},
                   spec: {containers: [{name: web, image: web}]}}}}
                """;
        assertThat(ManifestText.asApplied(deployment).result().snapshot().objects(Pod.class))
                .isEmpty();
        String started = deployment.replace("annotations: {}", "annotations: {deployment.kubernetes.io/revision: '1'}");
        assertThat(ManifestText.asApplied(started).result().snapshot().objects(Pod.class))
                .as("a later pause keeps its Pods")
                .hasSize(1);
    }

    @Test
    void aDeploymentConfigThatIsATestHasNoPods() {
        String config = """
                {apiVersion: apps.openshift.io/v1, kind: DeploymentConfig, metadata: {name: web, namespace: shop},
                 spec: {replicas: 2, test: true, template: {metadata: {labels: {app: web}},
                   spec: {containers: [{name: web, image: web}]}}}}
                """;
        ManifestResult test = ManifestText.asApplied(config).result();
        assertThat(test.snapshot().objects(Pod.class)).isEmpty();
        assertThat(test.snapshot().idleWorkloads())
                .singleElement()
                .matches(one -> one.field().equals("spec.test")
                        && one.reason().equals("spec.test is true")
                        && one.remedy().equals("set spec.test of DeploymentConfig shop/web to false"));
        assertThat(ManifestText.asApplied(config.replace("test: true", "test: true, paused: true"))
                        .result()
                        .snapshot()
                        .idleWorkloads())
                .singleElement()
                .matches(one ->
                        one.field().isEmpty() && one.reason().equals("spec.paused is true and spec.test is true"));
        assertThat(ManifestText.asApplied(config.replace("test: true", "test: false"))
                        .result()
                        .snapshot()
                        .objects(Pod.class))
                .hasSize(2);
    }

    @Test
    void thePodsOfADeploymentConfigHaveTheLabelsOfItsFirstRollout() {
        String config = """
                {apiVersion: apps.openshift.io/v1, kind: DeploymentConfig, metadata: {name: web, namespace: shop},
                 spec: {replicas: 1, template: {metadata: {labels: {app: web, deployment: web}},
                   spec: {containers: [{name: web, image: web}]}}}}
                """;
        assertThat(ManifestText.asApplied(config).result().snapshot().objects(Pod.class))
                .extracting(pod -> pod.labels().values())
                .containsExactly(Map.of("app", "web", "deploymentconfig", "web", "deployment", "web-1"));
        assertThat(ManifestText.asApplied(config.replace("replicas: 1", "replicas: 0"))
                        .result()
                        .snapshot()
                        .idleWorkloads())
                .singleElement()
                .matches(one -> one.isSelectedBy("shop", Labels.parse("deploymentconfig=web")));
    }

    @Test
    void aTemplateThatWouldGrowWithoutBoundIsReadWithinBounds() {
        StringBuilder annotations = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            annotations
                    .append("a")
                    .append(i)
                    .append(": \"")
                    .append("${A}".repeat(1000))
                    .append("\", ");
        }
        ManifestText text =
                ManifestText.asApplied("{apiVersion: template.openshift.io/v1, kind: Template, metadata: {name: a},"
                        + " parameters: [{name: A, value: " + "x".repeat(4096)
                        + "}], objects: [{apiVersion: v1, kind: Namespace,"
                        + " metadata: {name: big, annotations: {" + annotations + "b: c}}}]}");
        assertThat(text.result().snapshot().objects(Namespace.class))
                .extracting(Namespace::name)
                .contains("big");
    }

    /** Returns a DaemonSet with a field in its Pods' spec, and a plain Node, one with labels, and one with a taint. */
    private static ManifestText daemonSet(String taint, String podSpec) {
        return ManifestText.asApplied("""
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: web}
                spec:
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec: {containers: [{name: a, image: b}], PODSPEC}
                ---
                {apiVersion: v1, kind: Node, metadata: {name: plain}}
                ---
                {apiVersion: v1, kind: Node, metadata: {name: big, labels: {disk: ssd, cpus: "16"}}}
                ---
                {apiVersion: v1, kind: Node, metadata: {name: tainted}, spec: {taints: [TAINT]}}
                """.replace("TAINT", taint).replace("PODSPEC", podSpec));
    }

    private static List<String> nodesOfPods(ManifestText text) {
        return text.result()
                .snapshot()
                .objects(Pod.class)
                .map(pod -> pod.nodeName().orElse("none"))
                .sorted()
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "key: a, value: b, effect: NoSchedule       | | false",
                "key: a, value: b, effect: NoExecute        | | false",
                "key: a, value: b, effect: PreferNoSchedule | | true",
                "key: a, value: b, effect: NoSchedule       | operator: Exists | true",
                "key: a, value: b, effect: NoSchedule       | key: a, operator: Exists | true",
                "key: a, value: b, effect: NoSchedule       | key: a, value: b | true",
                "key: a, value: b, effect: NoSchedule       | key: a, value: c | false",
                "key: a, effect: NoSchedule                 | key: a | true",
                "key: a, value: b, effect: NoSchedule       | key: c, operator: Exists | false",
                "key: a, value: b, effect: NoSchedule       | key: a, operator: Exists, effect: NoExecute | false",
                "key: a, value: b, effect: NoSchedule       | key: a, operator: Equal, value: b, effect: NoSchedule | true",
                "key: node.kubernetes.io/not-ready, effect: NoExecute       | | true",
                "key: node.kubernetes.io/unreachable, effect: NoExecute     | | true",
                "key: node.kubernetes.io/disk-pressure, effect: NoSchedule   | | true",
                "key: node.kubernetes.io/memory-pressure, effect: NoSchedule | | true",
                "key: node.kubernetes.io/pid-pressure, effect: NoSchedule    | | true",
                "key: node.kubernetes.io/unschedulable, effect: NoSchedule   | | true",
                "key: node.kubernetes.io/unschedulable, effect: NoExecute    | | false",
                "key: node.kubernetes.io/network-unavailable, effect: NoSchedule | | false",
                "key: node-role.kubernetes.io/control-plane, effect: NoSchedule  | | false",
            })
    void aDaemonSetHasNoPodOnANodeWithATaintThatItDoesNotTolerate(String taint, String toleration, boolean tolerates) {
        ManifestText text = daemonSet(
                "{" + taint + "}", "tolerations: [" + (toleration == null ? "" : "{" + toleration + "}") + "]");

        assertThat(nodesOfPods(text))
                .isEqualTo(tolerates ? List.of("big", "plain", "tainted") : List.of("big", "plain"));
        assertThat(text.notes().stream()
                        .anyMatch(note ->
                                note.contains("no Pod on Node tainted, because it does not tolerate the taint ")))
                .isEqualTo(!tolerates);
    }

    @Test
    void aDaemonSetOfTheHostNetworkToleratesAMissingNetwork() {
        String taint = "{key: node.kubernetes.io/network-unavailable, effect: NoSchedule}";
        assertThat(nodesOfPods(daemonSet(taint, "hostNetwork: true"))).containsExactly("big", "plain", "tainted");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{matchExpressions: [{key: disk, operator: In, values: [ssd, nvme]}]} | big",
                "{matchExpressions: [{key: disk, operator: NotIn, values: [ssd]}]} | plain,tainted",
                "{matchExpressions: [{key: disk, operator: Exists}]} | big",
                "{matchExpressions: [{key: disk, operator: DoesNotExist}]} | plain,tainted",
                "{matchExpressions: [{key: cpus, operator: Gt, values: ['8']}]} | big",
                "{matchExpressions: [{key: cpus, operator: Lt, values: ['8']}]} | ",
                "{matchExpressions: [{key: disk, operator: Exists}, {key: cpus, operator: Lt, values: ['8']}]} | ",
                "{matchFields: [{key: metadata.name, operator: In, values: [plain]}]} | plain",
                "{matchFields: [{key: metadata.name, operator: NotIn, values: [plain]}]} | big,tainted",
                "{matchFields: [{key: metadata.name, operator: In, values: [plain]}]}, {matchExpressions: [{key: disk, operator: Exists}]} | big,plain",
                "{} | ",
            })
    void aDaemonSetHasPodsOnTheNodesOfItsAffinity(String terms, String expected) {
        ManifestText text = daemonSet(
                "",
                "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
                        + terms + "]}}}");

        assertThat(String.join(",", nodesOfPods(text))).isEqualTo(expected == null ? "" : expected);
        assertThat(text.notes()).noneMatch(note -> note.contains("invalid-placement"));
    }

    @Test
    void aPreferredAffinityDoesNotLimitTheNodesOfADaemonSet() {
        assertThat(
                        nodesOfPods(
                                daemonSet(
                                        "",
                                        "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {}}]}}")))
                .containsExactly("big", "plain", "tainted");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{matchExpressions: [{key: disk, operator: Near, values: [ssd]}]}",
                "{matchExpressions: [{key: disk, operator: In}]}",
                "{matchExpressions: [{key: cpus, operator: Gt, values: [many]}]}",
                "{matchExpressions: [{key: 'a,!b', operator: Exists}]}",
                "{matchFields: [{key: metadata.namespace, operator: In, values: [plain]}]}",
                "{matchFields: [{key: metadata.name, operator: Exists}]}",
            })
    void anInvalidTermOfAnAffinityIsReportedAndAllowsNoNode(String term) {
        ManifestText text = daemonSet(
                "",
                "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" + term
                        + "]}}}, tolerations: [{key: a, operator: Like}]");

        assertThat(nodesOfPods(text)).isEmpty();
        assertThat(text.notes())
                .anyMatch(note -> note.contains("invalid-placement") && note.contains(".nodeSelectorTerms[0].match"))
                .anyMatch(note -> note.contains("invalid-placement") && note.contains(".tolerations[0].operator"));
    }

    @Test
    void podsAreDerivedFromAStatefulSet() {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: v1
                kind: Service
                metadata: {name: db}
                spec: {clusterIP: None, selector: {app: db}, ports: [{name: sql, port: 5432, targetPort: sql}]}
                ---
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: db}
                spec:
                  replicas: 2
                  ordinals: {start: 3}
                  serviceName: db
                  selector: {matchLabels: {app: db}}
                  template:
                    metadata: {labels: {app: db}}
                    spec: {containers: [{name: db, image: sql, ports: [{name: sql, containerPort: 5433}]}]}
                  volumeClaimTemplates: [{spec: {resources: {requests: {storage: 1Gi}}}}]
                """);

        assertThat(text.warnings()).isEmpty();
        assertThat(text.names(Pod.class)).containsExactly("db-3", "db-4");
        EndpointSlice slice = text.only(EndpointSlice.class);
        assertThat(slice.endpoints())
                .extracting(endpoint -> endpoint.hostname().orElse(""))
                .containsExactly("db-3", "db-4");
        assertThat(slice.ports()).containsExactly(EndpointPort.of("sql", Protocol.TCP, 5433));
        assertThat(text.result().summary())
                .isEqualTo("read 1 file: 1 Service, 1 StatefulSet; completed 1 StatefulSet, 1 Service, 2 Pods");
    }

    @ParameterizedTest
    @CsvSource({"Parallel, false", "OrderedReady, true"})
    void onlyAParallelStatefulSetDoesNotWaitForItsPods(String policy, boolean waits) {
        String text = "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 2,"
                + " podManagementPolicy: " + policy + ", selector: {matchLabels: {app: db}}, template: {metadata:"
                + " {labels: {app: db}}, spec: {containers: [{name: db, image: sql}]}}}}";
        ManifestResult result = ManifestText.of(text, ManifestOptions.DEFAULTS.withReadiness(Readiness.NONE))
                .result();
        assertThat(result.diagnostics().stream().anyMatch(note -> note.code().equals("ordered-ready")))
                .isEqualTo(waits);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "replicas: -2, ordinals: {start: 3} | db-3 | spec.replicas: negative, so read as 1: -2",
                "replicas: 2, ordinals: {start: -1} | db-0 db-1 | " + "spec.ordinals.start: negative, so read as 0: -1",
                "replicas: two, ordinals: {start: 3} | db-3 | spec.replicas: expected a number, found text: two",
            })
    void onlyAnInvalidNumberOfAStatefulSetIsOmitted(String spec, String pods, String warning) {
        String text = "\n{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {" + spec
                + ", selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}},"
                + " spec: {containers: [{name: db, image: sql}]}}}}";
        ManifestText lenient = ManifestText.asApplied(text);

        assertThat(lenient.names(Pod.class)).containsExactly(pods.split(" ", -1));
        assertThat(lenient.warnings())
                .singleElement()
                .asString()
                .endsWith(" test.yaml:2: StatefulSet default/db, " + warning);
        assertThatThrownBy(() -> ManifestText.of(text, ManifestOptions.DEFAULTS.withStrict()))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining(warning);
    }

    @Test
    void groupAndVersionDecideAndNotTheKind() {
        ManifestText text = ManifestText.asApplied("""
                {apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: a}, spec: {template: .inf}}
                ---
                {apiVersion: crd.projectcalico.org/v1, kind: Node, metadata: {name: b}}
                ---
                {apiVersion: example.org/v1beta1, kind: EndpointSlice, metadata: {name: c}}
                ---
                {apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: d, namespace: 5}}
                """);

        assertThat(text.warnings()).isEmpty();
        assertThat(text.notes())
                .containsExactly(
                        "kind-not-read test.yaml:1: Service a: Service of serving.knative.dev/v1 is not read",
                        "kind-not-read test.yaml:3: Node b: Node of crd.projectcalico.org/v1 is not read",
                        "kind-not-read test.yaml:5: EndpointSlice c: EndpointSlice of example.org/v1beta1 is not read",
                        "kind-not-read test.yaml:7: ControllerRevision d: ControllerRevision of apps/v1 is not read");
        assertThat(text.result().summary())
                .isEqualTo("read 1 file: no object that has records; "
                        + "skipped 1 ControllerRevision, 1 EndpointSlice, 1 Node, 1 Service");
    }

    @Test
    void fieldsWithoutEffectOnRecordsMayHoldAnyValue() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: v1
                kind: Service
                metadata:
                  name: web
                  annotations: {a: .inf, b: 2001-12-14t21:59:43.10-05:00, c: 0777, d: 1.10, e: no, f: 12:30:45}
                spec:
                  clusterIP: 10.0.0.1
                  externalIPs: [.inf, -.INF, .nan, 1e999, 99999999999999999999999999]
                  loadBalancerIP: !!binary R0lGODlhDAAMAIQAAP
                  sessionAffinityConfig: !mine {clientIP: !other b}
                  loadBalancerClass: 2001-12-14
                  internalTrafficPolicy: ~
                  ports: [{port: 80, appProtocol: 5, nodePort: .inf}]
                """);

        assertThat(text.warnings()).isEmpty();
        assertThat(text.names(Service.class)).containsExactly("web");
    }

    @Test
    void documentsWithoutAnObjectAreSkipped() {
        ManifestText text = ManifestText.asIs(
                "replicaCount: 3\n---\n- a\n- b\n---\njust text\n---\nkind: Service\n---\napiVersion: v1\n---\nnull\n");

        assertThat(text.snapshot().objects()).isEmpty();
        assertThat(text.notes()).hasSize(4);
        assertThat(text.warnings()).containsExactly("no-type test.yaml:8: Service (no name): kind without apiVersion");
    }

    /** A lower-case kind with metadata may be an object whose kind is misspelt. */
    @Test
    void filesOfOtherToolsWithAKindAreNoObjects() {
        ManifestText text = ManifestText.asIs("""
                {kind: pipeline, name: default, steps: []}
                ---
                {kind: 'discovery#restDescription', id: storage}
                ---
                {kind: service, metadata: {name: web}}
                """);

        assertThat(text.notes())
                .hasSize(2)
                .allMatch(note -> note.endsWith("without apiVersion, metadata and spec, not a Kubernetes object"));
        assertThat(text.warnings()).containsExactly("no-type test.yaml:5: service web: kind without apiVersion");
    }

    @Test
    void theLaterOfTwoObjectsIsUsedAndTheOmissionIsReported() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: v1
                kind: Service
                metadata: {name: web, labels: {app: web}}
                spec: {clusterIP: 10.0.0.1, selector: {app: web}, ports: [{name: http, port: 80}]}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: web}
                spec: {type: NodePort, ports: [{name: http, port: 8080}]}
                """);

        assertThat(text.only(Service.class).ports().get(0).port()).isEqualTo(8080);
        assertThat(text.warnings())
                .containsExactly("given-twice test.yaml:6: Service default/web: given before at test.yaml:1; this one "
                        + "is used and has no clusterIP 10.0.0.1, port http 80/TCP, selector app=web, label app=web");
    }
}
