package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.google.gson.Gson;
import io.k8sdns.apiserver.ApiServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;

/**
 * Runs {@code verify --peer coredns} with a CoreDNS whose kubernetes plugin follows an API server with the objects of {@code
 * coredns-cluster.yaml}. Needs {@code COREDNS=/path/to/binary}, since Debian has no package of CoreDNS.
 */
@Tag("real")
@Timeout(300)
class RealCoreDnsTest {
    @TempDir
    private Path folder;

    @Test
    void everyDifferenceFromAHealthyCoreDnsIsExplained() throws Exception {
        String program = program();
        try (ApiServer api = new ApiServer()) {
            putObjects(api);
            try (RealServer coredns = RealServer.coredns(program, folder, api.url(), "cart.shop.svc.cluster.local.")) {
                String kubeconfig = Files.writeString(folder.resolve("kubeconfig"), ApiServer.kubeconfig(api.url()))
                        .toString();
                Run run = Run.of(
                        "verify",
                        "--kubeconfig",
                        kubeconfig,
                        "--startup-timeout",
                        "120",
                        "--server",
                        coredns.text(),
                        "--peer",
                        "coredns");
                // The figures of docs/command.md.
                assertThat(run.out())
                        .endsWith("107 names, 23 differences, 23 of them explained" + System.lineSeparator());
                assertThat(run.out())
                        .contains(
                                CoreDnsDifferences.PROTOCOL_NAME,
                                CoreDnsDifferences.DASHED_NAME,
                                CoreDnsDifferences.POD_ADDRESS,
                                CoreDnsDifferences.TERMINATING_POD,
                                CoreDnsDifferences.SPELLING,
                                CoreDnsDifferences.UNUSED_ADDRESS);
                assertThat(run.code()).as(run.out() + run.err()).isZero();
            }
        }
    }

    private static String program() {
        String program = System.getenv("COREDNS");
        if (program == null) {
            String message = "NOT RUN: verify --peer coredns with a real CoreDNS: set COREDNS=/path/to/binary";
            System.err.println(message);
            abort(message);
        }
        return Objects.requireNonNull(program);
    }

    private static void putObjects(ApiServer api) throws IOException {
        Gson gson = new Gson();
        try (InputStream in =
                Objects.requireNonNull(RealCoreDnsTest.class.getResourceAsStream("coredns-cluster.yaml"))) {
            for (Object document : new Yaml(new LoaderOptions()).loadAll(in)) {
                Map<String, Object> members = members(document);
                Map<String, Object> metadata = members(Objects.requireNonNull(members.remove("metadata")));
                Object namespace = metadata.remove("namespace");
                String name = (namespace == null ? "" : namespace + "/") + metadata.remove("name");
                members.remove("apiVersion");
                String resource = String.valueOf(members.remove("kind")).toLowerCase(Locale.ROOT) + "s";
                String json = gson.toJson(metadata);
                api.put(
                        resource,
                        name,
                        json.substring(1, json.length() - 1),
                        members.entrySet().stream()
                                .map(member -> ", \"" + member.getKey() + "\": " + gson.toJson(member.getValue()))
                                .collect(Collectors.joining()));
            }
        }
    }

    private static Map<String, Object> members(Object mapping) {
        Map<String, Object> members = new LinkedHashMap<>();
        ((Map<?, ?>) mapping).forEach((key, value) -> members.put(String.valueOf(key), value));
        return members;
    }
}
