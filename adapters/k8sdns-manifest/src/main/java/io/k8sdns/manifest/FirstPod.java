package io.k8sdns.manifest;

import io.k8sdns.json.Documents;
import io.k8sdns.json.ObjectType;
import io.k8sdns.json.OpenShiftTemplate;
import io.k8sdns.json.Value;
import io.k8sdns.manifest.objects.ObjectRenaming;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the first Pod or workload, of all or of those with a name, among values: a document of its own, or an entry of a list or an
 * OpenShift Template.
 */
final class FirstPod implements Documents.DocumentReceiver {
    static final ObjectType POD = TemplatePod.POD;

    /** The maximum number of other types that are named if there is no Pod. */
    private static final int MAX_NAMED = 5;

    private final Predicate<TemplatePod> isWanted;

    /** The description of what is wanted, for messages. */
    private final String wanted;

    /** The Pods and workloads that are not wanted. */
    private final Set<String> unwanted = new LinkedHashSet<>();

    private final Set<ObjectType> others = new LinkedHashSet<>();
    private ObjectRenaming renaming = ObjectRenaming.NONE;
    private Optional<TemplatePod> found = Optional.empty();

    /** The first entry of the current list without a type, as a Pod. It is one if the list is one of Pods. */
    private @Nullable TemplatePod firstUntyped;

    /** The first Pod or workload among the entries of the current list with a type. */
    private @Nullable TemplatePod firstTypedPod;

    /** The other entries of the current list without a type, which are Pods if the list is one of Pods. */
    private final Set<String> unwantedUntyped = new LinkedHashSet<>();

    private FirstPod(Predicate<TemplatePod> isWanted, String wanted) {
        this.isWanted = isWanted;
        this.wanted = wanted;
    }

    /** Returns a search for the first Pod or workload of all. */
    static FirstPod ofAll() {
        return new FirstPod(any -> true, "no Pod of v1 and no workload");
    }

    /** Returns a search for the first Pod with a name, or of a workload with this name. */
    static FirstPod named(String namespace, String name) {
        return new FirstPod(pod -> pod.isNamed(namespace, name), "no Pod or workload " + namespace + "/" + name);
    }

    /** Sets the changes of the names of the objects that follow. */
    void rename(ObjectRenaming value) {
        renaming = value;
    }

    /** Returns the Pod, or that of the workload; empty if there is none. */
    Optional<TemplatePod> found() {
        return found;
    }

    /** Returns a description of what is missing and of the objects instead, for example {@code no Pod of v1 and no workload, but Service of v1}. */
    String missing() {
        return unwanted.isEmpty() && others.isEmpty() ? wanted : wanted + ", but " + others();
    }

    private String others() {
        // Other objects cannot be meant if there are Pods.
        Set<String> named = unwanted.isEmpty()
                ? others.stream().map(FirstPod::words).collect(Collectors.toCollection(LinkedHashSet::new))
                : unwanted;
        int count = named.size();
        return named.stream().limit(MAX_NAMED).collect(Collectors.joining(", ")) + (count > MAX_NAMED ? ", ..." : "");
    }

    private static String words(ObjectType type) {
        if (type.isNone()) {
            return "a document without kind and apiVersion";
        }
        if (type.kind().isEmpty()) {
            return type.apiVersion() + " without kind";
        }
        return type.isWhole() ? type.toString() : type.kind() + " without apiVersion";
    }

    @Override
    public void forget() {
        firstUntyped = null;
        firstTypedPod = null;
        unwantedUntyped.clear();
    }

    @Override
    public void item(Value value) {
        if (found.isPresent() || firstTypedPod != null) {
            return;
        }
        if (ObjectType.of(value).isNone()) {
            // The type may be that of the list, whose kind may follow its items.
            if (firstUntyped == null && value instanceof Value.Mapping entry) {
                Optional<TemplatePod> pod = pod(POD, entry);
                pod.filter(isWanted.negate())
                        .ifPresent(other -> unwantedUntyped.add(other.ref().toString()));
                firstUntyped = pod.filter(isWanted).orElse(null);
            }
        } else {
            firstTypedPod = find(value, ObjectType.NONE).orElse(null);
        }
    }

    @Override
    public void document(Value value) {
        if (found.isEmpty()) {
            ObjectType type = ObjectType.of(value);
            if (type.ofEntries().equals(POD)) {
                unwanted.addAll(unwantedUntyped);
            }
            if (type.ofEntries().equals(POD) && firstUntyped != null) {
                found = Optional.of(firstUntyped);
            } else if (type.isList() && firstTypedPod != null) {
                found = Optional.of(firstTypedPod);
            } else {
                found = find(value, ObjectType.NONE);
            }
        }
        forget();
    }

    /**
     * Searches a value, and its entries if it is a list or an OpenShift Template.
     *
     * @param fromList the default type, from the enclosing list
     */
    Optional<TemplatePod> find(Value value, ObjectType fromList) {
        ObjectType own = ObjectType.of(value);
        ObjectType type = own.isNone() ? fromList : own;
        if (!(value instanceof Value.Mapping mapping)) {
            return Optional.empty();
        }
        Optional<TemplatePod> pod = pod(type, mapping);
        if (pod.isPresent()) {
            pod.filter(isWanted.negate())
                    .ifPresent(other -> unwanted.add(other.ref().toString()));
            return pod.filter(isWanted);
        }
        if (OpenShiftTemplate.is(type)) {
            return first(OpenShiftTemplate.objects(mapping), ObjectType.NONE);
        }
        if (!type.isList()) {
            others.add(type);
            return Optional.empty();
        }
        return first(
                mapping.get("items") instanceof Value.Sequence items ? items.items() : List.of(), type.ofEntries());
    }

    private Optional<TemplatePod> pod(ObjectType type, Value.Mapping object) {
        return TemplatePod.of(type, renaming.renamed(object, type));
    }

    private Optional<TemplatePod> first(List<Value> entries, ObjectType fromList) {
        for (Value entry : entries) {
            Optional<TemplatePod> pod = find(entry, fromList);
            if (pod.isPresent()) {
                return pod;
            }
        }
        return Optional.empty();
    }
}
