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
        List<IpAddress> addresses = new ArrayList<>();
        for (Field address : object.get("status").get("addresses").items()) {
            if (address.get("type").hasText("InternalIP")) {
                FieldValues.address(address.get("address")).ifPresent(addresses::add);
            }
        }
        sink.put(
                object,
                new Node(
                        metadata.name(), metadata.uid(), metadata.labels(), addresses, PlacementReader.taints(object)));
    }
}
