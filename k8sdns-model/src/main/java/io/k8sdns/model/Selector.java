package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import io.k8sdns.arguments.KubernetesNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * A label selector: requirements on the labels of an object, all of which must hold.
 *
 * <p>Reads what {@code kubectl -l} reads ({@code labels.Parse} of {@code k8s.io/apimachinery}): {@code key},
 * {@code !key}, {@code key=value}, {@code key==value}, {@code key!=value}, {@code key in (a,b)},
 * {@code key notin (a,b)}, {@code key>1}, {@code key<1}, joined by commas; the empty selector matches everything.
 *
 * <p>As there, {@code !=} and {@code notin} match objects without the key; the other operators with a value do not.
 * Requirements are kept in the order of their text, so selectors with the same requirements in another order are equal;
 * {@link #toString} can be parsed again and gives an equal selector.
 *
 * <p>As a limit of {@link io.k8sdns.cluster.Visibility} the empty selector publishes nothing. {@code Visibility} cannot
 * recognize the empty selector within a predicate made by {@link #and}, {@link #or} or a lambda: such a predicate
 * matches everything.
 */
public final class Selector implements Predicate<Labels> {
    /** Matches everything. */
    public static final Selector EVERYTHING = new Selector(List.of());

    private final List<Requirement> requirements;

    private Selector(List<Requirement> requirements) {
        this.requirements = requirements.stream()
                .sorted(Comparator.comparing(Requirement::key).thenComparing(Requirement::toString))
                .toList();
    }

    /**
     * Reads a selector.
     *
     * @param text for example {@code app=shop,tier in (front,back),!canary}
     * @throws IllegalArgumentException if the text is not a selector; the message names the position of the error
     */
    public static Selector parse(String text) {
        Objects.requireNonNull(text, "text");
        return new Selector(new Parser(text).requirements());
    }

    /**
     * Returns the selector that requires each of these labels, as {@code spec.selector} of a Service does.
     *
     * @param labels keys and values
     * @throws InvalidFieldException if one of them is not a label
     */
    public static Selector ofLabels(Map<String, String> labels) {
        return ofLabels(new Labels(Copies.map("labels", labels)));
    }

    /** Returns the selector that requires each of these labels, as {@code spec.selector} of a Service does. */
    public static Selector ofLabels(Labels labels) {
        Objects.requireNonNull(labels, "labels");
        List<Requirement> requirements = new ArrayList<>();
        labels.values().forEach((key, value) -> requirements.add(new Requirement(key, Operator.EQUALS, Set.of(value))));
        return new Selector(requirements);
    }

    /** Returns whether these labels satisfy every requirement. */
    @Override
    public boolean test(Labels labels) {
        for (Requirement requirement : requirements) {
            if (!requirement.test(labels)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Selector selector && requirements.equals(selector.requirements);
    }

    @Override
    public int hashCode() {
        return requirements.hashCode();
    }

    /** Returns the text that {@link #parse} reads. */
    @Override
    public String toString() {
        return String.join(",", requirements.stream().map(Requirement::toString).toList());
    }

    private enum Operator {
        EXISTS(""),
        DOES_NOT_EXIST("!"),
        EQUALS("="),
        NOT_EQUALS("!="),
        IN("in"),
        NOT_IN("notin"),
        GREATER_THAN(">"),
        LESS_THAN("<");

        private final String text;

        Operator(String text) {
            this.text = text;
        }
    }

    /** The requirement on the value of one key. */
    private record Requirement(String key, Operator operator, Set<String> values) {
        boolean test(Labels labels) {
            Optional<String> value = labels.get(key);
            return switch (operator) {
                case EXISTS -> value.isPresent();
                case DOES_NOT_EXIST -> value.isEmpty();
                case EQUALS, IN -> value.filter(values::contains).isPresent();
                case NOT_EQUALS, NOT_IN -> value.filter(values::contains).isEmpty();
                case GREATER_THAN -> compare(value) > 0;
                case LESS_THAN -> compare(value) < 0;
            };
        }

        /** Returns the sign of label minus operand; 0, which satisfies neither operator, if the label is not a number. */
        private int compare(Optional<String> value) {
            Optional<Long> operand = tryNumber(values.iterator().next());
            return value.flatMap(Requirement::tryNumber)
                    .flatMap(number -> operand.map(other -> Long.compare(number, other)))
                    .orElse(0);
        }

        /** Reads a whole number of 64 bits. */
        static Optional<Long> tryNumber(String text) {
            try {
                return Optional.of(Long.parseLong(text));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }

        @Override
        public String toString() {
            return switch (operator) {
                case EXISTS -> key;
                case DOES_NOT_EXIST -> "!" + key;
                case EQUALS, NOT_EQUALS, GREATER_THAN, LESS_THAN -> key + operator.text + String.join("", values);
                case IN, NOT_IN -> key + " " + operator.text + " (" + String.join(",", values) + ")";
            };
        }
    }

    /** The grammar of {@code labels.Parse}, one method per rule. */
    private static final class Parser {
        private static final String SYMBOLS = "=!(),<>";

        private final String text;
        private final List<Token> tokens;
        private int position;

        /** A token: a symbol, a word, or "" at the end, with its offset in the text. */
        private record Token(String text, int offset) {
            boolean isWord() {
                return !text.isEmpty() && SYMBOLS.indexOf(text.charAt(0)) < 0;
            }
        }

        Parser(String text) {
            this.text = text;
            this.tokens = tokens();
        }

        private List<Token> tokens() {
            List<Token> found = new ArrayList<>();
            int i = 0;
            while (i < text.length()) {
                int start = i;
                if (isBlank(text.charAt(i))) {
                    i++;
                    continue;
                }
                if (text.startsWith("==", i) || text.startsWith("!=", i)) {
                    i += 2;
                } else if (SYMBOLS.indexOf(text.charAt(i)) >= 0) {
                    i++;
                } else {
                    while (i < text.length() && !isBlank(text.charAt(i)) && SYMBOLS.indexOf(text.charAt(i)) < 0) {
                        i++;
                    }
                }
                found.add(new Token(text.substring(start, i), start));
            }
            found.add(new Token("", text.length()));
            return found;
        }

        private static boolean isBlank(char c) {
            return c == ' ' || c == '\t' || c == '\r' || c == '\n';
        }

        List<Requirement> requirements() {
            List<Requirement> found = new ArrayList<>();
            if (next().text.isEmpty()) {
                return found;
            }
            found.add(requirement());
            while (!next().text.isEmpty()) {
                expect(",", "\",\" or the end");
                found.add(requirement());
            }
            return found;
        }

        private Requirement requirement() {
            if (next().text.equals("!")) {
                take();
                return new Requirement(key(), Operator.DOES_NOT_EXIST, Set.of());
            }
            String key = key();
            Token operator = next();
            if (operator.text.isEmpty() || operator.text.equals(",")) {
                return new Requirement(key, Operator.EXISTS, Set.of());
            }
            take();
            return switch (operator.text) {
                case "=", "==" -> new Requirement(key, Operator.EQUALS, Set.of(exactValue()));
                case "!=" -> new Requirement(key, Operator.NOT_EQUALS, Set.of(exactValue()));
                case ">" -> new Requirement(key, Operator.GREATER_THAN, Set.of(number()));
                case "<" -> new Requirement(key, Operator.LESS_THAN, Set.of(number()));
                case "in" -> new Requirement(key, Operator.IN, values());
                case "notin" -> new Requirement(key, Operator.NOT_IN, values());
                default -> throw unexpected(operator, "an operator (= == != in notin > <), \",\" or the end");
            };
        }

        private String key() {
            Token token = take();
            if (!token.isWord()) {
                throw unexpected(token, "a label key");
            }
            if (!KubernetesNames.isQualifiedName(token.text)) {
                throw invalid(token.offset, "not a label key: \"" + token.text + "\"");
            }
            return token.text;
        }

        /** Reads the value of {@code =}, {@code ==} and {@code !=}; "" if a comma or the end follows. */
        private String exactValue() {
            return next().text.isEmpty() || next().text.equals(",") ? "" : value();
        }

        private String number() {
            Token token = next();
            String number = exactValue();
            if (Requirement.tryNumber(number).isEmpty()) {
                throw invalid(token.offset, "not a whole number: \"" + number + "\"");
            }
            return number;
        }

        private String value() {
            Token token = take();
            if (!token.isWord()) {
                throw unexpected(token, "a label value");
            }
            if (!KubernetesNames.isLabelValue(token.text)) {
                throw invalid(token.offset, "not a label value: \"" + token.text + "\"");
            }
            return token.text;
        }

        /** Reads values in parentheses; an empty place between commas or parentheses is the value "". */
        private Set<String> values() {
            Set<String> values = new TreeSet<>();
            expect("(", "\"(\"");
            while (true) {
                boolean absent = next().text.equals(",") || next().text.equals(")");
                values.add(absent ? "" : value());
                if (next().text.equals(")")) {
                    take();
                    return values;
                }
                expect(",", "\",\" or \")\"");
            }
        }

        private Token next() {
            return tokens.get(position);
        }

        /** Removes and returns the next token; the end is returned only for an error message. */
        private Token take() {
            return tokens.get(position++);
        }

        private void expect(String symbol, String expected) {
            Token token = take();
            if (!token.text.equals(symbol)) {
                throw unexpected(token, expected);
            }
        }

        private IllegalArgumentException unexpected(Token token, String expected) {
            String found = token.text.isEmpty() ? "the end" : "\"" + token.text + "\"";
            return invalid(token.offset, "expected " + expected + ", found " + found);
        }

        private IllegalArgumentException invalid(int offset, String problem) {
            return new IllegalArgumentException(
                    "label selector \"" + text + "\", character " + (offset + 1) + ": " + problem);
        }
    }
}
