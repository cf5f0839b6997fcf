package io.k8sdns.clientjava;

import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.ObjectRef;
import java.util.Objects;
import java.util.Optional;

/**
 * An object as the API server has it at one moment.
 *
 * @param ref which object
 * @param uid the UID, which a successor of the same name does not share
 * @param version its {@code metadata.resourceVersion}
 * @param object what names depend on; empty if the object is not usable, or if it was deleted
 */
record ApiObject(ObjectRef ref, String uid, String version, Optional<ClusterObject> object) {
    /** Checks that nothing is null. */
    ApiObject {
        Objects.requireNonNull(ref, "ref");
        Objects.requireNonNull(uid, "uid");
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(object, "object");
    }
}
