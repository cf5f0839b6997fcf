/**
 * Internal, and not exported: EndpointSlices as the controller of Kubernetes writes them ({@code EndpointSliceRules}), the Pods
 * that a Service selects ({@code PodIndex}), and the objects of a cluster that publish no record ({@code Unpublished}).
 */
@NullMarked
package io.k8sdns.slices;

import org.jspecify.annotations.NullMarked;
