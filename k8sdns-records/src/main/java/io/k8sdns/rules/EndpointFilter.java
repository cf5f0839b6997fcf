package io.k8sdns.rules;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * Selects endpoints of a slice: those that have the address, and those whose hostname or Pod's name is the label; see {@link
 * RecordRules#endpointsAt}.
 *
 * @param address an address; null to select by label only
 * @param label a label; null to select by address only
 */
@Internal
public record EndpointFilter(
        @Nullable IpAddress address, @Nullable String label) {
    /** Selects all endpoints. */
    public static final EndpointFilter ALL = new EndpointFilter(null, null);

    /** Returns whether all endpoints are selected. */
    public boolean isAll() {
        return address == null && label == null;
    }
}
