package io.k8sdns.rules;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.PodsMode;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The names that are synthesized, not stored: pod names and the dashed names of endpoints. The name contains an address, and exists if the
 * data at the address have its namespace or Service. The contracts of the methods are in {@link RecordRules}.
 */
final class SynthesizedNames {
    private final PodsMode pods;

    SynthesizedNames(PodsMode pods) {
        this.pods = pods;
    }

    /** Implements {@link RecordRules#synthesized}. */
    Optional<NameData> data(DnsLabels name, Function<IpAddress, Optional<NameData>> byAddress) {
        String label = name.label(0);
        DnsLabels parent = RecordRules.parentOfSynthesized(name);
        Optional<IpAddress> address = NameSchema.isPods(parent)
                ? AddressLabels.parsePodLabel(label).filter(one -> isOfPod(one, parent.foldedLabel(0), byAddress))
                : AddressLabels.parseEndpointLabel(label)
                        .filter(one -> byAddress
                                .apply(one)
                                .filter(data -> data.publishedBy().contains(parent))
                                .isPresent());
        return address.map(NameData::ofAddress);
    }

    private boolean isOfPod(IpAddress address, String namespace, Function<IpAddress, Optional<NameData>> byAddress) {
        return switch (pods) {
            case DISABLED -> false;
            case INSECURE -> true;
            case VERIFIED ->
                byAddress
                        .apply(address)
                        .filter(data -> data.podNamespaces().contains(namespace))
                        .isPresent();
        };
    }

    /** Implements {@link RecordRules#synthesizedNames}. */
    static List<DnsLabels> of(IpAddress address, NameData data) {
        List<DnsLabels> names = new ArrayList<>();
        data.publishedBy().forEach(service -> names.add(ofEndpoint(address, service)));
        data.podNamespaces()
                .forEach(namespace -> names.add(NameSchema.pods(namespace).prepend(AddressLabels.of(address))));
        return names;
    }

    /** Returns the dashed name of an endpoint with an address, below its Service. */
    static DnsLabels ofEndpoint(IpAddress address, DnsLabels service) {
        return service.prepend(AddressLabels.of(address));
    }
}
