package io.k8sdns.json;

import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import java.io.Reader;
import java.io.StringReader;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Reads the responses of an API server for one kind of object: lists and watch events. Nothing is completed. Wrong
 * values are omitted by the rules for manifests, the smallest possible part. Unlike in a manifest, a namespaced object
 * must name its namespace; an object of another type than requested is omitted too.
 *
 * <p>A list is read as a stream: each object is delivered before the next one is read.
 */
public final class ApiReader {
    private static final String TRIGGERED = "endpoints.kubernetes.io/last-change-trigger-time";

    /** The maximum number of cached namespaces; namespaces are added and removed over time. */
    private static final int MAX_NAMESPACES = 10_000;

    private final ObjectType type;
    private final boolean namespaced;
    private final Consumer<Diagnostic> diagnostics;

    /** The names of namespaces, cached so that all objects of a namespace share one String. */
    private final Map<String, Optional<String>> namespaces = new ConcurrentHashMap<>();

    /**
     * An object of the API server.
     *
     * @param ref the key of the object, of the requested kind; without a namespace if the object names none
     * @param uid its UID; the empty text if it has none
     * @param version its resource version; the empty text if it has none
     * @param object the model object; empty if the object is invalid, which was reported
     * @param triggered the time of the cause of the last change, if the object names it
     *     ({@code endpoints.kubernetes.io/last-change-trigger-time})
     */
    public record Item(
            ObjectRef ref, String uid, String version, Optional<ClusterObject> object, Optional<Instant> triggered) {
        /** Checks that nothing is null. */
        public Item {
            Objects.requireNonNull(ref, "ref");
            Objects.requireNonNull(uid, "uid");
            Objects.requireNonNull(version, "version");
            Objects.requireNonNull(object, "object");
            Objects.requireNonNull(triggered, "triggered");
        }

        /** Makes an item without the time of its cause. */
        public Item(ObjectRef ref, String uid, String version, Optional<ClusterObject> object) {
            this(ref, uid, version, object, Optional.empty());
        }
    }

    /**
     * The metadata of a list.
     *
     * @param version its resource version
     * @param continuation the token that requests the rest of the list; empty if there is none
     */
    public record Page(String version, Optional<String> continuation) {
        /** Checks that nothing is null. */
        public Page {
            Objects.requireNonNull(version, "version");
            Objects.requireNonNull(continuation, "continuation");
        }
    }

    /**
     * An API server's response to a failed request ({@code Status}).
     *
     * @param code the HTTP status; 0 if absent
     * @param reason the reason, one word, for example {@code Expired}; may be empty
     * @param message the message; may be empty
     * @param retryAfterSeconds the time in seconds to wait before a retry; 0 if absent
     */
    public record Status(int code, String reason, String message, int retryAfterSeconds) {
        /** Checks that nothing is null. */
        public Status {
            Objects.requireNonNull(reason, "reason");
            Objects.requireNonNull(message, "message");
        }
    }

    /**
     * An event of a watch.
     *
     * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, {@code BOOKMARK}, {@code ERROR}, or another word
     * @param item the object; empty for an error, and for an object without a name
     * @param version the version of the object or bookmark; the empty text if it has none
     * @param status the status of an error
     */
    public record Event(String type, Optional<Item> item, String version, Optional<Status> status) {
        /** Checks that nothing is null. */
        public Event {
            Objects.requireNonNull(type, "type");
            Objects.requireNonNull(item, "item");
            Objects.requireNonNull(version, "version");
            Objects.requireNonNull(status, "status");
        }
    }

    /**
     * Makes a reader of one kind.
     *
     * @param apiVersion group and version, for example {@code discovery.k8s.io/v1}
     * @param kind the kind, for example {@code EndpointSlice}
     * @param namespaced whether the kind is namespaced
     * @param diagnostics receives reports of omitted parts, on the thread that reads
     */
    public ApiReader(String apiVersion, String kind, boolean namespaced, Consumer<Diagnostic> diagnostics) {
        this.type =
                new ObjectType(Objects.requireNonNull(apiVersion, "apiVersion"), Objects.requireNonNull(kind, "kind"));
        this.namespaced = namespaced;
        this.diagnostics = Objects.requireNonNull(diagnostics, "diagnostics");
    }

    /**
     * Reads a list.
     *
     * @param json the answer to a list request
     * @param items receives the objects one by one
     * @throws InvalidApiResponseException if it is not JSON, is incomplete, or is not a list; earlier objects have been
     *     delivered
     * @throws java.io.UncheckedIOException if it cannot be read
     */
    public Page list(Reader json, Consumer<Item> items) {
        Objects.requireNonNull(json, "json");
        Objects.requireNonNull(items, "items");
        List<Value> whole = new ArrayList<>();
        Documents documents = new Documents(
                new Documents.DocumentReceiver() {
                    @Override
                    public void forget() {}

                    @Override
                    public void item(Value value) {
                        ApiReader.this.item(value).ifPresent(items);
                    }

                    @Override
                    public void document(Value value) {
                        whole.add(value);
                    }
                },
                0);
        try {
            documents.read(JsonTokens.ofObjects(json, 1));
        } catch (BrokenDocumentException broken) {
            throw new InvalidApiResponseException(String.valueOf(broken.getMessage()));
        }
        if (whole.size() != 1) {
            throw new InvalidApiResponseException(whole.isEmpty() ? "the text is empty" : "text after the list");
        }
        Field list = field(whole.get(0));
        String kind = list.get("kind").scalarText().orElse("(none)");
        if (!kind.equals(type.kind() + "List") && !kind.equals("List")) {
            throw new InvalidApiResponseException(
                    "no " + type.kind() + "List, but of kind " + FileNotes.printable(kind));
        }
        Value listed = whole.get(0) instanceof Value.Mapping mapping ? mapping.get("items") : null;
        boolean none = listed instanceof Value.Scalar scalar && scalar.type() == ScalarType.NULL;
        if (!none && !(listed instanceof Value.Sequence)) {
            // Read as an empty list, it would remove every name.
            throw new InvalidApiResponseException("a list without items");
        }
        Field metadata = list.get("metadata");
        return new Page(
                metadata.get("resourceVersion").scalarText().orElse(""),
                metadata.get("continue").scalarText().filter(token -> !token.isEmpty()));
    }

    /**
     * Reads an event.
     *
     * @param json a line of the answer to a watch request
     * @throws InvalidApiResponseException if it is not JSON, or not an event
     */
    public Event event(String json) {
        Value value = value(json);
        Field event = field(value);
        String word = event.get("type").scalarText().orElse("");
        Value object = value instanceof Value.Mapping mapping ? mapping.get("object") : null;
        if (word.isEmpty() || object == null) {
            throw new InvalidApiResponseException("not an event of a watch");
        }
        if (word.equals("ERROR")) {
            return new Event(word, Optional.empty(), "", Optional.of(status(field(object))));
        }
        String version = field(object)
                .get("metadata")
                .get("resourceVersion")
                .scalarText()
                .orElse("");
        return new Event(word, word.equals("BOOKMARK") ? Optional.empty() : item(object), version, Optional.empty());
    }

    /**
     * Reads the response to a failed request.
     *
     * @param json the body of an error response, of any content
     * @return the status; empty if the body is not a {@code Status}
     */
    public static Optional<Status> status(String json) {
        try {
            Field status = field(value(json));
            return status.get("kind").hasText("Status") ? Optional.of(status(status)) : Optional.empty();
        } catch (InvalidApiResponseException other) {
            return Optional.empty();
        }
    }

    private static Status status(Field status) {
        return new Status(
                status.get("code").number().orElse(0),
                status.get("reason").scalarText().orElse(""),
                FileNotes.printable(status.get("message").scalarText().orElse("")),
                status.get("details").get("retryAfterSeconds").number().orElse(0));
    }

    private static Value value(String json) {
        Objects.requireNonNull(json, "json");
        try {
            return Documents.only(JsonTokens.ofObjects(new StringReader(json), 1));
        } catch (BrokenDocumentException broken) {
            throw new InvalidApiResponseException(String.valueOf(broken.getMessage()));
        }
    }

    private static Field field(Value value) {
        return Field.root(new FileNotes("API server"), value);
    }

    private Optional<Item> item(Value value) {
        FileNotes notes = new FileNotes("API server");
        Field root = Field.root(notes, value);
        Field metadata = root.get("metadata");
        Optional<String> name = metadata.get("name").scalarText();
        Optional<String> namespace = metadata.get("namespace").scalarText().filter(text -> !text.isEmpty());
        ObjectRef ref = new ObjectRef(
                type.kind(), namespaced ? namespace.flatMap(this::shared) : Optional.empty(), name.orElse("(no name)"));
        ObjectType own = ObjectType.of(value).completedBy(type);
        List<ClusterObject> objects = new ArrayList<>();
        if (!own.equals(type)) {
            root.of(ref).warn("other-type", own + ", where " + type + " was requested");
        } else if (namespaced && namespace.isEmpty() && name.isPresent()) {
            root.of(ref)
                    .get("metadata")
                    .get("namespace")
                    .warn("no-namespace", "a " + type.kind() + " without a namespace");
        } else {
            new ObjectReader(
                            notes,
                            namespace.orElse("default"),
                            ObjectChecks.NONE,
                            (any, object, line, refused, faultless) -> {
                                if (object instanceof ClusterObject one) {
                                    objects.add(one);
                                }
                            })
                    .read(value, type);
        }
        // Line numbers of a response are useless to users.
        notes.all().stream()
                .map(one -> new Diagnostic(
                        one.severity(), one.code(), one.object(), one.field(), Optional.empty(), one.text()))
                .forEach(diagnostics);
        return name.map(any -> new Item(
                ref,
                metadata.get("uid").scalarText().orElse(""),
                metadata.get("resourceVersion").scalarText().orElse(""),
                objects.stream().findFirst(),
                metadata.get("annotations").get(TRIGGERED).scalarText().flatMap(ApiReader::instant)));
    }

    private Optional<String> shared(String namespace) {
        if (namespaces.size() > MAX_NAMESPACES) {
            namespaces.clear();
        }
        return namespaces.computeIfAbsent(namespace, Optional::of);
    }

    /** Returns the time of a text; text that is not a time is ignored, because no record depends on it. */
    private static Optional<Instant> instant(String text) {
        try {
            return Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeParseException other) {
            return Optional.empty();
        }
    }
}
