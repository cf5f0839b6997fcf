package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Maps names to the served zones. A name belongs to the longest zone that it ends with, also if that zone lies inside another
 * one.
 */
final class ServedZones {
    private final List<DnsLabels> forward;

    /** The reverse zones, longest names first. */
    private final List<Covering> reverse;

    /** The names that have a zone below them. */
    private final Set<DnsLabels> above = new HashSet<>();

    /** The zones strictly below each zone. */
    private final Map<DnsLabels, List<DnsLabels>> below = new HashMap<>();

    /** A reverse zone, and the network of all addresses whose reverse names end with its name, including those not served. */
    private record Covering(ReverseZone zone, IpNetwork network) {}

    ServedZones(ZoneSettings settings) {
        forward = settings.zones();
        reverse = settings.reverseZones().stream()
                .sorted(Comparator.comparingInt(zone -> -zone.name().count()))
                .flatMap(zone ->
                        NameSchema.parseReverse(zone.name()).map(network -> new Covering(zone, network)).stream())
                .toList();
        List<DnsLabels> all = new ArrayList<>(forward);
        settings.reverseZones().forEach(zone -> all.add(zone.name()));
        for (DnsLabels zone : all) {
            below.put(zone, all.stream().filter(other -> isBelow(other, zone)).toList());
            for (int i = 1; i <= zone.count(); i++) {
                above.add(zone.skip(i));
            }
        }
    }

    private static boolean isBelow(DnsLabels name, DnsLabels zone) {
        return name.endsWith(zone) && !name.equals(zone);
    }

    /** Returns whether a zone lies below this name, which therefore exists. */
    boolean isAbove(DnsLabels absolute) {
        return above.contains(absolute);
    }

    /** Returns whether another zone lies below this one. */
    boolean hasZonesBelow(DnsLabels zone) {
        return !below.getOrDefault(zone, List.of()).isEmpty();
    }

    /**
     * Returns whether a name belongs to a forward zone: it has at most 255 bytes there, and is not in another served zone with a longer
     * name.
     */
    boolean owns(DnsLabels zone, DnsLabels labels) {
        if (!labels.fitsBelow(zone)) {
            return false;
        }
        List<DnsLabels> longer = Objects.requireNonNull(below.get(zone));
        return longer.isEmpty() || longer.stream().noneMatch(labels.append(zone)::endsWith);
    }

    /** Returns the forward zone of a name if present; empty if no zone serves the name, or a longer reverse zone does. */
    Optional<DnsLabels> forwardZone(DnsLabels absolute) {
        return forward.stream()
                .filter(absolute::endsWith)
                .max(Comparator.comparingInt(DnsLabels::count))
                .filter(zone -> Objects.requireNonNull(below.get(zone)).stream().noneMatch(absolute::endsWith));
    }

    /** Returns the reverse zone that serves the name of an address if present, otherwise empty. */
    Optional<ReverseZone> owner(IpAddress address) {
        for (Covering covering : reverse) {
            if (covering.network.contains(address)) {
                return covering.zone.contains(address) ? Optional.of(covering.zone) : Optional.empty();
            }
        }
        return Optional.empty();
    }
}
