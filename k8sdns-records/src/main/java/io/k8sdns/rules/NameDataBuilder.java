package io.k8sdns.rules;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the data of a name, in any order and with repetitions, and packs them. Most names have one kind of data, so each list is created
 * when its first element is added.
 */
final class NameDataBuilder {
    private @Nullable List<IpAddress> ipv4;
    private @Nullable List<IpAddress> ipv6;
    private NameData.@Nullable Text text;
    private @Nullable DnsLabels alias;
    private @Nullable List<DnsLabels> ptrTargets;
    private List<DnsLabels> otherPtrCandidates = List.of();
    private @Nullable List<DnsLabels> publishedBy;
    private @Nullable List<DnsLabels> podNamespaces;
    private @Nullable List<NameData.Srv> srvs;
    private int srvPairs;

    NameDataBuilder() {}

    /** Creates a builder that holds a copy of some data. */
    NameDataBuilder(NameData data) {
        data.addresses().forEach(this::address);
        data.srvs().forEach(srv -> srvs = append(srvs, srv));
        data.ptrTargets().forEach(this::ptrTarget);
        data.otherPtrCandidates().forEach(this::otherPtrCandidate);
        data.alias().ifPresent(this::alias);
        data.text().ifPresent(this::text);
        data.publishedBy().forEach(this::publishedBy);
        data.podNamespaces().forEach(this::podNamespace);
        srvPairs = data.srvPairs();
    }

    /** Adds an element to a list; creates the list if it is null. */
    private static <T> List<T> append(@Nullable List<T> list, T element) {
        List<T> present = list == null ? new ArrayList<>(1) : list;
        present.add(element);
        return present;
    }

    void address(IpAddress address) {
        if (address.isIpv4()) {
            ipv4 = append(ipv4, address);
        } else {
            ipv6 = append(ipv6, address);
        }
    }

    /** Sets the number of distinct pairs of address and port, from which the weight of the SRV records is computed. */
    void srvPairs(int pairs) {
        srvPairs = pairs;
    }

    void srv(int port, DnsLabels target) {
        srvs = append(srvs, new NameData.Srv(port, target));
    }

    void ptrTarget(DnsLabels target) {
        ptrTargets = append(ptrTargets, target);
    }

    /** Adds a candidate that was not chosen as a PTR target. Better candidates are added first. The name must have a PTR target. */
    void otherPtrCandidate(DnsLabels target) {
        otherPtrCandidates = otherPtrCandidates.isEmpty() ? new ArrayList<>(1) : otherPtrCandidates;
        otherPtrCandidates.add(target);
    }

    /** Sets the target of the alias. */
    void alias(DnsLabels target) {
        alias = target;
    }

    /** Sets the text. */
    void text(NameData.Text value) {
        text = value;
    }

    void publishedBy(DnsLabels service) {
        publishedBy = append(publishedBy, service);
    }

    void podNamespace(String namespace) {
        podNamespaces = append(podNamespaces, DnsLabels.of(namespace));
    }

    /** Packs the data of a forward name, or of an address. */
    NameData build(OwnerName name) {
        if (name instanceof OwnerName.Forward forward) {
            return build(forward.labels());
        }
        List<DnsLabels> first = ptrTargets == null ? publishedBy : ptrTargets;
        return build(first == null ? DnsLabels.EMPTY : sortedDistinct(first).get(0));
    }

    /**
     * Packs the data.
     *
     * @param first the name at the beginning of the packed form; see {@link PackedName}
     */
    NameData build(DnsLabels first) {
        int flags = (ipv4 == null ? 0 : PackedName.A)
                | (ipv6 == null ? 0 : PackedName.AAAA)
                | (text == null ? 0 : PackedName.TXT)
                | (alias == null ? 0 : PackedName.CNAME)
                | (ptrTargets == null ? 0 : PackedName.PTR)
                | (publishedBy == null ? 0 : PackedName.SERVICES)
                | (podNamespaces == null ? 0 : PackedName.PODS)
                | (srvs == null ? 0 : PackedName.SRV);
        PackedName.Writer writer = new PackedName.Writer(first, sizeHint());
        writer.putByte(flags);
        if (ipv4 != null) {
            writer.putAddresses(sortedDistinct(ipv4));
        }
        if (ipv6 != null) {
            writer.putAddresses(sortedDistinct(ipv6));
        }
        if (text != null) {
            byte[] bytes = text.text().getBytes(StandardCharsets.ISO_8859_1);
            writer.putNumber(text.ttlSeconds(), 8);
            writer.putByte(bytes.length);
            writer.putBytes(bytes);
        }
        if (alias != null) {
            writer.putName(alias);
        }
        names(writer, ptrTargets);
        if (ptrTargets != null) {
            writer.putCount(otherPtrCandidates.size());
            otherPtrCandidates.forEach(writer::putName);
        }
        names(writer, publishedBy);
        names(writer, podNamespaces);
        if (srvs != null) {
            List<NameData.Srv> sorted = sortedDistinct(srvs);
            writer.putCount(srvPairs);
            writer.putCount(sorted.size());
            PackedSrvs.write(sorted, writer);
        }
        return new NameData(writer.written(), first.wireLength() + 1);
    }

    /** Returns the number of bytes after the first name; an estimate, which is exact for most names. */
    private int sizeHint() {
        return 1
                + (ipv4 == null ? 0 : 1 + 4 * ipv4.size())
                + (ipv6 == null ? 0 : 1 + 16 * ipv6.size())
                + (ptrTargets == null ? 0 : 2 + ptrTargets.size())
                + (srvs == null ? 0 : 2 + 16 * srvs.size());
    }

    private static void names(PackedName.Writer writer, @Nullable List<DnsLabels> names) {
        if (names != null) {
            List<DnsLabels> sorted = sortedDistinct(names);
            writer.putCount(sorted.size());
            for (DnsLabels name : sorted) {
                writer.putName(name);
            }
        }
    }

    /** Sorts a list in place, and returns it without duplicates. */
    private static <T extends Comparable<T>> List<T> sortedDistinct(List<T> list) {
        if (list.size() < 2) {
            return list;
        }
        // A list is sorted instead of filling a TreeSet: the endpoints of a large Service arrive in runs that are
        // already sorted.
        list.sort(null);
        List<T> distinct = new ArrayList<>(list.size());
        for (T one : list) {
            if (distinct.isEmpty() || !distinct.get(distinct.size() - 1).equals(one)) {
                distinct.add(one);
            }
        }
        return distinct;
    }
}
