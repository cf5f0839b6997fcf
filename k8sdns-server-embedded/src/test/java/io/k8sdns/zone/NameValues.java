package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.NameData;
import java.util.List;
import java.util.Optional;

/** The data of a name as separate values. The laws compare these values, because they test {@link NameData#equals}. */
record NameValues(
        List<IpAddress> addresses,
        int srvWeight,
        List<NameData.Srv> srvs,
        List<DnsLabels> ptrTargets,
        List<DnsLabels> otherPtrCandidates,
        Optional<DnsLabels> alias,
        Optional<NameData.Text> text,
        List<DnsLabels> publishedBy,
        List<String> podNamespaces) {
    static NameValues of(NameData data) {
        return new NameValues(
                data.addresses(),
                data.srvWeight(),
                data.srvs(),
                data.ptrTargets(),
                data.otherPtrCandidates(),
                data.alias(),
                data.text(),
                data.publishedBy(),
                data.podNamespaces());
    }
}
