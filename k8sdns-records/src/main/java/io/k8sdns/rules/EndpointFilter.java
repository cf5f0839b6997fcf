package io.k8sdns.rules;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the endpoints of a slice that can have facts at a name; see {@link RecordRules#endpointsAt}.
 *
 * <p>A filter does not know from which field an endpoint has its label ({@code EndpointFacts.label}), and chooses the endpoint if its
 * hostname, the name of its Pod, or its address matches. It may choose an endpoint without a fact at the name; it never skips one that
 * has a fact.
 */
@Internal
public final class EndpointFilter {
    /** Chooses all endpoints. */
    public static final EndpointFilter ALL = new EndpointFilter(null, null);

    private final @Nullable IpAddress address;
    private final byte @Nullable [] addressBytes;
    private final byte @Nullable [] label;

    private EndpointFilter(@Nullable IpAddress address, @Nullable String label) {
        this.address = address;
        this.addressBytes = address == null ? null : address.bytes();
        this.label = label == null ? null : label.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns a filter that chooses the endpoints with an address. */
    static EndpointFilter ofAddress(IpAddress address) {
        return new EndpointFilter(address, null);
    }

    /**
     * Returns a filter that chooses the endpoints whose names can have a label.
     *
     * @param label the label, as text of one character for each byte
     * @param spelled the address that the label spells; null if it spells none
     */
    static EndpointFilter ofLabel(String label, @Nullable IpAddress spelled) {
        return new EndpointFilter(spelled, label);
    }

    /** The fields of an endpoint that a filter reads, in the form in which they are stored. */
    public interface Fields {
        /** Returns whether the endpoint has an address, given as 4 or 16 bytes. */
        boolean hasAddress(byte[] bytes);

        /** Returns whether the endpoint has a hostname, given as one byte for each character. */
        boolean hasHostname(byte[] text);

        /** Returns whether the endpoint refers to a Pod of a name, given as one byte for each character. */
        boolean hasPodName(byte[] text);
    }

    /** Returns whether an endpoint is chosen; allocates nothing. */
    public boolean chooses(Fields endpoint) {
        return isAll()
                || addressBytes != null && endpoint.hasAddress(addressBytes)
                || label != null && (endpoint.hasHostname(label) || endpoint.hasPodName(label));
    }

    /** Returns whether all endpoints are chosen. */
    boolean isAll() {
        return label == null && address == null;
    }

    /** Returns the address of the chosen endpoints; null if no endpoint is chosen by its address. */
    @Nullable
    IpAddress address() {
        return address;
    }
}
