package io.k8sdns.federation.store;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.FederationFormat;
import io.k8sdns.federation.Shard;
import io.k8sdns.federation.json.RelaxedJson;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The values of a federation's store as the design document "Service Discovery in Ubernetes" writes them: {@code {"externalIP":
 * "104.32.64.128", "clusterIP": "10.0.3.64"}}. Thread-safe.
 *
 * <p>A shard may have more members: {@code externalIPs} and {@code clusterIPs} for both families, {@code hostname} for a load balancer
 * with a host name, {@code ports} ({@code [{"name": "http", "protocol": "TCP", "port": 80}]}, TCP if absent), {@code zone}, {@code
 * region}, and {@code endpoints} of a headless Service ({@code [{"hostname": "db-0", "addresses": ["10.244.0.9"]}]}). Unknown members
 * are ignored, and so are members that are null or an empty text. The cluster IP {@code None} is none.
 *
 * <p>Reads strict JSON, and member names without quotes and a comma after the last member, as in the document. Writes strict JSON.
 */
public final class FederationJson implements FederationFormat {
    private static final String EXTERNAL_IP = "externalIP";
    private static final String EXTERNAL_IPS = "externalIPs";
    private static final String CLUSTER_IP = "clusterIP";
    private static final String CLUSTER_IPS = "clusterIPs";
    private static final String HOSTNAME = "hostname";
    private static final String PORTS = "ports";
    private static final String ENDPOINTS = "endpoints";
    private static final String ADDRESSES = "addresses";
    private static final String REGION = "region";
    private static final String ZONE = "zone";
    private static final String ZONES = "zones";
    private static final String NONE = "None";

    /** The maximum number of items of a list: an EndpointSlice has at most 1,000 endpoints, and an answer holds fewer. */
    private static final int MAX_ITEMS = 1_000;

    private final RelaxedJson json = new RelaxedJson();

    /** Creates a format. */
    public FederationJson() {}

    /**
     * Reads a whole store: an object whose members are the keys. A value is an object, or a text that holds one.
     *
     * <pre>{@code
     * {"/prod/shop/cart/foo": {"externalIP": "192.0.2.10"}, "/_clusters/foo": {"region": "eu-central-1"}}
     * }</pre>
     *
     * @return the values by their keys, not checked. A value that is neither an object nor a text is returned as JSON, and cannot be
     *     read as a shard or location
     * @throws IllegalArgumentException if the text is not an object; the message has the reason
     */
    public Map<String, String> readStore(String text) {
        Map<String, String> values = new LinkedHashMap<>();
        json.object(Objects.requireNonNull(text, "text")).forEach((key, value) -> values.put(key, value(value)));
        return values;
    }

    private String value(@Nullable Object member) {
        return member instanceof String text ? text : json.text(member);
    }

    /**
     * Reads a registry of clusters: an object whose members are the clusters.
     *
     * <pre>{@code
     * {"foo": {"region": "eu-central-1", "zones": ["eu-central-1a"]}}
     * }</pre>
     *
     * @throws IllegalArgumentException if the text is not an object, or a member is not a location; the message has the reason
     */
    public Map<String, ClusterLocation> readClusters(String text) {
        Map<String, ClusterLocation> clusters = new LinkedHashMap<>();
        json.object(Objects.requireNonNull(text, "text")).forEach((name, value) -> {
            try {
                clusters.put(name, location(members("the value", value)));
            } catch (IllegalArgumentException invalid) {
                throw new IllegalArgumentException(name + ": " + invalid.getMessage(), invalid);
            }
        });
        return clusters;
    }

    @Override
    public ClusterLocation cluster(String value) {
        return location(json.object(Objects.requireNonNull(value, "value")));
    }

    private static ClusterLocation location(Map<?, ?> members) {
        List<String> zones = texts(members, ZONES);
        text(members, ZONE).ifPresent(zones::add);
        ClusterLocation location = ClusterLocation.UNKNOWN.withZones(zones);
        Optional<String> region = text(members, REGION);
        return region.isPresent() ? location.withRegion(region.get()) : location;
    }

    @Override
    public Shard shard(String value) {
        Map<String, @Nullable Object> members = json.object(Objects.requireNonNull(value, "value"));
        List<IpAddress> external = new ArrayList<>();
        List<DnsLabels> hostNames = new ArrayList<>();
        for (String text : both(members, EXTERNAL_IP, EXTERNAL_IPS)) {
            Optional<IpAddress> address = IpAddress.tryParse(text);
            if (address.isPresent()) {
                external.add(address.get());
            } else {
                // If load balancers have host names instead of addresses, these are in the same member.
                hostNames.add(hostName(EXTERNAL_IP, text));
            }
        }
        text(members, HOSTNAME).ifPresent(text -> hostNames.add(hostName(HOSTNAME, text)));
        List<IpAddress> cluster = new ArrayList<>();
        for (String text : both(members, CLUSTER_IP, CLUSTER_IPS)) {
            if (!text.equals(NONE)) {
                cluster.add(address(CLUSTER_IP, text));
            }
        }
        return Shard.builder()
                .externalAddresses(external)
                .clusterAddresses(cluster)
                .hostNames(hostNames)
                .ports(items(members, PORTS).stream()
                        .map(item -> port(members(PORTS, item)))
                        .toList())
                .endpoints(items(members, ENDPOINTS).stream()
                        .flatMap(item -> endpoints(members(ENDPOINTS, item)).stream())
                        .toList())
                .location(location(members))
                .build();
    }

    private static ServicePort port(Map<?, ?> members) {
        Protocol protocol = text(members, "protocol")
                .map(text -> Protocol.tryParse(text)
                        .orElseThrow(() -> new IllegalArgumentException("ports: not TCP, UDP or SCTP: " + text)))
                .orElse(Protocol.TCP);
        if (!(members.get("port") instanceof Integer port)) {
            throw new IllegalArgumentException("ports: port is not a number from 1 to 65535");
        }
        Optional<String> name = text(members, "name");
        return name.isPresent() ? ServicePort.of(name.get(), protocol, port) : ServicePort.unnamed(protocol, port);
    }

    /** Returns an endpoint for each family. */
    private static List<Endpoint> endpoints(Map<?, ?> members) {
        List<IpAddress> addresses = texts(members, ADDRESSES).stream()
                .map(text -> address(ADDRESSES, text))
                .toList();
        List<Endpoint> endpoints = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            List<IpAddress> alike = addresses.stream()
                    .filter(address -> address.family() == family)
                    .toList();
            if (!alike.isEmpty()) {
                Endpoint.Builder endpoint = Endpoint.builder(alike);
                text(members, HOSTNAME).ifPresent(endpoint::hostname);
                endpoints.add(endpoint.build());
            }
        }
        return endpoints;
    }

    private static IpAddress address(String member, String text) {
        return IpAddress.tryParse(text)
                .orElseThrow(() -> new IllegalArgumentException(member + ": not an IP address: " + text));
    }

    private static DnsLabels hostName(String member, String text) {
        try {
            return DnsLabels.parseHostName(text);
        } catch (InvalidNameException invalid) {
            throw new IllegalArgumentException(member + ": neither an IP address nor a host name: " + text, invalid);
        }
    }

    // ---- members ----

    /** Returns the texts of a member for one value, and of the member for a list of them. */
    private static Set<String> both(Map<?, ?> members, String one, String list) {
        Set<String> texts = new LinkedHashSet<>();
        text(members, one).ifPresent(texts::add);
        texts.addAll(texts(members, list));
        return texts;
    }

    private static Optional<String> text(Map<?, ?> members, String name) {
        Object value = members.get(name);
        if (value != null && !(value instanceof String)) {
            throw new IllegalArgumentException(name + ": not a text");
        }
        return Optional.ofNullable((String) value).filter(text -> !text.isEmpty());
    }

    private static List<String> texts(Map<?, ?> members, String name) {
        List<String> texts = new ArrayList<>();
        for (Object item : items(members, name)) {
            if (!(item instanceof String text)) {
                throw new IllegalArgumentException(name + ": not a list of texts");
            }
            if (!text.isEmpty()) {
                texts.add(text);
            }
        }
        return texts;
    }

    private static List<?> items(Map<?, ?> members, String name) {
        Object value = members.get(name);
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> items)) {
            throw new IllegalArgumentException(name + ": not a list");
        }
        if (items.size() > MAX_ITEMS) {
            throw new IllegalArgumentException(
                    name + ": " + items.size() + " items, at most " + MAX_ITEMS + " are read");
        }
        return items;
    }

    private static Map<?, ?> members(String name, @Nullable Object value) {
        if (!(value instanceof Map<?, ?> members)) {
            throw new IllegalArgumentException(name + ": not an object");
        }
        return members;
    }

    // ---- writing ----

    /**
     * Writes a whole store, as {@link #readStore} reads it: one key a line, in order.
     *
     * @param values the values by their keys; one that is not a JSON object is written as a text
     */
    public String writeStore(Map<String, String> values) {
        return writeStore(values, "{}");
    }

    /**
     * Writes a whole store, as {@link #writeStore(Map)} does, but keeps the form of values that an earlier text has, too: {@link
     * #readStore} returns the same for {@code 7} and {@code "7"}.
     *
     * @param values the values by their keys
     * @param before the earlier text, in the form of {@link #readStore}
     * @throws IllegalArgumentException if {@code before} is not an object
     */
    public String writeStore(Map<String, String> values, String before) {
        Objects.requireNonNull(values, "values");
        Map<String, @Nullable Object> members = json.object(Objects.requireNonNull(before, "before"));
        StringBuilder text = new StringBuilder("{");
        new TreeMap<>(values).forEach((key, value) -> {
            Object member = members.get(key);
            boolean isAsBefore = members.containsKey(key) && value(member).equals(value);
            text.append(text.length() == 1 ? "\n  " : ",\n  ")
                    .append(json.text(key))
                    .append(": ")
                    .append(json.text(isAsBefore ? member : parsed(value)));
        });
        return text.append("\n}\n").toString();
    }

    private Object parsed(String value) {
        try {
            return json.object(value);
        } catch (IllegalArgumentException malformed) {
            return value;
        }
    }

    /**
     * Writes a shard. The members {@code externalIP} and {@code clusterIP} are always written, empty if there is no address, because
     * some readers know only these two and require them; other members are written if they are not empty. The cluster IP of a shard with
     * endpoints and without cluster IPs is {@code None}, as that of a headless Service.
     *
     * @return strict JSON in one line; {@link #shard} reads an equal shard from it if each endpoint has addresses of one family
     */
    public String write(Shard shard) {
        Objects.requireNonNull(shard, "shard");
        Map<String, Object> members = new LinkedHashMap<>();
        addresses(members, EXTERNAL_IP, EXTERNAL_IPS, shard.externalAddresses());
        addresses(members, CLUSTER_IP, CLUSTER_IPS, shard.clusterAddresses());
        if (shard.clusterAddresses().isEmpty() && !shard.endpoints().isEmpty()) {
            members.put(CLUSTER_IP, NONE);
        }
        List<String> hostNames =
                shard.hostNames().stream().map(DnsLabels::toString).toList();
        if (hostNames.size() == 1) {
            members.put(HOSTNAME, hostNames.get(0));
        } else if (!hostNames.isEmpty()) {
            List<String> all = new ArrayList<>(
                    shard.externalAddresses().stream().map(IpAddress::toString).toList());
            all.addAll(hostNames);
            members.put(EXTERNAL_IPS, all);
        }
        if (!shard.ports().isEmpty()) {
            members.put(PORTS, shard.ports().stream().map(FederationJson::port).toList());
        }
        if (!shard.endpoints().isEmpty()) {
            members.put(
                    ENDPOINTS,
                    shard.endpoints().stream().map(FederationJson::endpoint).toList());
        }
        shard.location().region().ifPresent(region -> members.put(REGION, region));
        List<String> zones = sortedZones(shard.location());
        if (zones.size() == 1) {
            members.put(ZONE, zones.get(0));
        } else if (!zones.isEmpty()) {
            members.put(ZONES, zones);
        }
        return json.text(members);
    }

    /** Writes the location of a cluster, in one line: {@code {"region": "eu", "zones": ["eu-a"]}}. Unknown parts are omitted. */
    public String write(ClusterLocation location) {
        Map<String, Object> members = new LinkedHashMap<>();
        Objects.requireNonNull(location, "location").region().ifPresent(region -> members.put(REGION, region));
        if (!location.zones().isEmpty()) {
            members.put(ZONES, sortedZones(location));
        }
        return json.text(members);
    }

    private static List<String> sortedZones(ClusterLocation location) {
        return location.zones().stream().sorted().toList();
    }

    private static void addresses(Map<String, Object> members, String one, String list, List<IpAddress> addresses) {
        List<String> texts = addresses.stream().map(IpAddress::toString).toList();
        members.put(one, texts.isEmpty() ? "" : texts.get(0));
        if (texts.size() > 1) {
            members.put(list, texts);
        }
    }

    private static Map<String, Object> port(ServicePort port) {
        Map<String, Object> members = new LinkedHashMap<>();
        port.name().ifPresent(name -> members.put("name", name));
        members.put("protocol", port.protocol().name());
        members.put("port", port.port());
        return members;
    }

    private static Map<String, Object> endpoint(Endpoint endpoint) {
        Map<String, Object> members = new LinkedHashMap<>();
        endpoint.hostname().ifPresent(name -> members.put(HOSTNAME, name));
        members.put(
                ADDRESSES,
                endpoint.addresses().stream().map(IpAddress::toString).toList());
        return members;
    }
}
