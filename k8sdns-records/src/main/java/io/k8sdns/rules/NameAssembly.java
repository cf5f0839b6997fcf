package io.k8sdns.rules;

import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ReversePolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The second step of the rules: all facts at one name give its data. Duplicates are removed, and the rest is sorted.
 *
 * <ul>
 *   <li>The weight of each SRV record is {@code max(1, floor(100 / n))}, where n is the number of distinct pairs of address and port (the
 *       specification leaves priority and weight open).
 *   <li>The PTR targets are the Services that have the address as a cluster IP; without such a Service, all endpoints; with {@link
 *       ReversePolicy#ONE}, only the first by rank and name.
 *   <li>A name has one alias and one text. Of several aliases the target that is first in canonical order is chosen, of several texts the
 *       first by text, then TTL.
 * </ul>
 *
 * <p>The contracts of the methods are in {@link RecordRules}.
 */
final class NameAssembly {
    private static final Comparator<Fact.PtrCandidate> BEST_FIRST =
            Comparator.comparing(Fact.PtrCandidate::rank).thenComparing(Fact.PtrCandidate::target);

    private final long maxPtrTargets;

    NameAssembly(ReversePolicy policy) {
        this.maxPtrTargets = policy == ReversePolicy.ONE ? 1 : Long.MAX_VALUE;
    }

    /** Implements {@link RecordRules#assemble}. */
    NameData assemble(OwnerName name, Collection<Fact> facts) {
        NameDataBuilder data = new NameDataBuilder();
        int srvs = 0;
        DnsLabels firstAlias = null;
        NameData.Text firstText = null;
        List<Fact.PtrCandidate> candidates = List.of();
        for (Fact fact : facts) {
            if (fact instanceof Fact.Address address) {
                data.address(address.address());
            } else if (fact instanceof Fact.Srv srv) {
                data.srv(srv.port().port().orElseThrow(), srv.target());
                srvs++;
            } else if (fact instanceof Fact.Alias alias) {
                firstAlias = smaller(firstAlias, alias.target());
                data.alias(firstAlias);
            } else if (fact instanceof Fact.Text text) {
                firstText = smaller(firstText, new NameData.Text(text.text(), text.ttlSeconds()));
                data.text(firstText);
            } else if (fact instanceof Fact.PtrCandidate candidate) {
                candidates = candidates.isEmpty() ? new ArrayList<>(1) : candidates;
                candidates.add(candidate);
            } else if (fact instanceof Fact.EndpointAddress endpoint) {
                data.publishedBy(endpoint.service());
            } else if (fact instanceof Fact.PodAddress pod) {
                data.podNamespace(pod.namespace());
            } else if (!(fact instanceof Fact.Exists)) {
                throw new AssertionError(fact);
            }
        }
        data.srvPairs(srvs < 2 ? srvs : pairs(facts));
        if (!candidates.isEmpty()) {
            addPtrTargets(candidates, data);
        }
        return data.build(name);
    }

    private static <T extends Comparable<T>> T smaller(@Nullable T one, T other) {
        return one == null || other.compareTo(one) < 0 ? other : one;
    }

    // ---- SRV weights

    /** Implements {@link RecordRules#srvWeight}. */
    static int srvWeight(int pairs) {
        return Math.max(1, 100 / pairs);
    }

    /** Returns the number of distinct pairs of address and port in SRV facts. */
    private static int pairs(Collection<Fact> facts) {
        Set<Map.Entry<IpAddress, EndpointPort>> pairs = new HashSet<>();
        for (Fact fact : facts) {
            if (fact instanceof Fact.Srv srv) {
                pairs.add(Map.entry(srv.address(), srv.port()));
            }
        }
        return pairs.size();
    }

    // ---- PTR targets

    private void addPtrTargets(List<Fact.PtrCandidate> candidates, NameDataBuilder data) {
        candidates.sort(BEST_FIRST);
        List<DnsLabels> targets = ptrTargets(candidates);
        targets.forEach(data::ptrTarget);
        if (candidates.size() > targets.size()) {
            candidates.stream()
                    .map(Fact.PtrCandidate::target)
                    .distinct()
                    .filter(target -> !targets.contains(target))
                    .forEach(data::otherPtrCandidate);
        }
    }

    /** Chooses the PTR targets from sorted candidates. */
    private List<DnsLabels> ptrTargets(List<Fact.PtrCandidate> candidates) {
        if (candidates.size() == 1) {
            return List.of(candidates.get(0).target());
        }
        boolean clusterIp = candidates.get(0).rank() == PtrRank.CLUSTER_IP;
        return candidates.stream()
                .takeWhile(candidate -> !clusterIp || candidate.rank() == PtrRank.CLUSTER_IP)
                .map(Fact.PtrCandidate::target)
                .limit(maxPtrTargets)
                .toList();
    }

    /** Implements {@link RecordRules#visible}. */
    Optional<NameData> visible(NameData data, Predicate<DnsLabels> isVisible) {
        List<DnsLabels> targets = visibleTargets(data, isVisible);
        return targets.isEmpty() ? Optional.empty() : Optional.of(NameData.ofPtrTargets(targets));
    }

    private List<DnsLabels> visibleTargets(NameData data, Predicate<DnsLabels> isVisible) {
        List<DnsLabels> best = data.ptrTargets().stream().filter(isVisible).toList();
        // If the view hides all chosen targets, the best visible other candidates become the targets: endpoints, and
        // with ONE also Services.
        return best.isEmpty()
                ? data.otherPtrCandidates().stream()
                        .filter(isVisible)
                        .limit(maxPtrTargets)
                        .sorted()
                        .toList()
                : best;
    }

    // ---- edits

    /** Implements {@link RecordRules#canEdit}. */
    static boolean canEdit(
            OwnerName name,
            Collection<Fact> added,
            Collection<Fact> removed,
            Predicate<OwnerName> hadFactAt,
            Predicate<OwnerName> hasFactAt) {
        if (!EndpointFilter.isShared(name)) {
            return false;
        }
        Set<NameData.Srv> addedSrvs = new HashSet<>();
        for (Fact fact : added) {
            if (isAddressIn(fact, hadFactAt)) {
                return false;
            }
            if (fact instanceof Fact.Srv srv) {
                addedSrvs.add(srv.record());
            }
        }
        for (Fact fact : removed) {
            if (isAddressIn(fact, hasFactAt)
                    || fact instanceof Fact.Srv srv
                            && !addedSrvs.contains(srv.record())
                            && EndpointFilter.namesOfTarget(srv.target()).stream()
                                    .anyMatch(hasFactAt)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the slices of a name have the address of a fact. */
    private static boolean isAddressIn(Fact fact, Predicate<OwnerName> haveFactAt) {
        IpAddress address = fact.address();
        return address != null && haveFactAt.test(new OwnerName.Reverse(address));
    }

    /** Implements {@link RecordRules#edit}. */
    static NameData edit(NameData was, Collection<Fact> added, Collection<Fact> removed) {
        NavigableMap<IpAddress, Boolean> addresses = new TreeMap<>();
        NavigableMap<NameData.Srv, Boolean> srvs = new TreeMap<>();
        // Additions last: a record that is both removed and added stays.
        edit(addresses, srvs, removed, false);
        edit(addresses, srvs, added, true);
        return new NameDataEditor(was).edit(addresses, srvs, was.srvPairs() + pairs(added) - pairs(removed));
    }

    private static void edit(
            Map<IpAddress, Boolean> addresses,
            Map<NameData.Srv, Boolean> srvs,
            Collection<Fact> facts,
            boolean isAdded) {
        for (Fact fact : facts) {
            if (fact instanceof Fact.Address address) {
                addresses.put(address.address(), isAdded);
            } else if (fact instanceof Fact.Srv srv) {
                srvs.put(srv.record(), isAdded);
            }
        }
    }
}
