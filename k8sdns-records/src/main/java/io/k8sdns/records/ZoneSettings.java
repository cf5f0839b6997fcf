package io.k8sdns.records;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.schema.ClusterName;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.xbill.DNS.Name;

/**
 * The choices that the specification leaves to the server: zones, TTLs, and additional records. An immutable value.
 *
 * <p>Zones may be nested: a name belongs to the longest zone that it ends with. The settings must fulfil these conditions:
 *
 * <ul>
 *   <li>There is at least one forward zone. No forward zone is given twice.
 *   <li>Each forward zone is a host name ({@link DnsLabels#requireHostName}) and not the root. It is short enough for the names that every
 *       zone has, such as {@code dns-version.ZONE}.
 *   <li>No forward zone is {@code dns.ZONE} or {@code ns.dns.ZONE} of another forward zone: it would contain the target of that zone's NS
 *       record, which would then have no address.
 *   <li>No forward zone is inside a reverse zone.
 *   <li>TTLs are 0 to 2147483647 seconds.
 * </ul>
 */
public final class ZoneSettings {
    /** The default settings: {@code cluster.local}, both reverse trees, 5 seconds, verified pods. */
    public static final ZoneSettings DEFAULTS = builder().build();

    private final List<DnsLabels> zones;
    private final List<ReverseZone> reverseZones;
    private final long ttlSeconds;
    private final long negativeTtlSeconds;
    private final PodsMode pods;
    private final boolean endpoints;
    private final boolean ignoreEmptyServices;
    private final EndpointNames endpointNames;
    private final ReversePolicy reversePolicy;
    private final SrvPort srvPort;
    private final boolean bareSrv;
    private final List<IpAddress> nameServerAddresses;

    private ZoneSettings(Builder builder) {
        zones = builder.zones;
        reverseZones = ReverseZone.merged(builder.reverseZones);
        ttlSeconds = builder.ttlSeconds;
        negativeTtlSeconds = builder.negativeTtlSeconds < 0 ? builder.ttlSeconds : builder.negativeTtlSeconds;
        pods = builder.pods;
        endpoints = builder.endpoints;
        ignoreEmptyServices = builder.ignoreEmptyServices;
        endpointNames = builder.endpointNames;
        reversePolicy = builder.reversePolicy;
        srvPort = builder.srvPort;
        bareSrv = builder.bareSrv;
        nameServerAddresses = builder.nameServerAddresses;
        requireZones(zones);
        requireVisibleNameServers(zones);
        requireOutside(reverseZones, zones);
        if (nameServerAddresses.isEmpty()) {
            throw new IllegalArgumentException("nameServerAddresses is empty: give at least one address");
        }
        requireTtl(ttlSeconds);
        requireTtl(negativeTtlSeconds);
        if (!endpoints && ignoreEmptyServices) {
            throw new IllegalArgumentException(
                    "ignoreEmptyServices needs endpoints: without them every Service is empty");
        }
    }

    private static void requireZones(List<DnsLabels> zones) {
        if (zones.isEmpty()) {
            throw new IllegalArgumentException("zones is empty: give at least one forward zone");
        }
        Set<DnsLabels> seen = new HashSet<>();
        for (DnsLabels zone : zones) {
            if (zone.isEmpty()) {
                throw new IllegalArgumentException(
                        "the root cannot be the zone of a cluster; give a name such as cluster.local");
            }
            zone.requireHostName();
            if (!ClusterName.FixedName.VERSION.labels().fitsBelow(zone)) {
                throw new IllegalArgumentException(
                        "zone " + zone + " leaves no room for names below it; choose a shorter name");
            }
            if (!seen.add(zone)) {
                throw new IllegalArgumentException("zone " + zone + " is given twice; give it once");
            }
        }
    }

    private static void requireVisibleNameServers(List<DnsLabels> zones) {
        for (DnsLabels zone : zones) {
            DnsLabels nameServer = ClusterName.FixedName.NAME_SERVER.labels().append(zone);
            for (DnsLabels other : zones) {
                if (nameServer.endsWith(other) && other.count() > zone.count()) {
                    throw new IllegalArgumentException("zone " + other + " would hide " + nameServer
                            + ", the name server of zone " + zone + ": choose another name");
                }
            }
        }
    }

    private static void requireOutside(List<ReverseZone> reverseZones, List<DnsLabels> zones) {
        for (DnsLabels zone : zones) {
            for (ReverseZone reverse : reverseZones) {
                if (zone.endsWith(reverse.name())) {
                    throw new IllegalArgumentException("zone " + zone + " lies in the reverse zone " + reverse.name()
                            + ": choose another name, or other reverse zones");
                }
            }
        }
    }

    private static void requireTtl(long seconds) {
        if (seconds < 0 || seconds > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("not a TTL (0 to 2147483647 seconds): " + seconds);
        }
    }

    /**
     * Returns the absolute name that a text stands for. A text that ends in a dot or in a served zone is an absolute name; any other, for
     * example {@code db-0.db.shop}, is a name below {@code svc} of the first forward zone.
     *
     * @param text a name in presentation form, with the escapes {@code \.} and {@code \DDD}
     * @throws InvalidNameException if it is not a name, empty, an IP address, too long below the zone, ambiguous (it ends in {@code
     *     svc} or {@code pod}, for example {@code cart.shop.svc}), or the full name in a zone that is not served, for example
     *     {@code cart.shop.svc.example.org} without a dot at the end
     */
    public Name absoluteName(String text) {
        return TypedName.parse(Objects.requireNonNull(text, "name")).absolute(this);
    }

    /**
     * Returns whether one of the zones serves a name: it lies in a forward zone, or in a reverse zone and {@link ReverseZone#serves} it.
     *
     * @param absolute the labels up to the root
     */
    public boolean isServed(DnsLabels absolute) {
        return zones.stream().anyMatch(absolute::endsWith)
                || reverseZones.stream().anyMatch(zone -> zone.serves(absolute));
    }

    /** Returns a builder that holds the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that holds these settings. */
    public Builder toBuilder() {
        return new Builder()
                .zones(zones)
                .reverseZones(reverseZones)
                .ttlSeconds(ttlSeconds)
                .negativeTtlSeconds(negativeTtlSeconds)
                .pods(pods)
                .endpoints(endpoints)
                .ignoreEmptyServices(ignoreEmptyServices)
                .endpointNames(endpointNames)
                .reversePolicy(reversePolicy)
                .srvPort(srvPort)
                .bareSrv(bareSrv)
                .nameServerAddresses(nameServerAddresses);
    }

    /** Returns the forward zones, absolute. Each has all names of the cluster; PTR targets are in the first. */
    public List<DnsLabels> zones() {
        return zones;
    }

    /** Returns the reverse zones; no two have the same name. */
    public List<ReverseZone> reverseZones() {
        return reverseZones;
    }

    /** Returns the TTL of records in seconds. */
    public long ttlSeconds() {
        return ttlSeconds;
    }

    /** Returns the TTL of negative answers in seconds (the SOA's MINIMUM). */
    public long negativeTtlSeconds() {
        return negativeTtlSeconds;
    }

    /** Returns which pod names exist. */
    public PodsMode pods() {
        return pods;
    }

    /** Returns whether endpoints have records. If not, headless Services have no records either. */
    public boolean endpoints() {
        return endpoints;
    }

    /** Returns whether a Service with a cluster IP and without a published endpoint does not exist. */
    public boolean ignoreEmptyServices() {
        return ignoreEmptyServices;
    }

    /** Returns how endpoints without a hostname are named. */
    public EndpointNames endpointNames() {
        return endpointNames;
    }

    /** Returns which PTR targets endpoints have. */
    public ReversePolicy reversePolicy() {
        return reversePolicy;
    }

    /** Returns which port the SRV records of headless Services carry. */
    public SrvPort srvPort() {
        return srvPort;
    }

    /** Returns whether the bare name of a Service has SRV records of all its ports. */
    public boolean bareSrv() {
        return bareSrv;
    }

    /** Returns the addresses of {@code ns.dns.ZONE}, the name server of every zone; at least one. */
    public List<IpAddress> nameServerAddresses() {
        return nameServerAddresses;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ZoneSettings that
                && zones.equals(that.zones)
                && reverseZones.equals(that.reverseZones)
                && ttlSeconds == that.ttlSeconds
                && negativeTtlSeconds == that.negativeTtlSeconds
                && pods == that.pods
                && endpoints == that.endpoints
                && ignoreEmptyServices == that.ignoreEmptyServices
                && endpointNames == that.endpointNames
                && reversePolicy == that.reversePolicy
                && srvPort == that.srvPort
                && bareSrv == that.bareSrv
                && nameServerAddresses.equals(that.nameServerAddresses);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                zones,
                reverseZones,
                ttlSeconds,
                negativeTtlSeconds,
                pods,
                endpoints,
                ignoreEmptyServices,
                endpointNames,
                reversePolicy,
                srvPort,
                bareSrv,
                nameServerAddresses);
    }

    @Override
    public String toString() {
        return "ZoneSettings[zones=" + zones + ", reverseZones=" + reverseZones + ", ttlSeconds=" + ttlSeconds
                + ", negativeTtlSeconds=" + negativeTtlSeconds + ", pods=" + pods + ", endpoints=" + endpoints
                + ", ignoreEmptyServices=" + ignoreEmptyServices + ", endpointNames=" + endpointNames
                + ", reversePolicy=" + reversePolicy + ", srvPort=" + srvPort + ", bareSrv=" + bareSrv
                + ", nameServerAddresses=" + nameServerAddresses + "]";
    }

    /** Collects settings; each starts at its default. */
    public static final class Builder {
        private List<DnsLabels> zones = List.of(DnsLabels.parse("cluster.local"));
        private List<ReverseZone> reverseZones = List.of(ReverseZone.IPV4, ReverseZone.IPV6);
        private long ttlSeconds = 5;
        private long negativeTtlSeconds = -1;
        private PodsMode pods = PodsMode.VERIFIED;
        private boolean endpoints = true;
        private boolean ignoreEmptyServices;
        private EndpointNames endpointNames = EndpointNames.HOSTNAME;
        private ReversePolicy reversePolicy = ReversePolicy.ALL;
        private SrvPort srvPort = SrvPort.SLICE;
        private boolean bareSrv = true;
        private List<IpAddress> nameServerAddresses = List.of(IpAddress.parse("127.0.0.1"));

        private Builder() {}

        /** Sets the forward zones; {@code cluster.local} by default. */
        public Builder zones(List<DnsLabels> value) {
            zones = Copies.list("zones", value);
            return this;
        }

        /** Sets the forward zones by their texts. */
        public Builder zones(String... texts) {
            return zones(Copies.list("zones", Arrays.asList(Objects.requireNonNull(texts, "zones"))).stream()
                    .map(DnsLabels::parse)
                    .toList());
        }

        /** Sets one forward zone by its text. */
        public Builder zone(String text) {
            return zones(List.of(DnsLabels.parse(Objects.requireNonNull(text, "zone"))));
        }

        /** Sets the reverse zones; all of {@code in-addr.arpa} and {@code ip6.arpa} by default. */
        public Builder reverseZones(List<ReverseZone> value) {
            reverseZones = Copies.list("reverseZones", value);
            return this;
        }

        /**
         * Sets the reverse zones by their texts.
         *
         * @param texts networks or names, each as {@link ReverseZone#parse} takes it
         */
        public Builder reverseZones(String... texts) {
            return reverseZones(
                    Copies.list("reverseZones", Arrays.asList(Objects.requireNonNull(texts, "reverseZones"))).stream()
                            .flatMap(text -> ReverseZone.parse(text).stream())
                            .toList());
        }

        /** Sets the TTL of records in seconds; 5 by default. */
        public Builder ttlSeconds(long value) {
            ttlSeconds = value;
            return this;
        }

        /** Sets the TTL of negative answers in seconds; by default the TTL of records. */
        public Builder negativeTtlSeconds(long value) {
            requireTtl(value);
            negativeTtlSeconds = value;
            return this;
        }

        /** Sets which pod names exist; verified by default. */
        public Builder pods(PodsMode value) {
            pods = Objects.requireNonNull(value, "pods");
            return this;
        }

        /** Sets whether endpoints have records; true by default. */
        public Builder endpoints(boolean value) {
            endpoints = value;
            return this;
        }

        /** Sets whether Services with a cluster IP and without a published endpoint do not exist; false by default. */
        public Builder ignoreEmptyServices(boolean value) {
            ignoreEmptyServices = value;
            return this;
        }

        /** Sets how endpoints without a hostname are named; by their address with dashes by default. */
        public Builder endpointNames(EndpointNames value) {
            endpointNames = Objects.requireNonNull(value, "endpointNames");
            return this;
        }

        /** Sets which PTR targets endpoints have; all by default. */
        public Builder reversePolicy(ReversePolicy value) {
            reversePolicy = Objects.requireNonNull(value, "reversePolicy");
            return this;
        }

        /** Sets which port SRV records of headless Services carry; that of the slice by default. */
        public Builder srvPort(SrvPort value) {
            srvPort = Objects.requireNonNull(value, "srvPort");
            return this;
        }

        /** Sets whether the bare name of a Service owns SRV records; true by default. */
        public Builder bareSrv(boolean value) {
            bareSrv = value;
            return this;
        }

        /** Sets the addresses of the zones' name server; 127.0.0.1 by default. */
        public Builder nameServerAddresses(List<IpAddress> value) {
            nameServerAddresses = Copies.list("nameServerAddresses", value);
            return this;
        }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException if zones or TTLs are not as {@link ZoneSettings} requires them; the message names the
         *     setting and the reason
         */
        public ZoneSettings build() {
            return new ZoneSettings(this);
        }
    }
}
