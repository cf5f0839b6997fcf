package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.k8sdns.model.DnsConfig;
import io.k8sdns.resolvconf.InvalidPodException;
import io.k8sdns.resolvconf.InvalidPodException.FieldError;
import io.k8sdns.resolvconf.KubeletDns;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDns;
import io.k8sdns.resolvconf.PodDnsSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodManifestTest {
    private static final NodeDns NODE = NodeDns.builder().build();
    private static final NodeDns WITH_PROPOSALS =
            NodeDns.builder().enhancementPolicies(true).build();

    @TempDir
    private Path folder;

    private static PodManifest manifest(String text) {
        try {
            return PodManifest.read(
                    ManifestInput.stream("pod.yaml", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PodDnsSpec pod(String text) {
        return manifest(text).spec(NODE);
    }

    private static List<String> errors(String text) {
        return errors(text, NODE);
    }

    private static List<String> errors(String text, NodeDns node) {
        PodManifest manifest = manifest(text);
        return catchThrowableOfType(InvalidPodException.class, () -> manifest.spec(node)).errors().stream()
                .map(FieldError::toString)
                .toList();
    }

    private static String refusal(String text) {
        return String.valueOf(catchThrowableOfType(ManifestException.class, () -> manifest(text))
                .getMessage());
    }

    /** Returns a Pod with these lines in its spec. */
    private static String withSpec(String... lines) {
        StringBuilder text = new StringBuilder("apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n");
        for (String line : lines) {
            text.append("  ").append(line).append('\n');
        }
        return text.toString();
    }

    @Test
    void theExampleInTheDocumentationRuns() throws IOException {
        Path file = Files.writeString(folder.resolve("pod.yaml"), withSpec("dnsPolicy: ClusterFirst"));
        // region
        PodDns dns = KubeletDns.forPod(PodManifest.read(file), NodeDns.ofClusterDns("10.96.0.10"));
        // endregion
        assertThat(dns.hostname()).contains("web");
        assertThat(block("src/main/java/io/k8sdns/manifest/PodManifest.java", "<pre>\\{@code\n(.*?)}</pre>"))
                .isPresent()
                .isEqualTo(block(
                        "src/test/java/io/k8sdns/manifest/PodManifestTest.java", "// region\n(.*?) *// endregion"));
    }

    /** Returns the lines of the first block between two marks, without their prefixes. */
    private static Optional<String> block(String file, String pattern) throws IOException {
        return Pattern.compile(pattern, Pattern.DOTALL)
                .matcher(Files.readString(Path.of(System.getProperty("k8sdns.root", "../.."))
                        .resolve("adapters/k8sdns-manifest")
                        .resolve(file)))
                .results()
                .map(match -> match.group(1)
                        .lines()
                        .map(line -> line.replaceFirst("^ \\* ?", "").strip())
                        .filter(line -> !line.isEmpty())
                        .collect(Collectors.joining("\n")))
                .findFirst();
    }

    @Test
    void everyFieldThatAffectsDnsIsRead() {
        PodDnsSpec pod = pod("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: web-0
                  namespace: shop
                  uid: 0f0e
                  labels: {app: web}
                spec:
                  containers: [{name: main, image: registry.example/app}]
                  hostname: h
                  subdomain: s
                  setHostnameAsFQDN: true
                  dnsPolicy: None
                  dnsConfig:
                    nameservers: [192.0.2.1]
                    searches: [a.example, b.example]
                    options:
                      - name: ndots
                        value: "2"
                      - name: edns0
                      - {name: timeout, value: }
                """);
        assertThat(pod)
                .isEqualTo(PodDnsSpec.builder("web-0")
                        .namespace("shop")
                        .uid("0f0e")
                        .hostname("h")
                        .subdomain("s")
                        .setHostnameAsFqdn(true)
                        .dnsPolicy("None")
                        .dnsConfig(new DnsConfig(
                                List.of("192.0.2.1"),
                                List.of("a.example", "b.example"),
                                List.of(
                                        DnsConfig.Option.of("ndots", "2"),
                                        DnsConfig.Option.of("edns0"),
                                        DnsConfig.Option.of("timeout"))))
                        .build());
        assertThat(pod(withSpec("hostNetwork: true")).hostNetwork()).isTrue();
        assertThat(pod(withSpec("hostnameOverride: a.example")).hostnameOverride())
                .contains("a.example");
    }

    @Test
    void aPodWithoutNamespaceIsInTheNamespaceDefault() {
        assertThat(pod("{apiVersion: v1, kind: Pod, metadata: {name: web}}"))
                .isEqualTo(PodDnsSpec.builder("web").build());
    }

    @Test
    void nullIsTheSameAsAMissingField() {
        assertThat(pod(withSpec(
                        "hostNetwork: null", "hostname: ~", "dnsPolicy:", "dnsConfig: null", "setHostnameAsFQDN:")))
                .isEqualTo(PodDnsSpec.builder("web").build());
    }

    @Test
    void emptyDnsConfigIsNotTheSameAsNone() {
        assertThat(pod(withSpec("dnsConfig: {}")).dnsConfig()).contains(DnsConfig.EMPTY);
        assertThat(pod(withSpec("dnsConfig: {nameservers: , searches: null, options: []}"))
                        .dnsConfig())
                .contains(DnsConfig.EMPTY);
    }

    @Test
    void jsonIsReadAsYamlIs() {
        assertThat(pod("{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"web\"},"
                        + " \"spec\": {\"dnsPolicy\": \"Default\"}}"))
                .isEqualTo(PodDnsSpec.builder("web").dnsPolicy("Default").build());
    }

    @Test
    void fieldsWithoutMeaningForDnsMayHoldAnything() {
        assertThat(pod(withSpec("containers: 17", "dnsOptions: [1]", "DNSPolicy: 5", "restartPolicy: {}")))
                .isEqualTo(PodDnsSpec.builder("web").build());
    }

    @Test
    void theFirstPodOfSeveralDocumentsIsRead() {
        assertThat(pod("""
                        # a comment
                        ---
                        apiVersion: v1
                        kind: Service
                        metadata: {name: web}
                        ---
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: first}
                        ---
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: second}
                        --- !broken [
                        """).name()).isEqualTo("first");
        assertThat(pod("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"first\"}}{broken")
                        .name())
                .isEqualTo("first");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{kind: List, apiVersion: v1, items: [ITEMS]}",
                "{items: [ITEMS], kind: List, apiVersion: v1}",
                "{kind: PodList, apiVersion: v1, items: [ITEMS]}",
                "{kind: List, apiVersion: v1, items: [{kind: List, apiVersion: v1, items: [ITEMS]}]}",
                "{apiVersion: v1, items: [], items: [ITEMS], kind: List}"
            })
    void theFirstPodOfAListIsRead(String list) {
        assertThat(pod(list.replace("ITEMS", """
                        {apiVersion: v1, kind: Service, metadata: {name: web}},
                        {apiVersion: v1, kind: Pod, metadata: {name: first}},
                        {apiVersion: v1, kind: Pod, metadata: {name: second}}
                        """)).name()).isEqualTo("first");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TEMPLATE",
                "{kind: List, apiVersion: v1, items: [TEMPLATE]}",
                "{kind: List, apiVersion: v1, items: [{kind: List, apiVersion: v1, items: [TEMPLATE]}]}"
            })
    void theWorkloadOfAnOpenShiftTemplateHasTheDefaultsOfItsParameters(String document) {
        String template = """
                {apiVersion: template.openshift.io/v1, kind: Template, metadata: {name: t},
                parameters: [{name: APP, value: cart}, {name: NS, value: shop}, {name: HOST_NETWORK, value: "true"}],
                objects: [{apiVersion: v1, kind: Service, metadata: {name: "${APP}"}},
                {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: "${APP}", namespace: "${NS}"},
                spec: {serviceName: "${APP}", template: {spec: {hostNetwork: "${{HOST_NETWORK}}"}}}}]}
                """;
        PodDnsSpec spec = pod(document.replace("TEMPLATE", template));
        assertThat(spec.namespace()).isEqualTo("shop");
        assertThat(spec.name()).isEqualTo("cart-0");
        assertThat(spec.hostNetwork()).isTrue();
    }

    @Test
    void theObjectsOfATemplateWithoutAPodAreReported() {
        assertThat(refusal("{apiVersion: template.openshift.io/v1, kind: Template, objects: ["
                        + "{apiVersion: v1, kind: Service, metadata: {name: a}}]}"))
                .contains("but Service of v1");
    }

    @Test
    void entriesOfAPodListNeedNoType() {
        assertThat(
                        pod("{items: [{metadata: {name: first}}, {metadata: {name: second}}], kind: PodList, apiVersion: v1}")
                                .name())
                .isEqualTo("first");
        assertThat(refusal("{items: [{metadata: {name: first}}], kind: NodeList, apiVersion: v1}"))
                .startsWith("pod.yaml: the file has no Pod of v1");
    }

    @Test
    void objectsThatAreNotAPodAreReported() {
        assertThat(refusal("{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}"))
                .isEqualTo("pod.yaml: the file has no Pod of v1 and no workload, but ConfigMap of v1");
        assertThat(refusal("{kind: Pod, metadata: {name: web}}\n---\n{apiVersion: v1}\n---\n{dnsPolicy: None}"))
                .isEqualTo(
                        "pod.yaml: the file has no Pod of v1 and no workload, but Pod without apiVersion, v1 without kind,"
                                + " a document without kind and apiVersion");
        assertThat(refusal("{apiVersion: v2, kind: Pod, metadata: {name: web}}"))
                .endsWith("but Pod of v2");
        assertThat(refusal("")).isEqualTo("pod.yaml: the file has no Pod of v1 and no workload");
        assertThat(refusal("- a list")).isEqualTo("pod.yaml: the file has no Pod of v1 and no workload");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "apps/v1 | Deployment | template: TEMPLATE | web-xxxxxxxxxx-xxxxx",
                "apps/v1 | ReplicaSet | template: TEMPLATE | web-xxxxx",
                "apps/v1 | DaemonSet | template: TEMPLATE | web-xxxxx",
                "v1 | ReplicationController | template: TEMPLATE | web-xxxxx",
                "batch/v1 | Job | template: TEMPLATE | web-xxxxx",
                "batch/v1 | CronJob | jobTemplate: {spec: {template: TEMPLATE}} | web-xxxxxxxx-xxxxx"
            })
    void theTemplateOfAWorkloadIsReadAsItsPod(String apiVersion, String kind, String spec, String name) {
        String workload = "{apiVersion: " + apiVersion + ", kind: " + kind
                + ", metadata: {name: web, namespace: shop}, spec: {" + spec + "}}";
        String template = "{metadata: {labels: {a: b}}, spec: {dnsPolicy: Default, hostname: h, subdomain: s}}";
        assertThat(pod(workload.replace("TEMPLATE", template)))
                .isEqualTo(PodDnsSpec.builder(name)
                        .namespace("shop")
                        .hostname("h")
                        .subdomain("s")
                        .dnsPolicy("Default")
                        .build());
        assertThat(pod(workload.replace("TEMPLATE", "{}")).name()).isEqualTo(name);
        assertThat(errors(workload.replace("TEMPLATE", "{spec: {dnsPolicy: [x]}}"))
                        .get(0))
                .contains(
                        kind.equals("CronJob")
                                ? "spec.jobTemplate.spec.template.spec.dnsPolicy"
                                : "spec.template.spec.dnsPolicy");
    }

    @Test
    void theFirstPodOfAStatefulSetAndOfAnIndexedJobHasItsHostname() {
        assertThat(pod("{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {serviceName: db,"
                        + " ordinals: {start: 5}, template: {spec: {hostname: h, subdomain: s}}}}"))
                .isEqualTo(PodDnsSpec.builder("db-5")
                        .hostname("db-5")
                        .subdomain("db")
                        .build());
        assertThat(pod("{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {template: {}}}")
                        .name())
                .isEqualTo("db-0");
        assertThat(pod("{apiVersion: batch/v1, kind: Job, metadata: {name: train}, spec: {completionMode: Indexed,"
                        + " template: {spec: {subdomain: s}}}}"))
                .isEqualTo(PodDnsSpec.builder("train-0-xxxxx")
                        .hostname("train-0")
                        .subdomain("s")
                        .build());
    }

    @Test
    void brokenDocumentBeforeThePodIsAnErrorWithItsLine() {
        assertThat(refusal("apiVersion: v1\nkind: [\n---\n" + withSpec())).startsWith("pod.yaml:3: while parsing");
        assertThat(refusal("{\n  \"kind\": \"Pod\",\n  \"spec\": ?\n}")).startsWith("pod.yaml:3: ");
    }

    @Test
    void aMisspeltFieldOfAFileIsAnError() throws IOException {
        Path file = Files.writeString(
                folder.resolve("pod.yaml"),
                withSpec(
                        "dnspolicy: None",
                        "dnsConfig:",
                        "  searchs: [a.example]",
                        "  options:",
                        "  - name: edns0",
                        "    valu: x",
                        "hostname: h"));
        List<String> expected = List.of(
                file
                        + ":6: Pod default/web, spec.dnspolicy: unknown field \"spec.dnspolicy\"; did you mean \"dnsPolicy\"?",
                file
                        + ":8: Pod default/web, spec.dnsConfig.searchs: unknown field \"spec.dnsConfig.searchs\"; did you mean"
                        + " \"searches\"?",
                file + ":11: Pod default/web, spec.dnsConfig.options[0].valu: unknown field"
                        + " \"spec.dnsConfig.options[0].valu\"; did you mean \"value\"?");

        ManifestException refused = catchThrowableOfType(ManifestException.class, () -> PodManifest.read(file));
        assertThat(refused.diagnostics().stream().map(Object::toString)).containsExactlyElementsOf(expected);

        PodManifest lenient = PodManifest.read(ManifestInput.path(file));
        assertThat(lenient.diagnostics().stream().map(Object::toString)).containsExactlyElementsOf(expected);
        assertThat(lenient.spec(NODE).hostname()).contains("h");
    }

    @Test
    void missingFileIsAnError() throws IOException {
        assertThatThrownBy(() -> PodManifest.read(ManifestInput.path(folder.resolve("none.yaml"))))
                .isInstanceOf(NoSuchFileException.class);
        Path file = Files.writeString(folder.resolve("pod.txt"), withSpec("hostname: h"));
        assertThat(PodManifest.read(ManifestInput.path(file)).spec(NODE).hostname())
                .contains("h");
    }

    private static List<String> texts(PodManifest manifest) {
        return manifest.diagnostics().stream().map(Object::toString).toList();
    }

    @Test
    void theFirstPodOfADirectoryIsRead() throws IOException {
        Files.writeString(folder.resolve("a.yaml"), "{apiVersion: v1, kind: Service, metadata: {name: web}}");
        Path file = Files.writeString(folder.resolve("b.yaml"), withSpec("hostname: h"));
        Files.writeString(folder.resolve("c.yaml"), withSpec("hostname: other"));
        PodManifest manifest = PodManifest.read(folder);
        assertThat(manifest.spec(NODE).hostname()).contains("h");
        assertThat(texts(manifest))
                .containsExactly(file + ":1: Pod default/web: the first Pod or workload of the directory");
    }

    @Test
    void aDirectoryWithoutAPodIsRefused() throws IOException {
        Files.writeString(folder.resolve("a.yaml"), "{apiVersion: v1, kind: Service, metadata: {name: web}}");
        Files.writeString(folder.resolve("b.yaml"), "{");
        Files.writeString(folder.resolve("c.yaml"), "[");
        assertThatThrownBy(() -> PodManifest.read(ManifestInput.path(folder)))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining("b.yaml:1: the document is skipped: ")
                .hasMessageContaining(" (and 1 more problem)")
                .hasMessageContaining(folder + ": the directory has no Pod of v1 and no workload, but Service of v1");
    }

    @Test
    void aKustomizationThatChangesNoNameHasItsNotes() throws IOException {
        Files.writeString(folder.resolve("kustomization.yaml"), """
                resources: [pod.yaml]
                patches: [{path: patch.yaml}]
                """);
        Files.writeString(folder.resolve("pod.yaml"), withSpec("hostname: h"));
        PodManifest manifest = PodManifest.read(ManifestInput.path(folder), "default", "web");
        assertThat(texts(manifest)).singleElement().asString().contains("not applied: patches");
        Path others = Files.createDirectory(folder.resolve("others"));
        Files.writeString(others.resolve("pod.yaml"), withSpec("hostname: h").replace("web", "other"));
        assertThat(texts(PodManifest.read(ManifestInput.path(folder), "default", "other")))
                .as("a Pod that is not of the kustomization")
                .isEmpty();
    }

    @Test
    void namesOfAKustomizationAreThoseOfThePod() throws IOException {
        Files.writeString(folder.resolve("kustomization.yaml"), """
                resources: [pod.yaml]
                namespace: shop
                namePrefix: new-
                patches: [{path: patch.yaml}]
                """);
        Files.writeString(folder.resolve("pod.yaml"), withSpec("hostname: h"));
        PodManifest manifest = PodManifest.read(ManifestInput.path(folder), "shop", "new-web");
        assertThat(manifest.spec(NODE).namespace()).isEqualTo("shop");
        assertThat(texts(manifest))
                .singleElement()
                .asString()
                .contains("kustomization.yaml")
                .contains("patches");
    }

    @ParameterizedTest
    @CsvSource({"shop, second", "shop, db", "shop, db-0", "default, third"})
    void aPodIsReadByItsName(String namespace, String name) throws IOException {
        String text = """
                {kind: List, apiVersion: v1, items: [
                  {apiVersion: v1, kind: Pod, metadata: {name: first, namespace: shop}},
                  {apiVersion: v1, kind: Pod, metadata: {name: second, namespace: shop}},
                  {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: shop}, spec: {serviceName: db}}]}
                ---
                {kind: PodList, apiVersion: v1, items: [{metadata: {name: fourth}}, {metadata: {name: third}}]}
                """;
        Path file = Files.writeString(folder.resolve("pods.yaml"), text);
        PodManifest manifest = PodManifest.read(ManifestInput.path(file), namespace, name);
        assertThat(manifest.spec(NODE).name()).isEqualTo(name.equals("db") ? "db-0" : name);
        assertThat(manifest.diagnostics()).isEmpty();
        assertThatThrownBy(() -> PodManifest.read(ManifestInput.path(file), "lab", name))
                .hasMessageContaining(
                        "the file has no Pod or workload lab/" + name
                                + ", but Pod shop/first, Pod shop/second, StatefulSet shop/db, Pod default/fourth, Pod default/third");
    }

    @Test
    void valueOfAnOptionIsTextAndNotANumber() {
        assertThat(errors(withSpec("dnsConfig:", "  options:", "  - name: edns0", "  - name: ndots", "    value: 2")))
                .containsExactly("spec.dnsConfig.options[1].value: json: cannot unmarshal number into Go struct field"
                        + " PodDNSConfigOption.spec.dnsConfig.options.value of type string"
                        + " (quote it; accepted with --kep-policies; line 10)");
    }

    @ParameterizedTest
    @CsvSource({"2, 2", "0x10, 16", "010, 8", "1.5, 1.5", "-1, -1"})
    void numericOptionValueIsReadAsTextIfProposalsAreAccepted(String number, String digits) {
        PodManifest manifest = manifest(withSpec("dnsConfig: {options: [{name: ndots, value: " + number + "}]}"));
        assertThat(manifest.spec(WITH_PROPOSALS).dnsConfig().orElseThrow().options())
                .containsExactly(DnsConfig.Option.of("ndots", digits));
    }

    @Test
    void dnsConfigIsNotAListEvenWithTheProposals() {
        String text = withSpec("dnsConfig:", "- options:", "  - name: ndots", "  - value: 1");
        String error =
                "spec.dnsConfig: json: cannot unmarshal array into Go struct field PodSpec.spec.dnsConfig of type"
                        + " v1.PodDNSConfig (line 7)";
        assertThat(errors(text)).containsExactly(error);
        assertThat(errors(text, WITH_PROPOSALS)).containsExactly(error);
    }

    @Test
    void everyFieldOfTheWrongTypeIsReportedInTheWordsOfTheDecoder() {
        assertThat(errors("""
                        {"apiVersion": "v1", "kind": "Pod",
                        "metadata": {"name": 1, "namespace": ["a"], "uid": {}},
                        "spec": {"hostNetwork": "true", "hostname": true, "subdomain": 2, "setHostnameAsFQDN": 1,
                        "hostnameOverride": [], "dnsPolicy": false,
                        "dnsConfig": {"nameservers": "192.0.2.1", "searches": ["a", 5], "options": ["ndots", {"name": 7}]}}}
                        """).stream().map(error -> error.replaceAll(" \\(.*", "")))
                .containsExactly(
                        "metadata.name: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type"
                                + " string",
                        "metadata.namespace: json: cannot unmarshal array into Go struct field"
                                + " ObjectMeta.metadata.namespace of type string",
                        "metadata.uid: json: cannot unmarshal object into Go struct field ObjectMeta.metadata.uid of type"
                                + " types.UID",
                        "spec.hostNetwork: json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of"
                                + " type bool",
                        "spec.hostname: json: cannot unmarshal bool into Go struct field PodSpec.spec.hostname of type"
                                + " string",
                        "spec.subdomain: json: cannot unmarshal number into Go struct field PodSpec.spec.subdomain of type"
                                + " string",
                        "spec.setHostnameAsFQDN: json: cannot unmarshal number into Go struct field"
                                + " PodSpec.spec.setHostnameAsFQDN of type bool",
                        "spec.hostnameOverride: json: cannot unmarshal array into Go struct field"
                                + " PodSpec.spec.hostnameOverride of type string",
                        "spec.dnsPolicy: json: cannot unmarshal bool into Go struct field PodSpec.spec.dnsPolicy of type"
                                + " v1.DNSPolicy",
                        "spec.dnsConfig.nameservers: json: cannot unmarshal string into Go struct field"
                                + " PodDNSConfig.spec.dnsConfig.nameservers of type []string",
                        "spec.dnsConfig.searches[1]: json: cannot unmarshal number into Go struct field"
                                + " PodDNSConfig.spec.dnsConfig.searches of type string",
                        "spec.dnsConfig.options[0]: json: cannot unmarshal string into Go struct field"
                                + " PodDNSConfig.spec.dnsConfig.options of type v1.PodDNSConfigOption",
                        "spec.dnsConfig.options[1].name: json: cannot unmarshal number into Go struct field"
                                + " PodDNSConfigOption.spec.dnsConfig.options.name of type string");
        assertThat(errors("{apiVersion: v1, kind: Pod, metadata: [], spec: web}"))
                .first()
                .asString()
                .startsWith(
                        "metadata: json: cannot unmarshal array into Go struct field Pod.metadata of type v1.ObjectMeta");
    }

    @Test
    void aValueOfTheWrongTypeHidesNoOtherError() {
        assertThat(errors(withSpec(
                        "dnsPolicy: none",
                        "hostname: Upper",
                        "dnsConfig:",
                        "  nameservers: [1, one]",
                        "  searches: [a.example, 7, B.example]")))
                .extracting(error -> error.split(":", 2)[0])
                .containsExactly(
                        "spec.dnsConfig.nameservers[0]",
                        "spec.dnsConfig.searches[1]",
                        "spec.dnsPolicy",
                        "spec.dnsConfig.nameservers[1]",
                        "spec.dnsConfig.searches[2]",
                        "spec.hostname");
    }

    @Test
    void aValueOfTheWrongTypeIsNotReportedAsMissing() {
        assertThat(errors(withSpec("dnsPolicy: None", "dnsConfig: {nameservers: 192.0.2.1}")))
                .singleElement()
                .asString()
                .startsWith("spec.dnsConfig.nameservers: json: cannot unmarshal string");
        assertThat(errors("{apiVersion: v1, kind: Pod, metadata: {name: 5}}"))
                .singleElement()
                .asString()
                .startsWith("metadata.name: json: cannot unmarshal number");
    }

    @Test
    void nullInAListIsTheEmptyText() {
        assertThat(errors(withSpec("dnsConfig: {nameservers: [null], options: [~]}")))
                .containsExactly(
                        "spec.dnsConfig.nameservers[0]: Invalid value: \"\": must be a valid IP address,"
                                + " (e.g. 10.9.8.7 or 2001:db8::ffff)",
                        "spec.dnsConfig.options[0]: Required value: must not be empty");
    }

    @Test
    void podHasAName() {
        assertThat(errors("{apiVersion: v1, kind: Pod}"))
                .containsExactly("metadata.name: Required value: name or generateName is required");
        assertThat(errors("{apiVersion: v1, kind: Pod, metadata: {name: ''}}")).hasSize(1);
        assertThat(errors("{apiVersion: v1, kind: Pod, metadata: {name: Web.}}"))
                .singleElement()
                .asString()
                .startsWith("metadata.name: Invalid value: \"Web.\": a lowercase RFC 1123 subdomain");
    }

    @Test
    void nameMayBeGenerated() {
        assertThat(pod("{apiVersion: v1, kind: Pod, metadata: {generateName: web-}}")
                        .name())
                .isEqualTo("web-xxxxx");
        assertThat(pod("{apiVersion: v1, kind: Pod, metadata: {generateName: %s}}".formatted("a".repeat(70)))
                        .name())
                .isEqualTo("a".repeat(58) + "xxxxx");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "{apiVersion: v1, kind: Pod, metadata: {generateName: web-}} | web-xxxxx",
                "{apiVersion: v1, kind: Pod, metadata: {name: web-0, generateName: web-}} | none",
                "{apiVersion: v1, kind: Pod} | none",
                "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {}}} | web-xxxxxxxxxx-xxxxx",
                "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {template: {}}} | none"
            })
    void theNameIsInventedIfTheManifestDoesNotDetermineIt(String manifest, String name) {
        assertThat(manifest(manifest).inventedName()).isEqualTo(Optional.ofNullable(name));
    }

    @Test
    void manyErrorsAreCut() {
        assertThat(errors(withSpec("dnsConfig: {searches: [" + "1,".repeat(100_000) + "]}")))
                .hasSizeLessThan(300)
                .contains("spec: Too many errors: only the first 100 are reported");
    }

    @Test
    void podIsAMemberOfAnObjectOfJson() {
        JsonObject line = JsonObject.parse("{\"id\": 1, \"pod\": {\"metadata\": {\"name\": \"web\"},"
                + " \"spec\": {\"dnsPolicy\": 5}}, \"service\": {\"apiVersion\": \"v1\", \"kind\": \"Service\"},"
                + " \"list\": {\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\":"
                + " [{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"listed\"}}]}}");
        assertThatThrownBy(() -> PodManifest.of(line, "pod").spec(NODE))
                .isInstanceOf(InvalidPodException.class)
                .hasMessageEndingWith("spec.dnsPolicy: json: cannot unmarshal number into Go struct field"
                        + " PodSpec.spec.dnsPolicy of type v1.DNSPolicy (quote it)");
        assertThat(PodManifest.of(line, "list").spec(NODE).name()).isEqualTo("listed");
        assertThatThrownBy(() -> PodManifest.of(line, "service"))
                .isInstanceOf(InvalidJsonException.class)
                .hasMessage("service: no Pod of v1 and no workload, but Service of v1");
        assertThatThrownBy(() -> PodManifest.of(line, "id"))
                .isInstanceOf(InvalidJsonException.class)
                .hasMessage("id: expected an object, found a number");
        assertThatThrownBy(() -> PodManifest.of(line, "none"))
                .isInstanceOf(InvalidJsonException.class)
                .hasMessage("none: an object is missing");
    }
}
