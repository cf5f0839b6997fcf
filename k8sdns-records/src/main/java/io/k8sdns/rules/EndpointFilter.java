package io.k8sdns.rules;

import io.k8sdns.model.Endpoint;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.NameSchema;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the endpoints of a slice that can have facts at a name of single endpoints, so that a change of one endpoint does not derive the
 * facts of all. Decides no record: it may choose an endpoint without a fact at the name, but never skips one that has a fact.
 */
@Internal
public final class EndpointFilter {
    private final byte @Nullable [] addressBytes;
    private final byte @Nullable [] label;

    /**
     * Creates a filter.
     *
     * @param address the address of the name, or that its label spells; null if it spells none
     * @param label the label of an endpoint name, one character for each byte; null at a reverse name
     */
    private EndpointFilter(@Nullable IpAddress address, @Nullable String label) {
        this.addressBytes = address == null ? null : address.bytes();
        this.label = label == null ? null : label.getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * Returns a filter of the endpoints of a slice that can have facts at a name, so that the others need not be decoded. At a reverse
     * name these are the endpoints with the address, at an endpoint name those that can have its label.
     *
     * @param name a name that is not {@linkplain #isShared shared}; at a shared one all published endpoints of a slice have facts, or none
     * @throws IllegalArgumentException if the name is shared
     */
    public static EndpointFilter at(OwnerName name) {
        if (isShared(name)) {
            throw new IllegalArgumentException("a shared name has no filter: " + name);
        }
        if (name instanceof OwnerName.Reverse reverse) {
            return new EndpointFilter(reverse.address(), null);
        }
        String label = ((OwnerName.Forward) name).labels().label(0);
        return new EndpointFilter(spelledAddress(label), label);
    }

    /**
     * Returns where endpoints with this SRV target have facts: at the target and, if it spells an address, at the reverse name of that
     * address. Each such endpoint has a fact at one of them or at both.
     */
    static List<OwnerName> namesOfTarget(DnsLabels target) {
        OwnerName name = new OwnerName.Forward(target);
        IpAddress address = spelledAddress(target.label(0));
        return address == null ? List.of(name) : List.of(name, new OwnerName.Reverse(address));
    }

    private static @Nullable IpAddress spelledAddress(String label) {
        return AddressLabels.parseEndpointLabel(label).orElse(null);
    }

    /**
     * Returns whether a name is shared: all published endpoints of a slice have facts there, or none has, as at names without endpoints.
     * Only endpoint names and reverse names are not shared.
     */
    public static boolean isShared(OwnerName name) {
        return name instanceof OwnerName.Forward forward && !NameSchema.canBeEndpoint(forward.labels());
    }

    /**
     * Returns whether an endpoint alone shows at which {@linkplain #isShared shared} names its slice has facts. A slice without such an
     * endpoint has no facts.
     *
     * @param endpoint an endpoint of the slice
     * @param owner the Service that the slice names
     */
    public static boolean hasFactsAtSharedNames(Endpoint endpoint, Service owner) {
        return owner.publishes(endpoint);
    }

    /** The fields of an endpoint that a filter reads, in the form in which they are stored. */
    public interface Fields {
        /** Returns whether the endpoint has an address, given as 4 or 16 bytes. */
        boolean hasAddress(byte[] bytes);

        /** Returns whether the endpoint has a hostname, given as one byte for each character. */
        boolean hasHostname(byte[] text);

        /** Returns whether the endpoint refers to an object of a name, given as one byte for each character. */
        boolean hasTargetName(byte[] text);
    }

    /** Returns whether an endpoint is chosen; allocates nothing. */
    public boolean chooses(Fields endpoint) {
        return label == null
                ? addressBytes != null && endpoint.hasAddress(addressBytes)
                : EndpointFacts.canHaveLabel(endpoint, label, addressBytes);
    }
}
