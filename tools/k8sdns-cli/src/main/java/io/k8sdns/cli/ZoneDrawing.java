package io.k8sdns.cli;

import java.io.PrintWriter;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Draws a tree of zones as SVG: a row for each record. Omits names beyond {@value #MAX_NAMES}, and prints their number. */
final class ZoneDrawing {
    /** The largest number of names that are drawn. */
    static final int MAX_NAMES = 500;

    /**
     * The number of names of one Service, or of the Pods of a namespace, that are drawn at least if there are as many and space is left;
     * more only if the others have space, too.
     */
    private static final int MIN_NAMES_OF_ENTRY = 50;

    /** The largest number of records of one name that are drawn. */
    private static final int MAX_LINES = 20;

    private static final int MARGIN = 28;
    private static final int INNER = SvgPage.WIDTH - 2 * MARGIN;
    private static final int ROW = 20;
    private static final int INDENT = 22;
    private static final int TYPE = 430;
    private static final int DATA = 490;

    private final ZoneTree tree;
    private final SvgPage page;
    private final int maxNamesOfEntry;
    private int drawn;

    ZoneDrawing(ZoneTree tree) {
        this.tree = tree;
        this.page = new SvgPage(
                title(tree),
                tree.zones().stream()
                        .map(zone -> zone.name() + ": "
                                + zone.groups().stream()
                                        .limit(MAX_LINES)
                                        .map(group -> PlanTable.count(ZoneTree.nameCount(group), "name") + " in "
                                                + (group.kind() + " " + label(group)).strip())
                                        .collect(Collectors.joining(", ")))
                        .collect(Collectors.joining(". ")));
        int max = MAX_NAMES;
        while (max > MIN_NAMES_OF_ENTRY && drawableNames(max) > MAX_NAMES) {
            max--;
        }
        this.maxNamesOfEntry = max;
    }

    /** Returns a title with the zones. */
    static String title(ZoneTree tree) {
        return tree.zones().stream().map(ZoneTree.Zone::name).collect(Collectors.joining(", "));
    }

    /** Returns the label of a group. */
    static String label(ZoneTree.Group group) {
        return group.label().isEmpty() ? "the zone itself" : group.label();
    }

    /** Prints the drawing. */
    void print(PrintWriter out) {
        int all = tree.nameCount();
        int some = Math.min(MAX_NAMES, drawableNames(maxNamesOfEntry));
        page.down(42);
        page.text(MARGIN, INNER, "title", title(tree));
        page.down(24);
        page.text(
                MARGIN,
                INNER,
                "muted",
                PlanTable.count(all, "name")
                        + (all > some ? ", of which " + some + " are drawn" : "")
                        + (hasInvented() ? "; a circle marks what is invented, because no manifest holds it" : ""));
        page.down(10);
        tree.zones().forEach(this::zone);
        if (all > drawn) {
            page.down(30);
            page.text(
                    MARGIN,
                    INNER,
                    "other bold",
                    PlanTable.count(all - drawn, "more name") + " not drawn: -o html has all of them");
        }
        page.down(26);
        page.print(out);
    }

    private Stream<ZoneTree.Entry> entries() {
        return tree.zones().stream().flatMap(zone -> zone.groups().stream()).flatMap(group -> group.entries().stream());
    }

    /** Returns the number of names that are drawn with a limit for each entry, but none for all names together. */
    private int drawableNames(int maxOfEntry) {
        return entries()
                .mapToInt(entry -> Math.min(entry.owners().size(), maxOfEntry))
                .sum();
    }

    private boolean hasInvented() {
        return entries()
                .flatMap(entry -> entry.owners().stream())
                .flatMap(owner -> owner.lines().stream())
                .anyMatch(ZoneTree.Line::isInvented);
    }

    private void zone(ZoneTree.Zone zone) {
        if (drawn >= MAX_NAMES) {
            return;
        }
        page.down(34);
        page.text(MARGIN, INNER, "mono bold", zone.name());
        int top = page.y() + 8;
        int last = top;
        for (ZoneTree.Group group : zone.groups()) {
            if (drawn < MAX_NAMES) {
                last = group(group, zone.name());
            }
        }
        page.line(MARGIN + 5, top, MARGIN + 5, last);
    }

    /** Draws a group, and returns the position of its branch. */
    private int group(ZoneTree.Group group, String zone) {
        page.down(ROW + 6);
        int x = MARGIN + INDENT;
        int branch = branch(x);
        page.text(x, INNER - INDENT, "bold", (group.kind() + " " + label(group)).strip());
        int top = page.y() + 7;
        int last = top;
        String suffix = group.kind().isEmpty() ? "" : "." + zone + ".";
        for (ZoneTree.Entry entry : group.entries()) {
            if (drawn < MAX_NAMES) {
                last = entry(entry, group.kind().equals("namespace"), suffix);
            }
        }
        page.line(x + 5, top, x + 5, last);
        return branch;
    }

    /** Draws an entry, with a row of its own if it can have several names, and returns the position of its last branch. */
    private int entry(ZoneTree.Entry entry, boolean hasRow, String suffix) {
        int x = MARGIN + 2 * INDENT;
        int branch = page.y();
        if (hasRow) {
            page.down(ROW + 2);
            branch = branch(x);
            page.text(x, INNER - 2 * INDENT, "", (entry.kind() + " " + entry.label()).strip());
        }
        int shown = Math.min(Math.min(entry.owners().size(), maxNamesOfEntry), MAX_NAMES - drawn);
        drawn += shown;
        for (ZoneTree.Owner owner : entry.owners().subList(0, shown)) {
            page.down(ROW - 1);
            if (!hasRow) {
                branch = branch(x);
            }
            owner(owner, hasRow ? x + INDENT : x, suffix);
        }
        if (shown < entry.owners().size()) {
            page.down(ROW - 1);
            page.text(
                    x + INDENT,
                    INNER - x,
                    "small other",
                    "and " + PlanTable.count(entry.owners().size() - shown, "more name"));
        }
        return branch;
    }

    /** Draws the branch to a row that begins at a position, and returns its own. */
    private int branch(int x) {
        int branch = page.y() - 5;
        page.line(x - INDENT + 5, branch, x - 5, branch);
        return branch;
    }

    /** Draws the records of a name; the first one in the row that has begun. */
    private void owner(ZoneTree.Owner owner, int x, String suffix) {
        String name = owner.name().endsWith(suffix)
                ? owner.name().substring(0, owner.name().length() - suffix.length())
                : owner.name();
        page.text(x, TYPE - x - 8, "mono small", name);
        boolean first = true;
        for (ZoneTree.Line line :
                owner.lines().subList(0, Math.min(MAX_LINES, owner.lines().size()))) {
            page.down(first ? 0 : ROW - 1);
            first = false;
            page.text(TYPE, DATA - TYPE - 4, "mono small bold", line.type());
            if (line.isInvented()) {
                page.dot(DATA - 10, page.y() - 4, 3, "mark");
            }
            page.text(DATA, SvgPage.WIDTH - MARGIN - DATA, "mono small muted", line.data());
        }
        if (owner.lines().size() > MAX_LINES) {
            page.down(ROW - 1);
            page.text(
                    DATA,
                    SvgPage.WIDTH - MARGIN - DATA,
                    "small other",
                    "and " + PlanTable.count(owner.lines().size() - MAX_LINES, "more record"));
        }
    }
}
