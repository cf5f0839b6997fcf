package io.k8sdns.manifest;

import io.k8sdns.json.Documents;
import io.k8sdns.json.ObjectType;
import io.k8sdns.json.OpenShiftTemplate;
import io.k8sdns.json.Value;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the first Pod or workload among values: a document of its own, or an entry of a list or an OpenShift Template. */
final class FirstPod implements Documents.DocumentReceiver {
    static final ObjectType POD = new ObjectType("v1", "Pod");

    /** The maximum number of other types that are named if there is no Pod. */
    private static final int MAX_NAMED = 5;

    private final Set<ObjectType> others = new LinkedHashSet<>();
    private Optional<TemplatePod> found = Optional.empty();

    /** The first entry of the current list without a type. It is a Pod if the list is one of Pods. */
    private Value.@Nullable Mapping firstUntyped;

    /** The first Pod or workload among the entries of the current list with a type. */
    private @Nullable TemplatePod firstTypedPod;

    /** Returns the Pod, or that of the workload; empty if there is none. */
    Optional<TemplatePod> found() {
        return found;
    }

    /**
     * Returns a description of the other objects, for example {@code ConfigMap of v1, Service of v1}.
     */
    String others() {
        if (others.isEmpty()) {
            return "no object";
        }
        return others.stream().limit(MAX_NAMED).map(FirstPod::words).collect(Collectors.joining(", "))
                + (others.size() > MAX_NAMED ? ", ..." : "");
    }

    private static TemplatePod ofPod(Value.Mapping pod) {
        return new TemplatePod(pod, "spec");
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
    }

    @Override
    public void item(Value value) {
        if (found.isPresent() || firstTypedPod != null) {
            return;
        }
        if (ObjectType.of(value).isNone()) {
            // The type may be that of the list, whose kind may follow its items.
            firstUntyped = firstUntyped == null && value instanceof Value.Mapping entry ? entry : firstUntyped;
        } else {
            firstTypedPod = find(value, ObjectType.NONE).orElse(null);
        }
    }

    @Override
    public void document(Value value) {
        if (found.isEmpty()) {
            ObjectType type = ObjectType.of(value);
            if (type.ofEntries().equals(POD) && firstUntyped != null) {
                found = Optional.of(ofPod(firstUntyped));
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
        if (type.equals(POD)) {
            return Optional.of(ofPod(mapping));
        }
        Optional<TemplatePod> made = TemplatePod.of(type, mapping);
        if (made.isPresent()) {
            return made;
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
