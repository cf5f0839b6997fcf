package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explainer;
import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.sockets.ServerCheck.Difference;
import io.k8sdns.verify.AnswerDifference;
import io.k8sdns.verify.Expectation;
import io.k8sdns.verify.ExpectedOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.xbill.DNS.Name;

/**
 * Explains the differences that {@code verify} finds: which objects make the expected records, or why there are none; and why the records
 * that a server has in addition should not exist. Used by one thread.
 */
final class DifferenceReasons {
    /** The number of questions that are explained: a server that answers nothing right must not make verify slow. */
    static final int MAX_QUESTIONS = 1_000;

    /** The reason of all differences after {@link #MAX_QUESTIONS}. */
    static final String NOT_EXPLAINED = "only the first " + MAX_QUESTIONS + " questions that differ are explained";

    private final ZoneSettings settings;
    private final InventedRecords invented;
    private final GivenObjects given;
    private final Supplier<Explainer> created;
    private final UnexpectedRecords unexpected;

    /** The explanations of earlier questions: a question has up to two differences, and each is printed in one place or two. */
    private final Map<Expectation, Explanation> known = new HashMap<>();

    private Optional<Explainer> explainer = Optional.empty();

    /**
     * Creates the reasons of a cluster.
     *
     * @param cluster the objects that {@code verify} expects
     * @param manifests the manifests that hold the objects; empty for those of a live cluster. An EndpointSlice that completion has made
     *     is not named
     * @param invented marks what is invented in them
     * @param explainer creates the explainer of the cluster, which is needed only if something differs
     */
    DifferenceReasons(
            ClusterSnapshot cluster,
            ZoneSettings settings,
            Optional<ManifestResult> manifests,
            InventedRecords invented,
            Supplier<Explainer> explainer) {
        this.settings = settings;
        this.invented = invented;
        this.given = new GivenObjects(cluster, invented, manifests);
        this.created = explainer;
        this.unexpected = new UnexpectedRecords(
                cluster,
                settings,
                invented,
                given::isGiven,
                manifests.isPresent() ? "in the manifests" : "among the objects that were read",
                (name, type) -> given.of(explain(name, type)));
    }

    /**
     * Returns the reason why a question should have its records, or none; if some of them are missing, the reason of these; if it has
     * others, also why these should not exist.
     */
    String of(Difference difference) {
        Expectation question = difference.expectation();
        if (!settings.isServed(DnsNames.labels(question.name()))) {
            return ofSearchList(question.outcome());
        }
        if (!known.containsKey(question) && known.size() == MAX_QUESTIONS) {
            return NOT_EXPLAINED;
        }
        Explanation explanation = known.computeIfAbsent(question, one -> explain(one.name(), one.type()));
        if (question.outcome() instanceof ExpectedOutcome.Records
                && explanation.sources().isEmpty()) {
            return ofSearchList(question.outcome());
        }
        AnswerDifference answer = difference.answer();
        boolean hasOthers = answer.expectation().outcome() instanceof ExpectedOutcome.Records
                && !answer.unexpected().isEmpty();
        List<String> reasons = new ArrayList<>();
        if (!hasOthers || !answer.missing().isEmpty()) {
            reasons.add(invented.marked(ExplanationText.reasons(given.of(ofMissing(difference, explanation)))));
        }
        if (hasOthers) {
            reasons.add(unexpected.reasons(answer, given.of(explanation)));
        }
        return reasons.stream().filter(Predicate.not(String::isEmpty)).collect(Collectors.joining("; "));
    }

    /** Returns the reason of the answer to a name of autopath: only such names are outside all zones, or have records that no zone has. */
    private static String ofSearchList(ExpectedOutcome outcome) {
        return outcome instanceof ExpectedOutcome.Records records
                ? "the search list leads to " + String.join(", ", records.data()) + " (--autopath-suffix)"
                : "no name of the search list exists (--autopath-suffix)";
    }

    private Explanation explain(Name name, RecordType type) {
        if (explainer.isEmpty()) {
            explainer = Optional.of(created.get());
        }
        return explainer.get().explain(name, type);
    }

    /** Returns the explanation of the missing records alone if the server has others. */
    private static Explanation ofMissing(Difference difference, Explanation all) {
        List<Source> sources =
                sources(all, difference.answer().missing()::contains).toList();
        return sources.isEmpty() ? all : GivenObjects.withSources(all, sources);
    }

    /**
     * Returns the sources of some records.
     *
     * @param which chooses records by their data, in the form of {@link Expectation}
     */
    static Stream<Source> sources(Explanation all, Predicate<String> which) {
        List<String> data = all.answer().answer().stream()
                .flatMap(set -> set.records().stream())
                .map(Expectation::data)
                .toList();
        return IntStream.range(0, all.sources().size())
                .filter(i -> which.test(data.get(i)))
                .mapToObj(all.sources()::get);
    }
}
