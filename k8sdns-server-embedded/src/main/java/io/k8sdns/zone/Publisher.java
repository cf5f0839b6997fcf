package io.k8sdns.zone;

import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Service;
import io.k8sdns.rules.Fact;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The writer's entry for an object, or for the zone itself. It exists from the first reference to the object until the object and all
 * that depend on it are removed, and has facts while the object is present and shown. Read and changed by the writer's thread alone.
 */
abstract sealed class Publisher implements Publishers {
    @Override
    public List<Publisher> all() {
        return List.of(this);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a publisher has an identity
    public boolean contains(Publisher publisher) {
        return publisher == this;
    }

    @Override
    public boolean areSlices() {
        return this instanceof SliceState;
    }

    /** Returns the current facts: none while the object, or an object that it depends on, is absent or hidden. */
    PublisherFacts currentFacts(RecordRules rules) {
        return new PublisherFacts.FactList(facts(rules));
    }

    abstract List<Fact> facts(RecordRules rules);

    /** Drops the cached facts at the end of a batch. */
    void endBatch() {}

    /** The names that exist without any object. */
    static final class FixedNames extends Publisher {
        @Override
        List<Fact> facts(RecordRules rules) {
            return rules.fixedFacts();
        }
    }

    /** A Namespace and everything in it, whether or not the Namespace itself has arrived. */
    static final class NamespaceState extends Publisher {
        final Map<String, ServiceState> services = new HashMap<>();
        final Map<String, SliceState> slices = new HashMap<>();
        final Map<String, PodState> pods = new HashMap<>();

        final String name;

        @Nullable
        Namespace namespace;

        boolean visible;

        NamespaceState(String name) {
            this.name = name;
        }

        boolean isUnused() {
            // A slice has an entry of its Service, which may be absent.
            return namespace == null && services.isEmpty() && pods.isEmpty();
        }

        @Override
        List<Fact> facts(RecordRules rules) {
            return visible && namespace != null ? rules.factsOf(namespace) : List.of();
        }
    }

    /** A Service and its slices, whether or not the Service itself has arrived. */
    static final class ServiceState extends Publisher {
        final NamespaceState namespace;
        final String name;
        final List<SliceState> slices = new ArrayList<>(0);

        @Nullable
        PackedObject service;

        /** The Service while a batch changes it, so that it is not decoded several times; null otherwise. */
        private @Nullable Service decoded;

        boolean visible;

        /** The sum over the slices; counted only while Services without endpoints are ignored. */
        int publishedEndpoints;

        ServiceState(NamespaceState namespace, String name) {
            this.namespace = namespace;
            this.name = name;
        }

        boolean isUnused() {
            return service == null && slices.isEmpty();
        }

        /** Returns the Service, shown or not; null if there is none. */
        @Nullable
        Service service() {
            if (decoded != null) {
                return decoded;
            }
            return service == null ? null : service.decodeService(namespace.name, name);
        }

        /** Sets the Service, in a batch that changes this publisher. */
        void put(PackedObject packed, Service given) {
            service = packed;
            decoded = given;
        }

        /** Removes the Service. */
        void remove() {
            service = null;
            decoded = null;
        }

        @Override
        void endBatch() {
            decoded = null;
        }

        /** Returns the Service while it is shown; null while it is not. */
        @Nullable
        Service shown(RecordRules rules) {
            if (!namespace.visible || !visible) {
                return null;
            }
            Service present = service();
            return present == null || rules.isIgnored(present, publishedEndpoints) ? null : present;
        }

        @Override
        List<Fact> facts(RecordRules rules) {
            Service shown = shown(rules);
            return shown == null ? List.of() : rules.factsOf(shown);
        }
    }

    /** An EndpointSlice that names a Service. */
    static final class SliceState extends Publisher {
        final ServiceState service;
        final String name;

        @Nullable
        PackedObject slice;

        int publishedEndpoints;

        SliceState(ServiceState service, String name) {
            this.service = service;
            this.name = name;
        }

        /** Returns the slice, shown or not; null if there is none. */
        @Nullable
        EndpointSlice slice() {
            return slice == null ? null : slice.decodeSlice(service.namespace.name, name, service.name);
        }

        @Override
        PublisherFacts currentFacts(RecordRules rules) {
            Service shown = slice == null ? null : service.shown(rules);
            return slice == null || shown == null
                    ? PublisherFacts.FactList.EMPTY
                    : new PublisherFacts.SliceFacts(rules, slice, name, shown);
        }

        @Override
        List<Fact> facts(RecordRules rules) {
            return currentFacts(rules).facts();
        }
    }

    /** A Pod. */
    static final class PodState extends Publisher {
        final NamespaceState namespace;
        final String name;

        @Nullable
        PackedObject pod;

        boolean visible;

        PodState(NamespaceState namespace, String name) {
            this.namespace = namespace;
            this.name = name;
        }

        @Override
        List<Fact> facts(RecordRules rules) {
            return namespace.visible && visible && pod != null
                    ? rules.factsOf(pod.decodePod(namespace.name, name))
                    : List.of();
        }
    }
}
