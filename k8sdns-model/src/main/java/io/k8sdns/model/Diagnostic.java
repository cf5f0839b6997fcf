package io.k8sdns.model;

import java.util.Objects;
import java.util.Optional;

/**
 * A note or a warning about input, with its object, field and position.
 *
 * @param severity {@link Severity#WARNING} if a part of the input was omitted, or Kubernetes refuses it; otherwise {@link
 *     Severity#NOTE}
 * @param code the kind of problem, a stable word in kebab case, for example {@code invalid-address}
 * @param object the object, if it is known
 * @param field the path of the field in the object, for example {@code spec.clusterIPs[1]}
 * @param position the position in the input file
 * @param text the description, in one line
 */
public record Diagnostic(
        Severity severity,
        String code,
        Optional<ObjectRef> object,
        Optional<String> field,
        Optional<Position> position,
        String text) {
    /** The severity of a diagnostic. */
    public enum Severity {
        /** Information; no part of the input was omitted. */
        NOTE,
        /**
         * A part of the input was omitted, or Kubernetes refuses it; an error for a caller that requires strict
         * reading.
         */
        WARNING
    }

    /** Checks that nothing is null. */
    @Internal
    public Diagnostic {
        Objects.requireNonNull(severity, "severity");
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(object, "object");
        Objects.requireNonNull(field, "field");
        Objects.requireNonNull(position, "position");
        Objects.requireNonNull(text, "text");
    }

    /** Returns a note about an object. */
    public static Diagnostic note(String code, ObjectRef object, String text) {
        return forObject(Severity.NOTE, code, object, text);
    }

    /** Returns a warning about an object. */
    public static Diagnostic warning(String code, ObjectRef object, String text) {
        return forObject(Severity.WARNING, code, object, text);
    }

    private static Diagnostic forObject(Severity severity, String code, ObjectRef object, String text) {
        Objects.requireNonNull(object, "object");
        return new Diagnostic(severity, code, Optional.of(object), Optional.empty(), Optional.empty(), text);
    }

    /** Returns the same diagnostic about this field. */
    public Diagnostic atField(String path) {
        return new Diagnostic(
                severity, code, object, Optional.of(Objects.requireNonNull(path, "path")), position, text);
    }

    /** Returns the same diagnostic at this position. */
    public Diagnostic atPosition(Position at) {
        return new Diagnostic(severity, code, object, field, Optional.of(Objects.requireNonNull(at, "at")), text);
    }

    /** Returns position, object, field and text in one line: {@code shop.yaml:12: Service shop/cart, spec.clusterIP: ...}. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder();
        position.ifPresent(at -> line.append(at).append(": "));
        object.ifPresent(ref -> line.append(ref).append(field.isPresent() ? ", " : ": "));
        field.ifPresent(path -> line.append(path).append(": "));
        return line.append(text).toString();
    }
}
