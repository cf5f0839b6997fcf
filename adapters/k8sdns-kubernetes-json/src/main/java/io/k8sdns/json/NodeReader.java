package io.k8sdns.json;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Node;
import java.util.ArrayList;
import java.util.List;

/** Reads Nodes. */
final class NodeReader {
    private final ObjectReader.Sink sink;

    NodeReader(ObjectReader.Sink sink) {
        this.sink = sink;
    }

    void read(Field object, Metadata metadata) {
        sink.put(
                object,
                new Node(
                        metadata.name(),
                        metadata.uid(),
                        metadata.labels(),
                        addresses(object, "InternalIP"),
                        addresses(object, "ExternalIP"),
                        PlacementReader.taints(object)));
    }

    private static List<IpAddress> addresses(Field node, String type) {
        List<IpAddress> addresses = new ArrayList<>();
        for (Field address : node.get("status").get("addresses").items()) {
            if (address.get("type").hasText(type)) {
                FieldValues.address(address.get("address")).ifPresent(addresses::add);
            }
        }
        return addresses;
    }
}
