package io.k8sdns.cli;

import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Source;
import java.util.List;
import java.util.Optional;

/** Explanations as text. */
final class ExplanationText {
    /** The number of different sources or causes in one line; the others are counted. */
    private static final int MAX_REASONS = 3;

    private ExplanationText() {}

    /** Returns the object and the field of a record, with the section of the specification. */
    static String source(Source source) {
        return object(source) + rule(source);
    }

    /** Returns the object and the field of a record; the object alone if the field is unknown. */
    static String object(Source source) {
        String field = source.field().isEmpty() ? "" : ", " + source.field();
        return source.object().map(object -> object + field).orElseGet(() -> writer(source.rule()));
    }

    /** Returns what makes a record of no object. */
    private static String writer(String rule) {
        return switch (rule) {
            case PodHostsFile.RULE -> "the kubelet";
            case PodHostsFile.RULE_OF_NODES -> "the node";
            default -> "the zone itself";
        };
    }

    /** Returns the section of a record in parentheses, after a space; "" if there is none. */
    static String rule(Source source) {
        return source.rule().isEmpty() ? "" : " (" + source.rule() + ")";
    }

    /** Returns what is looked up, as the subject of a sentence: {@code cart.shop.svc.cluster.local. (A)}. */
    static String nameAndType(Explanation explanation) {
        return explanation.name() + " (" + explanation.type() + ")";
    }

    /** Returns the sentence about what programs get that do not read {@code /etc/hosts}. */
    static String withDnsOnly(LookupWalk.Step step) {
        Explanation explanation = step.explanation();
        List<String> addresses = explanation.answer().addresses();
        return "programs that ask DNS only, such as nslookup: " + nameAndType(explanation) + " "
                + (explanation.resolves()
                        ? "resolves" + (addresses.isEmpty() ? "" : " to " + joined(addresses))
                        : step.failure());
    }

    /** Returns the sentence about the target of an alias that another server answers; empty if there is none, or if a cause says more. */
    static Optional<String> otherServer(Explanation explanation) {
        return explanation
                .targetOfOtherServer()
                .filter(target -> !explanation.hasUnusableRecords())
                .map(target -> target
                        + " is in no zone of this server: another one answers it, and decides whether it resolves");
    }

    /** Returns the sources of the records in one line, or the causes why there are none. */
    static String reasons(Explanation explanation) {
        List<String> sources = explanation.sources().stream()
                .map(ExplanationText::source)
                .distinct()
                .toList();
        // An alias has both if its target does not exist; its record is expected.
        List<String> all = !sources.isEmpty()
                ? sources
                : explanation.causes().stream().map(Cause::toString).distinct().toList();
        return joined(all);
    }

    /** Returns the first reasons in one line, and the number of the others. */
    static String joined(List<String> reasons) {
        int shown = Math.min(MAX_REASONS, reasons.size());
        return String.join("; ", reasons.subList(0, shown))
                + (shown < reasons.size() ? "; and " + (reasons.size() - shown) + " more" : "");
    }
}
