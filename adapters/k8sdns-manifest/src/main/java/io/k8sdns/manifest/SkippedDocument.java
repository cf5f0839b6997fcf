package io.k8sdns.manifest;

import io.k8sdns.model.ObjectRef;
import java.util.Optional;

/**
 * A document that was skipped for a fault, as far as it tells which object it is meant for.
 *
 * @param kind as written; empty if it has none
 * @param namespace as written
 * @param name empty if it has none that is valid
 */
record SkippedDocument(String kind, Optional<String> namespace, Optional<String> name) {
    /**
     * Returns whether it may be meant for an object: it has its name, or none. Kind and namespace are not compared; either
     * may be what is wrong.
     */
    boolean mayBeMeantFor(ObjectRef ref) {
        return name.isEmpty() || name.get().equals(ref.name());
    }
}
