/**
 * Internal, not exported: JSON as the design document of federations writes it, for the other packages of this module.
 */
@NullMarked
package io.k8sdns.federation.json;

import org.jspecify.annotations.NullMarked;
