/**
 * Internal: certificates and private keys from PEM files. The package is exported to modules of k8sdns only and may change in any
 * release.
 */
@NullMarked
package io.k8sdns.federation.pem;

import org.jspecify.annotations.NullMarked;
