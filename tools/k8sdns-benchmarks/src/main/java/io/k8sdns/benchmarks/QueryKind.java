package io.k8sdns.benchmarks;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * The kinds of queries in benchmarks: one constant for each kind that Pods send, and a mixture. Names have 39 bytes or more, and are
 * chosen at random among all names of a kind.
 */
public enum QueryKind {
    /** The address of a Service. */
    A(Type.A, "svc-%1$05d.ns-%2$03d.svc.cluster.local."),
    /** The IPv6 address of a Service without one. */
    NODATA(Type.AAAA, "svc-%1$05d.ns-%2$03d.svc.cluster.local."),
    /** Four IPv6 addresses. */
    AAAA(Type.AAAA, "six.sets.svc.cluster.local."),
    /** A Service that does not exist. */
    NXDOMAIN(Type.A, "nope-%1$05d.ns-%2$03d.svc.cluster.local."),
    /** The first step of a search list, for a name of the internet. */
    SEARCH_WALK(Type.A, "www.example.com.ns-%2$03d.svc.cluster.local."),
    /** Twenty addresses. */
    HEADLESS_20(Type.A, "set-%3$02d.sets.svc.cluster.local."),
    /** A thousand addresses, truncated to the size of a datagram. */
    HEADLESS_1000(Type.A, "large.sets.svc.cluster.local."),
    /** The name of a Service's address. */
    PTR(Type.PTR, "%5$d.%4$d.96.10.in-addr.arpa."),
    /** The version of the DNS schema. */
    TXT(Type.TXT, "dns-version.cluster.local."),
    /** A Service that does not exist, with a name that looks like an address, which takes the slow path. */
    DASHED(Type.A, "10-1-%4$d-%5$d.ns-%2$03d.svc.cluster.local."),
    /** The address of the name server. */
    NAME_SERVER(Type.A, "ns.dns.cluster.local."),
    /** The port of a Service, and its address in the additional section. */
    SRV(Type.SRV, "_http._tcp.svc-%1$05d.ns-%2$03d.svc.cluster.local."),
    /**
     * A mixture as from a search list of three domains: a name of the internet in each of them, and then the address of a Service. Few
     * Services are requested often (Zipf's law).
     */
    MIXED(Type.A, "svc-%1$05d.ns-%2$03d.svc.cluster.local.") {
        @Override
        String name(int number, int services, Random random) {
            String pod = String.format(Locale.ROOT, "ns-%03d.", random.nextInt(100));
            return switch (number % 4) {
                case 0 -> "www.example.com." + pod + "svc.cluster.local.";
                case 1 -> "www.example.com.svc.cluster.local.";
                case 2 -> "www.example.com.cluster.local.";
                // The probability of rank r is about proportional to 1 / r.
                default -> name((int) Math.pow(services, random.nextDouble()) - 1, random);
            };
        }
    };

    /** The default number of Services. */
    public static final int SERVICES = 10_000;

    private static final int QUERIES = 4_096;

    private final int type;
    private final String format;

    QueryKind(int type, String format) {
        this.type = type;
        this.format = format;
    }

    /** Returns the type of the queries. */
    public int type() {
        return type;
    }

    /**
     * Returns queries in wire form; equal arguments give equal queries.
     *
     * @param services the number of Services
     * @param payload the size in an OPT record, or 0 for none
     */
    public List<byte[]> queries(int services, int payload) {
        Random random = new Random(1);
        List<byte[]> queries = new ArrayList<>(QUERIES);
        for (int i = 0; i < QUERIES; i++) {
            Name name = Name.fromConstantString(name(i, services, random));
            Message message = Message.newQuery(Record.newRecord(name, type, DClass.IN));
            message.getHeader().setID(random.nextInt(0x10000));
            message.getHeader().setFlag(Flags.RD);
            if (payload > 0) {
                message.addRecord(new OPTRecord(payload, 0, 0), Section.ADDITIONAL);
            }
            queries.add(message.toWire());
        }
        return queries;
    }

    /** Returns the name of one query. */
    String name(int number, int services, Random random) {
        return name(random.nextInt(services), random);
    }

    final String name(int service, Random random) {
        int address = service + 256;
        return String.format(
                Locale.ROOT, format, service, service % 100, random.nextInt(100), address >>> 8 & 0xFF, address & 0xFF);
    }

    /**
     * Returns a zone with Services in a hundred namespaces, a hundred headless Services with 20 endpoints, one with a thousand, and one
     * with four IPv6 addresses.
     */
    public static ClusterZone zone(int services) {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            objects.add(Namespace.of(String.format(Locale.ROOT, "ns-%03d", i)));
        }
        objects.add(Namespace.of("sets"));
        for (int i = 0; i < services; i++) {
            int number = i + 256;
            objects.add(ClusterIpService.of(
                    String.format(Locale.ROOT, "ns-%03d", i % 100),
                    String.format(Locale.ROOT, "svc-%05d", i),
                    List.of(IpAddress.ofIpv4(0x0A60_0000L + number)),
                    List.of(ServicePort.of("http", Protocol.TCP, 80))));
        }
        for (int i = 0; i < 100; i++) {
            addHeadless(objects, String.format(Locale.ROOT, "set-%02d", i), ipv4(0x0AF4_0000L + 32L * i, 20));
        }
        addHeadless(objects, "large", ipv4(0x0AF5_0000L, 1_000));
        addHeadless(
                objects,
                "six",
                IntStream.range(1, 5)
                        .mapToObj(i -> IpAddress.ofIpv6(0xFD00L << 48, i))
                        .toList());
        return ClusterZone.of(ClusterSnapshot.of(objects), new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
    }

    private static List<IpAddress> ipv4(long first, int count) {
        return LongStream.range(first, first + count)
                .mapToObj(IpAddress::ofIpv4)
                .toList();
    }

    private static void addHeadless(List<ClusterObject> objects, String name, List<IpAddress> addresses) {
        objects.add(HeadlessService.of("sets", name, ServicePort.of("http", Protocol.TCP, 80)));
        objects.add(EndpointSlice.builder("sets", name + "-1")
                .service(name)
                .endpoints(addresses.stream().map(Endpoint::of).toList())
                .ports(EndpointPort.of("http", Protocol.TCP, 80))
                .build());
    }
}
