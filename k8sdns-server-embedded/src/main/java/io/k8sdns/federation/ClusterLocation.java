package io.k8sdns.federation;

import io.k8sdns.arguments.Copies;
import java.util.Collection;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where a cluster is: its region and its topology zones, as far as they are known. An immutable value. Names are compared without
 * case, and are kept in lower case.
 *
 * <pre>{@code
 * ClusterLocation frankfurt = ClusterLocation.UNKNOWN.withRegion("eu-central-1").withZones(List.of("eu-central-1a"));
 * }</pre>
 */
public final class ClusterLocation {
    /** Neither region nor zone is known. */
    public static final ClusterLocation UNKNOWN = new ClusterLocation(null, Set.of());

    private static final int LONGEST = 253;

    private final @Nullable String region;
    private final Set<String> zones;

    private ClusterLocation(@Nullable String region, Set<String> zones) {
        this.region = region;
        this.zones = zones;
    }

    /**
     * Returns the same location in this region.
     *
     * @param region 1 to 253 characters, for example {@code eu-central-1}
     * @throws IllegalArgumentException if it is empty or longer
     */
    public ClusterLocation withRegion(String region) {
        return new ClusterLocation(checked(Objects.requireNonNull(region, "region")), zones);
    }

    /**
     * Returns the same location with these topology zones.
     *
     * @param zones each of 1 to 253 characters, for example {@code eu-central-1a}
     * @throws IllegalArgumentException if one is empty or longer
     */
    public ClusterLocation withZones(Collection<String> zones) {
        return new ClusterLocation(
                region,
                Copies.set("zones", zones).stream()
                        .map(ClusterLocation::checked)
                        .collect(Collectors.toUnmodifiableSet()));
    }

    private static String checked(String name) {
        if (name.isEmpty() || name.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "the name of a region or zone has 1 to " + LONGEST + " characters, not " + name.length());
        }
        return name.toLowerCase(Locale.ROOT);
    }

    /** Returns the region if known. */
    public Optional<String> region() {
        return Optional.ofNullable(region);
    }

    /** Returns the topology zones; none if they are not known. */
    public Set<String> zones() {
        return zones;
    }

    /** Returns whether both locations have a zone in common. A zone belongs to its region, so the regions have to be equal, too. */
    boolean sharesZoneWith(ClusterLocation other) {
        return Objects.equals(region, other.region) && zones.stream().anyMatch(other.zones::contains);
    }

    /** Returns whether both locations are in one region. */
    boolean sharesRegionWith(ClusterLocation other) {
        return region != null && region.equals(other.region);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClusterLocation that && Objects.equals(region, that.region) && zones.equals(that.zones);
    }

    @Override
    public int hashCode() {
        return Objects.hash(region, zones);
    }

    /** Returns region and zones for a person, for example {@code eu-central-1 [eu-central-1a]}. */
    @Override
    public String toString() {
        return (region == null ? "unknown region" : region) + " " + new TreeSet<>(zones);
    }
}
