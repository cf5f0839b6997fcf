package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpFamilyPolicy;
import io.k8sdns.model.Labels;
import io.k8sdns.model.LoadBalancerIngress;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.model.TargetPort;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the reading of Services, and the parts that are omitted. */
class ServiceTest {
    private static ManifestText service(String spec) {
        return ManifestText.asIs("apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n" + spec.indent(2));
    }

    @Test
    void everyFieldIsRead() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: v1
                kind: Service
                metadata:
                  name: web
                  namespace: shop
                  uid: 0f8e9d7c
                  labels: {app: web, tier: ""}
                  annotations: {service.alpha.kubernetes.io/tolerate-unready-endpoints: "true"}
                spec:
                  type: LoadBalancer
                  clusterIP: 10.0.0.10
                  clusterIPs: [10.0.0.10, "2001:DB8::0:10"]
                  ipFamilies: [IPv4, IPv6]
                  ipFamilyPolicy: PreferDualStack
                  selector: {app: web}
                  ports:
                  - {name: http, port: 80, targetPort: web, nodePort: 30080}
                  - {name: dns, port: 53, protocol: UDP, targetPort: 5353}
                status:
                  loadBalancer:
                    ingress:
                    - {ip: 192.0.2.1, ipMode: VIP}
                    - {hostname: lb.example.org}
                    - {ip: "2001:DB8::0:1"}
                """);
        ClusterIpService service = text.only(ClusterIpService.class);

        assertThat(text.warnings()).isEmpty();
        assertThat(service.namespace()).isEqualTo("shop");
        assertThat(service.uid()).contains("0f8e9d7c");
        assertThat(service.labels().values()).isEqualTo(Map.of("app", "web", "tier", ""));
        assertThat(service.clusterIps()).containsExactly(IpAddress.parse("10.0.0.10"), IpAddress.parse("2001:db8::10"));
        assertThat(service.publishNotReadyAddresses()).isTrue();
        assertThat(service.selection().selector()).contains(new Labels(Map.of("app", "web")));
        assertThat(service.selection().ipFamilies()).containsExactly(IpFamily.IPV4, IpFamily.IPV6);
        assertThat(service.selection().ipFamilyPolicy()).contains(IpFamilyPolicy.PREFER_DUAL_STACK);
        assertThat(service.ports())
                .containsExactly(
                        ServicePort.of("http", Protocol.TCP, 80).withTargetPort("web"),
                        ServicePort.of("dns", Protocol.UDP, 53).withTargetPort(5353));
        assertThat(service.loadBalancer())
                .isEqualTo(LoadBalancerIngress.of("192.0.2.1", "2001:db8::1").withHostNames("lb.example.org"));
    }

    @Test
    void wrongIngressIsOmittedWithAWarning() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: v1
                kind: Service
                metadata: {name: web}
                spec: {type: LoadBalancer, clusterIP: 10.0.0.10, ports: [{port: 80}]}
                status: {loadBalancer: {ingress: [{ip: 192.0.2.300}, {ip: 192.0.2.1}, {hostname: "a..b"}]}}
                """);
        assertThat(text.only(ClusterIpService.class).loadBalancer()).isEqualTo(LoadBalancerIngress.of("192.0.2.1"));
        assertThat(text.warnings()).hasSize(2);
    }

    @Test
    void onlyALoadBalancerHasIngress() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: v1
                kind: Service
                metadata: {name: web}
                spec: {type: ClusterIP, clusterIP: 10.0.0.10, ports: [{port: 80}]}
                status: {loadBalancer: {ingress: [{ip: 192.0.2.1}]}}
                """);
        assertThat(text.only(ClusterIpService.class).loadBalancer()).isEqualTo(LoadBalancerIngress.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "clusterIP: None",
                "clusterIPs: [None]",
                "clusterIP: None\nclusterIPs:\n- None",
                "type: LoadBalancer\nclusterIP: None"
            })
    void clusterIpNoneIsHeadlessWithAnyType(String spec) {
        ManifestText text = service(spec);

        assertThat(text.warnings()).isEmpty();
        assertThat(text.only(HeadlessService.class).ports()).isEmpty();
    }

    @Test
    void typeExternalNameIgnoresClusterIpAndPorts() {
        ManifestText text = service("type: ExternalName\nexternalName: Db.Example.com.\nclusterIP: None\nports: 5");

        assertThat(text.warnings()).isEmpty();
        assertThat(text.only(ExternalNameService.class).externalName()).contains("Db.Example.com");
    }

    @ParameterizedTest
    @ValueSource(strings = {"externalName: \"\"", "externalName: null", "{}"})
    void aMissingExternalNameIsReported(String rest) {
        ManifestText text = service("type: ExternalName\n" + (rest.equals("{}") ? "" : rest));

        assertThat(text.only(ExternalNameService.class).externalName()).isEmpty();
        assertThat(text.warnings()).isEmpty();
        assertThat(text.notes())
                .hasSize(1)
                .first()
                .asString()
                .contains("no record: spec.externalName is missing, or not a DNS name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-x-", "5", "."})
    void onlyAnInvalidExternalNameIsOmitted(String name) {
        ManifestText text = service("type: ExternalName\nexternalName: " + name);

        assertThat(text.only(ExternalNameService.class).externalName()).isEmpty();
        assertThat(text.warnings()).hasSize(1).first().asString().contains("Service default/web, spec.externalName: ");
    }

    @Test
    void anExternalNameThatIsAnAddressIsKeptAndReported() {
        ManifestText text = service("type: ExternalName\nexternalName: 192.0.2.1");

        assertThat(text.only(ExternalNameService.class).externalName()).contains("192.0.2.1");
        assertThat(text.notes()).hasSize(1).first().asString().contains("no record");
    }

    @Test
    void onlyAnInvalidAddressIsOmitted() {
        ManifestText text = service("clusterIPs: [10.0.0.256, \"2001:db8::1\"]\nports: [{port: 80}]");

        assertThat(text.only(ClusterIpService.class).clusterIps()).containsExactly(IpAddress.parse("2001:db8::1"));
        assertThat(text.warnings())
                .containsExactly("invalid-address test.yaml:5: Service default/web, spec.clusterIPs[0]: "
                        + "not an IP address: \"10.0.0.256\"");
    }

    @Test
    void noAddressIsSynthesizedForAnInvalidOne() {
        String text = "{apiVersion: v1, kind: Service, metadata: {name: web}, "
                + "spec: {clusterIP: 10.0.0.256, ports: [{port: 80}]}}";

        assertThat(ManifestText.asApplied(text).only(ClusterIpService.class).clusterIps())
                .isEmpty();
        assertThat(ManifestText.asApplied(text.replace("10.0.0.256", "\"\""))
                        .only(ClusterIpService.class)
                        .clusterIps())
                .hasSize(1);
    }

    @Test
    void theSecondAddressOfAFamilyIsOmitted() {
        ManifestText text = service("clusterIPs: [10.0.0.1, 10.0.0.2]");

        assertThat(text.only(ClusterIpService.class).clusterIps()).containsExactly(IpAddress.parse("10.0.0.1"));
        assertThat(text.warnings()).hasSize(1).first().asString().contains("spec.clusterIPs[1]: a second address");
    }

    @Test
    void onlyInvalidPortsAreOmitted() {
        ManifestText text = service("""
                clusterIP: 10.0.0.1
                ports:
                - {name: good, port: 80}
                - {name: zero, port: 0}
                - {name: high, port: 65536}
                - {name: text, port: "80"}
                - {name: none}
                - {name: Upper, port: 81}
                - {name: lower, port: 82, protocol: tcp}
                - {name: 5, port: 83}
                - {name: good, port: 85}
                - null
                - some text
                - {name: last, port: 0x50, targetPort: 0}
                """);

        assertThat(text.only(ClusterIpService.class).ports())
                .extracting(port -> port.name().orElse("") + " " + port.port())
                .containsExactly("good 80", "last 80");
        assertThat(text.warnings())
                .extracting(line -> line.substring(line.indexOf("spec.")))
                .containsExactly(
                        "spec.ports[1].port: not a port number (1 to 65535): 0",
                        "spec.ports[2].port: not a port number (1 to 65535): 65536",
                        "spec.ports[3].port: expected a number, found text: 80",
                        "spec.ports[4].port: no port number",
                        "spec.ports[5].name: not a DNS label (lower-case letters, digits, inner dashes, 1 to 63 characters): "
                                + "\"Upper\"",
                        "spec.ports[6].protocol: not TCP, UDP or SCTP: \"tcp\"",
                        "spec.ports[7].name: expected text, found a number: 5 (quote it)",
                        "spec.ports[8].name: a second port of this name: \"good\"",
                        "spec.ports[9].port: no port number",
                        "spec.ports[10]: expected a mapping, found text: some text");
        assertThat(text.warnings().get(0)).startsWith("invalid-port test.yaml:8: Service default/web, ");
    }

    @Test
    void onlyAnInvalidTargetPortIsOmitted() {
        ManifestText text = service("""
                clusterIP: 10.0.0.1
                ports:
                - {name: high, port: 1, targetPort: 70000}
                - {name: negative, port: 2, targetPort: -1}
                - {name: part, port: 3, targetPort: 80.5}
                - {name: word, port: 4, targetPort: Not_A_Name}
                - {name: digits, port: 5, targetPort: "8080"}
                - {name: list, port: 6, targetPort: [80]}
                - {name: truth, port: 7, targetPort: true}
                - {name: template, port: 8, targetPort: "{{ .Values.port }}"}
                - {name: list, port: 9, targetPort: 80}
                """);

        assertThat(text.only(ClusterIpService.class).ports())
                .extracting(port -> port.name().orElse("") + " " + port.port())
                .containsExactly(
                        "high 1", "negative 2", "part 3", "word 4", "digits 5", "list 6", "truth 7", "template 8");
        assertThat(text.only(ClusterIpService.class).ports())
                .extracting(ServicePort::targetPort)
                .containsOnly(new TargetPort.Unknown());
        assertThat(text.warnings())
                .containsExactly(
                        "invalid-port test.yaml:7: Service default/web, spec.ports[0].targetPort: "
                                + "not a port number (1 to 65535): 70000",
                        "invalid-port test.yaml:8: Service default/web, spec.ports[1].targetPort: "
                                + "not a port number (1 to 65535): -1",
                        "wrong-type test.yaml:9: Service default/web, spec.ports[2].targetPort: "
                                + "not a whole number in range: 80.5",
                        "invalid-port test.yaml:10: Service default/web, spec.ports[3].targetPort: "
                                + "not a port name (a DNS label of at most 15 characters, with at least one letter): \"Not_A_Name\"",
                        "invalid-port test.yaml:11: Service default/web, spec.ports[4].targetPort: "
                                + "not a port name (a DNS label of at most 15 characters, with at least one letter): \"8080\"",
                        "wrong-type test.yaml:12: Service default/web, spec.ports[5].targetPort: "
                                + "expected text, found a list",
                        "wrong-type test.yaml:13: Service default/web, spec.ports[6].targetPort: "
                                + "expected text, found true or false: true (quote it)",
                        "template test.yaml:14: a template that was not rendered; parts skipped: 1",
                        "duplicate-port test.yaml:15: Service default/web, spec.ports[8].name: "
                                + "a second port of this name: \"list\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "\"\"", "null", "80"})
    void anEmptyTargetPortIsThePortItself(String target) {
        ManifestText text = service("ports: [{port: 80, targetPort: " + target + "}]");

        assertThat(text.warnings()).isEmpty();
        assertThat(text.only(ClusterIpService.class).ports()).containsExactly(ServicePort.unnamed(Protocol.TCP, 80));
    }

    @Test
    void onlyTheFirstPortWithoutANameIsKept() {
        ManifestText text = service("clusterIP: 10.0.0.1\nports: [{port: 80}, {port: 443}, {name: x, port: 8080}]");

        assertThat(text.only(ClusterIpService.class).ports())
                .extracting(ServicePort::port)
                .containsExactly(80, 8080);
        assertThat(text.warnings()).hasSize(1).first().asString().contains("a second port without a name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Knative", "clusterIP", "5", "[a]"})
    void anObjectWithAnInvalidTypeIsSkipped(String type) {
        ManifestText text = service("type: " + type + "\nclusterIP: 10.0.0.1");

        assertThat(text.snapshot().objects(Service.class)).isEmpty();
        assertThat(text.warnings())
                .hasSize(1)
                .first()
                .asString()
                .contains("test.yaml:5: Service default/web, spec.type");
    }

    @Test
    void aSelectorThatLosesALabelSelectsNothing() {
        ManifestText text = service("clusterIP: None\nselector: {app: web, version: 1.10}");

        assertThat(text.only(HeadlessService.class).selection().selector()).isEmpty();
        assertThat(text.warnings()).hasSize(2);
        assertThat(text.warnings().get(0))
                .contains("spec.selector[version]: expected text, found a number: 1.10 (quote it)");
    }

    @Test
    void nullsAreAbsent() {
        ManifestText text = service("""
                type: null
                clusterIP: 10.0.0.1
                clusterIPs: null
                ipFamilies: ~
                ipFamilyPolicy: null
                selector: null
                publishNotReadyAddresses: null
                ports:
                - {name: null, port: 80, protocol: null, targetPort: null}
                """);

        assertThat(text.warnings()).isEmpty();
        assertThat(text.only(ClusterIpService.class).ports()).containsExactly(ServicePort.unnamed(Protocol.TCP, 80));
    }
}
