/**
 * An API server for tests and measurements: {@link io.k8sdns.apiserver.ApiServer} lists in pages, watches from a version on,
 * takes writes of single objects, and does whatever {@link io.k8sdns.apiserver.Fault} it is told to. It knows objects as
 * texts, by resource and name, and no selectors: what a server selects is for a server of somebody else's to show.
 */
@NullMarked
package io.k8sdns.apiserver;

import org.jspecify.annotations.NullMarked;
