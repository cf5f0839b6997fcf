package io.k8sdns.federation.external;

import io.k8sdns.arguments.Copies;
import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.dnsjava.AddressRecords;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.Shard;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;

/**
 * Derives the records for clients outside of the clusters from federated Services. A pure function; immutable.
 *
 * <pre>
 * SERVICE.NAMESPACE.FEDERATION.svc.SUFFIX                 addresses of all shards
 * SERVICE.NAMESPACE.FEDERATION.svc.REGION.SUFFIX          addresses of the shards in a region, otherwise CNAME of the name above
 * SERVICE.NAMESPACE.FEDERATION.svc.ZONE.REGION.SUFFIX     addresses of the shards in a zone, otherwise CNAME of the region's name
 * PREFIX.SUFFIX                                           CNAME of the first name, if the Service has a prefix
 * </pre>
 *
 * <p>A region's name has the addresses of all its clusters. A cluster in several zones has addresses at the name of each. A Service
 * without an external address in any cluster has no records. A Service has names for the regions and zones of all known clusters,
 * even without a shard there; these names are CNAMEs to the next wider enabled level. If the name of that level does not exist,
 * there is no CNAME.
 */
public final class ExternalRecords {
    /** The default TTL of records in seconds. */
    public static final long DEFAULT_TTL_SECONDS = 180;

    private static final long MAX_TTL_SECONDS = Integer.MAX_VALUE;

    private static final Comparator<FederatedService> BY_NAME =
            Comparator.comparing(FederatedService::namespace).thenComparing(FederatedService::service);

    private static final Comparator<Area> WIDEST_FIRST =
            Comparator.comparing(Area::level, Comparator.reverseOrder()).thenComparing(Area::labels);

    private final RecordOwner owner;
    private final DnsLabels suffix;
    private final Set<ExternalLevel> levels;
    private final long ttlSeconds;
    private final Function<? super DnsLabels, ? extends Collection<IpAddress>> hostAddresses;

    private ExternalRecords(Builder builder) {
        owner = builder.owner;
        suffix = builder.suffix;
        levels = EnumSet.copyOf(builder.levels);
        ttlSeconds = builder.ttlSeconds;
        hostAddresses = builder.hostAddresses;
    }

    /**
     * Returns a builder with all levels and a TTL of {@value #DEFAULT_TTL_SECONDS} seconds.
     *
     * @param owner the owner of the records, which contains the name of the federation
     * @param suffix the suffix of all names: the external zone or a name in it; not the root
     * @throws IllegalArgumentException if the suffix is the root
     */
    public static Builder builder(RecordOwner owner, DnsLabels suffix) {
        return new Builder(Objects.requireNonNull(owner, "owner"), Objects.requireNonNull(suffix, "suffix"));
    }

    static long checkedTtl(long seconds) {
        if (seconds < 0 || seconds > MAX_TTL_SECONDS) {
            throw new IllegalArgumentException("a TTL is 0 to " + MAX_TTL_SECONDS + " seconds, not " + seconds);
        }
        return seconds;
    }

    /**
     * A region, a topology zone of a region, or the whole federation.
     *
     * @param level the level
     * @param labels {@code ZONE.REGION}, {@code REGION}, or no labels for the whole federation
     */
    private record Area(ExternalLevel level, DnsLabels labels) {
        static final Area WHOLE = new Area(ExternalLevel.GLOBAL, DnsLabels.EMPTY);

        /** Returns the region of a zone, otherwise the whole federation. */
        Area wider() {
            return level == ExternalLevel.ZONE ? new Area(ExternalLevel.REGION, labels.skip(1)) : WHOLE;
        }
    }

    /**
     * Returns the records of Services.
     *
     * @param services each at most once
     * @param clusters the locations of clusters by name; they take precedence over the locations in shards
     * @throws IllegalArgumentException if a Service occurs twice
     */
    public WantedRecords of(Collection<FederatedService> services, Map<String, ClusterLocation> clusters) {
        return new Derivation(Copies.map("clusters", clusters)).of(Copies.list("services", services));
    }

    /** The state of one call of {@link ExternalRecords#of}. */
    private final class Derivation {
        private final Map<String, ClusterLocation> clusters;
        private final Map<DnsLabels, OwnedRecords> names = new TreeMap<>();
        private final SortedSet<String> problems = new TreeSet<>();

        Derivation(Map<String, ClusterLocation> clusters) {
            this.clusters = clusters;
        }

        WantedRecords of(List<FederatedService> services) {
            List<FederatedService> sorted = services.stream().sorted(BY_NAME).toList();
            for (int i = 1; i < sorted.size(); i++) {
                if (BY_NAME.compare(sorted.get(i - 1), sorted.get(i)) == 0) {
                    throw new IllegalArgumentException("twice: " + sorted.get(i));
                }
            }
            sorted.forEach(this::add);
            sorted.forEach(this::addPrefix);
            return new WantedRecords(owner, names, List.copyOf(problems));
        }

        private void add(FederatedService service) {
            SortedMap<Area, SortedSet<IpAddress>> addresses = new TreeMap<>(WIDEST_FIRST);
            clusters.forEach((cluster, location) ->
                    areas(cluster, location).forEach(area -> addresses.putIfAbsent(area, new TreeSet<>())));
            service.shards().forEach((cluster, shard) -> {
                ClusterLocation location = clusters.getOrDefault(cluster, shard.location());
                List<IpAddress> own = externalAddresses(shard);
                areas(cluster, location)
                        .forEach(area -> addresses
                                .computeIfAbsent(area, any -> new TreeSet<>())
                                .addAll(own));
            });
            boolean isReachable = addresses.values().stream().anyMatch(some -> !some.isEmpty());
            if (isReachable) {
                // The widest area first, because a CNAME is added only if its target exists.
                addresses.forEach((area, some) -> {
                    if (levels.contains(area.level())) {
                        name(service, area).ifPresent(name -> add(service, name, area, some));
                    }
                });
            }
        }

        private void add(FederatedService service, DnsLabels name, Area area, Collection<IpAddress> addresses) {
            if (addresses.isEmpty()) {
                next(area)
                        .flatMap(wider -> name(service, wider))
                        .filter(names::containsKey)
                        .ifPresent(target -> put(service, name, alias(service, name, target)));
            } else {
                put(service, name, records(service, name, addresses));
            }
        }

        private void addPrefix(FederatedService service) {
            Optional<DnsLabels> global = name(service, Area.WHOLE);
            if (service.dnsPrefix().isEmpty() || global.isEmpty() || !names.containsKey(global.get())) {
                return;
            }
            DnsLabels prefix = DnsLabels.parse(service.dnsPrefix().get());
            if (!prefix.fitsBelow(suffix)) {
                problems.add(describe(service) + "the prefix is too long: " + prefix);
                return;
            }
            DnsLabels name = prefix.append(suffix);
            if (names.containsKey(name)) {
                problems.add(describe(service) + "the name is taken: " + name);
            } else {
                put(service, name, alias(service, name, global.get()));
            }
        }

        private void put(FederatedService service, DnsLabels name, List<RecordSet> records) {
            if (OwnedRecords.ownerName(name).isEmpty()) {
                problems.add(describe(service) + "the name is too long for an owner record: " + name);
            } else {
                names.put(name, new OwnedRecords(name, owner.text(service.namespace(), service.service()), records));
            }
        }

        /** Returns the areas of a cluster, narrowest first. */
        private List<Area> areas(String cluster, ClusterLocation location) {
            List<Area> areas = new ArrayList<>();
            location.region().filter(region -> isLabel(cluster, region)).ifPresent(region -> {
                location.zones().stream()
                        .filter(zone -> isLabel(cluster, zone))
                        .forEach(zone -> areas.add(new Area(ExternalLevel.ZONE, DnsLabels.of(zone, region))));
                areas.add(new Area(ExternalLevel.REGION, DnsLabels.of(region)));
            });
            areas.add(Area.WHOLE);
            return areas;
        }

        private boolean isLabel(String cluster, String name) {
            boolean isLabel = KubernetesNames.isDnsLabel(name);
            if (!isLabel) {
                problems.add(
                        "cluster " + cluster + ": no names, not a DNS-1123 label: region or zone \"" + name + "\"");
            }
            return isLabel;
        }

        private Optional<DnsLabels> name(FederatedService service, Area area) {
            DnsLabels head = NameSchema.federatedService(service.service(), service.namespace(), owner.federation());
            DnsLabels below = head.append(area.labels());
            if (!below.fitsBelow(suffix)) {
                problems.add(describe(service) + "the name is too long: " + below + "." + suffix);
                return Optional.empty();
            }
            return Optional.of(below.append(suffix));
        }
    }

    private static String describe(FederatedService service) {
        return "Service " + service.namespace() + "/" + service.service() + ": ";
    }

    /** Returns the next wider area whose level is enabled. */
    private Optional<Area> next(Area area) {
        for (Area at = area; at.level() != ExternalLevel.GLOBAL; ) {
            at = at.wider();
            if (levels.contains(at.level())) {
                return Optional.of(at);
            }
        }
        return Optional.empty();
    }

    private List<IpAddress> externalAddresses(Shard shard) {
        return Stream.concat(
                        shard.externalAddresses().stream(),
                        shard.hostNames().stream().flatMap(host -> hostAddresses.apply(host).stream()))
                .toList();
    }

    private List<RecordSet> records(FederatedService service, DnsLabels name, Collection<IpAddress> addresses) {
        Name dnsName = DnsNames.absolute(name);
        long ttl = service.ttlSeconds().orElse(ttlSeconds);
        return Stream.of(IpFamily.values())
                .map(family -> addresses.stream()
                        .filter(address -> address.family() == family)
                        .map(address -> AddressRecords.record(dnsName, address, ttl))
                        .toList())
                .filter(some -> !some.isEmpty())
                .map(RecordSet::of)
                .toList();
    }

    private List<RecordSet> alias(FederatedService service, DnsLabels name, DnsLabels target) {
        long ttl = service.ttlSeconds().orElse(ttlSeconds);
        return List.of(
                RecordSet.of(new CNAMERecord(DnsNames.absolute(name), DClass.IN, ttl, DnsNames.absolute(target))));
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder {
        private final RecordOwner owner;
        private final DnsLabels suffix;
        private Set<ExternalLevel> levels = EnumSet.allOf(ExternalLevel.class);
        private long ttlSeconds = DEFAULT_TTL_SECONDS;
        private Function<? super DnsLabels, ? extends Collection<IpAddress>> hostAddresses = host -> List.of();

        private Builder(RecordOwner owner, DnsLabels suffix) {
            if (suffix.isEmpty()) {
                throw new IllegalArgumentException("the suffix must not be the root");
            }
            this.owner = owner;
            this.suffix = suffix;
        }

        /**
         * Sets the levels that have names; all levels by default.
         *
         * @throws IllegalArgumentException if the set is empty
         */
        public Builder levels(Set<ExternalLevel> value) {
            Set<ExternalLevel> all = Copies.set("levels", value);
            if (all.isEmpty()) {
                throw new IllegalArgumentException("levels is empty: give at least one of GLOBAL, REGION, ZONE");
            }
            levels = all;
            return this;
        }

        /**
         * Sets the TTL of the records of Services without a TTL of their own.
         *
         * @param value 0 to 2147483647 seconds
         * @throws IllegalArgumentException if it is out of that range
         */
        public Builder ttlSeconds(long value) {
            ttlSeconds = checkedTtl(value);
            return this;
        }

        /**
         * Sets the function that returns the addresses of load balancers' host names; always empty by default.
         *
         * @param value returns the addresses of a host name; empty if they are unknown
         */
        public Builder hostAddresses(Function<? super DnsLabels, ? extends Collection<IpAddress>> value) {
            hostAddresses = Objects.requireNonNull(value, "hostAddresses");
            return this;
        }

        /** Returns the rules. */
        public ExternalRecords build() {
            return new ExternalRecords(this);
        }
    }
}
