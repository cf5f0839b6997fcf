package io.k8sdns.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Prints a tree of zones as one HTML file. The branches open without a script; a script searches. The page loads nothing, and its
 * policy allows only this style sheet and this script, by their hashes.
 *
 * <p>A large zone is a large page. A closed branch costs a browser memory, but no layout, so that only small zones begin open.
 */
final class ZonePage {
    /** The largest number of namespaces or networks of a zone that are open at the start. */
    private static final int MAX_OPEN_GROUPS = 10;

    /** The largest number of names in a namespace that is open at the start. */
    private static final int MAX_OPEN_NAMES = 200;

    /** The largest number of records of a name that are shown with it; the others are in a closed branch. */
    private static final int MAX_RECORDS = 20;

    private final ZoneTree tree;

    ZonePage(ZoneTree tree) {
        this.tree = tree;
    }

    /** Prints the page. */
    void print(PrintWriter out) {
        String style = Markup.inline(resource("zones.css"));
        String script = Markup.inline(resource("zones.js"));
        Markup html = new Markup(out);
        html.html().start("html", "lang", "en").line().start("head").line();
        html.empty("meta", "charset", "utf-8").line();
        html.empty(
                        "meta",
                        "http-equiv",
                        "Content-Security-Policy",
                        "content",
                        "default-src 'none'; style-src " + source(style) + "; script-src " + source(script)
                                + "; base-uri 'none'; form-action 'none'")
                .line();
        html.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
                .line();
        html.element("title", "Names of " + ZoneDrawing.title(tree)).line();
        html.code("style", style).line().end().line();
        html.start("body").line();
        header(html);
        html.start("main").line();
        tree.zones().forEach(zone -> zone(zone, html));
        html.end().line();
        html.element("footer", "Printed by k8sdns records -o html.").line();
        html.code("script", script).line();
        html.end().line().end().line().flush();
    }

    private void header(Markup html) {
        html.start("header").line().element("h1", ZoneDrawing.title(tree)).line();
        html.element("p", PlanTable.count(tree.nameCount(), "name") + ", each as a server would answer it")
                .line();
        html.start("form", "role", "search", "hidden", "hidden");
        html.start("label").text("Search ");
        html.empty(
                "input",
                "type",
                "search",
                "placeholder",
                "part of a name, an address, a type",
                "autocomplete",
                "off",
                "spellcheck",
                "false");
        html.end().element("output", "").end().line().end().line();
    }

    private static void zone(ZoneTree.Zone zone, Markup html) {
        html.start("details", "open", "open");
        summary(html, "zone", zone.name(), zone.groups().stream().flatMap(ZonePage::owners));
        for (ZoneTree.Group group : zone.groups()) {
            int names = ZoneTree.nameCount(group);
            branch(html, zone.groups().size() <= MAX_OPEN_GROUPS && names <= MAX_OPEN_NAMES);
            summary(html, group.kind(), ZoneDrawing.label(group), owners(group));
            group.entries().forEach(entry -> entry(entry, html));
            html.end().line();
        }
        html.end().line();
    }

    private static void branch(Markup html, boolean open) {
        if (open) {
            html.start("details", "open", "open");
        } else {
            html.start("details");
        }
    }

    private static Stream<ZoneTree.Owner> owners(ZoneTree.Group group) {
        return group.entries().stream().flatMap(entry -> entry.owners().stream());
    }

    private static void summary(Markup html, String kind, String label, Stream<ZoneTree.Owner> owners) {
        html.start("summary");
        if (!kind.isEmpty()) {
            html.element("u", kind).text(" ");
        }
        html.element("b", label)
                .text(" ")
                .element("i", count("name", owners.map(ZoneTree.Owner::isInvented)))
                .end()
                .line();
    }

    /** Returns the number of names or records, and how many of them are invented, because no manifest holds them. */
    private static String count(String noun, Stream<Boolean> areInvented) {
        List<Boolean> all = areInvented.toList();
        int invented = Collections.frequency(all, true);
        return PlanTable.count(all.size(), noun) + (invented == 0 ? "" : ", " + invented + " invented");
    }

    private static void entry(ZoneTree.Entry entry, Markup html) {
        html.start("details");
        summary(html, entry.kind(), entry.label(), entry.owners().stream());
        html.start("dl");
        for (ZoneTree.Owner owner : entry.owners()) {
            html.line().start("div").element("dt", owner.name());
            int shown = Math.min(owner.lines().size(), MAX_RECORDS);
            owner.lines().subList(0, shown).forEach(line -> line("dd", line, html));
            if (shown < owner.lines().size()) {
                List<ZoneTree.Line> more =
                        owner.lines().subList(shown, owner.lines().size());
                html.start("dd").start("details");
                html.element("summary", count("more record", more.stream().map(ZoneTree.Line::isInvented)));
                more.forEach(line -> line("p", line, html));
                html.end().end();
            }
            html.end();
        }
        html.end().end().line();
    }

    private static void line(String element, ZoneTree.Line line, Markup html) {
        html.start(element).element("b", line.type()).text(" ").element("span", line.data());
        if (line.isInvented()) {
            html.text(" ").element("i", line.mark());
        }
        html.text(" ").element("small", "TTL " + line.ttl()).end();
    }

    /** Returns a source of a Content Security Policy that allows an inline style sheet or script with this text. */
    private static String source(String inline) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(inline.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(hash) + "'";
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String resource(String name) {
        try (InputStream file = Objects.requireNonNull(ZonePage.class.getResourceAsStream(name), name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
