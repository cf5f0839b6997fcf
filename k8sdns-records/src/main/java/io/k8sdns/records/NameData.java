package io.k8sdns.records;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/**
 * Everything a name owns, in no particular zone: sorted, without duplicates, ready to be written. What is empty here
 * still exists (NODATA).
 *
 * @param addresses the addresses in order, IPv4 before IPv6
 * @param srvWeight the weight of every SRV record here
 * @param srvs the SRV records in order of port and target
 * @param pointers the PTR targets in order, labels below the first forward zone
 * @param alias the target of the alias that this name is, labels up to the root
 * @param text the text that this name has
 * @param publishedBy for an address: the Services that publish it by an endpoint, labels below the zone, in order
 * @param podNamespaces for an address: the namespaces of the Pods that have it, in order
 */
public record NameData(
        List<IpAddress> addresses,
        int srvWeight,
        List<Srv> srvs,
        List<DnsLabels> pointers,
        Optional<DnsLabels> alias,
        Optional<Fact.Text> text,
        List<DnsLabels> publishedBy,
        List<String> podNamespaces) {
    /**
     * A port of a target.
     *
     * @param port the port number
     * @param target the target's labels below the owner's zone
     */
    public record Srv(int port, DnsLabels target) implements Comparable<Srv> {
        /** In the order of the record data (RFC 4034, 6.3), priority and weight being equal. */
        @Override
        public int compareTo(Srv other) {
            int byPort = Integer.compare(port, other.port);
            return byPort != 0 ? byPort : target.compareTo(other.target);
        }
    }

    /** Copies the lists. */
    public NameData {
        addresses = List.copyOf(addresses);
        srvs = List.copyOf(srvs);
        pointers = List.copyOf(pointers);
        Objects.requireNonNull(alias, "alias");
        Objects.requireNonNull(text, "text");
        publishedBy = List.copyOf(publishedBy);
        podNamespaces = List.copyOf(podNamespaces);
    }

    /** Returns whether any of these addresses is of the family. */
    public boolean has(IpFamily family) {
        return addresses.stream().anyMatch(address -> address.family() == family);
    }

    /**
     * Returns all record sets, in the order of their type numbers.
     *
     * @param owner the owner name, absolute
     * @param zone the zone that SRV and PTR targets are in
     * @param ttlSeconds the lifetime
     */
    public List<RecordSet> recordSets(Name owner, DnsLabels zone, long ttlSeconds) {
        List<RecordSet> sets = new ArrayList<>();
        for (int type : new int[] {Type.A, Type.CNAME, Type.PTR, Type.TXT, Type.AAAA, Type.SRV}) {
            recordSet(type, owner, zone, ttlSeconds).ifPresent(sets::add);
        }
        return sets;
    }

    /**
     * Returns the record set of one type; empty if there is none.
     *
     * <p>A record whose target would be longer than 255 octets in this zone is left out.
     *
     * @param type the type number
     * @param owner the owner name, absolute
     * @param zone the zone that SRV and PTR targets are in
     * @param ttlSeconds the lifetime
     */
    public Optional<RecordSet> recordSet(int type, Name owner, DnsLabels zone, long ttlSeconds) {
        List<Record> records = new ArrayList<>();
        long ttl = ttlSeconds;
        switch (type) {
            case Type.A ->
                addresses.stream()
                        .filter(IpAddress::isIpv4)
                        .forEach(address -> records.add(new ARecord(owner, DClass.IN, ttlSeconds, inet(address))));
            case Type.AAAA ->
                addresses.stream()
                        .filter(address -> !address.isIpv4())
                        .forEach(address -> records.add(new AAAARecord(owner, DClass.IN, ttlSeconds, inet(address))));
            case Type.SRV ->
                srvs.forEach(srv -> below(srv.target(), zone)
                        .ifPresent(target -> records.add(
                                new SRVRecord(owner, DClass.IN, ttlSeconds, 0, srvWeight, srv.port(), target))));
            case Type.PTR ->
                pointers.forEach(pointer -> below(pointer, zone)
                        .ifPresent(target -> records.add(new PTRRecord(owner, DClass.IN, ttlSeconds, target))));
            case Type.CNAME ->
                alias.ifPresent(target ->
                        records.add(new CNAMERecord(owner, DClass.IN, ttlSeconds, DnsNames.absolute(target))));
            case Type.TXT -> {
                if (text.isPresent()) {
                    ttl = text.get().ttlSeconds();
                    records.add(new TXTRecord(owner, DClass.IN, ttl, text.get().text()));
                }
            }
            default -> {}
        }
        return records.isEmpty() ? Optional.empty() : Optional.of(new RecordSet(owner, type, ttl, records));
    }

    private static Optional<Name> below(DnsLabels labels, DnsLabels zone) {
        try {
            return Optional.of(DnsNames.absolute(labels, zone));
        } catch (InvalidNameException tooLong) {
            return Optional.empty();
        }
    }

    private static InetAddress inet(IpAddress address) {
        try {
            return InetAddress.getByAddress(address.bytes());
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
