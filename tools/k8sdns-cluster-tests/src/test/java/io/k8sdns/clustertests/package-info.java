/** End-to-end tests of DNS for a live cluster, against a mock of an API server by default and against a real cluster on demand. */
@NullMarked
package io.k8sdns.clustertests;

import org.jspecify.annotations.NullMarked;
