package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explainer;
import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.sockets.ServerCheck.Difference;
import io.k8sdns.verify.Expectation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Explains what {@code verify} expects: which objects make the records, or why there are none. Used by one thread. */
final class DifferenceReasons {
    /** The number of questions that are explained: a server that answers nothing right must not make verify slow. */
    static final int MAX_QUESTIONS = 1_000;

    private final ZoneSettings settings;
    private final Supplier<Explainer> created;

    /** The explanations of earlier questions: a question has up to two differences, and each is printed in one place or two. */
    private final Map<Expectation, Optional<Explanation>> known = new HashMap<>();

    private Optional<Explainer> explainer = Optional.empty();

    /**
     * Creates the reasons of a cluster.
     *
     * @param cluster the objects that {@code verify} expects
     */
    DifferenceReasons(ClusterSnapshot cluster, ZoneSettings settings, Visibility visibility) {
        this.settings = settings;
        this.created = () -> Explainer.of(cluster, settings, visibility).withoutChanges();
    }

    /**
     * Returns the reason why a question should have its records, or none; if some of them are missing, the reason of these. Empty for a
     * name of no zone, for example one of autopath, and after {@link #MAX_QUESTIONS} questions.
     */
    Optional<String> of(Difference difference) {
        Expectation question = difference.expectation();
        if (!known.containsKey(question) && known.size() == MAX_QUESTIONS) {
            return Optional.empty();
        }
        return known.computeIfAbsent(question, this::explained)
                .map(explanation -> ExplanationText.reasons(ofMissing(difference, explanation)))
                .filter(reasons -> !reasons.isEmpty());
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
        return sources.isEmpty()
                ? all
                : new Explanation(all.name(), all.type(), all.answer(), sources, all.causes(), all.suggestions());
    }
}
