package io.k8sdns.manifest.kustomize;

import io.k8sdns.json.ObjectType;
import io.k8sdns.manifest.kustomize.KustomizedNames.FullName;
import io.k8sdns.manifest.objects.ObjectRenaming;
import io.k8sdns.manifest.objects.TypedObjects;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The Services of one build, by their earlier names, for the fields that refer to them. */
final class RenamedServices {
    private static final ObjectType SERVICE = new ObjectType("v1", "Service");
    private static final String DEFAULT_NAMESPACE = "default";

    private final Map<String, List<Renamed>> byEarlierName = new HashMap<>();

    private record Renamed(String name, String namespace, List<NameChange> changes) {}

    /** Adds the Services of a file. */
    void add(byte[] file, List<NameChange> changes) {
        for (TypedObjects.Found one : TypedObjects.read(file, SERVICE::equals, ObjectRenaming.NONE)) {
            // A Service of which only the namespace changes counts, too: its name is an earlier one.
            Set<String> earlier = new LinkedHashSet<>();
            FullName last = KustomizedNames.changed(FullName.of(one.object()), SERVICE.kind(), changes, earlier::add);
            Renamed renamed = new Renamed(last.name(), namespace(last.namespace()), changes);
            earlier.forEach(name -> byEarlierName
                    .computeIfAbsent(name, any -> new ArrayList<>())
                    .add(renamed));
        }
    }

    /**
     * Returns the last name of the Service to which a field refers. As in kustomize, the Service must be in the namespace of the
     * referring object; of several Services, the one with the prefixes and suffixes of that object counts.
     *
     * @param changes the changes of the referring object
     * @return the same name if no Service has had it, or several with different names have had it
     */
    String nameOf(String name, String namespace, List<NameChange> changes) {
        List<Renamed> candidates = byEarlierName.getOrDefault(name, List.of()).stream()
                .filter(one -> one.namespace.equals(namespace(namespace)))
                .toList();
        if (candidates.size() > 1) {
            candidates = candidates.stream()
                    .filter(one -> haveSameEnd(prefixes(one.changes), prefixes(changes))
                            && haveSameEnd(suffixes(one.changes), suffixes(changes)))
                    .toList();
        }
        List<String> names = candidates.stream().map(Renamed::name).distinct().toList();
        return names.size() == 1 ? names.get(0) : name;
    }

    private static List<String> prefixes(List<NameChange> changes) {
        return changes.stream()
                .map(NameChange::prefix)
                .filter(prefix -> !prefix.isEmpty())
                .toList();
    }

    private static List<String> suffixes(List<NameChange> changes) {
        return changes.stream()
                .map(NameChange::suffix)
                .filter(suffix -> !suffix.isEmpty())
                .toList();
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

    private static String namespace(String namespace) {
        return namespace.isEmpty() ? DEFAULT_NAMESPACE : namespace;
    }
}
