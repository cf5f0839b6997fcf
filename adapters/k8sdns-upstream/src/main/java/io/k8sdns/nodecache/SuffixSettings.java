package io.k8sdns.nodecache;

import io.k8sdns.autopath.SearchPaths;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import java.util.List;
import java.util.stream.Stream;
import org.xbill.DNS.EDNSOption;

/**
 * How names {@code BASE.search.NS.DOMAIN.SUFFIX} are treated.
 *
 * @param clusterDomain the domain
 * @param suffix the suffix
 * @param hostSearches search domains of the node, behind those of the cluster
 * @param expandsLocally whether names are expanded here when the cluster DNS does not understand the suffix
 * @param optionCode the code of the SearchPaths option
 * @param sendsNamespace whether the option holds the namespace instead of the list
 */
record SuffixSettings(
        DnsLabels clusterDomain,
        DnsLabels suffix,
        List<DnsLabels> hostSearches,
        boolean expandsLocally,
        int optionCode,
        boolean sendsNamespace) {
    /**
     * Returns the name that is asked for to find out whether a server understands the suffix: that of the API server's Service.
     *
     * @throws IllegalArgumentException if it is longer than a name may be
     */
    DnsLabels probedName() {
        return DnsLabels.of("kubernetes", ClusterSearches.AUTOPATH_LABEL, "default")
                .append(clusterDomain)
                .append(suffix);
    }

    /** Returns the name that a server which understands the suffix finds for {@link #probedName}. */
    DnsLabels foundName() {
        return DnsLabels.of("kubernetes", "default", "svc").append(clusterDomain);
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

    /**
     * Returns the whole search list.
     *
     * @throws IllegalArgumentException if it is too long for an option
     */
    static SearchPaths.Listed listed(ClusterSearches searches, List<DnsLabels> hostSearches) {
        return new SearchPaths.Listed(
                Stream.concat(searches.labels().stream(), hostSearches.stream()).toList());
    }
}
