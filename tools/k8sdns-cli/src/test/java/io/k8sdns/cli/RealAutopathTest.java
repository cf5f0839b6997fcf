package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.autopath.SearchPaths;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code serve --autopath} with dig and with the resolvers of glibc and musl, whose queries the server counts. */
@Tag("real")
@Timeout(600)
class RealAutopathTest {
    private static final String AUTOPATH =
            "nameserver 127.0.0.1|search search.shop.cluster.local.ap.k8s.io|options ndots:5";
    private static final String CLUSTER_FIRST = "nameserver 127.0.0.1"
            + "|search shop.svc.cluster.local svc.cluster.local cluster.local corp.example|options ndots:5";
    private static final String MUSL_LOOKUP = """
            #include <arpa/inet.h>
            #include <netdb.h>
            #include <stdio.h>
            #include <sys/socket.h>

            int main(int argc, char **argv) {
                struct addrinfo hints = {0}, *found, *one;
                char text[64];
                hints.ai_socktype = SOCK_STREAM;
                if (argc != 2 || getaddrinfo(argv[1], 0, &hints, &found)) return 2;
                for (one = found; one; one = one->ai_next) {
                    if (one->ai_family == AF_INET)
                        puts(inet_ntop(AF_INET, &((struct sockaddr_in *) one->ai_addr)->sin_addr, text, sizeof text));
                }
                return 0;
            }
            """;

    @TempDir
    private Path folder;

    // ---- dig +ednsopt ----

    private static List<String> dig(RunningServer server, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                RealServer.program("dig", "bind9-dnsutils"),
                "@127.0.0.1",
                "-p",
                Integer.toString(HostAndPort.parse(server.address()).port())));
        command.addAll(List.of(arguments));
        return Program.run(command.toArray(String[]::new)).out();
    }

    private String noSearches() throws IOException {
        return Files.writeString(folder.resolve("host.conf"), "").toString();
    }

    private static String option(byte[] data) {
        return "+ednsopt=" + SearchPaths.OPTION_CODE
                + (data.length == 0 ? "" : ":" + HexFormat.of().formatHex(data));
    }

    private static String textOption(String paths) {
        return option(paths.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void digFindsNamesByTheSearchListOfItsOption() throws Exception {
        String list = textOption("shop.svc.cluster.local, svc.cluster.local.,cluster.local,corp.example");
        try (RecordingUpstream upstream = new RecordingUpstream();
                RunningServer server = RunningServer.atFreePort(
                        List.of("--autopath", "option", "--forward", upstream.text(), "--resolv-conf", noSearches()),
                        Run.BOOKSTORE)) {
            String sentinel = ".search.shop.cluster.local.ap.k8s.io";
            assertThat(dig(server, "+short", list, "cart" + sentinel))
                    .containsExactly("cart.shop.svc.cluster.local.", "10.96.0.20");
            assertThat(dig(server, "+short", list, "cart"))
                    .containsExactly("cart.shop.svc.cluster.local.", "10.96.0.20");
            assertThat(dig(server, "+short", list, "cart.shop"))
                    .containsExactly("cart.shop.svc.cluster.local.", "10.96.0.20");
            assertThat(dig(server, "+short", list, "www.example.com" + sentinel))
                    .containsExactly("www.example.com.", "198.18.0.1");
            assertThat(String.join("\n", dig(server, list, "missing" + sentinel)))
                    .contains("status: NXDOMAIN")
                    .doesNotContain("OPT=" + SearchPaths.OPTION_CODE);
            byte[] version = new SearchPaths.OfNamespace(new ClusterSearches("shop", "cluster.local")).toWire();
            assertThat(dig(server, "+short", option(version), "cart" + sentinel))
                    .containsExactly("cart.shop.svc.cluster.local.", "10.96.0.20");
            assertThat(String.join("\n", dig(server, textOption("a..b"), "cart" + sentinel)))
                    .contains("status: FORMERR");
            assertThat(String.join("\n", dig(server, list, list, "cart" + sentinel)))
                    .contains("status: FORMERR");

            assertThat(upstream.queries())
                    .isNotEmpty()
                    .allMatch(query -> query.getOPT() == null
                            || query.getOPT().getOptions().isEmpty());
            assertThat(upstream.asked()).noneMatch(asked -> asked.contains("cluster.local"));
        }
    }

    @Test
    void anOptionOfAClientThatIsNotTrustedIsIgnored() throws Exception {
        try (RecordingUpstream upstream = new RecordingUpstream();
                RunningServer server = RunningServer.atFreePort(
                        List.of(
                                "--autopath",
                                "option",
                                "--autopath-trust",
                                "192.0.2.0/24",
                                "--forward",
                                upstream.text(),
                                "--resolv-conf",
                                noSearches()),
                        Run.BOOKSTORE)) {
            String list = textOption("shop.svc.cluster.local");
            assertThat(dig(server, "+short", list, "cart.example")).isEmpty();
            assertThat(String.join("\n", dig(server, textOption("a..b"), "www.example.com")))
                    .contains("status: NOERROR");
            assertThat(upstream.queries())
                    .isNotEmpty()
                    .allMatch(query -> query.getOPT() == null
                            || query.getOPT().getOptions().isEmpty());
        }
    }

    @Test
    void bothFormsOfTheOptionAreAsDocumented() {
        assertThat(HexFormat.of()
                        .formatHex(new SearchPaths.OfNamespace(new ClusterSearches("ns1", "cluster.local")).toWire()))
                .isEqualTo("01036e733107636c7573746572056c6f63616c00");
        assertThat(new SearchPaths.PathList(List.of(DnsLabels.parse("ns1.svc.cluster.local"))).toWire())
                .asString(StandardCharsets.US_ASCII)
                .isEqualTo("ns1.svc.cluster.local");
    }

    // ---- glibc and musl ----

    @Test
    void glibcSendsTwoQueriesInsteadOfTen() throws Exception {
        String getent = RealServer.program("getent", "libc-bin");
        assertTwoInsteadOfTen(getent + "\tahosts\t");
    }

    @Test
    void muslSendsTwoQueriesInsteadOfTen() throws Exception {
        Path source = Files.writeString(folder.resolve("lookup.c"), MUSL_LOOKUP);
        Path program = folder.resolve("musl-lookup");
        Program.Result compiled = Program.run(
                RealServer.program("musl-gcc", "musl-tools"), "-static", "-o", program.toString(), source.toString());
        assertThat(compiled.code()).as(compiled.err()).isZero();
        assertTwoInsteadOfTen(program + "\t");
    }

    private void assertTwoInsteadOfTen(String program) throws Exception {
        List<Observation> seen = observe(
                AUTOPATH + "\t" + program + "www.example.com",
                CLUSTER_FIRST + "\t" + program + "www.example.com",
                AUTOPATH + "\t" + program + "cart",
                AUTOPATH + "\t" + program + "cart.shop",
                CLUSTER_FIRST + "\t" + program + "cart.shop",
                AUTOPATH + "\t" + program + "cart.shop.svc.cluster.local",
                AUTOPATH + "\t" + program + "missing.example.com",
                CLUSTER_FIRST + "\t" + program + "missing.example.com");

        assertThat(seen.get(0)).isEqualTo(new Observation(2, 198, seen.get(0).upstream()));
        assertThat(seen.get(0).upstream())
                .as("corp.example, and the bare name, for A and AAAA")
                .isEqualTo(4);
        assertThat(seen.get(1).queries()).isEqualTo(10);
        assertThat(seen.get(2)).isEqualTo(new Observation(2, 10, 0));
        assertThat(seen.get(3)).isEqualTo(new Observation(2, 10, 0));
        assertThat(seen.get(4)).isEqualTo(new Observation(4, 10, 0));
        assertThat(seen.get(5).firstByte()).isEqualTo(10);
        assertThat(seen.get(5).queries()).isEqualTo(2);
        assertThat(seen.get(6).queries())
                .as("the bare name costs one more of each type")
                .isEqualTo(4);
        assertThat(seen.get(7).queries()).isEqualTo(10);
    }

    /**
     * The observations of one lookup.
     *
     * @param queries the number of queries that the server has received
     * @param firstByte the first byte of the found address; -1 if none was found
     * @param upstream the number of queries that the server has forwarded
     */
    private record Observation(int queries, int firstByte, int upstream) {
        static Observation of(String line) {
            String[] fields = line.split("\t", -1);
            String address = fields[2].split("[ |]", 2)[0];
            int firstByte = address.contains(".") ? Integer.parseInt(address.substring(0, address.indexOf('.'))) : -1;
            return new Observation(Integer.parseInt(fields[0]), firstByte, Integer.parseInt(fields[1]));
        }
    }

    private List<Observation> observe(String... requests) throws IOException, InterruptedException {
        RealServer.program("unshare", "util-linux");
        RealServer.program("ip", "iproute2");
        Files.writeString(folder.resolve("resolv.conf"), "");
        Files.writeString(folder.resolve("nsswitch.conf"), "hosts: dns\n");
        Files.writeString(folder.resolve("hosts"), "");
        String script = "ip link set lo up; cd \"$1\"; for file in resolv.conf nsswitch.conf hosts; do"
                + " mount --bind $file /etc/$file; done; exec \"$2\" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
                + " -Dk8sdns.root=\"$4\" -cp \"$3\" " + AutopathLab.class.getName() + " \"$1/resolv.conf\"";
        Path err = folder.resolve("err");
        Process lab = new ProcessBuilder(
                        "unshare",
                        "--net",
                        "--mount",
                        "sh",
                        "-ec",
                        script,
                        "sh",
                        folder.toString(),
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Run.ROOT.toAbsolutePath().toString())
                .redirectError(err.toFile())
                .start();
        try (Writer in = new OutputStreamWriter(lab.getOutputStream(), StandardCharsets.UTF_8);
                BufferedReader out =
                        new BufferedReader(new InputStreamReader(lab.getInputStream(), StandardCharsets.UTF_8))) {
            if (!"ready".equals(out.readLine())) {
                RealServer.missing("a network namespace with a server on port 53: "
                        + Files.readString(err).strip());
            }
            List<Observation> seen = new ArrayList<>();
            for (String request : requests) {
                in.write(request + "\n");
                in.flush();
                String line = out.readLine();
                assertThat(line).as(Files.readString(err)).isNotNull();
                System.out.println(Stream.of(request.split("\t", -1)).skip(1).toList() + " -> " + line);
                seen.add(Observation.of(line));
            }
            return seen;
        } finally {
            lab.destroy();
            lab.waitFor();
        }
    }
}
