package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explainer;
import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.sockets.ServerCheck.Difference;
import io.k8sdns.verify.AnswerDifference;
import io.k8sdns.verify.Expectation;
import io.k8sdns.verify.ExpectedOutcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Explains what {@code verify} expects: which objects make the records, or why there are none; and which objects have the addresses that
 * it does not expect. Used by one thread.
 */
final class DifferenceReasons {
    /** The number of questions that are explained: a server that answers nothing right must not make verify slow. */
    static final int MAX_QUESTIONS = 1_000;

    private final ClusterSnapshot cluster;
    private final ZoneSettings settings;
    private final InventedRecords invented;
    private final GivenObjects given;
    private final Supplier<Explainer> created;

    /** The explanations of earlier questions: a question has up to two differences, and each is printed in one place or two. */
    private final Map<Expectation, Optional<Explanation>> known = new HashMap<>();

    private Optional<Explainer> explainer = Optional.empty();

    /**
     * Creates the reasons of a cluster.
     *
     * @param cluster the objects that {@code verify} expects
     * @param invented marks what is invented in them
     * @param isGiven whether the manifests or the live cluster hold an object; an EndpointSlice that completion has made is not named
     */
    DifferenceReasons(
            ClusterSnapshot cluster,
            ZoneSettings settings,
            Visibility visibility,
            InventedRecords invented,
            Predicate<ObjectRef> isGiven) {
        this.cluster = cluster;
        this.settings = settings;
        this.invented = invented;
        this.given = new GivenObjects(cluster, invented, isGiven);
        this.created = () -> Explainer.of(cluster, settings, visibility).withoutChanges();
    }

    /**
     * Returns the reason why a question should have its records, or none; if some of them are missing, the reason of these; if it only has
     * others in addition, the objects with the addresses of these. Empty if there is none, for a name of no zone, for example one of
     * autopath, and after {@link #MAX_QUESTIONS} questions.
     */
    Optional<String> of(Difference difference) {
        Expectation question = difference.expectation();
        if (!known.containsKey(question) && known.size() == MAX_QUESTIONS) {
            return Optional.empty();
        }
        return known.computeIfAbsent(question, this::explained)
                .map(explanation -> hasAllAndOthers(difference.answer())
                        ? ExplanationText.joined(objectsWith(difference.answer().unexpected()))
                        : ExplanationText.reasons(given.of(ofMissing(difference, explanation))))
                .filter(reasons -> !reasons.isEmpty())
                .map(invented::marked);
    }

    /** Returns whether an answer has all expected records, and others. */
    private static boolean hasAllAndOthers(AnswerDifference answer) {
        return answer.expectation().outcome() instanceof ExpectedOutcome.Records
                && answer.missing().isEmpty()
                && !answer.unexpected().isEmpty();
    }

    /** Returns the objects that have one of these addresses, each with its address; data of other types is ignored. */
    private List<String> objectsWith(Set<String> data) {
        return data.stream()
                .flatMap(text -> IpAddress.tryParse(text).stream())
                .flatMap(address ->
                        objectsWith(address).stream().map(object -> describe(object) + " has the address " + address))
                .distinct()
                .toList();
    }

    /** Returns the objects that have an address; an EndpointSlice, whose addresses are those of others, only if there is no other. */
    private List<ClusterObject> objectsWith(IpAddress address) {
        List<ClusterObject> all = cluster.objects().stream()
                .filter(object -> has(object, address))
                .toList();
        List<ClusterObject> others = all.stream()
                .filter(object -> !(object instanceof EndpointSlice))
                .toList();
        return others.isEmpty() ? all : others;
    }

    private static boolean has(ClusterObject object, IpAddress address) {
        return object instanceof ClusterIpService service
                        && service.clusterIps().contains(address)
                || object instanceof Pod pod && pod.ips().contains(address)
                || object instanceof Node node && node.internalIps().contains(address)
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

    private Optional<Explanation> explained(Expectation question) {
        if (!settings.isServed(DnsNames.labels(question.name()))) {
            return Optional.empty();
        }
        if (explainer.isEmpty()) {
            explainer = Optional.of(created.get());
        }
        return Optional.of(explainer.get().explain(question.name(), question.type()));
    }

    /** Returns the explanation of the missing records alone if the server has others. */
    private static Explanation ofMissing(Difference difference, Explanation all) {
        Set<String> missing = difference.answer().missing();
        List<String> data = all.answer().answer().stream()
                .flatMap(set -> set.records().stream())
                .map(Expectation::data)
                .toList();
        List<Source> sources = IntStream.range(0, all.sources().size())
                .filter(i -> missing.contains(data.get(i)))
                .mapToObj(all.sources()::get)
                .toList();
        return sources.isEmpty() ? all : GivenObjects.withSources(all, sources);
    }
}
