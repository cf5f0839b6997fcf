package io.k8sdns.explain;

import io.k8sdns.model.ObjectRef;

/**
 * A field of an object.
 *
 * @param object the object
 * @param field the path of the field; empty for the object as a whole
 */
record FieldLocation(ObjectRef object, String field) {}
