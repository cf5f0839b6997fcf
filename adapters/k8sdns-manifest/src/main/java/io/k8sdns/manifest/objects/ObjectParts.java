package io.k8sdns.manifest.objects;

import io.k8sdns.json.ConfigMap;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.CronJob;
import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Job;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Node;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.ReplicaWorkload;
import io.k8sdns.model.ServiceExport;
import io.k8sdns.model.ServicePort;
import io.k8sdns.model.StatefulSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Describes the parts of an object in words, to show the differences between two objects. */
final class ObjectParts {
    private final Set<String> parts = new LinkedHashSet<>();

    private ObjectParts() {}

    /** Returns the parts, the most important first. */
    static Set<String> of(Object object) {
        ObjectParts all = new ObjectParts();
        if (object instanceof ClusterIpService service) {
            all.clusterIp(service);
        } else if (object instanceof HeadlessService service) {
            all.headless(service);
        } else if (object instanceof ExternalNameService service) {
            all.externalName(service);
        } else if (object instanceof EndpointSlice slice) {
            all.slice(slice);
        } else if (object instanceof Endpoints endpoints) {
            all.endpoints(endpoints);
        } else if (object instanceof Pod pod) {
            all.pod(pod);
        } else if (object instanceof StatefulSet set) {
            all.statefulSet(set);
        } else if (object instanceof ReplicaWorkload workload) {
            all.replicas(workload);
        } else if (object instanceof DaemonSet set) {
            all.daemonSet(set);
        } else if (object instanceof Job job) {
            all.job(job);
        } else if (object instanceof CronJob job) {
            all.template(job.template());
        } else if (object instanceof Node node) {
            all.node(node);
        } else if (object instanceof Namespace namespace) {
            all.labels("label", namespace.labels());
        } else if (object instanceof ServiceExport export) {
            all.labels("label", export.labels());
        } else if (object instanceof ConfigMap map) {
            all.configMap(map);
        } else {
            throw new AssertionError(object);
        }
        return all.parts;
    }

    private void clusterIp(ClusterIpService service) {
        add("clusterIP", service.clusterIps());
        servicePorts(service.ports());
        selection(service.selection());
        flag("publishNotReadyAddresses", service.publishNotReadyAddresses());
        labels("label", service.labels());
    }

    private void headless(HeadlessService service) {
        parts.add("clusterIP None");
        servicePorts(service.ports());
        selection(service.selection());
        flag("publishNotReadyAddresses", service.publishNotReadyAddresses());
        labels("label", service.labels());
    }

    private void externalName(ExternalNameService service) {
        text("externalName", service.externalName());
        labels("label", service.labels());
    }

    private void slice(EndpointSlice slice) {
        slice.serviceName().ifPresent(name -> parts.add("service name " + name));
        slice.endpoints().forEach(this::endpoint);
        endpointPorts(slice.ports());
        labels("label", slice.labels());
    }

    private void endpoints(Endpoints endpoints) {
        for (Endpoints.Subset subset : endpoints.subsets()) {
            subset.addresses().forEach(address -> parts.add("address " + address.ip()));
            subset.notReadyAddresses().forEach(address -> parts.add("not ready address " + address.ip()));
            endpointPorts(subset.ports());
        }
    }

    private void pod(Pod pod) {
        add("address", pod.ips());
        pod.phase().ifPresent(phase -> parts.add("phase " + phase));
        pod.ready().ifPresent(ready -> parts.add("condition Ready " + (ready ? "True" : "False")));
        flag("deletionTimestamp", pod.terminating());
        flag("hostNetwork", pod.hostNetwork());
        text("nodeName", pod.nodeName());
        text("hostname", pod.hostname());
        text("subdomain", pod.subdomain());
        text("dnsPolicy", pod.dnsPolicy());
        pod.dnsConfig().ifPresent(this::dnsConfig);
        pod.hostAliases().forEach(alias -> parts.add("host alias " + alias.ip() + " " + alias.hostnames()));
        text("os", pod.os());
        containerPorts(pod.ports());
        labels("label", pod.labels());
    }

    private void dnsConfig(DnsConfig config) {
        config.nameservers().forEach(server -> parts.add("nameserver " + server));
        config.searches().forEach(domain -> parts.add("search domain " + domain));
        config.options().forEach(option -> parts.add("resolver option " + option));
    }

    private void statefulSet(StatefulSet set) {
        parts.add("replicas " + set.replicas());
        parts.add("ordinals from " + set.firstOrdinal());
        text("serviceName", set.serviceName());
        template(set.template());
    }

    private void replicas(ReplicaWorkload workload) {
        parts.add("replicas " + workload.replicas());
        labels("selector", workload.selector());
        text("Deployment", workload.deployment());
        template(workload.template());
    }

    private void daemonSet(DaemonSet set) {
        labels("selector", set.selector());
        template(set.template());
        set.placement()
                .tolerations()
                .forEach(one -> parts.add("toleration of " + (one.key().isEmpty() ? "every taint" : one.key())));
        set.placement().affinity().forEach(term -> parts.add("node affinity " + term.labels()));
    }

    private void job(Job job) {
        parts.add(job.pods() + " Pods");
        flag("completionMode Indexed", job.indexed());
        template(job.template());
    }

    private void node(Node node) {
        add("address", node.internalIps());
        add("external address", node.externalIps());
        labels("label", node.labels());
        node.taints().forEach(taint -> parts.add("taint " + taint));
    }

    private void configMap(ConfigMap map) {
        map.data().keySet().forEach(key -> parts.add("key " + key));
    }

    private void template(PodTemplate template) {
        text("hostname", template.hostname());
        text("subdomain", template.subdomain());
        flag("hostNetwork", template.hostNetwork());
        containerPorts(template.ports());
        labels("node selector", template.nodeSelector());
        labels("template label", template.labels());
    }

    private void add(String word, List<IpAddress> addresses) {
        addresses.forEach(address -> parts.add(word + " " + address));
    }

    private void text(String word, Optional<String> text) {
        text.ifPresent(value -> parts.add(word + " " + value));
    }

    private void flag(String word, boolean set) {
        if (set) {
            parts.add(word);
        }
    }

    private void labels(String word, Labels labels) {
        labels.values().forEach((key, value) -> parts.add(word + " " + key + "=" + value));
    }

    private void selection(EndpointSelection selection) {
        selection.selector().ifPresent(labels -> labels("selector", labels));
        selection.ipFamilies().forEach(family -> parts.add("family " + family));
        selection.ipFamilyPolicy().ifPresent(policy -> parts.add("policy " + policy));
    }

    private void servicePorts(List<ServicePort> ports) {
        for (ServicePort port : ports) {
            parts.add("port " + port.name().map(name -> name + " ").orElse("") + port.port() + "/" + port.protocol());
            String target = port.targetPort()
                    .fold(numbered -> String.valueOf(numbered.port()), named -> named.name(), unknown -> "(unknown)");
            if (!target.equals(String.valueOf(port.port()))) {
                parts.add("targetPort " + target + " of port " + port.port() + "/" + port.protocol());
            }
        }
    }

    private void endpointPorts(List<EndpointPort> ports) {
        for (EndpointPort port : ports) {
            String number = port.port().isPresent() ? String.valueOf(port.port().getAsInt()) : "any";
            parts.add("port " + port.name().map(name -> name + " ").orElse("") + number + "/" + port.protocol());
        }
    }

    private void containerPorts(List<ContainerPort> ports) {
        ports.forEach(port -> parts.add("port " + port.name() + " " + port.port() + "/" + port.protocol()));
    }

    private void endpoint(Endpoint endpoint) {
        String readiness = endpoint.isReady() ? "ready" : "not ready";
        endpoint.addresses().forEach(address -> parts.add(readiness + " endpoint " + address));
        text("hostname", endpoint.hostname());
    }
}
