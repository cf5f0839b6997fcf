package io.k8sdns.json;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Composes values of tokens. It resolves aliases and merge keys as {@code kubectl} does, and limits depth and
 * expansion.
 *
 * <p>An alias refers to the same value object, so its expansion needs no memory; but traversing the values takes time
 * for each alias. The expansion is therefore limited, counted in characters.
 *
 * <p>The entries of a document's list {@code items}, as {@code kubectl get -o yaml} writes it, are delivered one by one
 * and not kept, so a list needs only the memory of its largest object.
 */
public final class Documents {
    /** The maximum depth of nested mappings and lists. */
    static final int MAX_NESTED = 100;

    /** The maximum size of a document with expanded aliases, as a multiple of the size of its file. */
    static final int MAX_EXPANDED = 10;

    private static final int CACHED_TEXTS = 4096;
    private static final int LONGEST_CACHED = 40;

    private final DocumentReceiver receiver;
    private final Map<String, AnchoredValue> anchors = new HashMap<>();
    private final String[] texts = new String[CACHED_TEXTS];
    private long expansionLeft;
    private long expanded;
    private long weight;
    private int ended;

    /** Receives documents. */
    public interface DocumentReceiver {
        /** The current document is broken; its entries that were delivered must be dropped. */
        void forget();

        /** Receives an entry of the list {@code items} of the current document. */
        void item(Value value);

        /** Receives a complete document; its list {@code items} is empty if the entries were delivered one by one. */
        void document(Value value);
    }

    private record AnchoredValue(@Nullable Value value, long weight) {}

    /**
     * Makes a composer for one file.
     *
     * @param fileSize the size of the file in bytes, to which the expansion is compared
     */
    public Documents(DocumentReceiver receiver, long fileSize) {
        this.receiver = receiver;
        this.expansionLeft = fileSize * MAX_EXPANDED;
    }

    /**
     * Composes the only document of a text, including the entries of {@code items}.
     *
     * @throws BrokenDocumentException if it cannot be read, if there is none, or more than one
     */
    public static Value only(Tokens tokens) throws BrokenDocumentException {
        if (tokens.next() != Tokens.Kind.DOCUMENT) {
            throw new BrokenDocumentException(tokens.line(), "the text is empty");
        }
        // One level below the top, whose items would not be kept.
        Value value = new Documents(new IgnoredDocuments(), 0).compose(tokens, tokens.next(), 1);
        if (tokens.next() != Tokens.Kind.END || tokens.next() != Tokens.Kind.NOTHING) {
            throw new BrokenDocumentException(tokens.line(), "text after the value");
        }
        return value;
    }

    /**
     * Returns a member of the only document of a text, if the text is an object up to that member; the rest may be
     * invalid.
     */
    public static Optional<Value> readableMember(Tokens tokens, String name) {
        Documents documents = new Documents(new IgnoredDocuments(), 0);
        Optional<Value> member = Optional.empty();
        try {
            if (tokens.next() == Tokens.Kind.DOCUMENT && tokens.next() == Tokens.Kind.MAPPING) {
                while (tokens.next() == Tokens.Kind.SCALAR) {
                    String key = tokens.text();
                    Value value = documents.compose(tokens, tokens.next(), 2);
                    member = key.equals(name) ? Optional.of(value) : member;
                }
            }
        } catch (BrokenDocumentException fromHereOn) {
            return member;
        }
        return member;
    }

    /** Ignores documents. */
    private static final class IgnoredDocuments implements DocumentReceiver {
        @Override
        public void forget() {}

        @Override
        public void item(Value value) {}

        @Override
        public void document(Value value) {}
    }

    /** Returns the number of complete documents. */
    public int ended() {
        return ended;
    }

    /**
     * Composes documents until there are no more.
     *
     * @throws BrokenDocumentException if one cannot be read; earlier documents have been delivered
     */
    public void read(Tokens tokens) throws BrokenDocumentException {
        while (tokens.next() == Tokens.Kind.DOCUMENT) {
            anchors.clear();
            expanded = 0;
            Tokens.Kind first = tokens.next();
            Value value = compose(tokens, first, 0);
            if (tokens.next() != Tokens.Kind.END) {
                throw new BrokenDocumentException(tokens.line(), "expected the end of the document");
            }
            expansionLeft -= expanded;
            ended++;
            receiver.document(value);
        }
    }

    private Value compose(Tokens tokens, Tokens.Kind kind, int depth) throws BrokenDocumentException {
        String anchor = kind == Tokens.Kind.ALIAS ? null : tokens.anchor();
        if (anchor != null) {
            anchors.put(anchor, new AnchoredValue(null, 0));
        }
        long before = weight;
        Value value = switch (kind) {
            case SCALAR -> scalar(tokens);
            case MAPPING -> mapping(tokens, depth);
            case SEQUENCE -> sequence(tokens, depth);
            case ALIAS -> alias(tokens);
            default -> throw new BrokenDocumentException(tokens.line(), "expected a value");
        };
        weight += 2;
        if (anchor != null) {
            anchors.put(anchor, new AnchoredValue(value, weight - before));
        }
        return value;
    }

    private Value alias(Tokens tokens) throws BrokenDocumentException {
        AnchoredValue anchored = anchors.get(tokens.text());
        if (anchored == null) {
            throw new BrokenDocumentException(tokens.line(), "no anchor for the alias *" + tokens.text());
        }
        if (anchored.value == null) {
            throw new BrokenDocumentException(tokens.line(), "the value of &" + tokens.text() + " contains itself");
        }
        weight += anchored.weight;
        expanded += anchored.weight;
        if (expanded > expansionLeft) {
            throw new BrokenDocumentException(
                    tokens.line(), "aliases expand to more than " + MAX_EXPANDED + " times the file");
        }
        return anchored.value;
    }

    private Value scalar(Tokens tokens) {
        weight += tokens.text().length();
        return new Value.Scalar(cached(tokens.text()), tokens.type(), tokens.line());
    }

    private Value sequence(Tokens tokens, int depth) throws BrokenDocumentException {
        int line = tokens.line();
        if (depth >= MAX_NESTED) {
            return tooDeep(tokens, line);
        }
        List<Value> items = new ArrayList<>();
        for (Tokens.Kind kind = tokens.next(); kind != Tokens.Kind.END; kind = tokens.next()) {
            items.add(compose(tokens, kind, depth + 1));
        }
        return new Value.Sequence(items, line);
    }

    private Value mapping(Tokens tokens, int depth) throws BrokenDocumentException {
        int line = tokens.line();
        if (depth >= MAX_NESTED) {
            return tooDeep(tokens, line);
        }
        Value.Mapping mapping = new Value.Mapping(line);
        Set<String> merged = null;
        for (Tokens.Kind kind = tokens.next(); kind != Tokens.Kind.END; kind = tokens.next()) {
            boolean merge = kind == Tokens.Kind.SCALAR && tokens.isMergeKey();
            String key = key(tokens, kind, depth + 1);
            Tokens.Kind valueKind = tokens.next();
            if (depth == 0 && key.equals("items") && valueKind == Tokens.Kind.SEQUENCE && tokens.anchor() == null) {
                mapping.put(key, items(tokens));
                continue;
            }
            Value value = compose(tokens, valueKind, depth + 1);
            if (merge) {
                // Merged in place, as the go-yaml of kubectl does: earlier keys are replaced, later keys replace merged
                // ones.
                merged = merged == null ? new HashSet<>() : merged;
                merge(mapping, value, merged);
            } else if (mapping.put(key, value) && (merged == null || !merged.remove(key))) {
                mapping.addDuplicate(key);
            }
        }
        return mapping;
    }

    private Value items(Tokens tokens) throws BrokenDocumentException {
        int line = tokens.line();
        // Replaces an earlier list of the document.
        receiver.forget();
        for (Tokens.Kind kind = tokens.next(); kind != Tokens.Kind.END; kind = tokens.next()) {
            receiver.item(compose(tokens, kind, 2));
        }
        return new Value.Sequence(List.of(), line);
    }

    /** Values at this depth are in fields that are not read, or have the wrong type. */
    private static Value tooDeep(Tokens tokens, int line) throws BrokenDocumentException {
        tokens.skipToEnd();
        return new Value.Scalar("", ScalarType.NULL, line);
    }

    private String key(Tokens tokens, Tokens.Kind kind, int depth) throws BrokenDocumentException {
        if (kind == Tokens.Kind.SCALAR && tokens.anchor() == null && tokens.type() == ScalarType.TEXT) {
            // The usual case; the type of the key as a value does not matter.
            weight += tokens.text().length() + 2;
            return cached(tokens.text());
        }
        return key(tokens, compose(tokens, kind, depth));
    }

    /** Returns a key as text, the only type of keys in JSON. */
    private static String key(Tokens tokens, Value value) throws BrokenDocumentException {
        if (!(value instanceof Value.Scalar scalar)) {
            throw new BrokenDocumentException(value.line(), "expected a key, found " + value.words());
        }
        return switch (scalar.type()) {
            case NULL -> throw new BrokenDocumentException(tokens.line(), "no key");
            case BOOLEAN -> String.valueOf(ScalarType.truth(scalar.text()));
            case NUMBER -> ScalarType.key(scalar.text());
            case TEXT -> scalar.text();
        };
    }

    /**
     * Merges a mapping, or several, into another.
     *
     * @param merged receives the merged keys, which the mapping's own keys may replace
     */
    private static void merge(Value.Mapping mapping, Value value, Set<String> merged) throws BrokenDocumentException {
        if (value instanceof Value.Mapping other) {
            mapping.putAll(other);
            merged.addAll(other.keys());
        } else if (value instanceof Value.Sequence sequence) {
            List<Value> items = sequence.items();
            // The first mapping of a list has precedence.
            for (int i = items.size() - 1; i >= 0; i--) {
                if (!(items.get(i) instanceof Value.Mapping other)) {
                    throw new BrokenDocumentException(
                            items.get(i).line(), items.get(i).words() + " cannot be merged, a mapping can");
                }
                mapping.putAll(other);
                merged.addAll(other.keys());
            }
        } else {
            throw new BrokenDocumentException(
                    value.line(), value.words() + " cannot be merged, a mapping or a list of mappings can");
        }
    }

    /** Caches texts, because few different keys and values occur many times. */
    private String cached(String text) {
        if (text.length() > LONGEST_CACHED) {
            return text;
        }
        int slot = (text.hashCode() * 0x9E37_79B1) >>> 20;
        String known = texts[slot];
        if (text.equals(known)) {
            return known;
        }
        texts[slot] = text;
        return text;
    }
}
