package io.k8sdns.clientjava;

import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Node;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServiceExport;

/** A kind of object that records depend on, and its path at an API server. */
enum ApiKind {
    NAMESPACES("/api/v1", "namespaces", "v1", Namespace.KIND, false),
    SERVICES("/api/v1", "services", "v1", Service.KIND, true),
    ENDPOINT_SLICES("/apis/discovery.k8s.io/v1", "endpointslices", "discovery.k8s.io/v1", EndpointSlice.KIND, true),
    PODS("/api/v1", "pods", "v1", Pod.KIND, true),
    NODES("/api/v1", "nodes", "v1", Node.KIND, false),
    SERVICE_EXPORTS(
            "/apis/multicluster.x-k8s.io/v1alpha1",
            "serviceexports",
            "multicluster.x-k8s.io/v1alpha1",
            ServiceExport.KIND,
            true);

    private final String root;
    private final String resource;
    private final String apiVersion;
    private final String kind;
    private final boolean namespaced;

    ApiKind(String root, String resource, String apiVersion, String kind, boolean namespaced) {
        this.root = root;
        this.resource = resource;
        this.apiVersion = apiVersion;
        this.kind = kind;
        this.namespaced = namespaced;
    }

    /** Returns the path of the objects of all namespaces. */
    String path() {
        return root + "/" + resource;
    }

    /** Returns the path of one namespace's objects. */
    String path(String namespace) {
        return root + "/namespaces/" + namespace + "/" + resource;
    }

    /** Returns the name of the resource, as roles have it. */
    String resource() {
        return resource;
    }

    /** Returns whether the source works without permission for this kind; the names that depend on it do not exist then. */
    boolean isOptional() {
        return this == PODS || this == NODES || this == SERVICE_EXPORTS;
    }

    /** Returns whether the kind is a custom resource; an API server that does not know it has no objects of it. */
    boolean isCustom() {
        return this == SERVICE_EXPORTS;
    }

    String apiVersion() {
        return apiVersion;
    }

    String kind() {
        return kind;
    }

    boolean isNamespaced() {
        return namespaced;
    }
}
