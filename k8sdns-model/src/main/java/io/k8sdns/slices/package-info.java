/**
 * Internal, not exported; only the command, which runs on the class path, uses it from outside. Makes EndpointSlices as the controllers of
 * Kubernetes do ({@code EndpointSliceRules}), decides which legacy Endpoints count ({@code EndpointsMirroring}), finds the Pods that a
 * Service selects ({@code PodIndex}), and reports the objects of a cluster without a record ({@code Unpublished}).
 */
@NullMarked
package io.k8sdns.slices;

import org.jspecify.annotations.NullMarked;
