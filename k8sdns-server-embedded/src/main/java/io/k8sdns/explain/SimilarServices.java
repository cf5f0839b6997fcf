package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Suggests the same name below other Services: of that name, then of a similar one. */
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
            findings.lookUp(prefix.append(NameSchema.service(one.name(), one.namespace())), zone);
        }
    }
}
