/**
 * Internal: questions that are asked at the same time. The package is for modules of k8sdns only and may change in any release.
 */
@NullMarked
package io.k8sdns.sockets.parallel;

import org.jspecify.annotations.NullMarked;
