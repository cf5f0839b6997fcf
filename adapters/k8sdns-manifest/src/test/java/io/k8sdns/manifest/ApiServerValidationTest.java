package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.ServicePort;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that an API server refuses in a new object are faults. */
class ApiServerValidationTest {
    private static final String CONTAINERS = "containers: [{name: a, image: b}]";
    private static final String TEMPLATE =
            "selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec:";

    private static String text(String kind, String body) {
        String apiVersion = switch (kind) {
            case "EndpointSlice" -> "discovery.k8s.io/v1";
            case "StatefulSet", "Deployment", "ReplicaSet", "DaemonSet" -> "apps/v1";
            case "Job", "CronJob" -> "batch/v1";
            default -> "v1";
        };
        String metadata = body.startsWith("metadata: ") ? "" : "metadata: {name: db, namespace: shop}, ";
        return "{apiVersion: " + apiVersion + ", kind: " + kind + ", " + metadata
                + body.replace("CONTAINERS", CONTAINERS).replace("TEMPLATE", TEMPLATE) + "}";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Service | spec: {ports: [{name: a_b, port: 80}]} |"
                        + " spec.ports[0].name: not a DNS label (lower-case letters, digits, inner dashes, 1 to 63 characters): \"a_b\"",
                "Service | spec: {ports: [{name: a, port: 80}, {port: 81}]} |"
                        + " spec.ports[1].name: Required value, as the Service has several ports",
                "Service | spec: {ports: [{port: 80}, {name: a, port: 81}]} |"
                        + " spec.ports[0].name: Required value, as the Service has several ports",
                "Service | spec: {ports: [{name: a, port: 80}, {name: b, port: 80}]} |"
                        + " spec.ports[1]: Duplicate value: TCP port 80",
                "Service | spec: {ports: [{name: a, port: 80, protocol: UDP}, {name: b, port: 80, protocol: UDP}]} |"
                        + " spec.ports[1]: Duplicate value: UDP port 80",
                "Service | spec: {clusterIP: None, ports: [{name: a, port: 80}, {name: b, port: 80, protocol: TCP}]} |"
                        + " spec.ports[1]: Duplicate value: TCP port 80",
                "Service | spec: {type: NodePort, ports: [{port: 80, nodePort: abc}]} |"
                        + " spec.ports[0].nodePort: expected a number, found text: abc",
                "Service | spec: {type: NodePort, ports: [{port: 80, nodePort: 65536}]} |"
                        + " spec.ports[0].nodePort: not a port number (1 to 65535): 65536",
                "Service | spec: {type: NodePort, ports: [{port: 80, nodePort: -1}]} |"
                        + " spec.ports[0].nodePort: not a port number (1 to 65535): -1",
                "Service | spec: {ports: [{port: 80}], sessionAffinity: Client} |"
                        + " spec.sessionAffinity: Unsupported value: \"Client\": supported values: \"ClientIP\", \"None\"",
                "Service | spec: {type: NodePort, ports: [{port: 80}], externalTrafficPolicy: local} | spec.externalTrafficPolicy:"
                        + " Unsupported value: \"local\": supported values: \"Cluster\", \"Local\"",
                "Service | spec: {ports: [{port: 80}], internalTrafficPolicy: Node} | spec.internalTrafficPolicy:"
                        + " Unsupported value: \"Node\": supported values: \"Cluster\", \"Local\"",
                "Service | spec: {ports: [{port: 80}], ipFamilyPolicy: DualStack} |"
                        + " spec.ipFamilyPolicy: not SingleStack, PreferDualStack or RequireDualStack: \"DualStack\"",
                "Service | spec: {ports: [{port: 80}], clusterIP: 10.0.0.1, ipFamilies: [IPv6]} |"
                        + " spec.clusterIP: expected an IPv6 address as indicated by `ipFamilies[0]`: 10.0.0.1",
                "Service | spec: {ports: [{port: 80}], clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1, 10.0.0.2],"
                        + " ipFamilies: [IPv4, IPv6]} | spec.clusterIPs[1]:"
                        + " expected an IPv6 address as indicated by `ipFamilies[1]`: 10.0.0.2",
                "Service | spec: {type: ExternalName, externalName: a.example, clusterIP: None} |"
                        + " spec.clusterIP: may not be set for ExternalName services",
                "Service | spec: {type: ExternalName, externalName: a.example, clusterIPs: [10.0.0.1]} |"
                        + " spec.clusterIPs: may not be set for ExternalName services",
                "Service | spec: {type: ExternalName, externalName: a.example, ipFamilies: [IPv4]} |"
                        + " spec.ipFamilies: may not be set for ExternalName services",
                "Service | spec: {type: ExternalName, externalName: a.example, ipFamilyPolicy: SingleStack} |"
                        + " spec.ipFamilyPolicy: may not be set for ExternalName services",
                "Service | spec: {type: ExternalName, externalName: A.example} |"
                        + " spec.externalName: not a DNS name in lower case: \"A.example\"",
                "Service | spec: {type: ExternalName, externalName: '2001:db8::1'} |"
                        + " spec.externalName: not a DNS name in lower case: \"2001:db8::1\"",
                "Service | spec: {type: ExternalName, externalName: a..example} |"
                        + " spec.externalName: not a DNS name in lower case: \"a..example\"",
                "Service | spec: {type: ExternalName, externalName: a.example, ports: [{port: 0}]} |"
                        + " spec.ports[0].port: not a port number (1 to 65535): 0",
                "Service | spec: {ports: [{port: 80, nodePort: 30080}]} |"
                        + " spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
                "Service | spec: {type: ClusterIP, clusterIP: None, ports: [{port: 80, nodePort: 30080}]} |"
                        + " spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
                "Service | spec: {type: NodePort, ports: [{name: a, port: 80, nodePort: 30080}, {name: b, port: 81, nodePort: 30080}]} |"
                        + " spec.ports[1].nodePort: Duplicate value: 30080",
                "Service | spec: {ports: [{port: 80}], ipFamilyPolicy: SingleStack, ipFamilies: [IPv4, IPv6]} |"
                        + " spec.ipFamilyPolicy: must be RequireDualStack or PreferDualStack when multiple 'ipFamilies' are specified",
                "Service | spec: {ports: [{port: 80}], ipFamilyPolicy: SingleStack, clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1, 'fd00::1']} |"
                        + " spec.ipFamilyPolicy: must be RequireDualStack or PreferDualStack when multiple 'clusterIPs' are specified",
                "Service | spec: {ports: [{port: 80}], externalTrafficPolicy: Local} |"
                        + " spec.externalTrafficPolicy: may only be set for externally-accessible services",
                "Service | spec: {type: ExternalName, externalName: a.example, externalTrafficPolicy: Cluster} |"
                        + " spec.externalTrafficPolicy: may only be set for externally-accessible services",
                "Service | spec: {type: NodePort, ports: [{port: 80}], externalTrafficPolicy: Local, healthCheckNodePort: 30001} |"
                        + " spec.healthCheckNodePort: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
                "Service | spec: {type: LoadBalancer, ports: [{port: 80}], healthCheckNodePort: 30001} |"
                        + " spec.healthCheckNodePort: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
                "Service | spec: {ports: [{port: 80}], loadBalancerSourceRanges: [192.0.2.0/24]} |"
                        + " spec.loadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
                "Service | spec: {type: NodePort, ports: [{port: 80}], loadBalancerClass: example.org/fast} |"
                        + " spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
                "Service | spec: {ports: [{port: 80}], allocateLoadBalancerNodePorts: false} |"
                        + " spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
                "Service | spec: {ports: [{port: 80}], externalIPs: [192.0.2.1, 192.0.2.256]} |"
                        + " spec.externalIPs[1]: not an IP address: \"192.0.2.256\"",
                "Service | spec: {ports: [{port: 80}], externalIPs: [127.0.0.1]} |"
                        + " spec.externalIPs[0]: may not be in the loopback range (127.0.0.0/8, ::1/128): 127.0.0.1",
                "Service | spec: {ports: [{port: 80}], externalIPs: ['fe80::1']} |"
                        + " spec.externalIPs[0]: may not be in the link-local range (169.254.0.0/16, fe80::/10): fe80::1",
                "Service | spec: {ports: [{port: 80}], sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 0}}} |"
                        + " spec.sessionAffinityConfig.clientIP.timeoutSeconds: must be greater than 0 and less than or equal to 86400: 0",
                "Service | spec: {ports: [{port: 80}], sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 86401}}} |"
                        + " spec.sessionAffinityConfig.clientIP.timeoutSeconds: must be greater than 0 and less than or equal to 86400: 86401",
                "EndpointSlice | addressType: IPv4, endpoints: [{addresses: [127.1.2.3]}] |"
                        + " endpoints[0].addresses[0]: may not be in the loopback range (127.0.0.0/8, ::1/128): 127.1.2.3",
                "EndpointSlice | addressType: IPv6, endpoints: [{addresses: ['::1']}] |"
                        + " endpoints[0].addresses[0]: may not be in the loopback range (127.0.0.0/8, ::1/128): ::1",
                "EndpointSlice | addressType: IPv4, endpoints: [{addresses: [0.0.0.0]}] |"
                        + " endpoints[0].addresses[0]: may not be unspecified: 0.0.0.0",
                "EndpointSlice | addressType: IPv6, endpoints: [{addresses: ['::']}] |"
                        + " endpoints[0].addresses[0]: may not be unspecified: ::",
                "EndpointSlice | addressType: IPv4, endpoints: [{addresses: [169.254.169.254]}] | endpoints[0].addresses[0]:"
                        + " may not be in the link-local range (169.254.0.0/16, fe80::/10): 169.254.169.254",
                "EndpointSlice | addressType: IPv6, endpoints: [{addresses: ['febf::1']}] | endpoints[0].addresses[0]:"
                        + " may not be in the link-local range (169.254.0.0/16, fe80::/10): febf::1",
                "EndpointSlice | addressType: IPv4, endpoints: [{addresses: [224.0.0.251]}] | endpoints[0].addresses[0]:"
                        + " may not be in the link-local multicast range (224.0.0.0/24, ff02::/16): 224.0.0.251",
                "EndpointSlice | addressType: IPv6, endpoints: [{addresses: ['ff02::fb']}] | endpoints[0].addresses[0]:"
                        + " may not be in the link-local multicast range (224.0.0.0/24, ff02::/16): ff02::fb",
                "Endpoints | subsets: [{addresses: [{ip: 192.0.2.1}], notReadyAddresses: [{ip: 127.0.0.1}]}] |"
                        + " subsets[0].notReadyAddresses[0].ip:"
                        + " may not be in the loopback range (127.0.0.0/8, ::1/128): 127.0.0.1",
                "Pod | spec: {containers: [{name: a, image: b}, {name: a, image: c}]} |"
                        + " spec.containers[1].name: Duplicate value: \"a\"",
                "Pod | spec: {initContainers: [{name: a, image: c}], CONTAINERS} |"
                        + " spec.initContainers[0].name: Duplicate value: \"a\"",
                "Deployment | spec: {TEMPLATE {CONTAINERS, restartPolicy: Never}}} | spec.template.spec.restartPolicy:"
                        + " Unsupported value: \"Never\": supported values: \"Always\"",
                "DaemonSet | spec: {minReadySeconds: -1, TEMPLATE {CONTAINERS}}} |"
                        + " spec.minReadySeconds: must be greater than or equal to 0: -1",
                "ReplicationController | spec: {template: {metadata: {annotations: {a_: b}}, spec: {CONTAINERS}}} |"
                        + " spec.template.metadata.annotations[a_]: not an annotation key: \"a_\"",
                "Job | spec: {template: {spec: {CONTAINERS}}} | spec.template.spec.restartPolicy:"
                        + " Required value: valid values: \"OnFailure\", \"Never\"",
                "CronJob | spec: {jobTemplate: {spec: {template: {spec: {CONTAINERS, restartPolicy: Always}}}}} |"
                        + " spec.jobTemplate.spec.template.spec.restartPolicy: Unsupported value: \"Always\": supported"
                        + " values: \"OnFailure\", \"Never\"",
                "Pod | spec: {CONTAINERS, dnsPolicy: None} | spec.dnsConfig.nameservers:"
                        + " Required value: must provide at least one DNS nameserver when `dnsPolicy` is None",
                "Pod | spec: {CONTAINERS, dnsPolicy: None, dnsConfig: {nameservers: [], searches: [a]}} |"
                        + " spec.dnsConfig.nameservers:"
                        + " Required value: must provide at least one DNS nameserver when `dnsPolicy` is None",
                "Pod | spec: {CONTAINERS, dnsPolicy: Cluster} | spec.dnsPolicy: Unsupported value: \"Cluster\": supported"
                        + " values: \"ClusterFirst\", \"ClusterFirstWithHostNet\", \"Default\", \"None\"",
                "Pod | spec: {CONTAINERS, restartPolicy: Sometimes} | spec.restartPolicy: Unsupported value: \"Sometimes\":"
                        + " supported values: \"Always\", \"Never\", \"OnFailure\"",
                "Pod | spec: {containers: [{name: a, image: b, ports: [{containerPort: 0}]}]} |"
                        + " spec.containers[0].ports[0].containerPort: not a port number (1 to 65535): 0",
                "Pod | spec: {containers: [{name: a, image: b, ports: [{name: web, containerPort: 65536}]}]} |"
                        + " spec.containers[0].ports[0].containerPort: not a port number (1 to 65535): 65536",
                "Pod | spec: {initContainers: [{name: i, image: c, ports: [{containerPort: 65536}]}], CONTAINERS} |"
                        + " spec.initContainers[0].ports[0].containerPort: not a port number (1 to 65535): 65536",
                "Pod | spec: {containers: [{name: a, image: b, ports: [{name: x, containerPort: 80}, {name: x, containerPort: 81}]}]} |"
                        + " spec.containers[0].ports[1].name: Duplicate value: \"x\"",
                "Pod | spec: {containers: [{name: a, image: b, ports: [{containerPort: 80, protocol: HTTP}]}]} |"
                        + " spec.containers[0].ports[0].protocol: not TCP, UDP or SCTP: \"HTTP\"",
                "Pod | spec: {containers: [{name: a, image: b, ports: [{containerPort: 80, hostPort: 65536}]}]} |"
                        + " spec.containers[0].ports[0].hostPort: not a port number (1 to 65535): 65536",
                "Pod | spec: {containers: [{name: a, image: b, ports: [{containerPort: 80, hostPort: -1}]}]} |"
                        + " spec.containers[0].ports[0].hostPort: not a port number (1 to 65535): -1",
                "Pod | spec: {containers: [{name: a_b, image: b}]} |"
                        + " spec.containers[0].name: not a DNS label: \"a_b\"",
                "Pod | spec: {initContainers: [{name: A, image: b}], CONTAINERS} |"
                        + " spec.initContainers[0].name: not a DNS label: \"A\"",
                "Pod | spec: {containers: [{name: a, image: b, imagePullPolicy: Sometimes}]} |"
                        + " spec.containers[0].imagePullPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"IfNotPresent\", \"Never\"",
                "Pod | spec: {containers: [{name: a, image: b, volumeMounts: [{name: data, mountPath: /data}]}], volumes: [{name: other, emptyDir: {}}]} |"
                        + " spec.containers[0].volumeMounts[0].name: Not found: \"data\"",
                "StatefulSet | spec: {podManagementPolicy: Serial, TEMPLATE {CONTAINERS}}} |"
                        + " spec.podManagementPolicy: Unsupported value: \"Serial\": supported values: \"OrderedReady\", \"Parallel\"",
                "StatefulSet | spec: {updateStrategy: {type: Recreate}, TEMPLATE {CONTAINERS}}} |"
                        + " spec.updateStrategy.type: Unsupported value: \"Recreate\": supported values: \"RollingUpdate\", \"OnDelete\"",
                "StatefulSet | spec: {minReadySeconds: -1, TEMPLATE {CONTAINERS}}} |"
                        + " spec.minReadySeconds: must be greater than or equal to 0: -1",
                "StatefulSet | spec: {TEMPLATE {CONTAINERS, restartPolicy: Never}}} | spec.template.spec.restartPolicy:"
                        + " Unsupported value: \"Never\": supported values: \"Always\"",
                "Pod | spec: {CONTAINERS, dnsPolicy: None} | spec.dnsConfig.nameservers:"
                        + " Required value: must provide at least one DNS nameserver when `dnsPolicy` is None",
                "Service | spec: {type: LoadBalancer, ports: [{port: 80}], loadBalancerSourceRanges: [192.0.2.0/24, 192.0.2.1]} |"
                        + " spec.loadBalancerSourceRanges[1]: not an IP range such as 10.240.0.0/24: \"192.0.2.1\"",
                "Service | spec: {type: LoadBalancer, ports: [{port: 80}], loadBalancerSourceRanges: [192.0.2.0/33]} |"
                        + " spec.loadBalancerSourceRanges[0]: not an IP range such as 10.240.0.0/24: \"192.0.2.0/33\"",
                "Service | spec: {type: LoadBalancer, ports: [{port: 80}], loadBalancerSourceRanges: ['2001:db8::/129']} |"
                        + " spec.loadBalancerSourceRanges[0]: not an IP range such as 10.240.0.0/24: \"2001:db8::/129\"",
                "Service | spec: {type: LoadBalancer, ports: [{port: 80}], loadBalancerSourceRanges: ['192.0.2.0/24,192.0.3.0/24']} |"
                        + " spec.loadBalancerSourceRanges[0]: not an IP range such as 10.240.0.0/24: \"192.0.2.0/24,192.0.3.0/24\"",
                "Service | spec: {type: LoadBalancer, ports: [{port: 80}], loadBalancerSourceRanges: [example.org/24]} |"
                        + " spec.loadBalancerSourceRanges[0]: not an IP range such as 10.240.0.0/24: \"example.org/24\"",
                "Service | spec: {type: LoadBalancer, ports: [{port: 80}], loadBalancerClass: a/b/c} |"
                        + " spec.loadBalancerClass: not a qualified name: \"a/b/c\"",
                "Service | spec: {type: LoadBalancer, ports: [{port: 80}], loadBalancerClass: ''} |"
                        + " spec.loadBalancerClass: not a qualified name: \"\"",
                "Service | spec: {ports: [{port: 80, appProtocol: a b}]} |"
                        + " spec.ports[0].appProtocol: not a qualified name: \"a b\"",
                "Service | spec: {ports: [{port: 80, appProtocol: ''}]} |"
                        + " spec.ports[0].appProtocol: not a qualified name: \"\"",
                "Service | spec: {ports: [{port: 80, appProtocol: Example.org/h2c}]} |"
                        + " spec.ports[0].appProtocol: not a qualified name: \"Example.org/h2c\"",
                "EndpointSlice | addressType: IPv4, endpoints: [], ports: [{port: 80, appProtocol: /h2c}] |"
                        + " ports[0].appProtocol: not a qualified name: \"/h2c\"",
                "Endpoints | subsets: [{addresses: [{ip: 192.0.2.1}], ports: [{port: 80, appProtocol: h2c-}]}] |"
                        + " subsets[0].ports[0].appProtocol: not a qualified name: \"h2c-\"",
                "Service | metadata: {name: db, namespace: shop, annotations: {'a b': c}}, spec: {ports: [{port: 80}]} |"
                        + " metadata.annotations[a b]: not an annotation key: \"a b\"",
                "Pod | metadata: {name: db, namespace: shop, annotations: {a/b/c: d}}, spec: {CONTAINERS} |"
                        + " metadata.annotations[a/b/c]: not an annotation key: \"a/b/c\"",
                "StatefulSet | metadata: {name: db, namespace: shop, annotations: {-a: b}}, spec: {TEMPLATE {CONTAINERS}}} |"
                        + " metadata.annotations[-a]: not an annotation key: \"-a\"",
                "StatefulSet | spec: {selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}, annotations: {a_: b}}, spec: {CONTAINERS}}} |"
                        + " spec.template.metadata.annotations[a_]: not an annotation key: \"a_\"",
                "EndpointSlice | metadata: {name: db, namespace: shop, finalizers: [example.org/]}, addressType: IPv4, endpoints: [] |"
                        + " metadata.finalizers[0]: not a qualified name: \"example.org/\"",
                "Service | metadata: {name: db, namespace: shop, finalizers: [example.org/a, 'a b']}, spec: {ports: [{port: 80}]} |"
                        + " metadata.finalizers[1]: not a qualified name: \"a b\"",
                "Pod | metadata: {name: db, namespace: shop, ownerReferences: [{kind: ReplicaSet, name: a, uid: b}]}, spec: {CONTAINERS} |"
                        + " metadata.ownerReferences[0].apiVersion: must not be empty",
                "Pod | metadata: {name: db, namespace: shop, ownerReferences: [{apiVersion: apps/v1, name: a, uid: b}]}, spec: {CONTAINERS} |"
                        + " metadata.ownerReferences[0].kind: must not be empty",
                "Pod | metadata: {name: db, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, uid: b}]}, spec: {CONTAINERS} |"
                        + " metadata.ownerReferences[0].name: must not be empty",
                "Pod | metadata: {name: db, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: a}]}, spec: {CONTAINERS} |"
                        + " metadata.ownerReferences[0].uid: must not be empty",
                "Pod | metadata: {name: db, namespace: shop, ownerReferences: [{apiVersion: apps/, kind: ReplicaSet, name: a, uid: b}]}, spec: {CONTAINERS} |"
                        + " metadata.ownerReferences[0].apiVersion: must not be empty",
                "Pod | spec: {CONTAINERS, dnsConfig: {nameservers: [192.0.2.1, ns.example.org]}} |"
                        + " spec.dnsConfig.nameservers[1]: Invalid value: \"ns.example.org\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "Pod | spec: {CONTAINERS, dnsConfig: {nameservers: [192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4]}} |"
                        + " spec.dnsConfig.nameservers: must not have more than 3 nameservers",
                "Pod | spec: {CONTAINERS, dnsConfig: {options: [{name: ndots, value: '2'}, {value: '3'}]}} |"
                        + " spec.dnsConfig.options[1]: Required value: must not be empty",
                "Pod | spec: {containers: [{name: a, image: b, ports: [{containerPort: 80, hostPort: 8080}]}, {name: c, image: d, ports: [{containerPort: 81, hostPort: 8080, protocol: TCP}]}]} |"
                        + " spec.containers[1].ports[0].hostPort: Duplicate value: \"TCP//8080\"",
                "Pod | spec: {containers: [{name: a, image: b, ports: [{containerPort: 80, hostPort: 8080, hostIP: 192.0.2.1}, {containerPort: 81, hostPort: 8080, hostIP: 192.0.2.1}]}]} |"
                        + " spec.containers[0].ports[1].hostPort: Duplicate value: \"TCP/192.0.2.1/8080\"",
                "Pod | spec: {containers: [{name: a, image: b, volumeMounts: [{mountPath: /data}]}]} |"
                        + " spec.containers[0].volumeMounts[0].name: Required value",
                "Pod | spec: {containers: [{name: a, image: b, volumeMounts: [{name: data}]}], volumes: [{name: data}]} |"
                        + " spec.containers[0].volumeMounts[0].mountPath: Required value",
                "Pod | spec: {initContainers: [{name: i, image: b, volumeMounts: [{name: data, mountPath: ''}]}], CONTAINERS, volumes: [{name: data}]} |"
                        + " spec.initContainers[0].volumeMounts[0].mountPath: Required value",
                "Pod | spec: {CONTAINERS, volumes: [{name: data}, {name: other}, {name: data, emptyDir: {}}]} |"
                        + " spec.volumes[2].name: Duplicate value: \"data\"",
                "StatefulSet | spec: {updateStrategy: {type: OnDelete, rollingUpdate: {partition: 1}}, TEMPLATE {CONTAINERS}}} |"
                        + " spec.updateStrategy.rollingUpdate: only allowed for updateStrategy 'RollingUpdate'",
                "StatefulSet | spec: {updateStrategy: {type: OnDelete, rollingUpdate: {}}, TEMPLATE {CONTAINERS}}} |"
                        + " spec.updateStrategy.rollingUpdate: only allowed for updateStrategy 'RollingUpdate'",
                "Service | spec: {clusterIPs: [10.0.0.1], ports: [{port: 80}]} |"
                        + " spec.clusterIPs: must be empty when `clusterIP` is not specified",
                "Service | spec: {clusterIP: '', clusterIPs: [None]} |"
                        + " spec.clusterIPs: must be empty when `clusterIP` is not specified",
                "Endpoints | subsets: [{addresses: [{ip: 192.0.2.1}], ports: [{name: a, port: 80}, {port: 81}]}] |"
                        + " subsets[0].ports[1].name: Required value, as the subset has several ports",
                "Pod | spec: {hostNetwork: true, containers: [{name: a, image: b, ports: [{containerPort: 80, hostPort: 81}]}]} |"
                        + " spec.containers[0].ports[0].hostPort: must match `containerPort` when `hostNetwork` is true: 81",
                "Pod | spec: {hostNetwork: true, containers: [{name: a, image: b, ports: [{containerPort: 80}]}, {name: c, image: d, ports: [{containerPort: 80}]}]} |"
                        + " spec.containers[1].ports[0].hostPort: Duplicate value: \"TCP//80\"",
                "Service | spec: {type: ExternalName, externalName: a.example, selector: {app: 'a b'}} |"
                        + " spec.selector[app]: not a label value: \"a b\"",
                "Service | metadata: {name: db, namespace: shop, finalizers: [Orphan]}, spec: {ports: [{port: 80}]} |"
                        + " metadata.finalizers[0]: neither a standard finalizer nor a name with a domain, such as example.org/cleanup",
                "EndpointSlice | addressType: FQDN, endpoints: [{addresses: []}] |"
                        + " endpoints[0].addresses: an endpoint without an address",
                "EndpointSlice | addressType: FQDN, endpoints: [{addresses: [a.example, A.example]}] |"
                        + " endpoints[0].addresses[1]: not a DNS name of at least two labels: \"A.example\"",
                "EndpointSlice | addressType: FQDN, endpoints: [{addresses: [a.]}] |"
                        + " endpoints[0].addresses[0]: not a DNS name of at least two labels: \"a.\"",
                "EndpointSlice | addressType: FQDN, endpoints: [{addresses: [null]}] |"
                        + " endpoints[0].addresses[0]: not a DNS name of at least two labels: \"\"",
                "EndpointSlice | addressType: FQDN, endpoints: [{addresses: [a.example], hostname: A}] |"
                        + " endpoints[0].hostname: not a DNS label: \"A\"",
                "EndpointSlice | addressType: FQDN, endpoints: [{addresses: [a.example], nodeName: A_}] |"
                        + " endpoints[0].nodeName: not a DNS subdomain: \"A_\"",
                "Service | spec: {ports: [{port: 80}], internalTrafficPolicy: ''} |"
                        + " spec.internalTrafficPolicy: must not be empty",
                "EndpointSlice | addressType: IPv4, endpoints: [{addresses: [192.0.2.1], hostname: ''}] |"
                        + " endpoints[0].hostname: must not be empty",
                "EndpointSlice | addressType: FQDN, endpoints: [{addresses: [a.example], nodeName: ''}] |"
                        + " endpoints[0].nodeName: must not be empty",
                "EndpointSlice | addressType: IPv4, endpoints: [], ports: [{port: 80, protocol: ''}] |"
                        + " ports[0].protocol: must not be empty",
                "Endpoints | subsets: [{notReadyAddresses: [{ip: 192.0.2.1, nodeName: ''}]}] |"
                        + " subsets[0].notReadyAddresses[0].nodeName: must not be empty",
                "Service | spec: {ports: [{port: 80}], ipFamilies: [IPv4, null]} |"
                        + " spec.ipFamilies[1]: must not be null",
                "Service | spec: {type: ExternalName, externalName: a.example, externalIPs: [null]} |"
                        + " spec.externalIPs[0]: must not be null",
                "Service | spec: {type: LoadBalancer, ports: [{port: 80}], loadBalancerSourceRanges: [null]} |"
                        + " spec.loadBalancerSourceRanges[0]: must not be null",
                "Pod | metadata: {name: db, namespace: shop, finalizers: [orphan, null]}, spec: {CONTAINERS} |"
                        + " metadata.finalizers[1]: must not be null",
                "Pod | spec: {containers: [{name: a, image: b, volumeMounts: [{name: v, mountPath: /a}, {name: w, mountPath: /a}]}], volumes: [{name: v}, {name: w}]} |"
                        + " spec.containers[0].volumeMounts[1].mountPath: Duplicate value: \"/a\"",
                "Pod | spec: {initContainers: [{name: i, image: b, env: [{value: x}]}], CONTAINERS} |"
                        + " spec.initContainers[0].env[0].name: Required value",
                "StatefulSet | spec: {replicas: -1, TEMPLATE {CONTAINERS}}} |"
                        + " spec.replicas: negative, so read as 1: -1",
            })
    void aValueThatIsRefusedIsAFault(String kind, String body, String fault) {
        String text = text(kind, body);

        assertThat(ManifestText.asApplied(text).warnings())
                .as("one warning for one fault")
                .filteredOn(line -> !line.contains("(s)") && !line.contains(" no record"))
                .singleElement()
                .asString()
                .endsWith(" " + kind + " shop/db, " + fault);
        assertThatThrownBy(() -> ManifestText.of(text, ManifestOptions.DEFAULTS.withStrict()))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining(fault);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Service | spec: {ports: [{port: 80}]}",
                "Service | spec: {ports: [{port: 80, name: ''}], sessionAffinity: '', externalTrafficPolicy: ''}",
                "Service | spec: {ports: [{name: a, port: 80}, {name: b, port: 80, protocol: UDP}]}",
                "Service | spec: {ports: [{name: a, port: 80, targetPort: x}, {name: b, port: 81, targetPort: x}]}",
                "Service | spec: {type: NodePort, ports: [{port: 80, nodePort: 30080}], externalTrafficPolicy: Local}",
                "Service | spec: {type: LoadBalancer, ports: [{port: 80, nodePort: 0}], internalTrafficPolicy: Cluster}",
                "Service | spec: {ports: [{port: 80, nodePort: null}], sessionAffinity: ClientIP}",
                "Service | spec: {ports: [{port: 80}], clusterIP: 'fd00::1', ipFamilies: [IPv6, IPv4]}",
                "Service | spec: {clusterIP: None, ipFamilies: [IPv6, IPv4], ipFamilyPolicy: RequireDualStack}",
                "Service | spec: {type: ExternalName, externalName: a.example., clusterIP: '', clusterIPs: []}",
                "Service | spec: {type: ExternalName, externalName: 192.0.2.1, ports: [{port: 443}]}",
                "Service | spec: {ports: [{port: 80, nodePort: 0}], externalIPs: [192.0.2.1],"
                        + " externalTrafficPolicy: Local}",
                "Service | spec: {type: NodePort, ports: [{name: a, port: 80, nodePort: 30080}, {name: b,"
                        + " port: 80, nodePort: 30080, protocol: UDP}]}",
                "Service | spec: {type: LoadBalancer, ports: [{port: 80}], externalTrafficPolicy: Local,"
                        + " healthCheckNodePort: 30001, loadBalancerClass: a/b, allocateLoadBalancerNodePorts:"
                        + " false, loadBalancerSourceRanges: [192.0.2.0/24]}",
                "Service | spec: {ports: [{port: 80}], loadBalancerSourceRanges: [], loadBalancerClass:"
                        + " null, healthCheckNodePort: 0}",
                "Service | spec: {ports: [{port: 80}], ipFamilies: [IPv4, IPv6]}",
                "Service | spec: {ports: [{port: 80}], sessionAffinity: None, sessionAffinityConfig:"
                        + " {clientIP: {timeoutSeconds: 0}}}",
                "Service | spec: {ports: [{port: 80}], sessionAffinity: ClientIP, sessionAffinityConfig:"
                        + " {clientIP: {timeoutSeconds: 86400}}}",
                "Pod | spec: {containers: [{name: a, image: b, ports: [{name: x, containerPort: 80}]},"
                        + " {name: c, image: b, ports: [{name: x, containerPort: 81, hostPort: 0}]}]}",
                "Pod | spec: {containers: [{name: a, image: b, imagePullPolicy: IfNotPresent,"
                        + " volumeMounts: [{name: data, mountPath: /data}]}], volumes: [{name: data}]}",
                "StatefulSet | spec: {volumeClaimTemplates: [{metadata: {name: data}}], TEMPLATE"
                        + " {containers: [{name: a, image: b, volumeMounts: [{name: data, mountPath: /data}]}]}}}",
                "StatefulSet | spec: {podManagementPolicy: Parallel, updateStrategy: {type: OnDelete},"
                        + " minReadySeconds: 0, TEMPLATE {CONTAINERS}}}",
                "EndpointSlice | addressType: IPv4, endpoints: [{addresses: [128.0.0.1, 126.255.255.255, 169.253.0.1]}]",
                "EndpointSlice | addressType: IPv4, endpoints: [{addresses: [0.0.0.1, 224.0.1.1, 239.1.1.1]}]",
                "EndpointSlice | addressType: IPv6, endpoints: [{addresses: ['::2', 'fec0::1', 'ff05::1']}]",
                "Endpoints | subsets: [{addresses: [{ip: 192.0.2.1}], ports: [{port: 80}]}]",
                "Endpoints | subsets: [{addresses: [{ip: 192.0.2.1}], ports: [{name: dns, port: 53, protocol: UDP}, {name: dns, port: 53}, {name: dns, port: 54}]}]",
                "Pod | spec: {initContainers: [{name: i, image: c}], CONTAINERS}",
                "Pod | spec: {CONTAINERS, dnsPolicy: None, dnsConfig: {nameservers: [192.0.2.1]}, restartPolicy: OnFailure}",
                "Pod | spec: {CONTAINERS, dnsPolicy: '', restartPolicy: ''}",
                "Pod | spec: {CONTAINERS, dnsPolicy: ClusterFirstWithHostNet, restartPolicy: Never}",
                "Pod | spec: {containers: [{name: a, image: b, ports: [{containerPort: 80}, {containerPort: 80}]}]}",
                "StatefulSet | spec: {TEMPLATE {CONTAINERS, restartPolicy: Always, dnsPolicy: Default}}}",
                "Service | spec: {type: LoadBalancer, ports: [{port: 80}], loadBalancerSourceRanges: [192.0.2.1/24, ' 192.0.2.0/24 ', '2001:db8::/32', 010.0.0.0/08], loadBalancerClass: fast}",
                "Service | spec: {ports: [{name: a, port: 80, appProtocol: kubernetes.io/h2c}, {name: b, port: 81, appProtocol: null}]}",
                "Service | metadata: {name: db, namespace: shop, annotations: {Example.ORG/Key: '', a_b.c: d}, finalizers: [example.org/Key, orphan]}, spec: {ports: [{port: 80}]}",
                "Pod | metadata: {name: db, namespace: shop, ownerReferences: [{apiVersion: v1, kind: Node, name: a, uid: b}]}, spec: {CONTAINERS}",
                "Pod | spec: {CONTAINERS, dnsConfig: {nameservers: [192.0.2.1, '2001:db8::1'], searches: [a.example., _b.example, .], options: [{name: x}, {name: ndots, value: '2'}]}}",
                "Pod | spec: {CONTAINERS, dnsConfig: {}, hostnameOverride: A_B}",
                "Pod | spec: {CONTAINERS, dnsPolicy: Default, dnsConfig: null}",
                "Pod | spec: {containers: [{name: a, image: b, ports: [{containerPort: 80, hostPort: 8080}, {containerPort: 80, hostPort: 8080, protocol: UDP}, {containerPort: 80, hostPort: 8080, hostIP: 192.0.2.1}, {containerPort: 80, hostPort: 0}, {containerPort: 80, hostPort: 0}]}]}",
                "StatefulSet | spec: {updateStrategy: {type: OnDelete, rollingUpdate: null}, replicas: 0, TEMPLATE {CONTAINERS}}}",
                "StatefulSet | spec: {updateStrategy: {rollingUpdate: {partition: 1}}, TEMPLATE {CONTAINERS, volumes: [{name: a}, {name: a}], dnsConfig: {nameservers: [a]}}}}",
                "Service | spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ports: [{port: 80}]}",
                "Service | spec: {clusterIPs: [], ports: [{port: 80}]}",
                "Endpoints | subsets: [{addresses: [{ip: 192.0.2.1, hostname: ''}], ports: [{name: '', port: 80, protocol: ''}]}]",
                "Pod | spec: {hostNetwork: true, initContainers: [{name: i, image: b, ports: [{containerPort: 80, hostPort: 81}]}], containers: [{name: a, image: b, ports: [{containerPort: 80, hostPort: 0}, {containerPort: 80, protocol: UDP}, {containerPort: 80, hostIP: 192.0.2.1}, {containerPort: 81, hostPort: 81}]}]}",
                "Pod | spec: {hostNetwork: false, containers: [{name: a, image: b, ports: [{containerPort: 80, hostPort: 81}]}]}",
                "Service | spec: {type: ExternalName, externalName: a.example, selector: {app: a, b: null}}",
                "Service | metadata: {name: db, namespace: shop, finalizers: [kubernetes, foregroundDeletion]}, spec: {ports: [{port: 80}]}",
                "EndpointSlice | addressType: FQDN, endpoints: [{addresses: [a.example., 192.0.2.1, a.example.]}]",
                "EndpointSlice | addressType: IPv4, endpoints: [{addresses: [192.0.2.1], hostname: null, nodeName: null, zone: ''}], ports: [{port: 80, name: '', protocol: null}]",
                "Pod | spec: {containers: [{name: a, image: b, volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /a/}]}, {name: c, image: b, volumeMounts: [{name: v, mountPath: /a}]}], volumes: [{name: v}]}",
                "EndpointSlice | addressType: FQDN, endpoints: [{addresses: [db.example.org, 127.0.0.1]}], ports: [{appProtocol: h2c}]",
            })
    void valuesThatAnApiServerAcceptsAreAccepted(String kind, String body) {
        assertThat(ManifestText.asApplied(text(kind, body)).warnings())
                .filteredOn(line -> line.contains(kind + " shop/db, "))
                .isEmpty();
    }

    /** API servers up to 1.30 accept these, though they cannot create Pods of them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{CONTAINERS, dnsPolicy: None} | dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None",
                "{CONTAINERS, dnsPolicy: Foo} | dnsPolicy: Unsupported value: \"Foo\": supported values: \"ClusterFirst\", \"ClusterFirstWithHostNet\", \"Default\", \"None\"",
                "{CONTAINERS, nodeName: A_} | nodeName: not a DNS subdomain: \"A_\"",
                "{containers: [{name: a, image: b}, {name: a, image: b}]} | containers[1].name: Duplicate value: \"a\"",
                "{containers: [{name: a, image: b, ports: [{containerPort: 0}]}]} | containers[0].ports[0].containerPort: not a port number (1 to 65535): 0",
                "{containers: [{name: a, image: b, ports: [{name: x, containerPort: 0}]}]} | containers[0].ports[0].containerPort: not a port number (1 to 65535): 0",
                "{containers: [{name: a, image: b, ports: [{name: x, containerPort: 80, protocol: tcp}]}]} | containers[0].ports[0].protocol: not TCP, UDP or SCTP: \"tcp\"",
            })
    void aValueInTheTemplateOfAStatefulSetIsReportedOnce(String podSpec, String note) {
        ManifestText text = ManifestText.of(
                text("StatefulSet", "spec: {TEMPLATE " + podSpec + "}}"), ManifestOptions.DEFAULTS.withStrict());

        assertThat(text.notes())
                .filteredOn(line -> line.contains(" spec.template."))
                .singleElement()
                .asString()
                .endsWith(" StatefulSet shop/db, spec.template.spec." + note);
    }

    @Test
    void aValueOfAWrongTypeInTheTemplateOfAStatefulSetIsAFault() {
        String body =
                "spec: {TEMPLATE {hostNetwork: x, containers: [{name: a, image: b, ports: [{containerPort: y}]}]}}}";

        assertThat(ManifestText.asApplied(text("StatefulSet", body)).warnings())
                .extracting(line -> line.substring(0, line.indexOf(' ')))
                .startsWith("wrong-type", "wrong-type");
        assertThat(ManifestText.asApplied(text("StatefulSet", body)).notes())
                .noneMatch(line -> line.contains(" spec.template."));
    }

    /** Objects of an API server are not checked again. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Service | spec: {ports: [{name: a, port: 80}, {port: 80}], sessionAffinity: Client}",
                "Service | spec: {type: ExternalName, externalName: A.example, clusterIP: None}",
                "EndpointSlice | addressType: IPv4, endpoints: [{addresses: [127.0.0.1]}]",
                "Service | spec: {ports: [{port: 80, nodePort: 30080}], externalTrafficPolicy: Local}",
                "Pod | spec: {containers: [{name: a_b, image: c, env: [{name: a, value: 1}]}]}",
                "Pod | spec: {containers: [{name: a, image: b}, {name: a, image: c}], dnsPolicy: None}",
            })
    void noValueIsRefusedAsIs(String kind, String body) {
        assertThat(ManifestText.asIs(text(kind, body)).warnings()).isEmpty();
    }

    /** The SRV names of these ports differ, so both are published where no valid Service is. */
    @ParameterizedTest
    @ValueSource(strings = {"{name: a, port: 80}, {port: 81}", "{name: a, port: 80}, {name: b, port: 80}"})
    void aServiceWithRefusedPortsIsUsedOnlyIfThereIsNoValidOne(String ports) {
        String faulty = text("Service", "spec: {clusterIP: 10.0.0.1, ports: [" + ports + "]}");
        String valid = text("Service", "spec: {clusterIP: 10.0.0.1, ports: [{port: 90}]}");

        assertThat(ManifestText.asApplied(faulty).only(ClusterIpService.class).ports())
                .hasSize(2);
        assertThat(ManifestText.asApplied(valid + "\n---\n" + faulty)
                        .only(ClusterIpService.class)
                        .ports())
                .extracting(ServicePort::port)
                .containsExactly(90);
    }

    @Test
    void anExternalNameInUpperCaseIsUsedIfThereIsNoValidService() {
        assertThat(ManifestText.asApplied(text("Service", "spec: {type: ExternalName, externalName: A.example}"))
                        .only(ExternalNameService.class)
                        .externalName())
                .contains("A.example");
    }

    @Test
    void onlyARefusedAddressIsOmitted() {
        String endpoints =
                "addressType: IPv4, endpoints: [{addresses: [127.0.0.1, 192.0.2.1]}, {addresses: [0.0.0.0]}]";

        assertThat(ManifestText.asApplied(text("EndpointSlice", endpoints))
                        .only(EndpointSlice.class)
                        .endpoints())
                .singleElement()
                .extracting(endpoint -> endpoint.addresses().toString())
                .isEqualTo("[192.0.2.1]");
    }

    @Test
    void searchDomainsBeyondTheLimitsAreAFault() {
        String domain = "a".repeat(62) + ".";
        assertThat(searchFaults(Collections.nCopies(32, domain))).isEmpty();
        assertThat(searchFaults(Collections.nCopies(33, "a")))
                .containsExactly("must not have more than 32 search paths");
        assertThat(searchFaults(Collections.nCopies(32, domain + "a")))
                .containsExactly("must not have more than 2048 characters (including spaces) in the search list");
        assertThat(searchFaults(List.of("a_.example", "a..example")))
                .hasSize(2)
                .allMatch(text -> text.contains("a lowercase RFC 1123 subdomain must consist of"));
    }

    private static List<String> searchFaults(List<String> searches) {
        String body = "spec: {CONTAINERS, dnsConfig: {searches: [" + String.join(", ", searches) + "]}}";
        return ManifestText.asApplied(text("Pod", body)).warnings().stream()
                .filter(line -> line.contains(" spec.dnsConfig.searches"))
                .map(line -> line.substring(line.lastIndexOf(": ") + 2))
                .toList();
    }

    @Test
    void anEndpointHasAtMostAHundredAddresses() {
        for (String type : List.of("IPv4", "FQDN")) {
            assertThat(addressFaults(type, 100)).isEmpty();
            assertThat(addressFaults(type, 101)).singleElement().asString().contains("more than 100 addresses");
        }
    }

    private static List<String> addressFaults(String type, int count) {
        String addresses =
                IntStream.rangeClosed(1, count).mapToObj(i -> "192.0.2." + i).collect(Collectors.joining(", "));
        String body = "addressType: " + type + ", endpoints: [{addresses: [" + addresses + "]}]";
        return ManifestText.asApplied(text("EndpointSlice", body)).warnings().stream()
                .filter(line -> line.contains(" endpoints[0]"))
                .toList();
    }

    @Test
    void theRefusalsAreTheFaultsOfObjectsInUse() {
        ManifestResult result = ManifestText.asApplied(String.join(
                        "\n---\n",
                        text("Service", "spec: {ports: [{name: A, port: 80}], unknown: 1, loadBalancerIP: None}"),
                        text("Endpoints", "subsets: [{addresses: [{ip: 127.0.0.1}]}]"),
                        text("Endpoints", "subsets: []"),
                        text("Pod", "spec: {containers: []}")))
                .result();
        assertThat(result.refusals())
                .as("not fields that are dropped, an object with another document, and a skipped one")
                .extracting(
                        one -> one.object().orElseThrow() + " " + one.field().orElseThrow())
                .containsExactly("Service shop/db spec.ports[0].name");
        assertThat(result.diagnostics()).containsAll(result.refusals());
    }
}
