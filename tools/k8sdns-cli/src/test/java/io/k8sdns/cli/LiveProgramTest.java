package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.manifest.JsonObject;
import io.k8sdns.resolver.Client.Transport;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Runs the program in a JVM of its own: what depends on the environment, and the log. */
@Timeout(300)
class LiveProgramTest extends LiveTestBase {
    private static final List<String> QUERY =
            List.of("query", "--live", "--startup-timeout", "120", "--short", "cart.shop.svc.cluster.local");

    private Program.Result program(List<String> command, String... more) throws Exception {
        return program(kubeconfig(TOKEN), command, more);
    }

    private Program.Result program(String variable, List<String> command, String... more) throws Exception {
        return Program.run(folder, Map.of("KUBECONFIG", variable), Program.ofMain(command, more));
    }

    @Test
    void liveClusterIsThatOfTheVariable() throws Exception {
        Program.Result run = program(QUERY);
        assertThat(run.out()).as(run.err()).containsExactly("10.96.0.20");
        assertThat(run.err()).isEmpty();
        assertThat(program(QUERY, "--context", "there").err()).contains("no context 'there'");
    }

    /** The parameters of diff take the place of the options that other commands have. */
    @Test
    void anAbsentKubeconfigIsReportedWithTheOptionsOfTheCommand() throws Exception {
        String absent =
                "live: no such file: /no/such, in $KUBECONFIG; set it to the path of a kubeconfig, or unset it for ~/.kube/config";
        assertThat(program("/no/such", QUERY).err())
                .isEqualTo("k8sdns query: --" + absent + "; in a Pod use --in-cluster (see k8sdns query --help)\n");
        assertThat(program("/no/such", List.of("diff", "live", Run.BOOKSTORE)).err())
                .isEqualTo("k8sdns diff: " + absent + " (see k8sdns diff --help)\n");
    }

    @Test
    void filesOfTheVariableAreMerged() throws Exception {
        Path contexts = Files.writeString(folder.resolve("contexts"), """
                current-context: shop
                contexts: [{name: shop, context: {cluster: here, user: me}}]
                """);
        String clusters = kubeconfig(TOKEN);
        String both = contexts + File.pathSeparator + folder.resolve("missing") + File.pathSeparator + clusters;
        Program.Result run = program(both, QUERY);
        assertThat(run.out()).as(run.err()).containsExactly("10.96.0.20");
        Program.Result none = program(contexts.toString(), QUERY, "--context", "there");
        assertThat(none.err()).contains("--context: no context 'there' in " + contexts + ", which has 'shop'");
        Files.writeString(contexts, "");
        assertThat(program(contexts.toString(), QUERY).err()).contains("--live: there is no context in " + contexts);
    }

    @Test
    void nodeCacheAnswersFromTheClusterOfTheVariable() throws Exception {
        Map<String, String> environment = Map.of("KUBECONFIG", kubeconfig(TOKEN));
        List<String> command = List.of("node-cache", "--live", "--listen=127.0.0.1:0", "--zone-upstream=.=127.0.0.1:1");
        try (Program cache = Program.start(folder, environment, Program.ofMain(command))) {
            String address = cache.line().split(" ", -1)[2];
            try (TestClient client = new TestClient(HostAndPort.parse(address).address())) {
                Message answer;
                do {
                    answer = client.ask(Name.fromString("cart.shop.svc.cluster.local."), Type.A, Transport.UDP);
                } while (answer.getRcode() == Rcode.SERVFAIL);
                assertThat(answer.getSection(Section.ANSWER).get(0).rdataToString())
                        .isEqualTo("10.96.0.20");
            }
        }
    }

    @Test
    void logHasTheFormatAndTheLevelOfTheOptions() throws Exception {
        List<String> json = program(QUERY, "--log-level", "debug", "--log-format", "json")
                .err()
                .lines()
                .toList();
        assertThat(json)
                .anySatisfy(line -> assertThat(JsonObject.parse(line).text("message"))
                        .contains("all objects are listed and watched"))
                .allSatisfy(
                        line -> assertThat(JsonObject.parse(line).text("level")).isEqualTo(Optional.of("debug")));
        assertThat(program(QUERY, "--log-level", "warn").err()).isEmpty();
    }

    @Test
    void commandsThatPrintOncePrintOnlyTheError() throws Exception {
        assertThat(program(QUERY, "--context", "nowhere").err().lines())
                .singleElement()
                .asString()
                .startsWith("k8sdns query: cannot reach the API server http://127.0.0.1:1");
        assertThat(program(QUERY, "--context", "nowhere", "--log-level", "debug")
                        .err()
                        .lines())
                .anyMatch(line -> line.startsWith("debug: services: unreachable: "))
                .noneMatch(line -> line.startsWith("warn: "));
        assertThat(program(kubeconfig("{token: expired}"), QUERY).err().lines())
                .singleElement()
                .asString()
                .startsWith("k8sdns query: no valid credentials for the API server ");
    }
}
