/**
 * An API server for tests and measurements: {@link io.k8sdns.apiserver.ApiServer} serves lists in pages, watches and writes of
 * single objects, with every {@link io.k8sdns.apiserver.Fault} that a test sets. It stores objects as texts, by resource and
 * name, and ignores selectors: tests of selectors need another server.
 */
@NullMarked
package io.k8sdns.apiserver;

import org.jspecify.annotations.NullMarked;
