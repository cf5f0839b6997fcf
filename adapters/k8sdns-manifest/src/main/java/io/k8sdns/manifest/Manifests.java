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
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Reads manifests. */
public final class Manifests {
    private Manifests() {}

    /**
     * Reads files, directories and streams.
     *
     * @throws IOException if one is missing or cannot be read
     * @throws ManifestException if the options are strict and something of the input would be left out
     */
    public static ManifestResult read(List<ManifestInput> inputs, ManifestOptions options) throws IOException {
        List<ClusterObject> objects = new ArrayList<>();
        for (ManifestInput input : inputs) {
            if (input instanceof ManifestInput.OfPath named) {
                try (Stream<Path> walk = Files.walk(named.path())) {
                    for (Path file : walk.filter(Files::isRegularFile).sorted().toList()) {
                        try (InputStream stream = Files.newInputStream(file)) {
                            readStream(stream, options, objects);
                        }
                    }
                }
            } else if (input instanceof ManifestInput.OfStream named) {
                readStream(named.stream(), options, objects);
            }
        }
        return new ManifestResult(ClusterSnapshot.of(objects), List.of(), "read " + objects.size() + " objects");
    }

    private static void readStream(InputStream stream, ManifestOptions options, List<ClusterObject> objects)
            throws IOException {
        YAMLMapper mapper = new YAMLMapper();
        try (MappingIterator<JsonNode> documents =
                mapper.readerFor(JsonNode.class).readValues(stream.readAllBytes())) {
            while (documents.hasNext()) {
                JsonNode document = documents.next();
                if (document.path("kind").asText().equals("Namespace")) {
                    objects.add(
                            Namespace.of(document.path("metadata").path("name").asText()));
                } else if (document.path("kind").asText().equals("Service")) {
                    service(document, options, objects);
                }
            }
        }
    }

    private static void service(JsonNode document, ManifestOptions options, List<ClusterObject> objects) {
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
                document.path("metadata").path("namespace").asText(options.defaultNamespace()),
                document.path("metadata").path("name").asText(),
                List.of(IpAddress.parse(spec.path("clusterIP").asText())),
                ports));
    }
}
