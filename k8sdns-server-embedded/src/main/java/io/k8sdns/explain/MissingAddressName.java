package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReversePolicy;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.List;
import java.util.Optional;
import org.xbill.DNS.Name;

/** Finds the causes why the name of an address has no records: a pod name or a reverse name. */
final class MissingAddressName {
    private final Findings findings;
    private final ZoneSettings settings;
    private final Name name;
    private final RecordType type;
    private final DnsLabels labels;

    MissingAddressName(Findings findings) {
        this.findings = findings;
        this.settings = findings.settings;
        this.name = findings.name;
        this.type = findings.type;
        this.labels = findings.labels;
    }

    void findCausesOfPodName(ClusterName.PodName asked, DnsLabels zone) {
        String namespace = lower(asked.namespace());
        if (settings.pods() == PodsMode.DISABLED) {
            findings.addCause("the server has no pod names (--pods disabled)");
            suggestPodNames();
            return;
        }
        if (!findings.checkNamespace(namespace)) {
            return;
        }
        if (!findings.knowsPods) {
            findings.addCause("the server does not know the Pods");
            return;
        }
        List<Pod> pods = findings.podsWith(asked.address());
        if (pods.isEmpty()) {
            findings.addCause("no Pod has the address " + asked.address());
        }
        for (Pod pod : pods) {
            if (!pod.namespace().equals(namespace)) {
                addCause(pod, "metadata.namespace", "has this address, in another namespace");
                findings.suggestName(NameSchema.pods(pod.namespace()).prepend(labels.label(0)), zone);
            } else if (findings.resolves(name, asked.address().isIpv4() ? RecordType.A : RecordType.AAAA)) {
                RecordType other = asked.address().isIpv4() ? RecordType.A : RecordType.AAAA;
                addCause(pod, "status.podIPs", "has records, but none of type " + type);
                findings.suggestType(other);
            } else if (findings.checkVisible(pod)) {
                addCause(
                        pod,
                        "status.phase",
                        pod.phase().map(phase -> "is " + phase).orElse("has no phase"));
            }
        }
    }

    /** Suggests the first mode in which the name resolves; that of an address without a Pod resolves in the insecure one only. */
    private void suggestPodNames() {
        ZoneSettings verified = settings.toBuilder().pods(PodsMode.VERIFIED).build();
        ZoneSettings insecure = settings.toBuilder().pods(PodsMode.INSECURE).build();
        boolean isFound = findings.suggestSettings("have names for the addresses of Pods (--pods verified)", verified)
                || findings.suggestSettings("have a pod name for every address (--pods insecure)", insecure);
        if (!isFound) {
            findings.suggestSettingsFirst("have names for the addresses of Pods (--pods verified)", verified);
        }
    }

    void findCausesOfReverseName() {
        Optional<IpAddress> address = NameSchema.reverseAddress(labels);
        if (address.isEmpty()) {
            findings.addCause("not the reverse name of one address");
            return;
        }
        if (findings.resolves(name, RecordType.PTR)) {
            findings.addCause("a reverse name has PTR records only");
            findings.suggestType(RecordType.PTR);
            return;
        }
        findings.cluster
                .objects(ClusterIpService.class)
                .filter(service -> service.clusterIps().contains(address.get()))
                .forEach(this::addCauseOfService);
        findings.cluster
                .objects(EndpointSlice.class)
                .forEach(slice -> slice.serviceRef()
                        .flatMap(findings.cluster::get)
                        .ifPresent(service -> addCausesOfSlice(slice, (Service) service, address.get())));
        if (findings.causes().isEmpty()) {
            addCausesOfUnpublished(address.get());
        }
    }

    private void addCausesOfUnpublished(IpAddress address) {
        new UnusedEndpoints(findings).findCauses(address);
        List<Pod> pods = findings.podsWith(address);
        if (pods.isEmpty() && findings.causes().isEmpty()) {
            findings.addCause("no Service and no endpoint has the address " + address);
        }
        pods.forEach(pod -> addCause(pod, "", "has this address, but no Service publishes it"));
    }

    private void addCauseOfService(ClusterIpService service) {
        if (findings.checkNamespace(service.namespace()) && findings.checkVisible(service)) {
            findings.checkNotIgnored(service);
        }
    }

    /** Adds the reasons why the endpoints with an address in an EndpointSlice are no PTR targets. */
    private void addCausesOfSlice(EndpointSlice slice, Service service, IpAddress address) {
        for (int i = 0; i < slice.endpoints().size(); i++) {
            Endpoint endpoint = slice.endpoints().get(i);
            if (!endpoint.addresses().contains(address)
                    || !findings.checkNamespace(service.namespace())
                    || !findings.checkVisible(service)) {
                continue;
            }
            if (!service.publishes(endpoint)) {
                addCauseOfNotReady(slice, i, service);
            } else if (!settings.endpoints()) {
                findings.addCause(MissingServiceName.NO_ENDPOINTS);
                findings.suggestEndpoints();
            } else if (!findings.rules.canBePtrTarget(endpoint, service)) {
                addCauseOfPolicy(slice, i, service);
            }
        }
    }

    private void addCauseOfPolicy(EndpointSlice slice, int index, Service service) {
        String policy = "the server has PTR records only for endpoints ";
        if (settings.reversePolicy() == ReversePolicy.HEADLESS_ONLY) {
            findings.addCause(
                    service.ref(),
                    "spec.clusterIP",
                    "is not None, and " + policy + "of headless Services (--ptr headless-only)");
        } else {
            findings.addCause(
                    slice.ref(),
                    "endpoints[" + index + "].hostname",
                    "missing, and " + policy + "with a hostname (--ptr hostname-only)");
        }
        findings.suggestSettings(
                "have PTR records for all endpoints (--ptr all)",
                settings.toBuilder().reversePolicy(ReversePolicy.ALL).build());
    }

    private void addCauseOfNotReady(EndpointSlice slice, int index, Service service) {
        UnpublishedEndpoints unpublished = new UnpublishedEndpoints(findings);
        findings.pod(slice.endpoints().get(index))
                .filter(pod -> !UnpublishedEndpoints.isPublished(pod, service))
                .ifPresentOrElse(unpublished::addCauseOfNotReady, () -> unpublished.addCauseOfEndpoint(slice, index));
    }

    private void addCause(Pod pod, String field, String text) {
        findings.addCause(pod, field, PodOrigins.sentenceOfOne(pod, text));
    }
}
