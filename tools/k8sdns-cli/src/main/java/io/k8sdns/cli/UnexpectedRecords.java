package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explanation;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.schema.ClusterName.EndpointAddressName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.slices.EndpointSliceRules;
import io.k8sdns.verify.AnswerDifference;
import io.k8sdns.verify.Expectation;
import io.k8sdns.verify.ExpectedOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.xbill.DNS.Name;
import org.xbill.DNS.TextParseException;

/**
 * Finds why the records should not exist that a server has in addition to all expected ones: the objects that have their addresses or
 * targets, or that there are none.
 */
final class UnexpectedRecords {
    /** The number of targets that are explained: each costs as much as a question. */
    private static final int MAX_TARGETS = 3;

    private final ClusterSnapshot cluster;
    private final ZoneSettings settings;
    private final NamesOfServices names;
    private final InventedRecords invented;
    private final Predicate<ObjectRef> isGiven;
    private final String where;
    private final BiFunction<Name, RecordType, Explanation> explainer;

    /**
     * Creates the reasons of a cluster.
     *
     * @param invented marks what is invented in the cluster; an address that no object has is not marked
     * @param isGiven whether an EndpointSlice may be named; completion has made the others of Pods
     * @param where where the objects are, for example {@code in the manifests}
     * @param explainer explains names of the zones
     */
    UnexpectedRecords(
            ClusterSnapshot cluster,
            ZoneSettings settings,
            InventedRecords invented,
            Predicate<ObjectRef> isGiven,
            String where,
            BiFunction<Name, RecordType, Explanation> explainer) {
        this.cluster = cluster;
        this.settings = settings;
        this.names = new NamesOfServices(cluster, settings.zones());
        this.invented = invented;
        this.isGiven = isGiven;
        this.where = where;
        this.explainer = explainer;
    }

    /**
     * Returns the reasons in one line; empty if the reasons of the missing records say all.
     *
     * @param expected the explanation of the expected records
     */
    String reasons(AnswerDifference answer, Explanation expected) {
        Optional<HeadlessService> service = names.headless(expected.name());
        List<IpAddress> addresses = new ArrayList<>();
        List<String> targets = new ArrayList<>();
        for (String data : answer.unexpected()) {
            address(data, service).ifPresentOrElse(addresses::add, () -> targets.add(data));
        }
        List<IpAddress> unknown = addresses.stream()
                .filter(address -> objectsWith(address, service).isEmpty())
                .toList();
        Stream<String> ofKnown = Stream.concat(
                addresses.stream().flatMap(address -> objectsWith(address, service).stream()),
                targets.stream()
                        .limit(MAX_TARGETS)
                        .map(data -> ofTarget(data, answer, expected))
                        .filter(Predicate.not(String::isEmpty)));
        return ExplanationText.joined(Stream.concat(
                        ofKnown.map(invented::marked),
                        unknown.isEmpty() ? Stream.empty() : Stream.of(ofUnknown(unknown, answer, service)))
                .distinct()
                .toList());
    }

    // ---- addresses ----

    /** Returns the address of a record, or of its target if this should be an endpoint of the same Service that is not published. */
    private Optional<IpAddress> address(String data, Optional<HeadlessService> service) {
        return IpAddress.tryParse(data)
                .or(() -> target(data)
                        .filter(target ->
                                service.isPresent() && names.headless(target).equals(service))
                        .flatMap(names::meaning)
                        .filter(EndpointAddressName.class::isInstance)
                        .map(name -> ((EndpointAddressName) name).address())
                        .filter(address -> service.stream()
                                .flatMap(owner ->
                                        endpoints(owner, address).filter(one -> owner.publishes(one.endpoint())))
                                .findAny()
                                .isEmpty()));
    }

    /**
     * Returns the objects that have an address, with that; an EndpointSlice, whose addresses are those of others, only if there is no
     * other, or if its endpoint is not ready.
     */
    private List<String> objectsWith(IpAddress address, Optional<HeadlessService> service) {
        List<String> notReady = service.stream()
                .flatMap(owner -> endpoints(owner, address).filter(one -> !owner.publishes(one.endpoint())))
                .map(one -> describe(one) + " has the address " + address + ", but is not ready")
                .toList();
        if (!notReady.isEmpty()) {
            return notReady;
        }
        List<ClusterObject> all = cluster.objects().stream()
                .filter(object -> has(object, address))
                .toList();
        List<ClusterObject> others = all.stream()
                .filter(object -> !(object instanceof EndpointSlice))
                .toList();
        return (others.isEmpty() ? all : others)
                .stream()
                        .map(object -> describe(object) + " has the address " + address
                                + (object instanceof Pod pod && EndpointSliceRules.hasEnded(pod)
                                        ? ", but has ended"
                                        : ""))
                        .toList();
    }

    private static boolean has(ClusterObject object, IpAddress address) {
        return object instanceof ClusterIpService service
                        && (service.clusterIps().contains(address)
                                || service.loadBalancer().addresses().contains(address))
                || object instanceof Pod pod && pod.ips().contains(address)
                || object instanceof Node node
                        && (node.internalIps().contains(address)
                                || node.externalIps().contains(address))
                || object instanceof EndpointSlice slice
                        && slice.endpoints().stream()
                                .anyMatch(endpoint -> endpoint.addresses().contains(address));
    }

    private static String describe(ClusterObject object) {
        return object instanceof Pod pod
                ? pod.workload()
                        .map(workload -> "a Pod of " + workload)
                        .orElseGet(() -> pod.ref().toString())
                : object.ref().toString();
    }

    /** An endpoint and its place in a slice. */
    private record SliceEndpoint(EndpointSlice slice, int index) {
        Endpoint endpoint() {
            return slice.endpoints().get(index);
        }
    }

    /** Returns the endpoints of a Service that have an address. */
    private Stream<SliceEndpoint> endpoints(HeadlessService service, IpAddress address) {
        return cluster.objects(EndpointSlice.class)
                .filter(slice -> slice.belongsTo(service))
                .flatMap(slice ->
                        IntStream.range(0, slice.endpoints().size()).mapToObj(i -> new SliceEndpoint(slice, i)))
                .filter(one -> one.endpoint().addresses().contains(address));
    }

    /** Returns an endpoint in words; of a slice that completion has made its Pod or its Service. */
    private String describe(SliceEndpoint one) {
        return isGiven.test(one.slice().ref())
                ? one.slice().ref() + ", endpoints[" + one.index() + "],"
                : pod(one.endpoint())
                        .map(UnexpectedRecords::describe)
                        .orElseGet(() ->
                                "an endpoint of " + one.slice().serviceRef().orElseThrow());
    }

    private Optional<Pod> pod(Endpoint endpoint) {
        return endpoint.targetRef()
                .flatMap(cluster::get)
                .filter(Pod.class::isInstance)
                .map(Pod.class::cast);
    }

    /** Returns that no object has some addresses; with the numbers of records if those of the Service are predicted of workloads. */
    private String ofUnknown(List<IpAddress> addresses, AnswerDifference answer, Optional<HeadlessService> service) {
        String all = PlanTable.first(addresses.stream().map(IpAddress::toString).toList());
        String neither = addresses.size() == 1
                ? all + " is neither a cluster IP nor the address of an endpoint, a Pod or a Node "
                : all + " are neither cluster IPs nor addresses of endpoints, Pods or Nodes ";
        int expected = answer.data().size()
                - answer.unexpected().size()
                + answer.missing().size();
        return neither
                + where
                + service.flatMap(this::workloads)
                        .map(workloads -> "; of the Pods of " + workloads + " "
                                + PlanTable.count(expected, "record") + (expected == 1 ? " is" : " are")
                                + " expected, and the server has "
                                + answer.data().size())
                        .orElse("");
    }

    /** Returns the workloads of the published endpoints of a Service; empty unless all of these are predicted Pods. */
    private Optional<String> workloads(HeadlessService service) {
        List<Optional<ObjectRef>> workloads = cluster.objects(EndpointSlice.class)
                .filter(slice -> slice.belongsTo(service))
                .flatMap(slice -> slice.endpoints().stream())
                .filter(service::publishes)
                .map(endpoint -> pod(endpoint).flatMap(Pod::workload))
                .distinct()
                .toList();
        return workloads.isEmpty() || workloads.contains(Optional.<ObjectRef>empty())
                ? Optional.empty()
                : Optional.of(PlanTable.first(workloads.stream()
                        .map(one -> one.orElseThrow().toString())
                        .toList()));
    }

    // ---- targets ----

    /** Returns why a record of SRV or PTR should not exist, or of another type whose data is no address. */
    private String ofTarget(String data, AnswerDifference answer, Explanation expected) {
        Optional<Name> found = target(data).filter(any -> isOfTarget(expected.type()));
        if (found.isEmpty()) {
            return only(answer, expected, any -> true);
        }
        Name target = found.get();
        boolean isPort = expected.type().equals(RecordType.SRV);
        if (isPort && sharesTarget(answer, target)) {
            return only(answer, expected, other -> target(other).equals(found));
        }
        if (!settings.isServed(DnsNames.labels(target))) {
            return target + " is no name of the cluster";
        }
        List<Explanation> ofAddresses = Stream.of(RecordType.A, RecordType.AAAA)
                .map(type -> explainer.apply(target, type))
                .toList();
        Optional<Explanation> resolving =
                ofAddresses.stream().filter(Explanation::resolves).findFirst();
        if (resolving.isEmpty()) {
            return ExplanationText.reasons(ofAddresses.get(0));
        }
        if (isPort) {
            return target + " exists, but should have no port at " + expected.name();
        }
        List<String> addresses = ofAddresses.stream()
                .flatMap(one -> one.answer().addresses().stream())
                .toList();
        boolean hasThisAddress = NameSchema.reverseAddress(DnsNames.labels(expected.name()))
                .filter(address -> addresses.contains(address.toString()))
                .isPresent();
        return addresses.isEmpty() || hasThisAddress
                ? only(answer, expected, any -> true)
                : target + " should have " + PlanTable.first(addresses) + ": "
                        + ExplanationText.reasons(resolving.get());
    }

    private static boolean isOfTarget(RecordType type) {
        return type.equals(RecordType.SRV) || type.equals(RecordType.PTR);
    }

    private static boolean sharesTarget(AnswerDifference answer, Name target) {
        return answer.expectation().outcome() instanceof ExpectedOutcome.Records records
                && records.data().stream().anyMatch(other -> target(other).equals(Optional.of(target)));
    }

    /**
     * Returns that only the expected records should exist, or the chosen ones of them, and what makes these; "" if one of the expected
     * records is missing, whose reason is given anyway.
     */
    private static String only(AnswerDifference answer, Explanation expected, Predicate<String> which) {
        if (!answer.missing().isEmpty()) {
            return "";
        }
        List<String> data = expected.answer().answer().stream()
                .flatMap(set -> set.records().stream())
                .map(Expectation::data)
                .filter(which)
                .toList();
        List<String> sources = DifferenceReasons.sources(expected, which)
                .map(ExplanationText::source)
                .distinct()
                .toList();
        return "only " + PlanTable.first(data) + (data.size() == 1 ? " is" : " are") + " expected: "
                + ExplanationText.joined(sources);
    }

    /** Returns the target in the data of a record of SRV or PTR. */
    private static Optional<Name> target(String data) {
        String text = data.substring(data.lastIndexOf(' ') + 1);
        try {
            return Optional.of(Name.fromString(text, Name.root));
        } catch (TextParseException noName) {
            return Optional.empty();
        }
    }
}
