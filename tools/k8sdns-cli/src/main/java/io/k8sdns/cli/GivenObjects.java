package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces the EndpointSlices that completion has made, because users do not know them: in the sources of records by the Pod of the
 * endpoint or its workload, otherwise by the Endpoints or the Service from which the slice was made; in causes and suggestions by the
 * Endpoints.
 *
 * @param invented knows the workloads of Pods with invented names
 * @param manifests the manifests that hold the objects of the cluster; empty for a live cluster, which holds all of them
 */
record GivenObjects(ClusterSnapshot cluster, InventedRecords invented, Optional<ManifestResult> manifests) {
    private static final Pattern ENTRY = Pattern.compile("(ports|endpoints)\\[(\\d+)](.*)");
    private static final Pattern ADDRESS = Pattern.compile("endpoints\\[(\\d+)]\\.addresses\\[(\\d+)].*");
    private static final String SUBSETS = "subsets";

    /** An object and the path of its field; "" if there is no single one. */
    private record Maker(ObjectRef object, String field) {}

    /** Returns whether the manifests or the live cluster hold an object. */
    boolean isGiven(ObjectRef object) {
        return manifests.map(read -> read.position(object).isPresent()).orElse(true);
    }

    /** Returns an explanation whose sources, and the objects of whose causes and suggestions, are given objects. */
    Explanation of(Explanation explanation) {
        return new Explanation(
                explanation.name(),
                explanation.type(),
                explanation.answer(),
                explanation.sources().stream().map(this::of).toList(),
                explanation.causes().stream().map(this::of).toList(),
                explanation.suggestions().stream().map(this::of).toList());
    }

    /** Returns an explanation with other sources. */
    static Explanation withSources(Explanation all, List<Source> sources) {
        return new Explanation(all.name(), all.type(), all.answer(), sources, all.causes(), all.suggestions());
    }

    private Source of(Source source) {
        return made(source.object())
                .flatMap(slice -> maker(slice, source.field()))
                .map(maker -> new Source(
                        source.record(), source.zone(), Optional.of(maker.object), maker.field, source.rule()))
                .orElse(source);
    }

    private Cause of(Cause cause) {
        return made(cause.object())
                .flatMap(slice -> endpoints(slice).map(endpoints -> {
                    String entry = entry(slice, cause.field());
                    return new Cause(Optional.of(endpoints), SUBSETS, entry + cause.text(), cause.position());
                }))
                .orElse(cause);
    }

    private Suggestion of(Suggestion suggestion) {
        return made(suggestion.object())
                .flatMap(slice -> endpoints(slice)
                        .map(endpoints -> new Suggestion(
                                text(suggestion, slice, endpoints),
                                suggestion.name(),
                                suggestion.type(),
                                Optional.of(endpoints),
                                SUBSETS,
                                suggestion.changes(),
                                suggestion.settings())))
                .orElse(suggestion);
    }

    /** Returns the text of a suggestion for the Endpoints of which a slice was made. */
    private static String text(Suggestion suggestion, EndpointSlice slice, ObjectRef endpoints) {
        Matcher entry = ENTRY.matcher(suggestion.field());
        if (entry.matches() && entry.group(3).equals(".conditions")) {
            Endpoint waiting = slice.endpoints().get(Integer.parseInt(entry.group(2)));
            return "move " + waiting.addresses().get(0) + " from notReadyAddresses of " + endpoints + " to addresses";
        }
        return suggestion
                .text()
                .replace(
                        slice.ref() + " " + suggestion.field(),
                        endpoints + ", " + entry(slice, suggestion.field()).replace(":", ""))
                .replace(slice.ref().toString(), endpoints.toString());
    }

    /** Returns the address and the field that an entry of a slice has in its Endpoints, with a colon; "" for other fields. */
    private static String entry(EndpointSlice slice, String field) {
        Matcher entry = ENTRY.matcher(field);
        if (!entry.matches() || !entry.group(1).equals("endpoints")) {
            return field.isEmpty() ? "" : field + ": ";
        }
        Endpoint endpoint = slice.endpoints().get(Integer.parseInt(entry.group(2)));
        String ofEntry =
                entry.group(3).equals(".conditions") ? "" : entry.group(3).replaceFirst("\\.", ", ");
        return endpoint.addresses().get(0) + ofEntry + ": ";
    }

    /** Returns the EndpointSlice that is not given, if an object is one. */
    private Optional<EndpointSlice> made(Optional<ObjectRef> object) {
        return object.filter(one -> one.kind().equals(EndpointSlice.KIND) && !isGiven(one))
                .flatMap(cluster::get)
                .map(EndpointSlice.class::cast);
    }

    /** Returns the given Endpoints of which a slice was made. */
    private Optional<ObjectRef> endpoints(EndpointSlice slice) {
        return slice.serviceRef()
                .map(service -> ObjectRef.of(Endpoints.KIND, service.namespace().orElseThrow(), service.name()))
                .filter(this::isGiven)
                .filter(endpoints -> cluster.unusedEndpoints().stream()
                        .noneMatch(unused -> unused.ref().equals(endpoints)));
    }

    private Optional<Maker> maker(EndpointSlice slice, String field) {
        Matcher entry = ENTRY.matcher(field);
        int index = entry.matches() ? Integer.parseInt(entry.group(2)) : -1;
        boolean isEndpoint = index >= 0 && entry.group(1).equals("endpoints");
        // Endpoints that were exported without the Pods refer to them.
        Optional<ObjectRef> pod = isEndpoint
                ? slice.endpoints()
                        .get(index)
                        .targetRef()
                        .filter(target -> cluster.get(target).isPresent())
                : Optional.empty();
        if (pod.isPresent()) {
            return Optional.of(maker(slice, field, pod.get()));
        }
        String ofService = index < 0 || isEndpoint
                ? ""
                : fieldOfService(slice, slice.ports().get(index));
        return endpoints(slice)
                .map(endpoints -> new Maker(endpoints, SUBSETS))
                .or(() -> slice.serviceRef().map(service -> new Maker(service, ofService)));
    }

    /** Returns the address of a Pod that is an address of a slice; for a Pod with an invented name, the template of its workload. */
    private Maker maker(EndpointSlice slice, String field, ObjectRef pod) {
        ObjectRef observed = invented.observed(pod);
        if (!observed.equals(pod)) {
            return new Maker(observed, "spec.template");
        }
        Matcher address = ADDRESS.matcher(field);
        String ofPod = cluster.get(pod)
                .filter(any -> address.matches())
                .map(found -> "status.podIPs["
                        + ((Pod) found)
                                .ips()
                                .indexOf(slice.endpoints()
                                        .get(Integer.parseInt(address.group(1)))
                                        .addresses()
                                        .get(Integer.parseInt(address.group(2))))
                        + "]")
                .orElse("");
        return new Maker(pod, ofPod);
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
