package io.k8sdns.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** A case in a folder of {@code conformance/resolvconf/}. {@code conformance/README.md} describes the files. */
record PodCase(Path folder) {
    private static final Path ALL = ConformanceCase.ALL.resolve("resolvconf");

    /** The options by the keys of {@code node.yaml}. */
    private static final Map<String, String> OPTIONS = Map.of(
            "clusterDNS", "--cluster-dns",
            "clusterDomain", "--cluster-domain",
            "nodeIPs", "--node-ip",
            "limits", "--limits",
            "os", "--os",
            "style", "--style",
            "kepPolicies", "--kep-policies",
            "advice", "--advice");

    /** Returns all cases in a stable order. */
    static List<PodCase> all() {
        try (Stream<Path> files = Files.walk(ALL)) {
            return files.filter(one -> Files.exists(one.resolve("pod.yaml")))
                    .sorted()
                    .map(PodCase::new)
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    /** Returns the options of the node, without its resolv.conf. */
    List<String> nodeOptions() throws IOException {
        List<String> options = new ArrayList<>();
        Object node = yaml(file("node.yaml"));
        if (!(node instanceof Map<?, ?> mapping)) {
            throw new IllegalArgumentException(file("node.yaml") + " is not a mapping");
        }
        mapping.forEach((key, value) -> {
            String option = OPTIONS.get(key);
            if (option == null) {
                throw new IllegalArgumentException(file("node.yaml") + ": " + key);
            }
            if (value instanceof Boolean given) {
                options.addAll(given ? List.of(option) : List.of());
            } else {
                List<?> values = value instanceof List<?> list ? list : List.of(value);
                values.forEach(one -> options.addAll(List.of(option, String.valueOf(one))));
            }
        });
        return options;
    }

    /** Returns the node's resolv.conf; empty if its kubelet has none. */
    Optional<Path> hostFile() {
        return Optional.of(file("host.resolv.conf")).filter(Files::exists);
    }

    /** Returns the resolv.conf of the Pod; empty if the Pod does not start. */
    Optional<String> resolvConf() throws IOException {
        return text("resolv.conf");
    }

    /** Returns the expected messages, one per line; a line that ends in {@code " ..."} is the beginning of a message. */
    List<String> notices() throws IOException {
        return text("notices.txt").stream().flatMap(String::lines).toList();
    }

    /** Returns the two names of the Pod; empty if the case does not define them. */
    Optional<List<String>> names() throws IOException {
        return text("hostname.txt").map(text -> List.of(text.split("\n", -1)).subList(0, 2));
    }

    /** Returns the Pod as JSON. */
    String podAsJson() throws IOException {
        return json(yaml(file("pod.yaml")));
    }

    private Optional<String> text(String name) throws IOException {
        return Files.exists(file(name)) ? Optional.of(Files.readString(file(name))) : Optional.empty();
    }

    private static Object yaml(Path file) throws IOException {
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
    }

    private static String json(Object value) {
        if (value instanceof Map<?, ?> mapping) {
            List<String> members = new ArrayList<>();
            mapping.forEach((key, one) -> members.add(JsonText.of(String.valueOf(key)) + ": " + json(one)));
            return "{" + String.join(", ", members) + "}";
        }
        if (value instanceof List<?> list) {
            return list.stream().map(PodCase::json).collect(Collectors.joining(", ", "[", "]"));
        }
        return value instanceof String text ? JsonText.of(text) : String.valueOf(value);
    }

    /** Returns the folder below {@code conformance/resolvconf/}. */
    @Override
    public String toString() {
        return ALL.relativize(folder).toString();
    }
}
