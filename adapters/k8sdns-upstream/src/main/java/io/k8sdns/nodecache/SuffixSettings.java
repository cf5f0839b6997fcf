package io.k8sdns.nodecache;

import io.k8sdns.autopath.SearchPaths;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.schema.NameSchema;
import java.util.List;
import java.util.stream.Stream;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Name;
import org.xbill.DNS.SOARecord;

/**
 * The settings of the autopath suffix, for names {@code BASE.search.NS.DOMAIN.SUFFIX}.
 *
 * @param clusterDomain the domain
 * @param suffix the suffix
 * @param hostSearches search domains of the node, after those of the cluster
 * @param expandsLocally whether names are expanded on the node if the cluster DNS does not support the suffix
 * @param optionCode the code of the SearchPaths option
 * @param sendsNamespace whether the option contains the namespace instead of the search list
 */
record SuffixSettings(
        DnsLabels clusterDomain,
        DnsLabels suffix,
        List<DnsLabels> hostSearches,
        boolean expandsLocally,
        int optionCode,
        boolean sendsNamespace) {
    /**
     * Returns the name of the probe for support of the suffix, which expands to the API server's Service.
     *
     * @throws IllegalArgumentException if it is too long for a DNS name
     */
    DnsLabels probeName() {
        return DnsLabels.of("kubernetes", ClusterSearches.AUTOPATH_LABEL, "default")
                .append(clusterDomain)
                .append(suffix);
    }

    /** Returns the target of the alias that a server with support for the suffix returns for {@link #probeName}. */
    DnsLabels probeTarget() {
        return NameSchema.service("kubernetes", "default").append(clusterDomain);
    }

    /**
     * Returns the EDNS option for Pods of a namespace.
     *
     * @param namespace a DNS label
     */
    EDNSOption option(String namespace) {
        ClusterSearches searches = new ClusterSearches(namespace, clusterDomain.toString());
        SearchPaths paths = sendsNamespace ? new SearchPaths.OfNamespace(searches) : listed(searches, hostSearches);
        return paths.toOption(optionCode);
    }

    /** Returns the SOA of the suffix for answers of this cache itself. The TTL is that of other denials. */
    RecordSet soa() {
        Name apex = DnsNames.absolute(suffix);
        long ttl = NodeCache.MAX_NEGATIVE_TTL.toSeconds();
        return RecordSet.of(new SOARecord(apex, DClass.IN, ttl, Name.root, Name.root, 1, 7200, 1800, 86_400, ttl));
    }

    /**
     * Returns the search list of the cluster and the node.
     *
     * @throws IllegalArgumentException if it is too long for an option
     */
    static SearchPaths.PathList listed(ClusterSearches searches, List<DnsLabels> hostSearches) {
        return new SearchPaths.PathList(
                Stream.concat(searches.labels().stream(), hostSearches.stream()).toList());
    }
}
