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
 * The region and the topology zones of a cluster, as far as they are known. Immutable. Names are stored in lower case, so that
 * equality ignores case.
 *
 * <pre>{@code
 * ClusterLocation frankfurt = ClusterLocation.UNKNOWN.withRegion("eu-central-1").withZones(List.of("eu-central-1a"));
 * }</pre>
 */
public final class ClusterLocation {
    /** A location without a region and zones. */
    public static final ClusterLocation UNKNOWN = new ClusterLocation(null, Set.of());

    private static final int MAX_LENGTH = 253;

    private final @Nullable String region;
    private final Set<String> zones;

    private ClusterLocation(@Nullable String region, Set<String> zones) {
        this.region = region;
        this.zones = zones;
    }

    /**
     * Returns a copy with another region.
     *
     * @param region 1 to 253 characters, for example {@code eu-central-1}
     * @throws IllegalArgumentException if it is empty or longer
     */
    public ClusterLocation withRegion(String region) {
        return new ClusterLocation(checked(Objects.requireNonNull(region, "region")), zones);
    }

    /**
     * Returns a copy with other topology zones.
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
        if (name.isEmpty() || name.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "the name of a region or zone has 1 to " + MAX_LENGTH + " characters, not " + name.length());
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

    /** Returns whether both locations have the same region and at least one common zone. */
    boolean sharesZoneWith(ClusterLocation other) {
        return Objects.equals(region, other.region) && zones.stream().anyMatch(other.zones::contains);
    }

    /** Returns whether both regions are known and equal. */
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

    /** Returns the region and the zones for logs, for example {@code eu-central-1 [eu-central-1a]}. */
    @Override
    public String toString() {
        return (region == null ? "unknown region" : region) + " " + new TreeSet<>(zones);
    }
}
