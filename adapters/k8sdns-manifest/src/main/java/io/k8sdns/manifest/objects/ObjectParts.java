package io.k8sdns.manifest.objects;

import io.k8sdns.json.ConfigMap;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.CronJob;
import io.k8sdns.model.DaemonSet;
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
            all.add("clusterIP", service.clusterIps());
            all.servicePorts(service.ports());
            all.selection(service.selection());
            all.flag("publishNotReadyAddresses", service.publishNotReadyAddresses());
            all.labels("label", service.labels());
        } else if (object instanceof HeadlessService service) {
            all.parts.add("clusterIP None");
            all.servicePorts(service.ports());
            all.selection(service.selection());
            all.flag("publishNotReadyAddresses", service.publishNotReadyAddresses());
            all.labels("label", service.labels());
        } else if (object instanceof ExternalNameService service) {
            all.text("externalName", service.externalName());
            all.labels("label", service.labels());
        } else if (object instanceof EndpointSlice slice) {
            slice.serviceName().ifPresent(name -> all.parts.add("service name " + name));
            slice.endpoints().forEach(all::endpoint);
            all.endpointPorts(slice.ports());
            all.labels("label", slice.labels());
        } else if (object instanceof Endpoints endpoints) {
            for (Endpoints.Subset subset : endpoints.subsets()) {
                subset.addresses().forEach(address -> all.parts.add("address " + address.ip()));
                subset.notReadyAddresses().forEach(address -> all.parts.add("not ready address " + address.ip()));
                all.endpointPorts(subset.ports());
            }
        } else if (object instanceof Pod pod) {
            all.add("address", pod.ips());
            pod.phase().ifPresent(phase -> all.parts.add("phase " + phase));
            pod.ready().ifPresent(ready -> all.parts.add("condition Ready " + (ready ? "True" : "False")));
            all.flag("deletionTimestamp", pod.terminating());
            all.flag("hostNetwork", pod.hostNetwork());
            all.text("nodeName", pod.nodeName());
            all.text("hostname", pod.hostname());
            all.text("subdomain", pod.subdomain());
            all.text("dnsPolicy", pod.dnsPolicy());
            pod.dnsSearches().forEach(domain -> all.parts.add("search domain " + domain));
            all.text("os", pod.os());
            all.containerPorts(pod.ports());
            all.labels("label", pod.labels());
        } else if (object instanceof StatefulSet set) {
            all.parts.add("replicas " + set.replicas());
            all.parts.add("ordinals from " + set.firstOrdinal());
            all.text("serviceName", set.serviceName());
            all.template(set.template());
        } else if (object instanceof ReplicaWorkload workload) {
            all.parts.add("replicas " + workload.replicas());
            all.labels("selector", workload.selector());
            all.text("Deployment", workload.deployment());
            all.template(workload.template());
        } else if (object instanceof DaemonSet set) {
            all.labels("selector", set.selector());
            all.template(set.template());
            set.placement()
                    .tolerations()
                    .forEach(
                            one -> all.parts.add("toleration of " + (one.key().isEmpty() ? "every taint" : one.key())));
            set.placement().affinity().forEach(term -> all.parts.add("node affinity " + term.labels()));
        } else if (object instanceof Job job) {
            all.parts.add(job.pods() + " Pods");
            all.flag("completionMode Indexed", job.indexed());
            all.template(job.template());
        } else if (object instanceof CronJob job) {
            all.template(job.template());
        } else if (object instanceof Node node) {
            all.add("address", node.internalIps());
            all.labels("label", node.labels());
            node.taints().forEach(taint -> all.parts.add("taint " + taint));
        } else if (object instanceof Namespace namespace) {
            all.labels("label", namespace.labels());
        } else if (object instanceof ServiceExport export) {
            all.labels("label", export.labels());
        } else if (object instanceof ConfigMap map) {
            map.data().keySet().forEach(key -> all.parts.add("key " + key));
        } else {
            throw new AssertionError(object);
        }
        return all.parts;
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
