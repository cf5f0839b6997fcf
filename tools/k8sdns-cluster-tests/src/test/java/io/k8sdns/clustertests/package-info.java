/** DNS of a live cluster from end to end, against a mock of an API server in every build and a real one on demand. */
@NullMarked
package io.k8sdns.clustertests;

import org.jspecify.annotations.NullMarked;
