package io.k8sdns.cli;

import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.search.PlannedQuery;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws a lookup as SVG: below each other the names that are tried, the step that resolves in color, and then its records with their
 * sources, or the causes and suggestions.
 */
final class WalkDrawing {
    private static final int MARGIN = 28;
    private static final int INNER = SvgPage.WIDTH - 2 * MARGIN;
    private static final int LINE = 19;

    /** The left end and the width of the box of a step, to the right of its number. */
    private static final int STEP = MARGIN + 40;

    private static final int STEP_WIDTH = INNER - 40;
    private static final int PADDING = 14;
    private static final int STATUS_WIDTH = 96;

    /** The number of lines for a long name or text, the number of records, and of causes and suggestions each. */
    private static final int MAX_LINES = 4;

    private static final int MAX_RECORDS = 100;

    private static final String MODELLED =
            "Times are modelled, not measured: milliseconds from the start of the lookup with glibc, as if answers took no time.";

    private final LookupWalk walk;
    private final InventedRecords invented;
    private final Explanation explained;
    private final SvgPage page;

    WalkDrawing(LookupWalk walk, InventedRecords invented) {
        this.walk = walk;
        this.invented = invented;
        this.explained = walk.mostUseful().explanation();
        this.page = new SvgPage(title(), description());
    }

    /** Prints the drawing. */
    void print(PrintWriter out) {
        page.down(42);
        page.text(MARGIN, INNER, "title", title());
        page.down(24);
        page.text(MARGIN, INNER, explained.resolves() ? "good bold" : "bad bold", result());
        page.down(22);
        for (int i = 0; i < walk.steps().size(); i++) {
            step(i);
        }
        if (walk.steps().stream().anyMatch(step -> !step.queries().isEmpty())) {
            page.down(8);
            note(MODELLED);
            note(noteOfServer());
        } else if (walk.isOfHostsFile()) {
            page.down(8);
            walk.hidden().ifPresent(step -> note(ExplanationText.withDnsOnly(step)));
        } else if (walk.from().isPresent()) {
            page.down(8);
            note("Without times: the search list is that of glibc, whose queries are modelled for A and AAAA only.");
        }
        if (explained.resolves()) {
            records();
        } else {
            causes();
            suggestions();
        }
        page.down(26);
        page.print(out);
    }

    private String noteOfServer() {
        if (walk.isOfNode()) {
            return "The Pod has the resolv.conf of its node; it is not known, and drawn without a search list.";
        }
        String assumed = PodLookup.CLUSTER_DNS.toString();
        boolean isAssumed = walk.steps().stream()
                .flatMap(step -> step.queries().stream())
                .anyMatch(query -> query.server().equals(assumed));
        return "Queries go to the first server of the Pod's resolv.conf"
                + (isAssumed ? "; the cluster DNS of the node is assumed." : ".");
    }

    private String title() {
        return walk.name() + " " + explained.type()
                + walk.from().map(place -> " from " + place).orElse("");
    }

    private String result() {
        if (!explained.resolves()) {
            return walk.mostUseful().failure();
        }
        if (walk.isOfHostsFile()) {
            return "resolves from /etc/hosts of the Pod, without a query";
        }
        return walk.from().isEmpty()
                ? "resolves"
                : "resolves at name " + walk.steps().size() + " of the search list";
    }

    /** Returns everything that is drawn, for readers who cannot see it. */
    private String description() {
        List<String> sentences = new ArrayList<>(List.of(result() + "."));
        for (LookupWalk.Step step : walk.steps()) {
            sentences.add(step.explanation().name() + " " + status(step) + ".");
        }
        explained.sources().stream()
                .limit(MAX_LINES)
                .forEach(source -> sentences.add(
                        invented.line(source.record(), " ") + ", from " + ExplanationText.object(source) + "."));
        ExplanationText.otherServer(explained).ifPresent(text -> sentences.add(text + "."));
        explained.causes().forEach(cause -> sentences.add("Because: " + invented.marked(cause.toString()) + "."));
        for (Suggestion suggestion : explained.suggestions()) {
            String mark = invented.mark(suggestion);
            sentences.add("Try: " + suggestion.text() + (mark.isEmpty() ? "" : " (" + mark + ")"));
        }
        return String.join(" ", sentences);
    }

    private static String status(LookupWalk.Step step) {
        return step.isOutside() ? "other server" : step.status();
    }

    private void note(String text) {
        page.down(LINE - 1);
        page.text(STEP, STEP_WIDTH, "small muted", text);
    }

    private void step(int index) {
        LookupWalk.Step step = walk.steps().get(index);
        boolean resolves = step.explanation().resolves();
        List<String> name = SvgPage.wrapped(
                step.explanation().name().toString(), STEP_WIDTH - 2 * PADDING - STATUS_WIDTH, "mono bold", MAX_LINES);
        List<String> details = details(step);
        int height = 2 * PADDING - 6 + LINE * (name.size() + details.size()) - 3;
        int top = page.y();
        int middle = top + PADDING + 9;
        if (index > 0) {
            page.line(MARGIN + 13, top - 12, MARGIN + 13, middle);
        }
        if (index < walk.steps().size() - 1) {
            page.line(MARGIN + 13, middle, MARGIN + 13, top + height + 1);
        }
        page.dot(MARGIN + 14, middle, 12, resolves ? "good-dot" : "dot");
        page.box(STEP, top, STEP_WIDTH, height, resolves ? "good-box" : "box");
        page.down(PADDING + 13);
        page.textAround(MARGIN + 14, "on-dot", Integer.toString(index + 1));
        page.textTo(STEP + STEP_WIDTH - PADDING, color(step) + " bold", (resolves ? "\u2713 " : "") + status(step));
        for (String line : name) {
            page.text(STEP + PADDING, STEP_WIDTH - 2 * PADDING - STATUS_WIDTH, "mono bold", line);
            page.down(LINE);
        }
        for (String line : details) {
            page.text(STEP + PADDING, STEP_WIDTH - 2 * PADDING, "small muted", line);
            page.down(LINE);
        }
        page.down(top + height + 12 - page.y());
    }

    private static String color(LookupWalk.Step step) {
        return step.explanation().resolves() ? "good" : step.isOutside() ? "other" : "bad";
    }

    private List<String> details(LookupWalk.Step step) {
        List<String> lines = new ArrayList<>();
        step.queries().stream().map(this::line).distinct().limit(MAX_LINES).forEach(lines::add);
        if (step.isOutside()) {
            lines.add(step.statusText()
                    + (step.queries().isEmpty() ? "" : "; times are modelled as if it answered NXDOMAIN"));
        }
        return lines;
    }

    private String line(PlannedQuery query) {
        return query.type() + " to " + (walk.isOfNode() ? "the node's name server" : query.server()) + " over "
                + query.transport().word().toUpperCase(Locale.ROOT) + " \u00B7 at " + query.atMillis()
                + " ms (modelled) \u00B7 round trip " + (query.group() + 1);
    }

    private void head(String text) {
        page.down(34);
        page.text(MARGIN, INNER, "head muted", text);
        page.down(12);
    }

    private void records() {
        head("RECORDS");
        for (Source source : explained
                .sources()
                .subList(0, Math.min(MAX_RECORDS, explained.sources().size()))) {
            List<String> record = SvgPage.wrapped(
                    String.join(" ", OutputObject.recordFields(source.record())),
                    INNER - 2 * PADDING,
                    "mono",
                    MAX_LINES);
            String mark = invented.mark(source.record());
            String place = "from " + ExplanationText.object(source)
                    + (source.rule().isEmpty() ? "" : " \u00B7 " + source.rule());
            List<String> details =
                    new ArrayList<>(SvgPage.wrapped(place, INNER - 2 * PADDING, "small muted", MAX_LINES));
            if (!mark.isEmpty()) {
                details.add(mark);
            }
            item("box", record, "mono", details);
        }
        if (explained.sources().size() > MAX_RECORDS) {
            note("and " + PlanTable.count(explained.sources().size() - MAX_RECORDS, "more record"));
        }
        ExplanationText.otherServer(explained).ifPresent(text -> item("other-box", lines(text), "", List.of()));
    }

    private void causes() {
        head("WHY NOT: " + explained.name());
        for (Cause cause : explained.causes()) {
            item("bad-box", lines(invented.marked(cause.toString())), "", List.of());
        }
    }

    private void suggestions() {
        if (explained.suggestions().isEmpty()) {
            return;
        }
        head("TRY (each was tried on a copy of the cluster)");
        for (Suggestion suggestion : explained.suggestions()) {
            String mark = invented.mark(suggestion);
            item("good-box", lines(suggestion.text()), "", mark.isEmpty() ? List.of() : List.of(mark));
        }
    }

    private static List<String> lines(String text) {
        return SvgPage.wrapped(text, INNER - 2 * PADDING, "", MAX_LINES);
    }

    private void item(String box, List<String> lines, String classes, List<String> details) {
        int height = 2 * PADDING - 8 + LINE * (lines.size() + details.size()) - 3;
        int top = page.y();
        page.box(MARGIN, top, INNER, height, box);
        page.down(PADDING + 10);
        for (String line : lines) {
            page.text(MARGIN + PADDING, INNER - 2 * PADDING, classes, line);
            page.down(LINE);
        }
        for (String line : details) {
            page.text(MARGIN + PADDING, INNER - 2 * PADDING, "small muted", line);
            page.down(LINE);
        }
        page.down(top + height + 8 - page.y());
    }
}
