/**
 * Internal, and not exported: JSON as the federation document writes it, for {@code io.k8sdns.federation.api} and
 * {@code io.k8sdns.federation.store}.
 */
@NullMarked
package io.k8sdns.federation.json;

import org.jspecify.annotations.NullMarked;
