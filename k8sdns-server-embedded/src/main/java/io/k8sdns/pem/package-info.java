/**
 * Internal: certificates and private keys of TLS, read with the JDK alone. The package is exported to modules of k8sdns only and may
 * change in any release.
 */
@NullMarked
package io.k8sdns.pem;

import org.jspecify.annotations.NullMarked;
