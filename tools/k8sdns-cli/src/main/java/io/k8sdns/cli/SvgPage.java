package io.k8sdns.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A drawing as SVG that is filled from top to bottom: its height is known at the end. Without scripts and external files; the colors
 * follow the reader's choice of light or dark.
 *
 * <p>Texts are drawn with the fonts of the reader, so that their widths are estimates, on the safe side.
 */
final class SvgPage {
    /** The width, in pixels. */
    static final int WIDTH = 900;

    private static final String SHORTENED = "\u2026";

    private static final String NARROW = "fijlrt.,:;'!|()[]/\\ -\u00B7";
    private static final String WIDE = "mwMW%@=+<>~#&" + SHORTENED;

    /** Rules with a color are repeated in the dark block; variables would be shorter, but not every viewer knows them. */
    private static final String STYLE = """
            text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; }
            .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
            .title { font-size: 19px; font-weight: 600; }
            .head { font-size: 12px; font-weight: 600; letter-spacing: .06em; }
            .bold { font-weight: 600; }
            .small { font-size: 12px; }
            .muted { fill: #59636e; }
            .good { fill: #1a7f37; }
            .bad { fill: #c4232e; }
            .other { fill: #8a5a00; }
            .page { fill: #ffffff; stroke: #d1d9e0; }
            .box { fill: #f6f8fa; stroke: #d1d9e0; }
            .good-box { fill: #e6f7ea; stroke: #1a7f37; }
            .bad-box { fill: #fff0ef; stroke: #e5a4a4; }
            .other-box { fill: #fff8dc; stroke: #dcc47c; }
            .line { stroke: #d1d9e0; stroke-width: 1.5; fill: none; }
            .good-dot { fill: #1a7f37; }
            .dot { fill: #818b98; }
            .mark { fill: none; stroke: #8a5a00; stroke-width: 1.5; }
            .on-dot { fill: #ffffff; font-weight: 600; font-size: 12px; }
            @media (prefers-color-scheme: dark) {
              text { fill: #e6edf3; }
              .muted { fill: #9aa4af; }
              .good { fill: #4cc261; }
              .bad { fill: #ff7b72; }
              .other { fill: #dfae3f; }
              .page { fill: #0d1117; stroke: #343b44; }
              .box { fill: #151b23; stroke: #343b44; }
              .good-box { fill: #10261a; stroke: #3a9a4d; }
              .bad-box { fill: #2b1618; stroke: #7a3336; }
              .other-box { fill: #272115; stroke: #6b5522; }
              .line { stroke: #3d444d; }
              .good-dot { fill: #2e9a47; }
              .dot { fill: #656c76; }
              .mark { stroke: #dfae3f; }
              .on-dot { fill: #ffffff; }
            }
            """;

    private final List<Consumer<Markup>> shapes = new ArrayList<>();
    private final String title;
    private final String description;
    private int y;

    /**
     * Begins a drawing.
     *
     * @param title the title, for readers who cannot see it, as the next one
     * @param description what is drawn
     */
    SvgPage(String title, String description) {
        this.title = title;
        this.description = description;
    }

    /** Returns the vertical position of what is drawn next. */
    int y() {
        return y;
    }

    /** Moves down. */
    void down(int pixels) {
        y += pixels;
    }

    /**
     * Draws a text on one line, shortened if it is wider than the place; the whole text is then shown under the pointer.
     *
     * @param x its left end
     * @param width the width of the place
     */
    void text(int x, int width, String classes, String text) {
        int at = y;
        String fitting = shortened(text, width, classes);
        shapes.add(svg -> {
            svg.start(
                    "text",
                    "x",
                    Integer.toString(x),
                    "y",
                    Integer.toString(at),
                    "class",
                    classes,
                    "xml:space",
                    "preserve");
            if (!fitting.equals(text)) {
                svg.element("title", text);
            }
            svg.text(fitting).end().line();
        });
    }

    /** Draws a text that ends at a position. */
    void textTo(int x, String classes, String text) {
        anchored(x, classes, text, "end");
    }

    /** Draws a text whose center is at a position. */
    void textAround(int x, String classes, String text) {
        anchored(x, classes, text, "middle");
    }

    private void anchored(int x, String classes, String text, String anchor) {
        int at = y;
        shapes.add(svg -> svg.element(
                        "text",
                        text,
                        "x",
                        Integer.toString(x),
                        "y",
                        Integer.toString(at),
                        "class",
                        classes,
                        "text-anchor",
                        anchor)
                .line());
    }

    /** Draws a rectangle with round corners. */
    void box(int x, int top, int width, int height, String classes) {
        shapes.add(svg -> svg.empty(
                        "rect",
                        "x",
                        x + ".5",
                        "y",
                        top + ".5",
                        "width",
                        Integer.toString(width),
                        "height",
                        Integer.toString(height),
                        "rx",
                        "6",
                        "class",
                        classes)
                .line());
    }

    /** Draws a line. */
    void line(int x1, int y1, int x2, int y2) {
        shapes.add(
                svg -> svg.empty("path", "d", "M" + x1 + ".5 " + y1 + ".5L" + x2 + ".5 " + y2 + ".5", "class", "line")
                        .line());
    }

    /** Draws a filled circle. */
    void dot(int x, int center, int radius, String classes) {
        shapes.add(svg -> svg.empty(
                        "circle",
                        "cx",
                        Integer.toString(x),
                        "cy",
                        Integer.toString(center),
                        "r",
                        Integer.toString(radius),
                        "class",
                        classes)
                .line());
    }

    /** Prints the drawing. */
    void print(PrintWriter out) {
        String height = Integer.toString(y);
        String width = Integer.toString(WIDTH);
        Markup svg = new Markup(out);
        svg.start(
                        "svg",
                        "xmlns",
                        "http://www.w3.org/2000/svg",
                        "width",
                        width,
                        "height",
                        height,
                        "viewBox",
                        "0 0 " + width + " " + height,
                        "role",
                        "img",
                        "aria-labelledby",
                        "title description")
                .line()
                .element("title", title, "id", "title")
                .line()
                .element("desc", description, "id", "description")
                .line()
                .code("style", Markup.inline(STYLE))
                .line()
                .empty(
                        "rect",
                        "x",
                        ".5",
                        "y",
                        ".5",
                        "width",
                        Integer.toString(WIDTH - 1),
                        "height",
                        Integer.toString(y - 1),
                        "rx",
                        "8",
                        "class",
                        "page")
                .line();
        shapes.forEach(shape -> shape.accept(svg));
        svg.end().line().flush();
    }

    /** Returns the beginning of a text that is wider than a place; the text itself if it is not. */
    static String shortened(String text, int width, String classes) {
        return width(text, classes) <= width
                ? text
                : text.substring(0, end(text, width - width(SHORTENED, classes), classes)) + SHORTENED;
    }

    /**
     * Breaks a text into lines, after a space or a dot where there is one in the second half of a line.
     *
     * @param width the width of the place
     * @param max the number of lines; the last one has the rest, to be shortened
     */
    static List<String> wrapped(String text, int width, String classes, int max) {
        List<String> lines = new ArrayList<>();
        String rest = text;
        while (width(rest, classes) > width && lines.size() < max - 1) {
            int end = end(rest, width, classes);
            int good = Math.max(rest.lastIndexOf(' ', end - 1), rest.lastIndexOf('.', end - 1)) + 1;
            int cut = good > end / 2 ? good : end;
            lines.add(rest.substring(0, cut).stripTrailing());
            rest = rest.substring(cut);
        }
        lines.add(rest);
        return lines;
    }

    /** Returns the end of the longest beginning of a text that fits in a width. */
    private static int end(String text, double width, String classes) {
        int end = 0;
        double used = width(text.codePointAt(end), classes);
        while (used <= width) {
            end += Character.charCount(text.codePointAt(end));
            used += width(text.codePointAt(end), classes);
        }
        return end;
    }

    private static double width(String text, String classes) {
        return text.codePoints().mapToDouble(one -> width(one, classes)).sum();
    }

    /** Returns the width of a character, in pixels. */
    private static double width(int character, String classes) {
        double size = classes.contains("title") ? 19 : classes.contains("small") || classes.contains("head") ? 12 : 13;
        if (classes.contains("mono")) {
            return size * (isWideScript(character) ? 1.23 : 0.615);
        }
        double weight = classes.contains("title") || classes.contains("bold") ? 1.15 : 1;
        // Headings are bold, and their letters have a space between them.
        return size * share(character) * (classes.contains("head") ? 1.3 : weight);
    }

    /** Returns the width of a character as a share of the font's size: at least that of DejaVu Sans, one of the widest fonts. */
    private static double share(int character) {
        if (NARROW.indexOf(character) >= 0) {
            return 0.42;
        }
        if (isWideScript(character) || WIDE.indexOf(character) >= 0) {
            return 1;
        }
        return Character.isUpperCase(character) ? 0.8 : 0.64;
    }

    private static boolean isWideScript(int character) {
        return character >= 0x1100 && character != SHORTENED.codePointAt(0);
    }
}
