package io.k8sdns.json;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A part of a YAML or JSON document, with the line at which it begins. */
public sealed interface Value {
    /** Returns the line, from 1. */
    int line();

    /** Returns the description of the type. */
    String words();

    /** Returns whether the value is empty. */
    boolean isEmpty();

    /** Returns whether a mapping within this value has a key more than once in the document. */
    boolean hasDuplicates();

    /** Text, number, boolean or null; the text is that of the document, without quotes. */
    record Scalar(String text, ScalarType type, int line) implements Value {
        @Override
        public String words() {
            return type.words();
        }

        @Override
        public boolean isEmpty() {
            return type == ScalarType.NULL || text.isEmpty();
        }

        @Override
        public boolean hasDuplicates() {
            return false;
        }
    }

    /** A list. */
    record Sequence(List<Value> items, int line) implements Value {
        @Override
        public String words() {
            return "a list";
        }

        @Override
        public boolean isEmpty() {
            return items.isEmpty();
        }

        @Override
        public boolean hasDuplicates() {
            for (Value item : items) {
                if (item.hasDuplicates()) {
                    return true;
                }
            }
            return false;
        }
    }

    /**
     * Keys and values, in the order of the document; the last value of a repeated key is used.
     *
     * <p>Stored in two arrays with linear search, because most mappings are small and a large file has hundreds of
     * thousands.
     */
    final class Mapping implements Value {
        private static final int SEARCHED_ONE_BY_ONE = 16;

        private final int line;
        private String[] keys = new String[4];
        private Value[] values = new Value[4];
        private int size;
        private @Nullable Map<String, Integer> index;
        private List<String> duplicates = List.of();

        Mapping(int line) {
            this.line = line;
        }

        /** Returns a mapping at a line, with keys that no document has. */
        public static Mapping of(int line, Map<String, Value> entries) {
            Mapping mapping = new Mapping(line);
            entries.forEach(mapping::put);
            return mapping;
        }

        /** Returns the mapping with some keys added or replaced. */
        public Mapping with(Map<String, Value> entries) {
            Mapping mapping = new Mapping(line);
            mapping.putAll(this);
            // So that a check still finds the keys that the document repeats.
            duplicates.forEach(mapping::addDuplicate);
            entries.forEach(mapping::put);
            return mapping;
        }

        /** Adds a key, or replaces its value; returns whether the key was present. */
        boolean put(String key, Value value) {
            int at = find(key);
            if (at >= 0) {
                values[at] = value;
                return true;
            }
            if (size == keys.length) {
                keys = Arrays.copyOf(keys, size * 2);
                values = Arrays.copyOf(values, size * 2);
            }
            keys[size] = key;
            values[size] = value;
            if (index != null) {
                index.put(key, size);
            } else if (size == SEARCHED_ONE_BY_ONE) {
                index = new HashMap<>();
                for (int i = 0; i <= size; i++) {
                    index.put(keys[i], i);
                }
            }
            size++;
            return false;
        }

        /** Records that the document has a key more than once. */
        void addDuplicate(String key) {
            if (duplicates.isEmpty()) {
                duplicates = new ArrayList<>();
            }
            duplicates.add(key);
        }

        /** Returns the keys that the document has more than once. */
        List<String> duplicates() {
            return duplicates;
        }

        /** Adds all keys of another mapping, or replaces their values. */
        void putAll(Mapping other) {
            for (int i = 0; i < other.size; i++) {
                put(other.keys[i], other.values[i]);
            }
        }

        private int find(String key) {
            if (index != null) {
                return index.getOrDefault(key, -1);
            }
            for (int i = 0; i < size; i++) {
                if (keys[i].equals(key)) {
                    return i;
                }
            }
            return -1;
        }

        /** Returns the value of a key, or null if absent. */
        public @Nullable Value get(String key) {
            int at = find(key);
            return at < 0 ? null : values[at];
        }

        /** Returns the keys in the order of the document. */
        public List<String> keys() {
            return Arrays.asList(keys).subList(0, size);
        }

        @Override
        public int line() {
            return line;
        }

        @Override
        public String words() {
            return "a mapping";
        }

        @Override
        public boolean isEmpty() {
            return size == 0;
        }

        @Override
        public boolean hasDuplicates() {
            if (!duplicates.isEmpty()) {
                return true;
            }
            for (int i = 0; i < size; i++) {
                if (values[i].hasDuplicates()) {
                    return true;
                }
            }
            return false;
        }
    }
}
