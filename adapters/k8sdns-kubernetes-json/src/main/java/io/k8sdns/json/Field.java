package io.k8sdns.json;

import io.k8sdns.model.ObjectRef;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A field of an object in a file: its value if present, and its path for reports.
 *
 * <p>A field that is {@code null} counts as absent, as in the API server. A value of another type than requested is
 * reported once and then counts as absent too.
 */
public final class Field {
    /** The code of warnings about values of the wrong type. */
    public static final String WRONG_TYPE = "wrong-type";

    /** The largest {@code double} that is within the range of a {@code long}. */
    private static final double LARGEST_LONG = Math.nextDown(0x1p63);

    private final ObjectNotes notes;
    private final @Nullable Field parent;
    private final String name;
    private final @Nullable Value value;

    /** Collects the reports about the fields of one object. */
    private static final class ObjectNotes {
        private final FileNotes file;
        private final Optional<ObjectRef> object;

        /** Code and path of every warning. */
        private final Set<String> warned;

        /** Code and path of every warning that became a note. */
        private final Set<String> noted;

        private final boolean warningsAreNotes;

        ObjectNotes(FileNotes file, Optional<ObjectRef> object) {
            this(file, object, new HashSet<>(), new HashSet<>(), false);
        }

        private ObjectNotes(
                FileNotes file,
                Optional<ObjectRef> object,
                Set<String> warned,
                Set<String> noted,
                boolean warningsAreNotes) {
            this.file = file;
            this.object = object;
            this.warned = warned;
            this.noted = noted;
            this.warningsAreNotes = warningsAreNotes;
        }

        ObjectNotes withWarningsAsNotes() {
            return new ObjectNotes(file, object, warned, noted, true);
        }
    }

    private Field(ObjectNotes notes, @Nullable Field parent, String name, @Nullable Value value) {
        this.notes = notes;
        this.parent = parent;
        this.name = name;
        this.value = value;
    }

    /** Returns the root field of an object. */
    public static Field root(FileNotes file, Value value) {
        return new Field(new ObjectNotes(file, Optional.empty()), null, "", value);
    }

    /** Returns the same root field with the name of the object for later reports. */
    public Field of(ObjectRef object) {
        return new Field(new ObjectNotes(notes.file, Optional.of(object)), null, "", value);
    }

    /**
     * Returns the same field with notes in place of warnings about it and its parts; notes do not make the object
     * faulty.
     */
    public Field withWarningsAsNotes() {
        return new Field(notes.withWarningsAsNotes(), parent, name, value);
    }

    /** Returns the field of this name; it is absent if there is none, or if this is not a mapping. */
    public Field get(String child) {
        return new Field(notes, this, child, value instanceof Value.Mapping mapping ? mapping.get(child) : null);
    }

    /** Returns the last step of the path. */
    public String name() {
        return name;
    }

    /** Returns the value if it is a mapping, otherwise empty. Nothing is reported. */
    public Optional<Value.Mapping> mapping() {
        return value instanceof Value.Mapping mapping ? Optional.of(mapping) : Optional.empty();
    }

    /** Returns the keys of a mapping; an empty list if this is not a mapping. Nothing is reported. */
    public List<String> keys() {
        return value instanceof Value.Mapping mapping ? mapping.keys() : List.of();
    }

    /** Returns the entries of a list; an empty list if this is not a list. Nothing is reported. */
    public List<Field> entries() {
        return value instanceof Value.Sequence ? items() : List.of();
    }

    /**
     * Returns the fields within this one, at any depth, that are in the document more than once. Nothing is reported.
     */
    public List<Field> duplicates() {
        List<Field> duplicates = new ArrayList<>();
        if (value != null && value.hasDuplicates()) {
            addDuplicates(duplicates);
        }
        return duplicates;
    }

    private void addDuplicates(List<Field> duplicates) {
        if (value instanceof Value.Mapping mapping) {
            mapping.duplicates().forEach(key -> duplicates.add(get(key)));
            mapping.keys().forEach(key -> get(key).addDuplicates(duplicates));
        }
        entries().forEach(entry -> entry.addDuplicates(duplicates));
    }

    /** Returns whether this is a list without entries. */
    public boolean isEmptyList() {
        return value instanceof Value.Sequence sequence && sequence.items().isEmpty();
    }

    /** Returns whether a fault was reported in the object of this field. */
    boolean isInFaultyObject() {
        return !notes.warned.isEmpty();
    }

    /** Returns the field at a path below this one, for example {@code spec.ports[1].name}. */
    public Field at(String path) {
        Field field = this;
        for (String step : path.split("\\.|(?=\\[)", -1)) {
            if (!step.startsWith("[")) {
                field = field.get(step);
            } else if (field.value instanceof Value.Sequence) {
                field = field.items().get(Integer.parseInt(step.substring(1, step.length() - 1)));
            }
        }
        return field;
    }

    public boolean isAbsent() {
        return value == null || value instanceof Value.Scalar scalar && scalar.type() == ScalarType.NULL;
    }

    /** Returns whether this is absent or a mapping; anything else is reported. */
    public boolean isMappingOrAbsent() {
        return isAbsent() || value instanceof Value.Mapping || wrongType("a mapping");
    }

    /** Returns the text; empty if absent, or if this is not text, which is reported. */
    public Optional<String> text() {
        if (value instanceof Value.Scalar scalar && scalar.type() == ScalarType.TEXT) {
            return Optional.of(scalar.text());
        }
        if (!isAbsent()) {
            wrongType("text");
        }
        return Optional.empty();
    }

    /** Returns the text of a scalar of any type; empty if absent, or if this is not a scalar. Nothing is reported. */
    public Optional<String> scalarText() {
        return value instanceof Value.Scalar scalar && scalar.type() != ScalarType.NULL
                ? Optional.of(scalar.text())
                : Optional.empty();
    }

    /** Returns whether this is a scalar with this text, of any type. Nothing is reported. */
    public boolean hasText(String text) {
        return value instanceof Value.Scalar scalar
                && scalar.type() != ScalarType.NULL
                && scalar.text().equals(text);
    }

    /** Returns whether this is absent or the empty text, which the API server treats alike in many fields. */
    public boolean isAbsentOrEmpty() {
        return isAbsent() || hasText("");
    }

    /** Returns the boolean; empty if absent, or if this is not a boolean, which is reported. */
    public Optional<Boolean> truth() {
        if (value instanceof Value.Scalar scalar && scalar.type() == ScalarType.BOOLEAN) {
            return Optional.of(ScalarType.truth(scalar.text()));
        }
        if (!isAbsent()) {
            wrongType("true or false");
        }
        return Optional.empty();
    }

    /** Returns the whole number; empty if absent, or if this is not a whole number, which is reported. */
    public Optional<Integer> number() {
        Optional<String> error = typeError("int32");
        error.ifPresent(text -> warn(WRONG_TYPE, text));
        return value instanceof Value.Scalar scalar && error.isEmpty() && !isAbsent()
                ? Optional.of((int) ScalarType.value(scalar.text()))
                : Optional.empty();
    }

    /**
     * Returns the reason why the decoder of an API server refuses the value; empty if it accepts it, as it accepts null
     * for every type.
     *
     * @param type a type of {@code known-types.txt}
     */
    public Optional<String> typeError(String type) {
        if (isAbsent()) {
            return Optional.empty();
        }
        return switch (type) {
            case "any" -> Optional.empty();
            case "string" -> scalarError(ScalarType.TEXT, "text");
            case "bool" -> scalarError(ScalarType.BOOLEAN, "true or false");
            case "int32" -> scalarError(ScalarType.NUMBER, "a number").or(() -> rangeError(isWhole(Integer.MAX_VALUE)));
            case "int64" ->
                scalarError(ScalarType.NUMBER, "a number")
                        .or(() -> rangeError(isWhole(LARGEST_LONG)
                                || ScalarType.isLong(scalarText().orElse(""))));
            default ->
                type.startsWith("[]")
                        ? errorUnless(value instanceof Value.Sequence, "a list")
                        : errorUnless(value instanceof Value.Mapping, "a mapping");
        };
    }

    private Optional<String> scalarError(ScalarType type, String expected) {
        return errorUnless(value instanceof Value.Scalar scalar && scalar.type() == type, expected);
    }

    private Optional<String> errorUnless(boolean fits, String expected) {
        return fits ? Optional.empty() : Optional.of(wrongTypeText(expected));
    }

    private Optional<String> rangeError(boolean fits) {
        return fits
                ? Optional.empty()
                : Optional.of("not a whole number in range: " + scalarText().orElse(""));
    }

    private boolean isWhole(double largest) {
        double number = ScalarType.value(scalarText().orElse(""));
        return number == Math.rint(number) && Math.abs(number) <= largest;
    }

    /** Returns whether this is a number, for fields in which the API accepts a number or text. */
    boolean isNumber() {
        return value instanceof Value.Scalar scalar && scalar.type() == ScalarType.NUMBER;
    }

    /** Returns the entries of a list; an empty list if absent, or if this is not a list, which is reported. */
    List<Field> items() {
        if (value instanceof Value.Sequence sequence) {
            List<Field> items = new ArrayList<>(sequence.items().size());
            for (int i = 0; i < sequence.items().size(); i++) {
                items.add(new Field(notes, this, "[" + i + "]", sequence.items().get(i)));
            }
            return items;
        }
        if (!isAbsent()) {
            wrongType("a list");
        }
        return List.of();
    }

    /**
     * Returns the keys of a mapping with their fields; empty if absent, or if this is not a mapping, which is reported.
     */
    public Map<String, Field> members() {
        if (value instanceof Value.Mapping mapping) {
            Map<String, Field> members = new LinkedHashMap<>();
            for (String key : mapping.keys()) {
                members.put(key, new Field(notes, this, "[" + key + "]", mapping.get(key)));
            }
            return members;
        }
        if (!isAbsent()) {
            wrongType("a mapping");
        }
        return Map.of();
    }

    private boolean wrongType(String expected) {
        warn(WRONG_TYPE, wrongTypeText(expected));
        return false;
    }

    private String wrongTypeText(String expected) {
        String text = value instanceof Value.Scalar scalar ? ": " + scalar.text() : "";
        String advice = expected.equals("text") && !text.isEmpty() ? " (quote it)" : "";
        String found = value == null ? "nothing" : value.words();
        return "expected " + expected + ", found " + found + text + advice;
    }

    /** Warns that the value is wrong and omitted; only the first of several warnings with one code is reported. */
    public void warn(String code, String text) {
        String warning = code + " " + path().orElse("");
        if (notes.warningsAreNotes) {
            if (!notes.warned.contains(warning) && notes.noted.add(warning)) {
                note(code, text);
            }
            return;
        }
        if (!notes.warned.add(warning)) {
            return;
        }
        boolean template = name.contains("{{")
                || value instanceof Value.Scalar scalar && scalar.text().contains("{{");
        notes.file.warn(template ? FileNotes.TEMPLATE : code, notes.object, path(), line(), text);
    }

    /** Warns that the value is probably a mistake, although an API server accepts it, so that the object is not faulty. */
    public void caution(String code, String text) {
        notes.file.warn(code, notes.object, path(), line(), text);
    }

    /** Reports a note. */
    public void note(String code, String text) {
        notes.file.note(code, notes.object, path(), line(), text);
    }

    /** Returns the line of the value, or of the nearest present parent. */
    int line() {
        for (Field field = this; field != null; field = field.parent) {
            if (field.value != null) {
                return field.value.line();
            }
        }
        return 0;
    }

    public Optional<String> path() {
        if (parent == null) {
            return Optional.empty();
        }
        StringBuilder path = new StringBuilder();
        appendTo(path);
        return Optional.of(path.toString());
    }

    private void appendTo(StringBuilder path) {
        if (parent == null) {
            return;
        }
        parent.appendTo(path);
        if (path.length() > 0 && !name.startsWith("[")) {
            path.append('.');
        }
        path.append(name);
    }
}
