package io.k8sdns.manifest.syntax;

import io.k8sdns.json.BrokenDocumentException;
import io.k8sdns.json.ScalarType;
import io.k8sdns.json.Tokens;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionEndEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;

/** The tokens of YAML. */
final class YamlTokens implements Tokens {
    private static final String JOINED =
            "; if another object begins in this line, a line break and the line --- are missing before apiVersion";

    private final YamlText text;
    private final Parser parser;
    private final int firstLine;
    private @Nullable Event event;

    /**
     * Reads YAML.
     *
     * @param firstLine the line of the file at which the text begins, from 1
     */
    YamlTokens(YamlText text, int firstLine) {
        LoaderOptions options = new LoaderOptions();
        // The size of the file has been checked; SnakeYAML's default limit would refuse files of 3 MB.
        options.setCodePointLimit(Integer.MAX_VALUE);
        this.text = text;
        this.parser = new ParserImpl(text, options);
        this.firstLine = firstLine;
    }

    @Override
    public Kind next() throws BrokenDocumentException {
        while (true) {
            try {
                event = parser.getEvent();
            } catch (MarkedYAMLException e) {
                int line = e.getProblemMark() == null
                        ? line()
                        : firstLine + e.getProblemMark().getLine();
                throw new BrokenDocumentException(
                        line,
                        (e.getContext() == null ? "" : e.getContext() + ": ")
                                + e.getProblem()
                                + (isJoined(e) ? JOINED : ""));
            } catch (YAMLException e) {
                throw new BrokenDocumentException(line(), Objects.toString(e.getMessage()));
            }
            if (event == null || event.is(Event.ID.StreamEnd)) {
                return Kind.NOTHING;
            }
            if (event instanceof AliasEvent) {
                return Kind.ALIAS;
            }
            if (event instanceof ScalarEvent) {
                return Kind.SCALAR;
            }
            if (event instanceof NodeEvent) {
                return event instanceof MappingStartEvent ? Kind.MAPPING : Kind.SEQUENCE;
            }
            if (event instanceof CollectionEndEvent || event.is(Event.ID.DocumentEnd)) {
                return Kind.END;
            }
            if (event.is(Event.ID.DocumentStart)) {
                return Kind.DOCUMENT;
            }
        }
    }

    private boolean isJoined(MarkedYAMLException e) {
        return e.getProblemMark() != null
                && text.hasObjectAfterText(e.getProblemMark().getIndex());
    }

    @Override
    public String text() {
        return event instanceof ScalarEvent scalar
                ? scalar.getValue()
                : Objects.requireNonNull(((NodeEvent) Objects.requireNonNull(event)).getAnchor());
    }

    @Override
    public ScalarType type() {
        ScalarEvent scalar = (ScalarEvent) Objects.requireNonNull(event);
        if (scalar.getTag() != null && !scalar.getTag().equals("!")) {
            return ScalarType.ofTag(scalar.getTag(), scalar.getValue());
        }
        return isPlain(scalar) ? ScalarType.ofPlain(scalar.getValue()) : ScalarType.TEXT;
    }

    @Override
    public boolean isMergeKey() {
        return event instanceof ScalarEvent scalar && scalar.getValue().equals("<<") && isPlain(scalar);
    }

    private static boolean isPlain(ScalarEvent scalar) {
        return scalar.getScalarStyle() == ScalarStyle.PLAIN
                && scalar.getImplicit().canOmitTagInPlainScalar();
    }

    @Override
    public @Nullable String anchor() {
        return event instanceof NodeEvent node ? node.getAnchor() : null;
    }

    @Override
    public int line() {
        return event == null || event.getStartMark() == null
                ? firstLine
                : firstLine + event.getStartMark().getLine();
    }
}
