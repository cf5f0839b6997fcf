package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.NameSchema;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Which name is in which of the zones that are served: the longest zone that the name ends with, whether another one
 * lies around it or not.
 */
final class ServedZones {
    private final List<DnsLabels> forward;
    private final List<ReverseZone> reverse;

    /** The zones strictly below each zone. */
    private final Map<DnsLabels, List<DnsLabels>> below = new HashMap<>();

    ServedZones(ZoneSettings settings) {
        forward = settings.zones();
        reverse = settings.reverseZones();
        List<DnsLabels> all = new ArrayList<>(forward);
        reverse.forEach(zone -> all.add(zone.name()));
        for (DnsLabels zone : all) {
            below.put(zone, all.stream().filter(other -> isBelow(other, zone)).toList());
        }
    }

    private static boolean isBelow(DnsLabels name, DnsLabels zone) {
        return name.endsWith(zone) && !name.equals(zone);
    }

    /** Returns whether a zone lies below this name, which therefore exists. */
    boolean isAbove(DnsLabels absolute) {
        return below.keySet().stream().anyMatch(zone -> isBelow(zone, absolute));
    }

    /** Returns whether another zone lies below this one. */
    boolean hasZonesBelow(DnsLabels zone) {
        return !below.getOrDefault(zone, List.of()).isEmpty();
    }

    /** Returns whether a forward zone owns a name: it fits into 255 octets there, and into no longer zone of ours. */
    boolean owns(DnsLabels zone, DnsLabels labels) {
        if (!labels.fitsBelow(zone)) {
            return false;
        }
        List<DnsLabels> longer = Objects.requireNonNull(below.get(zone));
        return longer.isEmpty() || longer.stream().noneMatch(labels.append(zone)::endsWith);
    }

    /** Returns the reverse zone that the name of an address is in; empty if none of them serves it. */
    Optional<ReverseZone> owner(IpAddress address) {
        return reverse.stream()
                .filter(zone -> covers(zone, address))
                .max(Comparator.comparing(zone -> zone.name().count()))
                .filter(zone -> zone.contains(address));
    }

    /** Returns whether the name of the address ends with that of the zone; the zone may still not serve it. */
    private static boolean covers(ReverseZone zone, IpAddress address) {
        return NameSchema.parseReverse(zone.name())
                .filter(network -> network.contains(address))
                .isPresent();
    }
}
