package io.k8sdns.model;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/** A transport protocol of a port. */
public enum Protocol {
    TCP,
    UDP,
    SCTP;

    private final String label = "_" + name().toLowerCase(Locale.ROOT);

    /** Reads the API's spelling, {@code TCP}, {@code UDP} or {@code SCTP}; empty for anything else. */
    public static Optional<Protocol> tryParse(String text) {
        Objects.requireNonNull(text, "text");
        for (Protocol protocol : values()) {
            if (protocol.name().equals(text)) {
                return Optional.of(protocol);
            }
        }
        return Optional.empty();
    }

    /** Returns the label of this protocol in SRV owner names: {@code _tcp}, {@code _udp} or {@code _sctp}. */
    public String label() {
        return label;
    }
}
