package io.k8sdns.completion;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Chooses addresses for Services, Pods and Nodes that have none, and adds a note for each address that it cannot choose. */
final class AddressChoice {
    private final CompletionState state;
    private final AddressPool pool = new AddressPool();

    /** Reserves the addresses that objects already have. */
    AddressChoice(CompletionState state) {
        this.state = state;
        takeAddresses();
    }

    private void takeAddresses() {
        state.all(ClusterIpService.class).forEach(service -> pool.take(service.clusterIps()));
        state.all(Pod.class).forEach(pod -> pool.take(pod.ips()));
        state.all(Node.class).forEach(node -> {
            pool.take(node.internalIps());
            pool.take(node.externalIps());
        });
        state.all(EndpointSlice.class)
                .forEach(slice -> slice.endpoints().forEach(endpoint -> pool.take(endpoint.addresses())));
        for (Endpoints legacy : state.endpoints().values()) {
            for (Endpoints.Subset subset : legacy.subsets()) {
                subset.addresses().forEach(address -> pool.take(List.of(address.ip())));
                subset.notReadyAddresses().forEach(address -> pool.take(List.of(address.ip())));
            }
        }
    }

    /**
     * Returns an address of each family, from the network of that family; families without a free address are omitted.
     */
    List<IpAddress> choose(ObjectRef object, List<IpFamily> families, List<IpNetwork> cidrs, String what) {
        List<IpAddress> addresses = new ArrayList<>();
        for (IpFamily family : families) {
            Optional<IpNetwork> cidr = ofFamily(cidrs, family);
            if (cidr.isEmpty()) {
                state.note(
                        "no-cidr",
                        object,
                        "no " + what + " CIDR of family " + family + ": it gets no " + family + " address");
                continue;
            }
            Optional<IpAddress> address =
                    pool.choose(cidr.get(), object.namespace().orElse(""), object.name());
            if (address.isEmpty()) {
                state.note("cidr-exhausted", object, "no address is left in the " + what + " CIDR " + cidr.get());
            }
            address.ifPresent(addresses::add);
        }
        state.invented().addAll(addresses);
        return addresses;
    }

    /** Returns the network of a family if present, otherwise empty. */
    static Optional<IpNetwork> ofFamily(List<IpNetwork> cidrs, IpFamily family) {
        return cidrs.stream().filter(cidr -> cidr.family() == family).findFirst();
    }
}
