package io.k8sdns.json;

import io.k8sdns.model.InvalidFieldException;
import io.k8sdns.model.PortKey;
import io.k8sdns.model.Protocol;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Reads the fields of ports. A wrong port is reported and omitted. */
public final class PortFields {
    private PortFields() {}

    /**
     * Reads a list of ports; of several with the same key only the first is kept.
     *
     * @param namesMayRepeat whether an API server accepts several ports with one name, as it does in a subset of Endpoints
     */
    static <T> List<T> ports(
            Field field, Function<Field, Optional<T>> reader, Function<T, PortKey> key, boolean namesMayRepeat) {
        List<T> ports = new ArrayList<>();
        Set<PortKey> keys = new HashSet<>();
        Set<Optional<String>> names = new HashSet<>();
        for (Field entry : field.items()) {
            if (!entry.isMappingOrAbsent()) {
                continue;
            }
            Optional<T> port = port(entry, reader);
            if (port.isEmpty()) {
                continue;
            }
            PortKey portKey = key.apply(port.get());
            boolean isNew = keys.add(portKey);
            if (isNew) {
                ports.add(port.get());
            }
            boolean isNewName = names.add(portKey.name());
            if (namesMayRepeat && !isNew) {
                entry.get("name").note("duplicate-port", "omitted: a second " + portKey);
            } else if (!namesMayRepeat && !isNewName) {
                entry.get("name")
                        .warn(
                                "duplicate-port",
                                (isNew ? "published, as the protocol differs, but refused by Kubernetes: " : "")
                                        + portKey.name()
                                                .map(name -> "a second port of this name: \"" + name + "\"")
                                                .orElse("a second port without a name"));
            }
        }
        return ports;
    }

    static <T> Optional<T> port(Field field, Function<Field, Optional<T>> reader) {
        try {
            return reader.apply(field);
        } catch (InvalidFieldException e) {
            field.at(e.field()).warn("invalid-port", e.problem());
            return Optional.empty();
        }
    }

    public static Optional<Integer> portNumber(Field port, String name) {
        Field field = port.get(name);
        Optional<Integer> number = field.number();
        if (field.isAbsent()) {
            field.warn("invalid-port", "no port number");
        }
        if (number.isPresent() && (number.get() < 1 || number.get() > 65535)) {
            field.warn("invalid-port", "not a port number (1 to 65535): " + number.get());
            return Optional.empty();
        }
        return number;
    }

    public static Optional<Protocol> protocol(Field port) {
        Field field = port.get("protocol");
        if (field.isAbsentOrEmpty()) {
            return Optional.of(Protocol.TCP);
        }
        return FieldValues.parsed(field, Protocol::tryParse, "invalid-protocol", "not TCP, UDP or SCTP");
    }

    /**
     * Returns the name of a port, or the inner empty value if it has none; the outer value is empty if the name is not text.
     */
    static Optional<Optional<String>> portName(Field port) {
        Field field = port.get("name");
        Optional<String> text = field.text();
        return text.isPresent() || field.isAbsent()
                ? Optional.of(text.filter(name -> !name.isEmpty()))
                : Optional.empty();
    }
}
