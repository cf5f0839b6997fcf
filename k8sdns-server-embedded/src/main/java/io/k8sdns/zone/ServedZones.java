package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Maps names to the served zones. A name belongs to the longest zone that it ends with, also if that zone lies inside another
 * one; a reverse name to the longest that serves its address.
 */
final class ServedZones {
    private final List<DnsLabels> forward;

    /** The reverse zones, longest names first. */
    private final List<ReverseZone> reverse;

    /** The names that have a zone strictly below them. */
    private final Set<DnsLabels> above = new HashSet<>();

    private final RecordRules rules;

    ServedZones(RecordRules rules) {
        this.rules = rules;
        ZoneSettings settings = rules.settings();
        forward = settings.zones();
        reverse = settings.reverseZones().stream()
                .sorted(Comparator.comparingInt(zone -> -zone.name().count()))
                .toList();
        List<DnsLabels> all = new ArrayList<>(forward);
        settings.reverseZones().forEach(zone -> all.add(zone.name()));
        for (DnsLabels zone : all) {
            for (int i = 1; i <= zone.count(); i++) {
                above.add(zone.skip(i));
            }
        }
    }

    /** Returns whether a zone lies below this name, which therefore exists. */
    boolean isAbove(DnsLabels absolute) {
        return above.contains(absolute);
    }

    /** Returns the zone that a name belongs to; empty if none serves it. */
    Optional<DnsLabels> zoneOf(DnsLabels absolute) {
        for (DnsLabels zone : forward) {
            if (absolute.below(zone).filter(name -> rules.owns(zone, name)).isPresent()) {
                return Optional.of(zone);
            }
        }
        return reverse.stream()
                .filter(zone -> zone.serves(absolute))
                .map(ReverseZone::name)
                .findFirst();
    }

    /**
     * Returns the reverse zone that serves the name of an address; empty if none does. It is the longest that contains the address: one
     * that serves only a part of its /24 leaves the others to the zone that it lies in.
     */
    Optional<ReverseZone> reverseZoneOf(IpAddress address) {
        return reverse.stream().filter(zone -> zone.contains(address)).findFirst();
    }
}
