package io.k8sdns.manifest.objects;

import io.k8sdns.model.ObjectRef;
import java.util.Optional;

/**
 * The identity of a document that was skipped because of a fault, as far as it is readable.
 *
 * @param kind as written; empty if it has none
 * @param namespace as written
 * @param name empty if it has no valid one
 */
public record SkippedDocument(String kind, Optional<String> namespace, Optional<String> name) {
    /**
     * Returns whether the document may describe an object: it has the object's name, or no valid name. Kind and
     * namespace are not compared, because either may be the fault.
     */
    boolean mayBeMeantFor(ObjectRef ref) {
        return name.isEmpty() || name.get().equals(ref.name());
    }
}
