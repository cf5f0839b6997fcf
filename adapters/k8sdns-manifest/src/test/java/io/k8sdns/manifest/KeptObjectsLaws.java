package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/**
 * Of a file that is edited again and again, an object stays as long as a skipped document may be meant for it that was not
 * there beside it, and no longer.
 *
 * <p>The file is a row of places, each with one document or none. Skipped documents at two places never have kind, namespace
 * and name in common, so that a place tells which document is which.
 */
class KeptObjectsLaws {
    private static final String ANCHOR = "{apiVersion: v1, kind: Namespace, metadata: {name: anchor}}";

    /** What stands at a place. */
    private enum State {
        ABSENT,
        VALID,
        OTHERWISE_VALID,
        FAULTY,
        FRAGMENT,
        NAMELESS
    }

    /**
     * A place and what can stand there.
     *
     * @param texts without an object of its own a place has no valid and no faulty document
     */
    private record Place(String name, Map<State, String> texts) {
        boolean hasObject() {
            return texts.containsKey(State.VALID);
        }

        /** Returns the place in this state, or in the nearest that it has. */
        State possible(State state) {
            return state == State.ABSENT || texts.containsKey(state)
                    ? state
                    : texts.keySet().iterator().next();
        }

        /** Returns whether its document is skipped, and may be meant for an object of this name. */
        boolean isSkippedAndMayBeMeantFor(State state, String object) {
            return state == State.NAMELESS || state == State.FRAGMENT && name.equals(object);
        }
    }

    private static final List<Place> PLACES = List.of(
            object("api", "apiVersion: v1, kind: Service, metadata: {", ", spec: {ports: [{port: %s}]}"),
            object(
                    "web",
                    "apiVersion: v1, kind: Service, metadata: {namespace: shop, ",
                    ", spec: {ports: [{port: %s}]}"),
            object(
                    "api",
                    "apiVersion: v1, kind: Pod, metadata: {",
                    ", spec: {containers: [{name: a, image: b, ports: [{containerPort: %s}]}]}"),
            object(
                    "web",
                    "apiVersion: v1, kind: Endpoints, metadata: {namespace: shop, ",
                    ", subsets: [{addresses: [{ip: 192.0.2.1}], ports: [{port: %s}]}]"),
            new Place(
                    "api",
                    Map.of(
                            State.FRAGMENT,
                            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: api}, spec: {}}")),
            new Place("", Map.of(State.NAMELESS, "{apiVersion: v1, kind: Pod, metadata: {namespace: jobs}, spec: {}}")),
            new Place("", Map.of(State.NAMELESS, "{apiVersion: v1, kind: Service, metadata: {namespace: jobs}}")));

    private static Place object(String name, String head, String rest) {
        String named = "{" + head + "name: " + name + "}";
        return new Place(
                name,
                Map.of(
                        State.VALID, named + rest.formatted("80") + "}",
                        State.OTHERWISE_VALID, named + rest.formatted("81") + "}",
                        State.FAULTY, named + rest.formatted("70000") + "}",
                        State.FRAGMENT, named + rest.formatted("80") + ", $patch: replace}",
                        State.NAMELESS, "{" + head + "}" + rest.formatted("80") + "}"));
    }

    /** An edit of one place. */
    private record Edit(int place, State state) {}

    /** What is known of the object of a place. */
    private record Held(State state, List<State> beside) {}

    /** The states of all places, and what counts of each. */
    private static final class Model {
        private List<State> states = Collections.nCopies(PLACES.size(), State.ABSENT);
        private final Map<Integer, Held> counting = new LinkedHashMap<>();

        void edit(List<Edit> edits) {
            List<State> next = new ArrayList<>(states);
            edits.forEach(one -> next.set(one.place(), PLACES.get(one.place()).possible(one.state())));
            states = next;
            for (int i = 0; i < PLACES.size(); i++) {
                if (PLACES.get(i).hasObject()) {
                    count(i);
                }
            }
        }

        private void count(int place) {
            State now = states.get(place);
            Optional<Held> before = Optional.ofNullable(counting.get(place));
            if (now == State.VALID || now == State.OTHERWISE_VALID) {
                counting.put(place, new Held(now, states));
            } else if (now == State.FAULTY) {
                counting.put(place, new Held(before.map(Held::state).orElse(now), states));
            } else if (before.isPresent() && !isMissed(place, before.get().beside())) {
                counting.remove(place);
            }
        }

        private boolean isMissed(int place, List<State> beside) {
            return IntStream.range(0, PLACES.size())
                    .anyMatch(other -> states.get(other) != beside.get(other)
                            && PLACES.get(other)
                                    .isSkippedAndMayBeMeantFor(
                                            states.get(other), PLACES.get(place).name()));
        }

        List<String> written(Random random) {
            List<String> documents = new ArrayList<>();
            for (int i = 0; i < PLACES.size(); i++) {
                Optional.ofNullable(PLACES.get(i).texts().get(states.get(i))).ifPresent(documents::add);
            }
            Collections.shuffle(documents, random);
            documents.add(0, ANCHOR);
            return documents;
        }

        List<String> expected() {
            List<String> documents = new ArrayList<>(List.of(ANCHOR));
            counting.forEach(
                    (place, held) -> documents.add(PLACES.get(place).texts().get(held.state())));
            return documents;
        }
    }

    @Property(tries = 200)
    void anObjectStaysAsLongAsASkippedDocumentMayBeMeantForIt(
            @ForAll @From("edits") List<Edit> first,
            @ForAll @Size(min = 1, max = 8) List<@From("edits") List<Edit>> steps,
            @ForAll Random random)
            throws IOException {
        Path folder = Files.createTempDirectory("k8sdns-laws");
        Path file = folder.resolve("a.yaml");
        try {
            Model model = new Model();
            model.edit(IntStream.range(0, PLACES.size())
                    .mapToObj(place -> new Edit(place, State.VALID))
                    .toList());
            model.edit(first);
            // What the following begins with has nothing before it.
            model.counting.clear();
            model.edit(List.of());
            write(file, model.written(random), 0);
            Instant now = Instant.parse("2026-11-23T08:00:00Z");
            FollowedFolder followed = new FollowedFolder(List.of(folder), ManifestOptions.DEFAULTS, () -> now);

            for (int i = 0; i < steps.size(); i++) {
                model.edit(steps.get(i));
                write(file, model.written(random), i + 1);
                followed.step();

                assertThat(followed.cluster()).as("step %s", i).isEqualTo(read(model.expected()));
            }
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }

    /** Writes the documents; the size is another one for each step, so that the file is seen to have changed. */
    private static void write(Path file, List<String> documents, int step) throws IOException {
        String text = String.join("\n---\n", documents);
        Files.writeString(file, text + "\n#" + "-".repeat(5000 + step - text.length()));
    }

    private static ClusterSnapshot read(List<String> documents) throws IOException {
        byte[] text = String.join("\n---\n", documents).getBytes(StandardCharsets.UTF_8);
        return Manifests.read(
                        List.of(ManifestInput.stream("a.yaml", new ByteArrayInputStream(text))),
                        ManifestOptions.DEFAULTS)
                .snapshot();
    }

    @Provide
    Arbitrary<List<Edit>> edits() {
        return Combinators.combine(Arbitraries.integers().between(0, PLACES.size() - 1), Arbitraries.of(State.values()))
                .as(Edit::new)
                .list()
                .ofMaxSize(3);
    }
}
