package io.k8sdns.manifest.kustomize;

import io.k8sdns.manifest.kustomize.KustomizedNames.FullName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * The Services of one build to which StatefulSets refer, by their earlier names and their namespaces. All references must be added
 * before the first Service, because earlier names without a reference are not kept: there may be hundreds for each Service.
 */
final class RenamedServices {
    private static final String DEFAULT_NAMESPACE = "default";

    /** The Services that have had a name and are in a namespace, by the name, then by the namespace. */
    private final Map<String, Map<String, Set<Candidate>>> byEarlierName = new HashMap<>();

    /** The affixes of the Services, and their indexes: comparing those of two Services may take hundreds of steps. */
    private final Map<Affixes, Integer> indexes = new HashMap<>();

    private final List<Affixes> all = new ArrayList<>();

    /**
     * A Service of a build; those with the same name and affixes are one.
     *
     * @param name the last name
     * @param affixes the index of its affixes
     */
    private record Candidate(String name, int affixes) {}

    /** The texts that were put before and after a name, the innermost first. */
    private record Affixes(List<String> prefixes, List<String> suffixes) {
        static Affixes of(List<NameTransformation> changes) {
            return new Affixes(
                    changes.stream()
                            .map(NameTransformation::prefix)
                            .filter(prefix -> !prefix.isEmpty())
                            .toList(),
                    changes.stream()
                            .map(NameTransformation::suffix)
                            .filter(suffix -> !suffix.isEmpty())
                            .toList());
        }

        boolean matches(Affixes other) {
            return haveSameEnd(prefixes, other.prefixes) && haveSameEnd(suffixes, other.suffixes);
        }
    }

    /** Adds the references of a file. */
    void addReferences(ServiceReferences file, List<NameTransformation> changes) {
        for (FullName reference : file.references()) {
            byEarlierName
                    .computeIfAbsent(reference.name(), any -> new HashMap<>())
                    .computeIfAbsent(lastNamespace(reference, changes), any -> new LinkedHashSet<>());
        }
    }

    /** Adds the Services of a file. */
    void addServices(ServiceReferences file, List<NameTransformation> changes) {
        if (file.services().isEmpty()) {
            return;
        }
        int affixes = indexes.computeIfAbsent(Affixes.of(changes), added -> {
            all.add(added);
            return all.size() - 1;
        });
        for (FullName service : file.services()) {
            // A Service of which only the namespace changes counts, too: its name is an earlier one.
            Set<String> earlier = new HashSet<>();
            FullName last = KustomizedNames.changed(service, ServiceReferences.SERVICE, changes, name -> {
                if (byEarlierName.containsKey(name)) {
                    earlier.add(name);
                }
            });
            Candidate candidate = new Candidate(last.name(), affixes);
            for (String name : earlier) {
                Set<Candidate> candidates =
                        byEarlierName.getOrDefault(name, Map.of()).get(namespace(last.namespace()));
                if (candidates != null) {
                    candidates.add(candidate);
                }
            }
        }
    }

    /**
     * Returns the last names of the Services to which the StatefulSets of a file refer. As in kustomize, the Service must be in the
     * namespace of the StatefulSet; of several Services, the one with the prefixes and suffixes of the StatefulSet counts. A reference
     * without a Service, or with several of different names, has no entry.
     *
     * @param changes the changes of the file
     * @param mayCompare returns whether a number of further comparisons is within the limit
     * @return by the reference with the last namespace of the StatefulSet; empty if the limit is reached
     */
    Optional<Map<FullName, String>> namesFor(
            ServiceReferences file, List<NameTransformation> changes, LongPredicate mayCompare) {
        Affixes affixes = Affixes.of(changes);
        Map<FullName, String> names = new HashMap<>();
        Set<FullName> seen = new HashSet<>();
        for (FullName reference : file.references()) {
            FullName key = new FullName(reference.name(), lastNamespace(reference, changes));
            if (!seen.add(key)) {
                continue;
            }
            Set<Candidate> candidates =
                    byEarlierName.getOrDefault(key.name(), Map.of()).getOrDefault(key.namespace(), Set.of());
            if (candidates.size() > 1 && !mayCompare.test(candidates.size() * (1L + changes.size()))) {
                return Optional.empty();
            }
            List<String> found = candidates.stream()
                    .filter(one ->
                            candidates.size() == 1 || all.get(one.affixes).matches(affixes))
                    .map(Candidate::name)
                    .distinct()
                    .toList();
            if (found.size() == 1) {
                names.put(key, found.get(0));
            }
        }
        return Optional.of(names);
    }

    /** Returns whether the outermost changes are equal: the shorter list is the end of the longer one. */
    private static boolean haveSameEnd(List<String> some, List<String> others) {
        int length = Math.min(some.size(), others.size());
        if (length == 0) {
            return some.equals(others);
        }
        return some.subList(some.size() - length, some.size())
                .equals(others.subList(others.size() - length, others.size()));
    }

    private static String lastNamespace(FullName reference, List<NameTransformation> changes) {
        return namespace(KustomizedNames.changed(
                        new FullName("", reference.namespace()), ServiceReferences.STATEFUL_SET, changes, any -> {})
                .namespace());
    }

    /** Returns a namespace, "default" if there is none. */
    static String namespace(String namespace) {
        return namespace.isEmpty() ? DEFAULT_NAMESPACE : namespace;
    }
}
