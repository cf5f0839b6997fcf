package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Opens the pages and drawings of the command in Chromium, without a window. */
@Tag("real")
class RealBrowserTest {
    private static final long TIMEOUT_SECONDS = 120;

    private static final Pattern PART =
            Pattern.compile("<details([^>]*)>|</details>|<div([^>]*)><dt>([^<]*)</dt>", Pattern.DOTALL);

    @TempDir
    private Path folder;

    /** The output of a browser. */
    private record Page(String document, String log) {}

    /** Runs Chromium with a new profile until it ends. */
    private Page browse(Path file, String hash, String... options) throws IOException, InterruptedException {
        Path document = folder.resolve("document");
        Path log = folder.resolve("log");
        Path profile = Files.createTempDirectory(folder, "profile");
        List<String> command = new ArrayList<>(List.of(
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--enable-logging=stderr",
                "--user-data-dir=" + profile));
        command.addAll(List.of(options));
        command.add(file.toUri() + hash);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(document.toFile()).redirectError(log.toFile());
        builder.environment().put("HOME", profile.toString());
        Process browser = start(builder);
        try {
            assertThat(browser.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                    .as("Chromium ends")
                    .isTrue();
        } finally {
            browser.descendants().forEach(ProcessHandle::destroyForcibly);
            browser.destroyForcibly().waitFor();
        }
        return new Page(Files.readString(document), Files.readString(log));
    }

    private static Process start(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException none) {
            System.err.println("NOT RUN: pages in a browser: no chromium");
            return abort("no chromium");
        }
    }

    private Path page(String manifest) throws IOException {
        return Files.writeString(
                folder.resolve("names.html"),
                Run.of("records", "-o", "html", manifest).out());
    }

    /** Returns the names that a reader sees: not hidden, and in branches that are open and not hidden. */
    private static List<String> visibleNames(String document) {
        List<String> names = new ArrayList<>();
        Deque<Boolean> open = new ArrayDeque<>();
        for (MatchResult part : PART.matcher(document).results().toList()) {
            if (part.group(1) != null) {
                open.push(part.group(1).contains(" open") && !part.group(1).contains(" hidden"));
            } else if (part.group(3) == null) {
                open.pop();
            } else if (!open.contains(false) && !part.group(2).contains("hidden")) {
                names.add(part.group(3));
            }
        }
        assertThat(open).isEmpty();
        return names;
    }

    @ParameterizedTest
    @CsvSource({"cart, cart", "CART, cart", "db-0+srv, 'db-0,SRV'", "10.96.0.20, 10.96.0.20", "nothing, nothing"})
    void aSearchInTheAddressShowsOnlyTheNamesThatMatch(String query, String words) throws Exception {
        Page shown = browse(page(Run.BOOKSTORE), "#q=" + query, "--dump-dom");
        List<String> expected = Run.of("records", Run.BOOKSTORE).lines().stream()
                .map(line -> line.split(" ", 2)[0])
                .distinct()
                .filter(name -> recordsOf(name).stream()
                        .reduce(name, (text, record) -> text + " " + record)
                        .matches(Stream.of(words.split(",", -1))
                                        .map(word -> "(?=.*" + Pattern.quote(word) + ")")
                                        .reduce("", String::concat)
                                + ".*"))
                .toList();
        assertThat(visibleNames(shown.document())).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(shown.document())
                .contains("<output>" + PlanTable.count(expected.size(), "name") + "</output>")
                .contains("<form role=\"search\">");
        assertThat(shown.log()).doesNotContain("CONSOLE");
    }

    /** Returns type and data of the records of a name. */
    private static List<String> recordsOf(String name) {
        return Run.of("records", Run.BOOKSTORE).lines().stream()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> line.split(" IN ", 2)[1])
                .toList();
    }

    @Test
    void withoutASearchTheServicesAreClosed() throws Exception {
        Page shown = browse(page(Run.BOOKSTORE), "", "--dump-dom");
        assertThat(visibleNames(shown.document())).isEmpty();
        assertThat(shown.document())
                .contains("<summary><u>Service</u> <b>cart</b> <i>4 names, 2 invented</i></summary>");
        assertThat(shown.log()).doesNotContain("CONSOLE");
    }

    @Test
    void furtherRecordsOfANameStayBelowItInASearch() throws Exception {
        Page shown = browse(page(DrawnTest.manyEndpoints(folder, 15)), "#q=10.244.0.14", "--dump-dom");
        assertThat(visibleNames(shown.document())).contains("many.shop.svc.cluster.local.");
        assertThat(shown.document()).contains("<dd><details><summary>10 more records</summary>");
    }

    /** A script that was not printed by the command does not run: the policy of the page refuses it. */
    @Test
    void anotherScriptIsRefused() throws Exception {
        Path page = page(Run.BOOKSTORE);
        Files.writeString(
                page,
                Files.readString(page)
                        .replace(
                                "<main>",
                                "<main><script>document.title = 'changed'</script><p style='color: red'>x</p>"));
        Page shown = browse(page, "#q=cart", "--dump-dom");
        assertThat(shown.document()).doesNotContain("<title>changed</title>");
        assertThat(shown.log()).contains("CONSOLE").contains("Content Security Policy");
    }

    @Test
    void aZoneOfTenThousandServicesIsSearched() throws Exception {
        String services = IntStream.range(0, 10_000)
                .mapToObj(i -> "---\n{apiVersion: v1, kind: Service, metadata: {name: service-" + i
                        + ", namespace: team-" + i % 100 + "}, spec: {type: ExternalName, externalName: a.example}}\n")
                .reduce(new StringBuilder(), StringBuilder::append, StringBuilder::append)
                .toString();
        Path page =
                page(Files.writeString(folder.resolve("many.yaml"), services).toString());
        Page one = browse(page, "#q=service-7777.", "--dump-dom");
        assertThat(visibleNames(one.document())).containsExactly("service-7777.team-77.svc.cluster.local.");
        Page all = browse(page, "#q=service", "--dump-dom");
        assertThat(visibleNames(all.document())).as("too many to be opened").isEmpty();
        assertThat(all.document()).contains("<output>10,000 names, closed: ");
    }

    @ParameterizedTest
    @CsvSource({"1200, light", "1200, dark", "500, light", "500, dark"})
    void thePageIsReadable(int width, String colors) throws Exception {
        assertReadable(page(Run.BOOKSTORE), "#q=cart", width, 800, colors);
    }

    @ParameterizedTest
    @ValueSource(strings = {"explain", "explain-missing", "records"})
    void drawingsOfTheDocumentationAreReadable(String name) throws Exception {
        Path file = Run.ROOT
                .resolve("docs/images/" + name + ".svg")
                .toAbsolutePath()
                .normalize();
        int height = Integer.parseInt(Files.readString(file).replaceFirst("(?s).*? height=\"(\\d+)\".*", "$1"));
        for (String colors : List.of("light", "dark")) {
            assertReadable(file, "", SvgPage.WIDTH, height, colors);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"m", "W", "8", "node-exporter."})
    void longNamesFitInTheirBoxes(String part) throws Exception {
        String name = part.repeat(63).substring(0, 60).replaceAll("[.-]$", "x");
        Path file = Files.writeString(
                folder.resolve("long.svg"),
                Run.of("explain", "-f", Run.BOOKSTORE, "-o", "svg", name + "." + name + ".svc.cluster.local")
                        .out());
        String svg = Files.readString(file);
        int height = Integer.parseInt(svg.replaceFirst("(?s).*? height=\"(\\d+)\".*", "$1"));
        assertReadable(file, "", SvgPage.WIDTH, height, "light");
    }

    /** Checks that there is much text of several colors on a background of the wanted brightness, and none at the right edge. */
    private void assertReadable(Path file, String hash, int width, int height, String colors) throws Exception {
        Path picture = folder.resolve("picture.png");
        Page shown = browse(
                file,
                hash,
                "--window-size=" + width + "," + height,
                "--screenshot=" + picture,
                "--blink-settings=preferredColorScheme=" + (colors.equals("dark") ? 0 : 1));
        assertThat(shown.log()).doesNotContain("CONSOLE");
        BufferedImage image = ImageIO.read(picture.toFile());
        assertThat(image.getWidth()).isEqualTo(width);
        assertThat(image.getHeight()).isEqualTo(height);
        Map<Integer, Integer> pixels = new HashMap<>();
        int background = image.getRGB(3, height / 2);
        int atTheEdge = 0;
        int rows = 0;
        for (int y = 0; y < height; y++) {
            int written = 0;
            for (int x = 0; x < width; x++) {
                pixels.merge(image.getRGB(x, y), 1, Integer::sum);
                if (contrast(image.getRGB(x, y), background) > 60) {
                    written++;
                    atTheEdge += x >= width - 8 && x < width - 2 ? 1 : 0;
                }
            }
            rows += written > 3 && written < width / 2 ? 1 : 0;
        }
        assertThat(brightness(background)).isBetween(colors.equals("dark") ? 0 : 230, colors.equals("dark") ? 40 : 255);
        assertThat(pixels).as("colors").hasSizeGreaterThan(60);
        assertThat(pixels.get(background)).as("pixels of the background").isGreaterThan(width * height / 3);
        assertThat(rows).as("rows of pixels with text").isGreaterThan(height / 5);
        // A line across the page, such as that below the heading, is no text.
        assertThat(atTheEdge).as("pixels at the right edge").isLessThan(60);
    }

    private static int brightness(int color) {
        return ((color >> 16 & 0xFF) + (color >> 8 & 0xFF) + (color & 0xFF)) / 3;
    }

    private static int contrast(int color, int other) {
        return Math.abs(brightness(color) - brightness(other));
    }
}
