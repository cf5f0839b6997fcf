package io.k8sdns.records;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.stream.Collectors;
import org.xbill.DNS.Name;

/**
 * A name as users write it, and the absolute name that it stands for.
 *
 * @param text the text, for messages
 * @param labels its labels
 */
record TypedName(String text, DnsLabels labels) {
    private static final DnsLabels SERVICES = ClusterName.FixedName.SERVICES.labels();

    /**
     * Reads a name.
     *
     * @throws InvalidNameException if the text is not a name in presentation form
     */
    static TypedName parse(String text) {
        return new TypedName(text, DnsLabels.parse(text));
    }

    /** Returns the absolute name that this name stands for; see {@link ZoneSettings#absoluteName}. */
    Name absolute(ZoneSettings settings) {
        if (endsInDot() || settings.isServed(labels)) {
            return DnsNames.absolute(labels);
        }
        requireBelowServices(settings);
        return DnsNames.absolute(labels, SERVICES.append(settings.zones().get(0)));
    }

    /** Rejects names that are not names of Services: a check that a name does not exist must not succeed because its zone is misspelt. */
    private void requireBelowServices(ZoneSettings settings) {
        if (IpAddress.tryParse(text).isPresent()) {
            throw new InvalidNameException("an IP address instead of a name: " + text);
        }
        if (labels.isEmpty()) {
            throw new InvalidNameException("an empty name");
        }
        if (NameSchema.endsInServicesOrPods(labels)) {
            DnsLabels zone = settings.zones().get(0);
            throw new InvalidNameException("ambiguous without the zone: " + text + "; write " + text + "." + zone
                    + " (or " + text + "." + SERVICES + "." + zone + ")");
        }
        if (!NameSchema.canBeBelowServices(labels)) {
            throw new InvalidNameException(text + " is not served by this server (zones: "
                    + settings.zones().stream().map(DnsLabels::toString).collect(Collectors.joining(", "))
                    + "); to use it as an absolute name, add a dot at the end");
        }
    }

    /** Returns whether the text ends in a dot that is not part of a label, as one after an odd number of backslashes is. */
    private boolean endsInDot() {
        int at = text.length() - 1;
        int backslashes = 0;
        while (at - 1 - backslashes >= 0 && text.charAt(at - 1 - backslashes) == '\\') {
            backslashes++;
        }
        return at >= 0 && text.charAt(at) == '.' && backslashes % 2 == 0;
    }
}
