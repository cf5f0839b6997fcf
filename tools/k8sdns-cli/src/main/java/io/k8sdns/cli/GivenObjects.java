package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces the EndpointSlices that completion has made in the sources of records, because users do not know them: by the Pod of the
 * endpoint or its workload, otherwise by the Endpoints or the Service from which the slice was made.
 *
 * @param invented knows the workloads of Pods with invented names
 * @param manifests the manifests that hold the objects of the cluster; empty for a live cluster, which holds all of them
 */
record GivenObjects(ClusterSnapshot cluster, InventedRecords invented, Optional<ManifestResult> manifests) {
    private static final Pattern ENTRY = Pattern.compile("(ports|endpoints)\\[(\\d+)].*");

    /** An object and the path of its field; "" if there is no single one. */
    private record Maker(ObjectRef object, String field) {}

    /** Returns whether the manifests or the live cluster hold an object. */
    boolean isGiven(ObjectRef object) {
        return manifests.map(read -> read.position(object).isPresent()).orElse(true);
    }

    /** Returns an explanation whose sources are given objects. */
    Explanation of(Explanation explanation) {
        return withSources(
                explanation, explanation.sources().stream().map(this::of).toList());
    }

    /** Returns an explanation with other sources. */
    static Explanation withSources(Explanation all, List<Source> sources) {
        return new Explanation(all.name(), all.type(), all.answer(), sources, all.causes(), all.suggestions());
    }

    private Source of(Source source) {
        return source.object()
                .filter(object -> object.kind().equals(EndpointSlice.KIND) && !isGiven(object))
                .flatMap(cluster::get)
                .flatMap(slice -> maker((EndpointSlice) slice, source.field()))
                .map(maker -> new Source(
                        source.record(), source.zone(), Optional.of(maker.object), maker.field, source.rule()))
                .orElse(source);
    }

    private Optional<Maker> maker(EndpointSlice slice, String field) {
        Matcher entry = ENTRY.matcher(field);
        int index = entry.matches() ? Integer.parseInt(entry.group(2)) : -1;
        boolean isEndpoint = index >= 0 && entry.group(1).equals("endpoints");
        Optional<ObjectRef> pod = isEndpoint ? slice.endpoints().get(index).targetRef() : Optional.empty();
        if (pod.isPresent()) {
            return Optional.of(new Maker(invented.observed(pod.get()), ""));
        }
        String ofService = index < 0 || isEndpoint
                ? ""
                : fieldOfService(slice, slice.ports().get(index));
        return slice.serviceRef()
                .map(service -> Optional.of(
                                ObjectRef.of(Endpoints.KIND, service.namespace().orElseThrow(), service.name()))
                        .filter(this::isGiven)
                        .map(endpoints -> new Maker(endpoints, ""))
                        .orElseGet(() -> new Maker(service, ofService)));
    }

    /** Returns the port of a Service from which a port of its slice was made; "" if there is none. */
    private String fieldOfService(EndpointSlice slice, EndpointPort made) {
        return slice.serviceRef()
                .flatMap(cluster::get)
                .map(service -> ((Service) service)
                        .ports().stream()
                                .map(one -> one.key().equals(made.key()))
                                .toList()
                                .indexOf(true))
                .filter(index -> index >= 0)
                .map(index -> "spec.ports[" + index + "]")
                .orElse("");
    }
}
