package io.k8sdns.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Reads manifests. */
public final class Manifests {
    private Manifests() {}

    /**
     * Reads files and directories.
     *
     * @throws IOException if one cannot be read
     */
    public static ClusterSnapshot read(List<Path> paths) throws IOException {
        List<ClusterObject> objects = new ArrayList<>();
        for (Path path : paths) {
            try (Stream<Path> walk = Files.walk(path)) {
                for (Path file : walk.filter(Files::isRegularFile).sorted().toList()) {
                    readFile(file, objects);
                }
            }
        }
        return ClusterSnapshot.of(objects);
    }

    private static void readFile(Path file, List<ClusterObject> objects) throws IOException {
        YAMLMapper mapper = new YAMLMapper();
        try (MappingIterator<JsonNode> documents =
                mapper.readerFor(JsonNode.class).readValues(file.toFile())) {
            while (documents.hasNext()) {
                JsonNode document = documents.next();
                if (document.path("kind").asText().equals("Namespace")) {
                    objects.add(
                            Namespace.of(document.path("metadata").path("name").asText()));
                } else if (document.path("kind").asText().equals("Service")) {
                    service(document, objects);
                }
            }
        }
    }

    private static void service(JsonNode document, List<ClusterObject> objects) {
        JsonNode spec = document.path("spec");
        if (IpAddress.tryParse(spec.path("clusterIP").asText()).isEmpty()) {
            return;
        }
        List<ServicePort> ports = new ArrayList<>();
        for (JsonNode port : spec.path("ports")) {
            Protocol protocol =
                    Protocol.tryParse(port.path("protocol").asText("TCP")).orElse(Protocol.TCP);
            int number = port.path("port").asInt();
            ports.add(
                    port.has("name")
                            ? ServicePort.of(port.path("name").asText(), protocol, number)
                            : ServicePort.unnamed(protocol, number));
        }
        objects.add(ClusterIpService.of(
                document.path("metadata").path("namespace").asText("default"),
                document.path("metadata").path("name").asText(),
                List.of(IpAddress.parse(spec.path("clusterIP").asText())),
                ports));
    }
}
