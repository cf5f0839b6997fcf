package io.k8sdns.federation.controller;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.json.RelaxedJson;
import io.k8sdns.federation.store.FederationJson;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The value of a key {@code /_clusters/CLUSTER}: the location of the cluster, and the controllers that write its keys. Members that are
 * unknown or cannot be read are kept, because other programs and the controllers of other federations write the same value. Immutable.
 *
 * <pre>{@code
 * {"region": "eu", "zones": ["eu-a"], "controllers": {"prod": {"id": "...", "renewed": 17}}}
 * }</pre>
 *
 * <p>A controller claims a cluster for one federation, and increases {@code renewed} regularly. Others only compare the number with the
 * one before, so that clocks are not compared. {@code "stale": true} is set while no controller can read the cluster.
 */
final class RegistryValue {
    private static final String CONTROLLERS = "controllers";
    private static final String ID = "id";
    private static final String RENEWED = "renewed";
    private static final String STALE = "stale";
    private static final RelaxedJson JSON = new RelaxedJson();
    private static final FederationJson FORMAT = new FederationJson();

    private final Map<String, @Nullable Object> members;
    private final Map<String, Claim> claims;

    /**
     * The claim of a controller to write the keys of a cluster.
     *
     * @param id the controller
     * @param renewed increases with each renewal
     */
    record Claim(String id, long renewed) {}

    private RegistryValue(Map<String, @Nullable Object> members) {
        this.members = members;
        this.claims = claims(members);
    }

    /** Reads a value; an absent or malformed one has no members. */
    static RegistryValue parse(Optional<String> text) {
        try {
            if (text.isPresent()) {
                return new RegistryValue(JSON.object(text.get()));
            }
        } catch (IllegalArgumentException malformed) {
            // Treated as absent.
        }
        return new RegistryValue(Map.of());
    }

    private static Map<String, Claim> claims(Map<String, @Nullable Object> members) {
        Map<String, Claim> claims = new TreeMap<>();
        if (members.get(CONTROLLERS) instanceof Map<?, ?> all) {
            all.forEach((federation, value) -> {
                if (value instanceof Map<?, ?> one
                        && one.get(ID) instanceof String id
                        && one.get(RENEWED) instanceof Number renewed) {
                    claims.put(String.valueOf(federation), new Claim(id, renewed.longValue()));
                }
            });
        }
        return claims;
    }

    /** Returns the claims by federation. */
    Map<String, Claim> claims() {
        return claims;
    }

    /** Returns whether a controller of any federation has a claim, even one that cannot be read. */
    boolean hasClaims() {
        return !controllers().isEmpty();
    }

    /** Returns the location of the cluster; {@link ClusterLocation#UNKNOWN} also if it cannot be read. */
    ClusterLocation location() {
        try {
            return FORMAT.cluster(text());
        } catch (IllegalArgumentException malformed) {
            return ClusterLocation.UNKNOWN;
        }
    }

    RegistryValue withClaim(String federation, Claim claim) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put(ID, claim.id());
        members.put(RENEWED, claim.renewed());
        Map<String, @Nullable Object> next = controllers();
        next.put(federation, members);
        return with(CONTROLLERS, next);
    }

    RegistryValue withoutClaim(String federation) {
        Map<String, @Nullable Object> next = controllers();
        next.remove(federation);
        return with(CONTROLLERS, next.isEmpty() ? null : next);
    }

    /** Returns a copy of the claims as members, with those that cannot be read. */
    private Map<String, @Nullable Object> controllers() {
        return members.get(CONTROLLERS) instanceof Map<?, ?> all ? JsonTree.members(all) : new LinkedHashMap<>();
    }

    /** Returns the value with or without the mark that no controller can read the cluster. */
    RegistryValue withStale(boolean isStale) {
        return with(STALE, isStale ? true : null);
    }

    RegistryValue withLocation(ClusterLocation location) {
        RegistryValue next = with("region", null).with("zone", null).with("zones", null);
        for (Map.Entry<String, @Nullable Object> member :
                JSON.object(FORMAT.write(location)).entrySet()) {
            next = next.with(member.getKey(), member.getValue());
        }
        return next;
    }

    private RegistryValue with(String name, @Nullable Object value) {
        Map<String, @Nullable Object> next = new LinkedHashMap<>(members);
        if (value == null) {
            next.remove(name);
        } else {
            next.put(name, value);
        }
        return new RegistryValue(next);
    }

    /** Returns the text of the value. */
    String text() {
        return JSON.text(members);
    }
}
