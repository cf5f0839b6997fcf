package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.NameData;
import java.util.List;
import java.util.Optional;

/** Everything that a name owns, read value by value: the laws do not compare by {@link NameData#equals}, which they test. */
record Owned(
        List<IpAddress> addresses,
        int srvWeight,
        List<NameData.Srv> srvs,
        List<DnsLabels> pointers,
        List<DnsLabels> otherPointers,
        Optional<DnsLabels> alias,
        Optional<NameData.Text> text,
        List<DnsLabels> publishedBy,
        List<String> podNamespaces) {
    static Owned of(NameData data) {
        return new Owned(
                data.addresses(),
                data.srvWeight(),
                data.srvs(),
                data.pointers(),
                data.otherPointers(),
                data.alias(),
                data.text(),
                data.publishedBy(),
                data.podNamespaces());
    }
}
