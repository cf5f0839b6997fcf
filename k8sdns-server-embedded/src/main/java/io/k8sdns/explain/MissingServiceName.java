package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Labels;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.slices.EndpointSliceRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.xbill.DNS.Name;

/** Finds the causes why the name of a Service, or one below it, has no records. */
final class MissingServiceName {
    private static final List<RecordType> OTHER_TYPES = List.of(RecordType.A, RecordType.AAAA, RecordType.SRV);

    private static final ObjectRef API_SERVER = ObjectRef.of(Service.KIND, "default", "kubernetes");

    static final String NO_ENDPOINTS = "the server publishes no endpoints (--no-endpoints)";

    private final Findings findings;
    private final UnpublishedEndpoints unpublished;
    private final MissingPort port;
    private final ClusterSnapshot cluster;
    private final Name name;
    private final RecordType type;

    MissingServiceName(Findings findings) {
        this.findings = findings;
        this.unpublished = new UnpublishedEndpoints(findings);
        this.port = new MissingPort(findings, unpublished);
        this.cluster = findings.cluster;
        this.name = findings.name;
        this.type = findings.type;
    }

    void findCauses(ClusterName parsed, ClusterName.ServiceName service, DnsLabels zone) {
        String namespace = lower(service.namespace());
        ObjectRef ref = service.ref();
        boolean hasNamespace = findings.checkNamespace(namespace);
        Optional<ClusterObject> found = cluster.get(ref);
        if (found.isEmpty()) {
            if (hasNamespace) {
                findings.addCause(
                        ref,
                        "",
                        ref.equals(API_SERVER)
                                ? "no such Service; the API server of every cluster creates it, so that manifests seldom have it"
                                : "no such Service");
                new UnusedEndpoints(findings).findCauses(ref);
                if (parsed instanceof ClusterName.EndpointName endpoint) {
                    findPodOfEndpoint(endpoint, ref, zone);
                } else if (parsed instanceof ClusterName.ServiceName) {
                    new SimilarServices(findings)
                            .suggestPods(ref.name(), pod -> pod.namespace().equals(namespace), zone);
                }
            }
            // Those of a hidden Namespace were suggested together with it.
            if (hasNamespace || findings.suggestions().isEmpty()) {
                new SimilarServices(findings).suggest(parsed, service, zone);
            }
        } else if (hasNamespace && findings.checkVisible((Service) found.get())) {
            findings.checkNotIgnored((Service) found.get());
            findCauses(parsed, (Service) found.get(), zone);
        }
    }

    /** Suggests the headless Service that a Pod with this hostname and subdomain needs; otherwise the subdomain that the Pod has. */
    private void findPodOfEndpoint(ClusterName.EndpointName asked, ObjectRef service, DnsLabels zone) {
        String hostname = lower(asked.hostname());
        String namespace = service.namespace().orElseThrow();
        cluster.objects(Pod.class)
                .filter(pod -> pod.namespace().equals(namespace)
                        && pod.subdomain().equals(Optional.of(service.name()))
                        && pod.hostname().equals(Optional.of(hostname)))
                .findFirst()
                .ifPresentOrElse(
                        pod -> {
                            findings.addCause(pod, "spec.subdomain", "names this Service");
                            findServicesThatSelect(pod, zone);
                            suggestServiceOf(pod, service);
                        },
                        () -> new SimilarServices(findings)
                                .suggestPods(hostname, pod -> pod.namespace().equals(namespace), zone));
    }

    /** Adds the headless Services that select a Pod as causes, whose names its subdomain should have, and suggests that. */
    private void findServicesThatSelect(Pod pod, DnsLabels zone) {
        cluster.objects(HeadlessService.class)
                .filter(service -> service.namespace().equals(pod.namespace())
                        && service.selection()
                                .selector()
                                .filter(selector -> Selector.ofLabels(selector).test(pod.labels()))
                                .isPresent())
                .forEach(service -> {
                    findings.addCause(
                            service.ref(), "", "selects " + PodOrigins.describe(pod) + ", but has another name");
                    DnsLabels below = NameSchema.service(service.name(), service.namespace())
                            .prepend(pod.hostname().orElseThrow());
                    if (below.fitsBelow(zone)) {
                        findings.suggestChange(
                                PodOrigins.describeEdits(
                                        pod, List.of(new PodOrigins.PodEdit("spec.subdomain", service.name()))),
                                DnsNames.absolute(below, zone),
                                PodOrigins.location(pod, "spec.subdomain"),
                                pod.toBuilder().subdomain(service.name()).build());
                    }
                });
    }

    private void suggestServiceOf(Pod pod, ObjectRef service) {
        Labels selector = PodOrigins.selectorOf(pod);
        HeadlessService added = HeadlessService.builder(pod.namespace(), service.name())
                .selector(selector)
                .build();
        boolean isReady = UnpublishedEndpoints.isPublished(pod, added);
        if (!isReady) {
            unpublished.addCauseOfNotReady(pod);
        }
        if (pod.ips().isEmpty()) {
            unpublished.addCauseOfNoAddress(pod);
        }
        if (selector.values().isEmpty()) {
            return;
        }
        FieldLocation location = new FieldLocation(service, "");
        String text = "add a headless " + service + " with the selector " + selector.values();
        findings.suggestChange(text, location, added);
        if (!isReady) {
            findings.suggestChange(
                    text + ", and make " + PodOrigins.describe(pod) + " ready",
                    name,
                    location,
                    added,
                    pod.toBuilder().ready(true).build());
            findings.suggestChange(
                    text + " and spec.publishNotReadyAddresses",
                    location,
                    added.toBuilder().publishNotReadyAddresses(true).build());
        }
    }

    private void findCauses(ClusterName parsed, Service service, DnsLabels zone) {
        if (service instanceof ExternalNameService external) {
            addCauseOfExternalName(parsed, external);
        } else if (!findings.settings.endpoints() && service instanceof HeadlessService) {
            findings.addCause(
                    service.ref(),
                    "spec.clusterIP",
                    "is None, so that its records are those of its endpoints, and " + NO_ENDPOINTS);
            findings.suggestEndpoints();
        } else if (service instanceof ClusterIpService clusterIp
                && clusterIp.clusterIps().isEmpty()) {
            findings.addCause(service.ref(), "spec.clusterIP", "no cluster IP yet, and not \"None\"");
        } else if (parsed instanceof ClusterName.PortName asked) {
            port.findCauses(asked, service, zone);
        } else if (parsed instanceof ClusterName.ProtocolName protocol) {
            findings.addCause("the name of a protocol has no records itself, only the names of ports below it"
                    + (findings.exists() ? "" : ", and there are none"));
            MissingPort.suggestPorts(findings, service, Optional.empty(), lower(protocol.protocol()), zone);
        } else if (!(parsed instanceof ClusterName.ServiceName) && hasOtherTypes()) {
            suggestOtherTypes(service, "the name ", "");
        } else if (!findings.settings.endpoints() && !(parsed instanceof ClusterName.ServiceName)) {
            findings.addCause(NO_ENDPOINTS);
            findings.suggestEndpoints();
        } else if (parsed instanceof ClusterName.EndpointName endpoint) {
            new MissingEndpoint(findings, unpublished).findCauses(endpoint, service, zone);
        } else if (parsed instanceof ClusterName.EndpointAddressName endpoint) {
            findings.addCause(service.ref(), "", "no published endpoint has the address " + endpoint.address());
            unpublished.findCauses(service);
        } else {
            findCausesOfServiceName(service);
        }
    }

    private void addCauseOfExternalName(ClusterName parsed, ExternalNameService service) {
        if (!(parsed instanceof ClusterName.ServiceName)) {
            findings.addCause(
                    service.ref(), "spec.type", "an ExternalName Service is an alias and has no names below it");
        } else if (!findings.aliasTargets().isEmpty()) {
            addCauseOfTarget(service, findings.aliasTargets());
        } else {
            findings.addCause(
                    service.ref(),
                    "spec.externalName",
                    service.externalName()
                            .map(target -> "not a DNS name that can be an alias: \"" + target + "\"")
                            .orElse("missing, or not a DNS name"));
            service.externalName().flatMap(IpAddress::tryParse).ifPresent(address -> suggestEndpoint(service, address));
        }
    }

    /** Suggests to publish the address of an ExternalName Service, which cannot be the target of an alias, as that of an endpoint. */
    private void suggestEndpoint(ExternalNameService service, IpAddress address) {
        HeadlessService headless =
                HeadlessService.builder(service.namespace(), service.name()).build();
        EndpointSlice slice = EndpointSlice.builder(service.namespace(), service.name() + "-1")
                .service(service.name())
                .endpoints(Endpoint.of(address))
                .build();
        findings.suggestChange(
                "make " + service.ref() + " headless without a selector, and add an EndpointSlice with " + address,
                name,
                new FieldLocation(service.ref(), "spec.type"),
                headless,
                slice);
    }

    /**
     * Adds the target of an alias as a cause, and the reasons why it does not resolve.
     *
     * @param targets the targets of the alias and of the aliases that it leads to, in order
     */
    private void addCauseOfTarget(ExternalNameService service, List<Name> targets) {
        Name last = targets.get(targets.size() - 1);
        boolean isLoop = last.equals(name) || targets.indexOf(last) < targets.size() - 1;
        findings.addCause(
                service.ref(),
                "spec.externalName",
                "is an alias of " + targets.get(0)
                        + (targets.size() == 1 ? "" : ", which leads to " + last)
                        + (isLoop ? ": the aliases form a loop" : ", which has no records of type " + type));
        if (!isLoop) {
            findings.addFindingsOfTarget(last, targets.size() == 1 ? Optional.of(service) : alias(targets));
        }
    }

    /** Returns the Service that has the last of several targets. */
    private Optional<ExternalNameService> alias(List<Name> targets) {
        DnsLabels owner = DnsNames.labels(targets.get(targets.size() - 2));
        return findings.settings.zones().stream()
                .flatMap(zone -> owner.below(zone).stream())
                .flatMap(below -> NameSchema.parse(below).serviceName().stream())
                .flatMap(service -> cluster.get(service.ref()).stream())
                .filter(ExternalNameService.class::isInstance)
                .map(ExternalNameService.class::cast)
                .findFirst();
    }

    private void findCausesOfServiceName(Service service) {
        if (type.equals(RecordType.SRV) && !findings.settings.bareSrv()) {
            findings.addCause("the server has SRV records only at the names of ports (--no-bare-srv)");
            findings.suggestSettings(
                    "have SRV records at the names of Services (leave out --no-bare-srv)",
                    findings.settings.toBuilder().bareSrv(true).build());
        }
        String field = service instanceof ClusterIpService ? "spec.clusterIPs" : "";
        boolean hasOtherTypes = hasOtherTypes();
        if (hasOtherTypes) {
            suggestOtherTypes(service, "", field);
        }
        if (!hasOtherTypes || service instanceof HeadlessService) {
            unpublished.findCauses(service);
        }
    }

    private boolean hasOtherTypes() {
        return otherTypes().findAny().isPresent();
    }

    /** Returns the other types of which the name has records. */
    private Stream<RecordType> otherTypes() {
        return OTHER_TYPES.stream().filter(other -> !other.equals(type) && findings.resolves(name, other));
    }

    /** Adds the missing type as a cause, and suggests the other types. */
    private void suggestOtherTypes(Service service, String subject, String field) {
        String addresses = field.isEmpty() ? "" : addressesInWords(service);
        findings.addCause(service.ref(), field, subject + "has records, but none of type " + type + addresses);
        if (type.equals(RecordType.SRV) && service.ports().isEmpty()) {
            findings.addCause(service.ref(), "spec.ports", "missing; an SRV record is that of a port");
        }
        List<RecordType> others = otherTypes().toList();
        // A client that asks for an address cannot use an SRV record instead.
        boolean areAddresses = isOfAddresses(type) && others.stream().anyMatch(MissingServiceName::isOfAddresses);
        others.stream().filter(other -> !areAddresses || isOfAddresses(other)).forEach(findings::suggestType);
        if (service instanceof HeadlessService headless
                && headless.selection().selector().isPresent()) {
            checkFamily(headless);
        }
    }

    private static boolean isOfAddresses(RecordType one) {
        return one.equals(RecordType.A) || one.equals(RecordType.AAAA);
    }

    /** Adds the families of a headless Service as a cause if that of the asked type is not among them, and suggests it. */
    private void checkFamily(HeadlessService service) {
        List<IpFamily> families = new ArrayList<>(EndpointSliceRules.families(service));
        IpFamily wanted = type.equals(RecordType.AAAA) ? IpFamily.IPV6 : IpFamily.IPV4;
        if (!isOfAddresses(type) || families.contains(wanted)) {
            return;
        }
        findings.addCause(service.ref(), "spec.ipFamilies", "is " + families);
        families.add(wanted);
        findings.suggestChange(
                "change spec.ipFamilies of " + service.ref() + " to " + families
                        + " and spec.ipFamilyPolicy to PreferDualStack",
                new FieldLocation(service.ref(), "spec.ipFamilies"),
                service.toBuilder().ipFamilies(families).build());
    }

    private static String addressesInWords(Service service) {
        return service instanceof ClusterIpService clusterIp ? "; its addresses are " + clusterIp.clusterIps() : "";
    }
}
