package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.explain.Explainer;
import io.k8sdns.explain.Explanation;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;

/**
 * Explains missing names in the extended error of their answers: NXDOMAIN and NODATA from the zones of the cluster, to clients with EDNS.
 *
 * <pre>
 *   source -> objects() -> ZoneFeed          keeps the objects, because a zone does not keep labels and selectors
 *   client -> resolver() -> all resolvers    adds the extended error
 * </pre>
 *
 * <p>An explanation reads all objects, so its cost is bounded: at most {@link #PER_SECOND} a second, one at a time, and each question once
 * until an object changes. A question beyond that has the same answer without the text. Answers do not take the fast path.
 */
final class ExplainedErrors {
    /** How many explanations are made in a second. */
    static final int PER_SECOND = 10;

    /** The largest text, in bytes of UTF-8. */
    static final int MAX_BYTES = 200;

    private static final int MAX_KNOWN = 1_000;
    private static final String CUT = "...";

    private final ZoneSettings settings;
    private final Visibility visibility;
    private final LongSupplier nanos;
    private final Consumer<RuntimeException> failures;

    /** Guards everything below. A question does not wait for it. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<ObjectRef, ClusterObject> objects = new LinkedHashMap<>();

    /** The texts of earlier questions, by name and type; "" if there is none. */
    private final Map<Question, String> known = new HashMap<>();

    /** Created by the first question after a change. */
    private @Nullable Explainer explainer;

    private long secondStart;
    private int inSecond;

    /**
     * Creates explanations of a server.
     *
     * @param nanos the time in nanoseconds, as {@link System#nanoTime}
     * @param failures receives the causes of explanations that fail
     */
    ExplainedErrors(
            ZoneSettings settings, Visibility visibility, LongSupplier nanos, Consumer<RuntimeException> failures) {
        this.settings = settings;
        this.visibility = visibility;
        this.nanos = nanos;
        this.failures = failures;
        this.secondStart = nanos.getAsLong();
    }

    /** Returns a sink that keeps the objects and passes them on. */
    ClusterSource.Sink objects(ClusterSource.Sink next) {
        return new ClusterSource.Sink() {
            @Override
            public void changed(List<ClusterChange> batch) {
                keep(batch);
                next.changed(batch);
            }

            @Override
            public void stateChanged(SyncState state) {
                next.stateChanged(state);
            }

            @Override
            public void diagnosed(Diagnostic diagnostic) {
                next.diagnosed(diagnostic);
            }
        };
    }

    private void keep(List<ClusterChange> batch) {
        lock.lock();
        try {
            for (ClusterChange change : batch) {
                if (change instanceof ClusterChange.Put put) {
                    objects.put(put.ref(), put.object());
                } else {
                    objects.remove(change.ref());
                }
            }
            known.clear();
            explainer = null;
        } finally {
            lock.unlock();
        }
    }

    /** Returns a resolver that adds explanations to the answers of another one. */
    DnsResolver resolver(DnsResolver inner) {
        // Has no direct answers: NODATA would be answered from there.
        return (question, client) -> {
            Resolution resolution = inner.resolve(question, client);
            return client.hasEdns() && isServed(question)
                    ? resolution.map(answer -> explained(question, answer))
                    : resolution;
        };
    }

    private boolean isServed(Question question) {
        return question.dnsClass() == DClass.IN && settings.isServed(question.labels());
    }

    private Answer explained(Question question, Answer answer) {
        // Names of an upstream server are not authoritative.
        boolean isMissing = answer.answer().isEmpty()
                && answer.authoritative()
                && answer.extendedError().isEmpty()
                && (answer.status() == AnswerStatus.NXDOMAIN || answer.status() == AnswerStatus.NODATA);
        if (!isMissing) {
            return answer;
        }
        try {
            String text = text(question);
            return text.isEmpty()
                    ? answer
                    : answer.toBuilder()
                            .extendedError(new ExtendedError(ExtendedError.OTHER, text))
                            .build();
        } catch (RuntimeException failed) {
            failures.accept(failed);
            return answer;
        }
    }

    /** Returns the explanation of a question; "" if there is none, or if it would cost too much now. */
    private String text(Question question) {
        if (!lock.tryLock()) {
            return "";
        }
        try {
            String earlier = known.get(question);
            if (earlier != null) {
                return earlier;
            }
            if (!mayExplain()) {
                return "";
            }
            Explainer current = explainer;
            if (current == null) {
                current = Explainer.of(ClusterSnapshot.of(visible()), settings, Visibility.ALL)
                        .withoutChanges();
                explainer = current;
            }
            String text = shortened(text(current.explain(question.name(), question.type())));
            if (known.size() == MAX_KNOWN) {
                known.clear();
            }
            known.put(question, text);
            return text;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the published objects: clients must not learn from a text which other ones there are. */
    private List<ClusterObject> visible() {
        Set<String> namespaces = objects.values().stream()
                .filter(object -> object instanceof Namespace namespace && visibility.shows(namespace))
                .map(object -> ((Namespace) object).name())
                .collect(Collectors.toSet());
        return objects.values().stream()
                .filter(object -> object instanceof NamespacedObject one
                        ? namespaces.contains(one.namespace())
                                && (one instanceof EndpointSlice || visibility.shows(one))
                        : !(object instanceof Namespace namespace) || visibility.shows(namespace))
                .toList();
    }

    private boolean mayExplain() {
        long now = nanos.getAsLong();
        if (now - secondStart >= TimeUnit.SECONDS.toNanos(1)) {
            secondStart = now;
            inSecond = 0;
        }
        return inSecond++ < PER_SECOND;
    }

    /** Returns the first cause and the first suggestion; "" if the name resolves, because the zone has not changed yet. */
    private static String text(Explanation explanation) {
        if (explanation.causes().isEmpty()) {
            return "";
        }
        return explanation.causes().get(0)
                + explanation.suggestions().stream()
                        .findFirst()
                        .map(suggestion -> "; try: " + suggestion.text())
                        .orElse("");
    }

    /** Returns a text of at most {@link #MAX_BYTES} bytes; the end of a longer one is replaced by dots. */
    static String shortened(String text) {
        if (text.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES) {
            return text;
        }
        StringBuilder start = new StringBuilder();
        int left = MAX_BYTES - CUT.length();
        for (int at = 0; at < text.length(); at = text.offsetByCodePoints(at, 1)) {
            String one = Character.toString(text.codePointAt(at));
            left -= one.getBytes(StandardCharsets.UTF_8).length;
            if (left < 0) {
                break;
            }
            start.append(one);
        }
        return start + CUT;
    }
}
