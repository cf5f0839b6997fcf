/**
 * Internal, not exported: JSON as the federation document writes it, for the other packages of this module.
 */
@NullMarked
package io.k8sdns.federation.json;

import org.jspecify.annotations.NullMarked;
