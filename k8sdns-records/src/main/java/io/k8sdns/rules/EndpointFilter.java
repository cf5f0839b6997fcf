package io.k8sdns.rules;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * Chooses an endpoint of a slice if it has the address, or if its hostname or the name of its Pod is the label; see
 * {@link RecordRules#endpointsAt}.
 *
 * @param address an address; null if no endpoint is chosen by its address
 * @param label a label; null if no endpoint is chosen by its label
 */
@Internal
public record EndpointFilter(
        @Nullable IpAddress address, @Nullable String label) {
    /** Chooses all endpoints. */
    public static final EndpointFilter ALL = new EndpointFilter(null, null);

    /** Returns whether all endpoints are chosen. */
    public boolean isAll() {
        return address == null && label == null;
    }
}
