package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the values of directives. */
final class CorefileValues {
    private static final Pattern DURATION = Pattern.compile("(\\d+(?:\\.\\d+)?)(h|ms|m|s|us|µs|ns)");

    private CorefileValues() {}

    /** Returns the first argument. */
    static String first(Directive directive) {
        if (directive.arguments().isEmpty() || directive.arguments().get(0).isEmpty()) {
            throw new InvalidCorefileException(directive.line(), directive.name() + " needs a value");
        }
        return directive.arguments().get(0);
    }

    /** Returns all arguments. */
    static String text(Directive directive) {
        first(directive);
        return String.join(" ", directive.arguments());
    }

    /** Parses a duration in Go's format, {@code 1m30s}, and returns the whole seconds. */
    static String seconds(Directive property) {
        return seconds(property, first(property));
    }

    /** Parses a duration in an argument of a property. */
    static String seconds(Directive property, String text) {
        if (text.equals("0")) {
            return text;
        }
        Matcher parts = DURATION.matcher(text);
        double seconds = 0;
        int end = 0;
        while (parts.find() && parts.start() == end) {
            end = parts.end();
            seconds += Double.parseDouble(parts.group(1))
                    * switch (parts.group(2)) {
                        case "h" -> 3600;
                        case "m" -> 60;
                        case "s" -> 1;
                        case "ms" -> 1e-3;
                        default -> 0;
                    };
        }
        if (end == 0 || end != text.length()) {
            throw new InvalidCorefileException(property.line(), "not a duration, such as 5s or 1m30s: " + text);
        }
        return String.valueOf((long) Math.ceil(seconds));
    }
}
