package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Suggests names of other Services: of that name, then of a similar one; and names of Pods. */
final class SimilarServices {
    private final Findings findings;
    private final ClusterSnapshot cluster;

    SimilarServices(Findings findings) {
        this.findings = findings;
        this.cluster = findings.cluster;
    }

    void suggest(ClusterName parsed, ClusterName.ServiceName asked, DnsLabels zone) {
        String service = lower(asked.service());
        String namespace = lower(asked.namespace());
        List<Service> similarServices = new ArrayList<>();
        cluster.objects(Service.class).filter(one -> one.name().equals(service)).forEach(similarServices::add);
        cluster.objects(Service.class)
                .filter(one -> one.namespace().equals(namespace) && EditDistance.isSimilar(one.name(), service))
                .sorted(Comparator.comparing((Service one) -> EditDistance.of(one.name(), service))
                        .thenComparing(Service::name))
                .forEach(similarServices::add);
        cluster.objects(Service.class)
                .filter(one -> one.name().equals(namespace) && one.namespace().equals(service))
                .forEach(similarServices::add);
        similarServices.sort(
                Comparator.comparing((Service one) -> !EditDistance.isSimilar(one.namespace(), namespace)));
        DnsLabels prefix =
                parsed.labels().first(parsed.labels().count() - asked.labels().count());
        for (Service one : similarServices) {
            findings.suggestName(prefix.append(NameSchema.service(one.name(), one.namespace())), zone);
        }
    }

    /** Suggests the names of Pods that have this name or hostname. */
    void suggestPods(String podName, Predicate<Pod> where, DnsLabels zone) {
        List<Pod> pods = cluster.objects(Pod.class)
                .filter(pod -> where.test(pod)
                        && pod.subdomain().isPresent()
                        && (pod.name().equals(podName) || pod.hostname().equals(Optional.of(podName))))
                .toList();
        for (Pod pod : pods) {
            String text = "the name of a Pod is HOSTNAME.SUBDOMAIN.NAMESPACE.svc";
            findings.addCause(
                    pod, "", PodOrigins.sentence(pod, text, "has this name; " + text, "have this name; " + text));
            findings.suggestName(
                    NameSchema.service(pod.subdomain().orElseThrow(), pod.namespace())
                            .prepend(pod.hostname().orElse(pod.name())),
                    zone);
        }
    }
}
