package io.k8sdns.completion;

import io.k8sdns.cluster.Addressing;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpFamilyPolicy;
import io.k8sdns.model.Service;
import io.k8sdns.slices.EndpointSliceRules;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Completes the address families and cluster IPs of Services, as the API server does. */
final class ServiceCompletion {
    private final CompletionState state;
    private final Addressing addressing;
    private final AddressChoice choice;

    ServiceCompletion(CompletionState state, Addressing addressing, AddressChoice choice) {
        this.state = state;
        this.addressing = addressing;
        this.choice = choice;
    }

    void complete(ClusterIpService service) {
        List<String> parts = new ArrayList<>();
        EndpointSelection selection = selection(service, parts);
        List<IpAddress> addresses = service.clusterIps();
        if (addresses.isEmpty() && state.mayGetAddress(service)) {
            addresses = choice.choose(service.ref(), selection.ipFamilies(), addressing.serviceCidrs(), "service");
            if (!addresses.isEmpty()) {
                parts.add("spec.clusterIPs " + addresses);
            }
        }
        state.put(service.toBuilder().clusterIps(addresses).selection(selection).build());
        state.noteCompleted("completed-service", service, parts);
    }

    void complete(HeadlessService service) {
        List<String> parts = new ArrayList<>();
        EndpointSelection selection = selection(service, parts);
        state.put(service.toBuilder().selection(selection).build());
        state.noteCompleted("completed-service", service, parts);
    }

    /** Returns the selection with the policy and the families that the API server would set (KEP-563). */
    private EndpointSelection selection(Service service, List<String> parts) {
        EndpointSelection given = EndpointSliceRules.selection(service);
        Set<IpFamily> families = new LinkedHashSet<>(given.ipFamilies());
        List<IpAddress> clusterIps = EndpointSliceRules.clusterIps(service);
        clusterIps.forEach(address -> families.add(address.family()));
        IpFamilyPolicy policy = given.ipFamilyPolicy()
                .orElse(
                        families.size() == 2 || hasEveryFamily(service)
                                ? IpFamilyPolicy.REQUIRE_DUAL_STACK
                                : IpFamilyPolicy.SINGLE_STACK);
        if (families.isEmpty()) {
            families.add(addressing.serviceCidrs().get(0).family());
        }
        if (clusterIps.isEmpty() && policy != IpFamilyPolicy.SINGLE_STACK) {
            addSecondFamily(service, families);
        }
        checkDualStack(service, given, families);
        if (given.ipFamilyPolicy().isEmpty()) {
            parts.add("spec.ipFamilyPolicy " + policy);
        }
        List<IpFamily> completed = List.copyOf(families);
        if (!completed.equals(given.ipFamilies())) {
            parts.add("spec.ipFamilies " + completed);
        }
        return given.withIpFamilies(completed).withIpFamilyPolicy(policy);
    }

    /**
     * Returns whether the endpoints may be of any family: those of a headless Service without selector, which
     * Kubernetes does not make.
     */
    private static boolean hasEveryFamily(Service service) {
        return service instanceof HeadlessService headless
                && headless.selection().selector().isEmpty();
    }

    private void addSecondFamily(Service service, Set<IpFamily> families) {
        for (IpFamily family : IpFamily.values()) {
            if (hasEveryFamily(service)
                    || AddressChoice.ofFamily(addressing.serviceCidrs(), family).isPresent()) {
                families.add(family);
            }
        }
    }

    /**
     * Adds a warning if the Service requires two families and the cluster has one, which the API server refuses; the
     * Service then gets that one.
     */
    private void checkDualStack(Service service, EndpointSelection given, Set<IpFamily> families) {
        if (!given.ipFamilyPolicy().equals(Optional.of(IpFamilyPolicy.REQUIRE_DUAL_STACK))
                || hasEveryFamily(service)
                || addressing.serviceCidrs().size() == 2) {
            return;
        }
        List<IpAddress> clusterIps = EndpointSliceRules.clusterIps(service);
        if (clusterIps.size() < 2) {
            IpFamily only = addressing.serviceCidrs().get(0).family();
            state.note(Diagnostic.warning(
                            "no-second-family",
                            service.ref(),
                            "RequireDualStack, but there is no service CIDR except for " + only)
                    .atField("spec.ipFamilyPolicy"));
            if (clusterIps.isEmpty()) {
                families.retainAll(Set.of(only));
            }
        }
    }
}
