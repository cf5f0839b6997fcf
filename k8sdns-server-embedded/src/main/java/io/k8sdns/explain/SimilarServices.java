package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.slices.EndpointSliceRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.xbill.DNS.Name;

/** Suggests names of other Services: of that name, then of a similar one; and names of Pods. */
final class SimilarServices {
    private final Findings findings;
    private final ClusterSnapshot cluster;
    private final UnpublishedEndpoints unpublished;

    SimilarServices(Findings findings) {
        this.findings = findings;
        this.cluster = findings.cluster;
        this.unpublished = new UnpublishedEndpoints(findings);
    }

    /**
     * Suggests the names of similar Services that resolve, those with ready endpoints first. If none resolves, explains the most similar
     * one.
     */
    void suggest(ClusterName parsed, ClusterName.ServiceName asked, DnsLabels zone) {
        DnsLabels prefix =
                parsed.labels().first(parsed.labels().count() - asked.labels().count());
        List<Service> services = similar(lower(asked.service()), lower(asked.namespace()));
        if (services.isEmpty()) {
            return;
        }
        int before = findings.suggestions().size();
        Set<ObjectRef> ready = servicesWithReadyEndpoints();
        services.stream()
                .sorted(Comparator.comparing(one -> lacksEndpoints(one, ready)))
                .forEach(one -> findings.suggestName(
                        prefix.append(name(one)),
                        zone,
                        lacksEndpoints(one, ready) ? " (" + one.ref() + " has no ready endpoint)" : ""));
        if (findings.suggestions().size() == before) {
            // The Service that is most similar to the missing target of an alias may be the alias.
            services.stream()
                    .filter(one -> prefix.append(name(one)).fitsBelow(zone))
                    .findFirst()
                    .filter(one -> !findings.isExplained(DnsNames.absolute(prefix.append(name(one)), zone))
                            // The name was suggested before, as that of a Pod.
                            && !findings.resolves(DnsNames.absolute(prefix.append(name(one)), zone), findings.type)
                            && findings.causes().stream()
                                    .noneMatch(cause -> cause.object().equals(Optional.of(one.ref()))))
                    .ifPresent(one -> explain(one, DnsNames.absolute(prefix.append(name(one)), zone)));
        }
    }

    private void explain(Service similar, Name other) {
        findings.addCause(
                similar.ref(),
                "",
                "the most similar Service, but " + other + " has no records of type " + findings.type + ", either");
        findings.addFindingsOf(other);
    }

    /** Returns the published Services of that name, then those with a similar one; those of a similar namespace first. */
    private List<Service> similar(String service, String namespace) {
        List<Service> similarServices = new ArrayList<>();
        published().filter(one -> one.name().equals(service)).forEach(similarServices::add);
        published()
                .filter(one -> one.namespace().equals(namespace) && EditDistance.isSimilar(one.name(), service))
                .sorted(Comparator.comparing((Service one) -> EditDistance.of(one.name(), service))
                        .thenComparing(Service::name))
                .forEach(similarServices::add);
        published()
                .filter(one -> one.namespace().equals(namespace)
                        && !EditDistance.isSimilar(one.name(), service)
                        && isExtended(one.name(), service))
                .sorted(Comparator.comparing(
                                (Service one) -> Math.abs(one.name().length() - service.length()))
                        .thenComparing(Service::name))
                .forEach(similarServices::add);
        published()
                .filter(one -> one.name().equals(namespace) && one.namespace().equals(service))
                .forEach(similarServices::add);
        similarServices.sort(
                Comparator.comparing((Service one) -> !EditDistance.isSimilar(one.namespace(), namespace)));
        return similarServices;
    }

    /** Returns whether one name is the other with more words, for example those that a chart adds: shop-redis-master for redis. */
    static boolean isExtended(String name, String other) {
        String words = "-" + name + "-";
        String otherWords = "-" + other + "-";
        return words.contains(otherWords) || otherWords.contains(words);
    }

    private Stream<Service> published() {
        return cluster.objects(Service.class)
                .filter(one -> findings.visibility.shows(one)
                        && cluster.get(ObjectRef.of(Namespace.KIND, one.namespace()))
                                .filter(found -> findings.visibility.shows((Namespace) found))
                                .isPresent());
    }

    private static DnsLabels name(Service service) {
        return NameSchema.service(service.name(), service.namespace());
    }

    /** Returns whether a Service with a selector has no ready endpoint: a cluster IP resolves, but refuses connections. */
    private boolean lacksEndpoints(Service service, Set<ObjectRef> ready) {
        return findings.settings.endpoints()
                && EndpointSliceRules.selection(service).selector().isPresent()
                && !ready.contains(service.ref());
    }

    private Set<ObjectRef> servicesWithReadyEndpoints() {
        return cluster.objects(EndpointSlice.class)
                .filter(slice -> slice.endpoints().stream().anyMatch(Endpoint::isReady))
                .flatMap(slice -> slice.serviceRef().stream())
                .collect(Collectors.toSet());
    }

    /** Suggests the names of Pods that have this name or hostname. */
    void suggestPods(String podName, Predicate<Pod> where, DnsLabels zone) {
        List<Pod> pods = cluster.objects(Pod.class)
                .filter(pod -> where.test(pod) && pod.subdomain().isPresent() && PodOrigins.isCalled(pod, podName))
                .toList();
        for (Pod pod : pods) {
            String text = "the name of a Pod is HOSTNAME.SUBDOMAIN.NAMESPACE.svc";
            findings.addCause(
                    pod, "", PodOrigins.sentence(pod, text, "has this name; " + text, "have this name; " + text));
            DnsLabels name = NameSchema.service(pod.subdomain().orElseThrow(), pod.namespace())
                    .prepend(pod.hostname().orElse(pod.name()));
            findings.suggestName(name, zone);
            if (name.fitsBelow(zone)) {
                checkReadiness(pod, DnsNames.absolute(name, zone));
            }
        }
    }

    /** Adds the causes if a Pod is not ready or has no address, and so has no name below its Service, either. */
    private void checkReadiness(Pod pod, Name name) {
        cluster.get(ObjectRef.of(Service.KIND, pod.namespace(), pod.subdomain().orElseThrow()))
                .map(Service.class::cast)
                .ifPresent(service -> {
                    if (!UnpublishedEndpoints.isPublished(pod, service)) {
                        unpublished.addCauseOfNotReady(pod);
                    }
                    if (pod.ips().isEmpty()) {
                        unpublished.addCauseOfNoAddress(pod);
                    }
                    if (!UnpublishedEndpoints.isPublished(pod, service)
                            || pod.ips().isEmpty()) {
                        unpublished.suggestPublished(pod, service, name);
                    }
                });
    }
}
