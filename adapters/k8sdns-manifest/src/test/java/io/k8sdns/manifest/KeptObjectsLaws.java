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
 * While a file is edited repeatedly, an object is kept exactly as long as the file has a skipped document that may be an edit
 * of the object, and that it did not have at the time when it last contained the object itself.
 *
 * <p>The file has a row of slots, each with at most one document. Skipped documents in two slots never have the same kind,
 * namespace and name, so that the slot identifies a document.
 */
class KeptObjectsLaws {
    private static final String ANCHOR = "{apiVersion: v1, kind: Namespace, metadata: {name: anchor}}";

    /** The document in a slot. */
    private enum State {
        ABSENT,
        VALID,
        OTHERWISE_VALID,
        FAULTY,
        FRAGMENT,
        NAMELESS
    }

    /**
     * A slot and its possible documents.
     *
     * @param texts the documents; a slot without an object of its own has no valid and no faulty document
     */
    private record Slot(String name, Map<State, String> texts) {
        boolean hasObject() {
            return texts.containsKey(State.VALID);
        }

        /** Returns this state, or another one if this slot does not have it. */
        State possible(State state) {
            return state == State.ABSENT || texts.containsKey(state)
                    ? state
                    : texts.keySet().iterator().next();
        }

        /** Returns whether the document is skipped, and may be an edit of an object of this name. */
        boolean isSkippedEditOf(State state, String object) {
            return state == State.NAMELESS || state == State.FRAGMENT && name.equals(object);
        }
    }

    private static final List<Slot> SLOTS = List.of(
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
            new Slot(
                    "api",
                    Map.of(
                            State.FRAGMENT,
                            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: api}, spec: {}}")),
            new Slot("", Map.of(State.NAMELESS, "{apiVersion: v1, kind: Pod, metadata: {namespace: jobs}, spec: {}}")),
            new Slot("", Map.of(State.NAMELESS, "{apiVersion: v1, kind: Service, metadata: {namespace: jobs}}")));

    private static Slot object(String name, String head, String rest) {
        String named = "{" + head + "name: " + name + "}";
        return new Slot(
                name,
                Map.of(
                        State.VALID, named + rest.formatted("80") + "}",
                        State.OTHERWISE_VALID, named + rest.formatted("81") + "}",
                        State.FAULTY, named + rest.formatted("70000") + "}",
                        State.FRAGMENT, named + rest.formatted("80") + ", $patch: replace}",
                        State.NAMELESS, "{" + head + "}" + rest.formatted("80") + "}"));
    }

    /** An edit of one slot. */
    private record Edit(int slot, State state) {}

    /** The object of a slot: its state in use, and the states of all slots when the slot last had a document of the object. */
    private record UsedObject(State state, List<State> statesWhenPresent) {}

    /** The states of all slots, and the objects in use. */
    private static final class Model {
        private List<State> states = Collections.nCopies(SLOTS.size(), State.ABSENT);
        private final Map<Integer, UsedObject> objectsInUse = new LinkedHashMap<>();

        void edit(List<Edit> edits) {
            List<State> next = new ArrayList<>(states);
            edits.forEach(one -> next.set(one.slot(), SLOTS.get(one.slot()).possible(one.state())));
            states = next;
            for (int i = 0; i < SLOTS.size(); i++) {
                if (SLOTS.get(i).hasObject()) {
                    updateObject(i);
                }
            }
        }

        private void updateObject(int slot) {
            State now = states.get(slot);
            Optional<UsedObject> before = Optional.ofNullable(objectsInUse.get(slot));
            if (now == State.VALID || now == State.OTHERWISE_VALID) {
                objectsInUse.put(slot, new UsedObject(now, states));
            } else if (now == State.FAULTY) {
                objectsInUse.put(
                        slot, new UsedObject(before.map(UsedObject::state).orElse(now), states));
            } else if (before.isPresent() && !mayBeEdited(slot, before.get().statesWhenPresent())) {
                objectsInUse.remove(slot);
            }
        }

        private boolean mayBeEdited(int slot, List<State> statesWhenPresent) {
            return IntStream.range(0, SLOTS.size())
                    .anyMatch(other -> states.get(other) != statesWhenPresent.get(other)
                            && SLOTS.get(other)
                                    .isSkippedEditOf(
                                            states.get(other), SLOTS.get(slot).name()));
        }

        List<String> written(Random random) {
            List<String> documents = new ArrayList<>();
            for (int i = 0; i < SLOTS.size(); i++) {
                Optional.ofNullable(SLOTS.get(i).texts().get(states.get(i))).ifPresent(documents::add);
            }
            Collections.shuffle(documents, random);
            documents.add(0, ANCHOR);
            return documents;
        }

        List<String> expected() {
            List<String> documents = new ArrayList<>(List.of(ANCHOR));
            objectsInUse.forEach(
                    (slot, used) -> documents.add(SLOTS.get(slot).texts().get(used.state())));
            return documents;
        }
    }

    @Property(tries = 200)
    void anObjectIsKeptWhileASkippedDocumentMayBeAnEditOfIt(
            @ForAll @From("edits") List<Edit> first,
            @ForAll @Size(min = 1, max = 8) List<@From("edits") List<Edit>> steps,
            @ForAll Random random)
            throws IOException {
        Path folder = Files.createTempDirectory("k8sdns-laws");
        Path file = folder.resolve("a.yaml");
        try {
            Model model = new Model();
            model.edit(IntStream.range(0, SLOTS.size())
                    .mapToObj(slot -> new Edit(slot, State.VALID))
                    .toList());
            model.edit(first);
            // The first reading has no earlier objects to keep.
            model.objectsInUse.clear();
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

    /** Writes the documents; each step has another file size, so that the change is detected. */
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
        return Combinators.combine(Arbitraries.integers().between(0, SLOTS.size() - 1), Arbitraries.of(State.values()))
                .as(Edit::new)
                .list()
                .ofMaxSize(3);
    }
}
