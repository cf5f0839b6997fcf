package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The formats svg and html of {@code explain} and {@code records}. */
class DrawnTest {
    /** The address of the zone's name server is invented, too. */
    private static final String MARKED = "; a circle marks what is invented, because no manifest holds it";

    private static final Pattern COMMAND = Pattern.compile("```\nk8sdns (.*?) >docs/images/(\\S+\\.svg)\n```");

    /** Ends elements and attributes, and has characters that XML forbids and ones that reverse and hide text. */
    private static final String HOSTILE = "<script>alert(\"1\")</script>'&amp;]]>\u0001\u001B\u202E\uFFFE";

    private static Document parsed(String xml) {
        try {
            return DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(xml)));
        } catch (Exception broken) {
            throw new AssertionError(xml, broken);
        }
    }

    private static Stream<Element> elements(Document document, String name) {
        NodeList all = document.getElementsByTagName(name);
        return IntStream.range(0, all.getLength()).mapToObj(i -> (Element) all.item(i));
    }

    private static String printed(Consumer<PrintWriter> print) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        print.accept(out);
        out.flush();
        return text.toString();
    }

    private static Run explain(String... words) {
        return Run.of(List.of("explain", "-f", Run.BOOKSTORE, "-o", "svg"), words);
    }

    private static List<String> texts(String svg) {
        return elements(parsed(svg), "text").map(Element::getTextContent).toList();
    }

    /** The drawings of the documentation are the output of the commands above them. */
    @Test
    void theServerOfAPodIsAssumedOnlyIfItIsThatOfTheCluster(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("tool.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: tool, namespace: shop}
                spec: {dnsPolicy: Default, containers: [{name: tool, image: tool}]}
                """);

        assertThat(texts(Run.of("explain", "-o", "svg", "-f", file.toString(), "--from", "shop/tool", "db")
                        .out()))
                .contains("The Pod has the resolv.conf of its node; it is not known, and drawn without a search list.")
                .anyMatch(text -> text.startsWith("A to the node's name server over UDP "))
                .noneMatch(text -> text.contains("127.0.0.1") || text.contains("the cluster DNS of the node"));
        Path own = Files.writeString(folder.resolve("own.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: tool, namespace: shop}
                spec: {dnsPolicy: None, dnsConfig: {nameservers: [192.0.2.53]}, containers: [{name: tool, image: tool}]}
                """);
        assertThat(texts(Run.of("explain", "-o", "svg", "-f", own.toString(), "--from", "shop/tool", "db")
                        .out()))
                .contains("Queries go to the first server of the Pod's resolv.conf.")
                .anyMatch(text -> text.startsWith("A to 192.0.2.53 over UDP "));
    }

    @Test
    void drawingsOfTheDocumentationAreUpToDate() throws IOException {
        String page = Files.readString(Run.ROOT.resolve("docs/command.md"));
        List<String> files = new ArrayList<>();
        for (Matcher command = COMMAND.matcher(page); command.find(); ) {
            Run run = Run.of(Arrays.stream(command.group(1).split(" ", -1))
                    .map(word -> word.replace("examples/bookstore", Run.BOOKSTORE))
                    .toArray(String[]::new));
            String file = command.group(2);
            assertThat(run.out())
                    .as("docs/images/" + file + " is not what k8sdns " + command.group(1) + " prints")
                    .isEqualTo(Files.readString(Run.ROOT.resolve("docs/images/" + file)));
            assertThat(page).contains("](images/" + file + ")");
            files.add(file);
        }
        try (Stream<Path> images = Files.list(Run.ROOT.resolve("docs/images"))) {
            assertThat(images.map(image -> image.getFileName().toString())).containsExactlyInAnyOrderElementsOf(files);
        }
    }

    @Test
    void theStepThatResolvesIsInColorAndHasItsRecords() {
        Run run = explain("--from", "shop/db-0", "cart.shop");
        assertThat(run.code()).isZero();
        assertThat(texts(run.out()))
                .containsSubsequence(
                        "cart.shop A from shop/db-0",
                        "resolves at name 2 of the search list",
                        "1",
                        "NXDOMAIN",
                        "cart.shop.shop.svc.cluster.local.",
                        "A to 10.96.0.10 over UDP \u00B7 at 0 ms (modelled) \u00B7 round trip 1",
                        "2",
                        "\u2713 NOERROR",
                        "cart.shop.svc.cluster.local.",
                        "A to 10.96.0.10 over UDP \u00B7 at 0 ms (modelled) \u00B7 round trip 2",
                        "RECORDS",
                        "cart.shop.svc.cluster.local. 5 IN A 10.96.0.20",
                        "from Service shop/cart, spec.clusterIPs[0] \u00B7 specification 2.3.1")
                .anyMatch(text -> text.startsWith("Times are modelled, not measured: "));
        assertThat(elements(parsed(run.out()), "rect").map(box -> box.getAttribute("class")))
                .containsExactly("page", "box", "good-box", "box");
        assertThat(elements(parsed(run.out()), "desc").map(Element::getTextContent))
                .allMatch(text -> text.contains("cart.shop.shop.svc.cluster.local. NXDOMAIN."));
    }

    @Test
    void aNameThatDoesNotResolveHasCausesAndSuggestions() {
        Run run = explain("--from", "lab", "cart");
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(texts(run.out()))
                .containsSubsequence(
                        "does not resolve: NXDOMAIN",
                        "other server",
                        "cart.",
                        "another server is asked; times are modelled as if it answered NXDOMAIN",
                        "WHY NOT: cart.lab.svc.cluster.local.",
                        "Namespace lab: no such Namespace",
                        "look up cart.shop.svc.cluster.local.");
    }

    @Test
    void anInventedAddressInASuggestionIsMarked(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("pod.yaml"),
                "{apiVersion: v1, kind: Pod, metadata: {name: tool, namespace: shop}, spec: {containers: [{name: a, image: b}]}}");
        String out = Run.of("explain", "-o", "svg", "-f", file.toString(), "tool.shop.pod.cluster.local")
                .out();
        assertThat(texts(out)).containsSubsequence("TRY (each was tried on a copy of the cluster)", "invented address");
        assertThat(elements(parsed(out), "desc").map(Element::getTextContent))
                .allMatch(text -> text.endsWith(" (invented address)"));
    }

    @Test
    void theTargetOfAnAliasIsAnsweredByAnotherServer(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("alias.yaml"),
                "{apiVersion: v1, kind: Service, metadata: {name: pay, namespace: shop}, spec: {type: ExternalName, externalName: pay.example}}");
        String out = Run.of("explain", "-o", "svg", "-f", file.toString(), "pay.shop")
                .out();
        String text =
                "pay.example. is in no zone of this server: another one answers it, and decides whether it resolves";
        assertThat(texts(out)).endsWith(text);
        assertThat(elements(parsed(out), "desc").map(Element::getTextContent))
                .allMatch(all -> all.endsWith(text + "."));
    }

    @Test
    void withoutAModelThereAreNoTimes() {
        assertThat(texts(explain("cart.shop").out()))
                .contains("resolves", "RECORDS")
                .noneMatch(text -> text.contains(" ms"));
        assertThat(texts(explain("--from", "shop", "_http._tcp.cart", "SRV").out()))
                .anyMatch(text -> text.startsWith("Without times: "))
                .noneMatch(text -> text.contains(" ms"));
        assertThat(texts(explain("storefront.shop").out())).contains("invented address");
    }

    @Test
    void theMarkOfARecordIsNotCut(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("web.yaml"), """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {clusterIP: None, selector: {app: web}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web-with-a-long-name-of-its-own, namespace: shop}
                spec:
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec: {containers: [{name: a, image: b}]}
                """);
        assertThat(texts(Run.of("explain", "-o", "svg", "-f", file.toString(), "web.shop")
                        .out()))
                .contains("invented address")
                .noneMatch(text -> text.contains("\u2026"));
    }

    @Test
    void longNamesAreWrappedAndWholeInATitle() {
        String name = String.join(".", "a".repeat(60), "b".repeat(60), "c".repeat(60), "shop");
        Run run = explain(name);
        assertThat(texts(run.out()))
                .contains("a".repeat(60) + ".")
                .filteredOn(text -> !text.contains("\u2026"))
                .allMatch(text -> text.length() < 130);
        assertThat(elements(parsed(run.out()), "title").map(Element::getTextContent))
                .contains(name + " A");
        // A column has almost 8 pixels.
        assertThat(SvgPage.shortened("abcdef", 48, "mono")).isEqualTo("abcdef");
        assertThat(SvgPage.shortened("abcdef", 40, "mono")).isEqualTo("abcd\u2026");
        assertThat(SvgPage.shortened("\u30B5\u30FC\u30D3\u30B9", 40, "mono")).isEqualTo("\u30B5\u30FC\u2026");
        assertThat(SvgPage.wrapped("one two three", 72, "mono", 4)).containsExactly("one two", "three");
        assertThat(SvgPage.wrapped("aaaa.bbbb.cccc", 48, "mono", 2)).containsExactly("aaaa.", "bbbb.cccc");
        assertThat(SvgPage.wrapped("aaaaaaaaaa", 32, "mono", 3)).containsExactly("aaaa", "aaaa", "aa");
    }

    @Test
    void wideLettersTakeMoreSpace() {
        for (String classes : List.of("", "title", "head", "bold", "small")) {
            assertThat(SvgPage.wrapped("m".repeat(60), 480, classes, 9))
                    .as("at most the size of the font, which is 12 or more: \"%s\"", classes)
                    .hasSizeGreaterThan(1)
                    .allMatch(line -> line.length() <= 40);
        }
        assertThat(SvgPage.shortened("i".repeat(80), 480, "")).hasSize(80);
    }

    @Test
    void hostileTextsAreEscaped() {
        ZoneTree tree = new ZoneTree(List.of(new ZoneTree.Zone(
                HOSTILE,
                List.of(new ZoneTree.Group(
                        "namespace",
                        HOSTILE,
                        List.of(new ZoneTree.Entry(
                                "Service",
                                HOSTILE,
                                List.of(new ZoneTree.Owner(
                                        HOSTILE,
                                        List.of(new ZoneTree.Line("TXT", "5", HOSTILE, "invented address")))))))))));
        String visible = "<script>alert(\"1\")</script>'&amp;]]>\\u0001\\u001B\\u202E\\uFFFE";
        for (String page : List.of(
                printed(new ZonePage(tree)::print),
                printed(new ZoneDrawing(tree)::print),
                explain("x<script>\"'&\u0001").out())) {
            assertThat(page).doesNotContain("<script>alert", "x<script>", "\u0001", "\u001B", "\u202E", "\uFFFE");
            assertThat(elements(parsed(page), "script").count()).isLessThan(2);
        }
        Document page = parsed(printed(new ZonePage(tree)::print));
        assertThat(elements(page, "dt").map(Element::getTextContent)).containsExactly(visible);
        assertThat(elements(page, "span").map(Element::getTextContent)).containsExactly(visible);
    }

    @Test
    void inlineCodeThatClosesItsElementIsRejected() {
        assertThatThrownBy(() -> Markup.inline("x = '</script>'")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"style", "script"})
    void thePolicyAllowsOnlyTheInlinePartsByTheirHashes(String part) throws Exception {
        String page = Run.of("records", "-o", "html", Run.BOOKSTORE).out();
        Matcher text = Pattern.compile("<" + part + ">(.*?)</" + part + ">", Pattern.DOTALL)
                .matcher(page);
        assertThat(text.find()).isTrue();
        String hash = Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256")
                        .digest(text.group(1).getBytes(StandardCharsets.UTF_8)));
        assertThat(elements(parsed(page), "meta").map(meta -> meta.getAttribute("content")))
                .anyMatch(policy -> policy.startsWith("default-src 'none'; ")
                        && policy.contains(part + "-src 'sha256-" + hash + "'"));
        assertThat(text.find()).isFalse();
        assertThat(page).doesNotContain("http://", "https://", "src=", "href=", "style=", "onclick");
    }

    @Test
    void thePageHasEveryRecord() {
        Document page = parsed(Run.of("records", "-o", "html", Run.BOOKSTORE).out());
        List<String> records = elements(page, "div")
                .flatMap(name -> {
                    String owner = name.getElementsByTagName("dt").item(0).getTextContent();
                    NodeList lines = name.getElementsByTagName("dd");
                    return IntStream.range(0, lines.getLength())
                            .mapToObj(i -> owner + " " + lines.item(i).getTextContent());
                })
                .toList();
        assertThat(records)
                .containsExactlyInAnyOrderElementsOf(Run.of("records", Run.BOOKSTORE).lines().stream()
                        .map(line -> line.replaceFirst(
                                        "^(\\S+) (\\d+) IN (\\S+) (.*?)( ; (invented address))?$", "$1 $3 $4 $6 TTL $2")
                                .replace("  TTL", " TTL"))
                        .toList());
        assertThat(elements(page, "summary").map(Element::getTextContent))
                .contains(
                        "namespace shop 34 names, 26 invented",
                        "Service db 8 names, 7 invented",
                        "Pods by address 10 names, 10 invented")
                .contains("network 10.96.0.0/16 1 name", "address 10.96.0.20 1 name");
    }

    @Test
    void theDrawingOfAZoneIsBounded(@TempDir Path folder) throws IOException {
        String services = IntStream.range(0, ZoneDrawing.MAX_NAMES + 7)
                .mapToObj(
                        "---\n{apiVersion: v1, kind: Service, metadata: {name: s%d, namespace: shop}, spec: {type: ExternalName, externalName: a.example}}\n"
                                ::formatted)
                .reduce("", String::concat);
        Path file = Files.writeString(folder.resolve("many.yaml"), services);
        String svg = Run.of("records", "-o", "svg", file.toString()).out();
        // Three names of the zone itself.
        assertThat(texts(svg))
                .contains("10 more names not drawn: -o html has all of them")
                .filteredOn(text -> text.equals("CNAME"))
                .hasSize(ZoneDrawing.MAX_NAMES - 3);
        assertThat(texts(Run.of("records", "-o", "svg", Run.BOOKSTORE).out()))
                .contains("db-0.db.shop.svc", "namespace shop", "Service db", "20.0.96.10")
                .noneMatch(text -> text.contains("not drawn"));
    }

    /** Writes a headless Service with this number of endpoints, and another Service. */
    static String manyEndpoints(Path folder, int count) throws IOException {
        String endpoints = IntStream.range(0, count)
                .mapToObj(i -> "{addresses: [10.244." + i / 250 + "." + i % 250 + "]}")
                .collect(Collectors.joining(", "));
        return Files.writeString(folder.resolve("many.yaml"), """
                {apiVersion: v1, kind: Service, metadata: {name: many, namespace: shop}, spec: {clusterIP: None, ports: [{port: 80}]}}
                ---
                {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: many, namespace: shop,
                  labels: {kubernetes.io/service-name: many}}, addressType: IPv4, ports: [{port: 80}], endpoints: [%s]}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: other, namespace: shop}, spec: {clusterIP: 10.96.0.7, ports: [{port: 80}]}}
                """.formatted(endpoints))
                .toString();
    }

    @Test
    void aClosedBranchHasTheNumberOfInventedRecords(@TempDir Path folder) throws IOException {
        String many = Files.writeString(folder.resolve("many.yaml"), """
                {apiVersion: v1, kind: Service, metadata: {name: many, namespace: shop},
                 spec: {clusterIP: None, selector: {app: many}, ports: [{port: 80}]}}
                ---
                {apiVersion: apps/v1, kind: Deployment, metadata: {name: many, namespace: shop},
                 spec: {replicas: 15, selector: {matchLabels: {app: many}}, template: {metadata: {labels: {app: many}},
                 spec: {containers: [{name: a, image: b}]}}}}
                """).toString();
        assertThat(elements(parsed(Run.of("records", "-o", "html", many).out()), "summary")
                        .map(Element::getTextContent))
                .contains("10 more records, 10 invented");
    }

    @Test
    void furtherRecordsOfANameAreInAClosedBranch(@TempDir Path folder) throws IOException {
        String page = Run.of("records", "-o", "html", manyEndpoints(folder, 15)).out();

        List<Element> closed = elements(parsed(page), "dd")
                .filter(line -> line.getElementsByTagName("summary").getLength() == 1)
                .toList();
        assertThat(closed).hasSize(1);
        Element more = closed.get(0);
        assertThat(more.getElementsByTagName("summary").item(0).getTextContent())
                .isEqualTo("10 more records");
        assertThat(more.getElementsByTagName("p").getLength()).isEqualTo(10);
        assertThat(more.getElementsByTagName("p").item(9).getTextContent())
                .matches("SRV 0 \\d+ 80 10-244-0-\\d+\\.many\\.shop\\.svc\\.cluster\\.local\\. TTL 5");
        assertThat(more.getParentNode().getFirstChild().getTextContent()).isEqualTo("many.shop.svc.cluster.local.");
    }

    @Test
    void oneServiceHasTheWholeDrawing(@TempDir Path folder) throws IOException {
        List<String> texts =
                texts(Run.of("records", "-o", "svg", "--only-zone", "cluster.local", manyEndpoints(folder, 100))
                        .out());
        assertThat(texts)
                .contains("105 names" + MARKED, "10-244-0-99.many.shop.svc")
                .noneMatch(text -> text.contains(" more name"));
    }

    @Test
    void namesThatAreNotDrawnAreCountedAtTheirService(@TempDir Path folder) throws IOException {
        String many = Files.readString(Path.of(manyEndpoints(folder, 300)));
        String file = Files.writeString(folder.resolve("two.yaml"), many + "\n---\n" + many.replace("many", "more"))
                .toString();

        List<String> texts = texts(Run.of("records", "-o", "svg", "--only-zone", "cluster.local", file)
                .out());

        assertThat(texts)
                .containsSubsequence("Service many", "and 53 more names", "Service more", "and 53 more names")
                .contains(
                        "606 names, of which 500 are drawn" + MARKED,
                        "106 more names not drawn: -o html has all of them");
    }

    @Test
    void aServiceWithManyEndpointsLeavesSpaceForOthers(@TempDir Path folder) throws IOException {
        int more = 7;
        String file = manyEndpoints(folder, ZoneDrawing.MAX_NAMES + more);

        List<String> texts = texts(Run.of("records", "-o", "svg", "--only-zone", "cluster.local", file)
                .out());
        // The name of the Service itself, and that of each endpoint; three names of the zone itself, and the other
        // Service.
        int names = ZoneDrawing.MAX_NAMES + more + 1;
        int drawn = ZoneDrawing.MAX_NAMES - 4;
        assertThat(texts)
                .containsSubsequence(
                        names + 4 + " names, of which " + (drawn + 4) + " are drawn" + MARKED,
                        "Service many",
                        "and " + (names - drawn) + " more names",
                        "Service other",
                        "10.96.0.7",
                        names - drawn + " more names not drawn: -o html has all of them");
    }
}
