package io.k8sdns.json;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.InvalidFieldException;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpFamilyPolicy;
import io.k8sdns.model.Labels;
import io.k8sdns.model.LoadBalancerIngress;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.PortKey;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServiceExport;
import io.k8sdns.model.ServicePort;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.model.TargetPort;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Makes model objects of values: the only class that reads the fields of the Kubernetes API.
 *
 * <p>A wrong value is reported and omitted, and nothing else with it (BEHAVIOUR row C24): for a bad address, port, target
 * port, number, endpoint or label that one alone, for a bad name, namespace or type the object. Fields that no record
 * depends on are ignored here; {@link ObjectChecks} may report them.
 */
public final class ObjectReader {
    /** The code of notes about objects of a kind, group or version that is not read. */
    public static final String KIND_NOT_READ = "kind-not-read";

    /** The code of notes about fields that were completed with their defaults. */
    public static final String DEFAULTED = "defaulted";

    private static final String TOLERATE_UNREADY = "service.alpha.kubernetes.io/tolerate-unready-endpoints";
    private static final int MOST_ADDRESSES = 100;

    private final FileNotes notes;
    private final String defaultNamespace;
    private final ObjectChecks checks;
    private final Found found;
    private int objectsFound;

    /** Whether the object that is being read is skipped. */
    private boolean isSkipped;

    /** What takes the objects. */
    public interface Found {
        /**
         * An object was read.
         *
         * @param object a cluster object, Endpoints, a StatefulSet or a {@link ConfigMap}
         * @param line where it begins
         * @param addressRefused whether it names an address that is none, so that none may be made up for it
         * @param faultless whether no part of it was reported as wrong
         */
        void object(ObjectRef ref, Object object, int line, boolean addressRefused, boolean faultless);

        /**
         * A document was skipped for a fault, which was reported.
         *
         * @param kind as written; empty if it has none
         * @param namespace as written
         * @param name empty if it has none that is valid
         */
        default void skipped(String kind, Optional<String> namespace, Optional<String> name) {}

        /** Returns whether a ConfigMap is read; one that is not is noted as any other kind that is not read. */
        default boolean readsConfigMap(ObjectRef ref) {
            return false;
        }
    }

    /**
     * Reads the values of one file.
     *
     * @param defaultNamespace the namespace of objects that name none
     * @param checks what else is checked
     */
    public ObjectReader(FileNotes notes, String defaultNamespace, ObjectChecks checks, Found found) {
        this.notes = notes;
        this.defaultNamespace = defaultNamespace;
        this.checks = checks;
        this.found = found;
    }

    /**
     * Reads an object, or a list of objects.
     *
     * @param fromList the type that the list around it gives
     */
    public void read(Value value, ObjectType fromList) {
        Field root = Field.root(notes, value);
        if (root.isAbsent()) {
            return;
        }
        ObjectType own = ObjectType.of(value);
        ObjectType type = own.isNone() ? fromList : own;
        Field list = type.isList() ? root.of(ref(root, type.kind(), false)) : root;
        if (type.isList()) {
            checks.checkList(list);
        }
        if (type.isList()
                && value instanceof Value.Mapping mapping
                && mapping.get("items") instanceof Value.Sequence items) {
            items.items().forEach(item -> readItem(item, type));
        } else if (type.kind().equals("List")) {
            // An empty list, as Go writes it or leaves it out; anything else is reported.
            list.get("items").items();
            if (list.isInFaultyObject()) {
                skipped(root, type);
            }
        } else if (type.isWhole()) {
            object(root, type);
        } else if (!(value instanceof Value.Mapping) || type.isNone()) {
            notes.noObject(value);
            if (!value.isEmpty()) {
                skipped(root, type);
            }
        } else if (isForeign(root, type)) {
            root.note("no-object", "without kind, metadata and spec, no Kubernetes object");
            skipped(root, type);
        } else {
            root.of(ref(root, type.kind().isEmpty() ? "object" : type.kind(), false))
                    .warn("no-type", type.kind().isEmpty() ? "apiVersion without kind" : "kind without apiVersion");
            skipped(root, type);
        }
    }

    private void readItem(Value item, ObjectType list) {
        if (Field.root(notes, item).isAbsent()) {
            notes.noObject(item);
        }
        read(item, list.ofEntries());
    }

    private void object(Field root, ObjectType type) {
        int before = objectsFound;
        switch (type.apiVersion() + " " + type.kind()) {
            case "v1 Namespace" -> clusterScoped(root, Namespace.KIND, this::namespace);
            case "v1 Node" -> clusterScoped(root, Node.KIND, this::node);
            case "v1 Service" -> namespaced(root, Service.KIND, this::service);
            case "v1 Endpoints" -> namespaced(root, Endpoints.KIND, this::endpoints);
            case "v1 Pod" -> namespaced(root, Pod.KIND, this::pod);
            case "discovery.k8s.io/v1 EndpointSlice" -> namespaced(root, EndpointSlice.KIND, this::endpointSlice);
            case "multicluster.x-k8s.io/v1alpha1 ServiceExport", "multicluster.x-k8s.io/v1beta1 ServiceExport" ->
                namespaced(root, ServiceExport.KIND, this::serviceExport);
            case "apps/v1 StatefulSet" -> namespaced(root, StatefulSet.KIND, this::statefulSet);
            case "v1 ConfigMap" -> {
                if (!found.readsConfigMap(ref(root, ConfigMap.KIND, true))) {
                    notRead(root, type);
                    return;
                }
                namespaced(root, ConfigMap.KIND, this::configMap);
            }
            default -> {
                Optional<String> problem = checks.unknownKind(type);
                if (problem.isEmpty()) {
                    notRead(root, type);
                    return;
                }
                root.of(ref(root, type.kind(), false)).warn("unknown-kind", problem.get());
            }
        }
        if (objectsFound == before) {
            skipped(root, type);
        }
    }

    private void notRead(Field root, ObjectType type) {
        root.of(ref(root, type.kind(), false)).note(KIND_NOT_READ, type + " is not read");
    }

    private void skipped(Field root, ObjectType type) {
        Field metadata = root.get("metadata");
        found.skipped(
                type.kind(),
                metadata.get("namespace").scalarText(),
                metadata.get("name").scalarText().filter(KubernetesNames::isDnsSubdomain));
    }

    /** Returns whether this is the file of another tool that writes an {@code apiVersion}, as Helm and Grafana do. */
    private static boolean isForeign(Field root, ObjectType type) {
        return type.kind().isEmpty()
                && root.get("metadata").isAbsent()
                && root.get("spec").isAbsent();
    }

    // Metadata

    private void clusterScoped(Field root, String kind, BiConsumer<Field, Metadata> reader) {
        readNamed(root.of(ref(root, kind, false)), kind, Optional.of(defaultNamespace), reader);
    }

    private void namespaced(Field root, String kind, BiConsumer<Field, Metadata> reader) {
        Field object = root.of(ref(root, kind, true));
        Field namespace = object.get("metadata").get("namespace");
        Optional<String> given = namespace.text();
        if (given.isPresent() || namespace.isAbsent()) {
            String chosen = given.filter(text -> !text.isEmpty()).orElse(defaultNamespace);
            readNamed(object, kind, Optional.of(chosen), reader);
        }
    }

    private void readNamed(Field object, String kind, Optional<String> namespace, BiConsumer<Field, Metadata> reader) {
        Field metadata = object.get("metadata");
        if (!metadata.isMappingOrAbsent()) {
            return;
        }
        if (!checks.hasKnownFields(object, kind)) {
            return;
        }
        // An object without a valid name or a required field is skipped, but read for its other faults.
        isSkipped = !checks.hasRequiredFields(object, kind);
        Metadata read = metadata(object, kind, namespace.orElseThrow());
        checks.checkValues(object, kind);
        try {
            reader.accept(object, read);
        } catch (InvalidFieldException e) {
            object.at(e.field()).warn("invalid-object", e.problem());
        }
    }

    /** Returns the metadata of an object; of one without a valid name, which is reported and skipped, those of another object. */
    private Metadata metadata(Field object, String kind, String namespace) {
        Field metadata = object.get("metadata");
        Optional<String> name = metadata.get("name").text();
        if (name.isEmpty() && metadata.get("name").isAbsent()) {
            metadata.get("name").warn("no-name", "a " + kind + " without a name");
        }
        Labels labels = labels(metadata.get("labels").members());
        Optional<String> uid = metadata.get("uid").text().filter(text -> !text.isEmpty());
        if (name.isPresent()) {
            try {
                return new Metadata(namespace, name.get(), uid, labels);
            } catch (InvalidFieldException e) {
                object.at(e.field()).warn("invalid-object", e.problem());
            }
        }
        isSkipped = true;
        return new Metadata("default", "unnamed", uid, labels);
    }

    /** The object as diagnostics name it, before anything of it is known to be right. */
    private ObjectRef ref(Field root, String kind, boolean namespaced) {
        Field metadata = root.get("metadata");
        String name = metadata.get("name").scalarText().orElse("(no name)");
        Optional<String> namespace = metadata.get("namespace").scalarText().filter(text -> !text.isEmpty());
        if (!namespaced) {
            return ObjectRef.of(kind, name);
        }
        return ObjectRef.of(kind, namespace.orElse(defaultNamespace), name);
    }

    /** Reads labels; those that are invalid are reported and omitted. */
    public static Labels labels(Map<String, Field> given) {
        if (given.isEmpty()) {
            return Labels.NONE;
        }
        Map<String, String> labels = new TreeMap<>();
        for (Map.Entry<String, Field> label : given.entrySet()) {
            Optional<String> value = label(label.getKey(), label.getValue());
            if (value.isPresent()) {
                labels.put(label.getKey(), value.get());
            }
        }
        return new Labels(labels);
    }

    private static Optional<String> label(String key, Field field) {
        Optional<String> value = field.isAbsent() ? Optional.of("") : field.text();
        if (value.isPresent() && !KubernetesNames.isQualifiedName(key)) {
            field.warn("invalid-label", "not a label key: \"" + key + "\"");
            return Optional.empty();
        }
        if (value.isPresent() && !KubernetesNames.isLabelValue(value.get())) {
            field.warn("invalid-label", "not a label value: \"" + value.get() + "\"");
            return Optional.empty();
        }
        return value;
    }

    // v1

    private void namespace(Field object, Metadata metadata) {
        put(object, new Namespace(metadata.name(), metadata.uid(), metadata.labels()));
    }

    private void node(Field object, Metadata metadata) {
        List<IpAddress> addresses = new ArrayList<>();
        for (Field address : object.get("status").get("addresses").items()) {
            if (address.get("type").says("InternalIP")) {
                address(address.get("address")).ifPresent(addresses::add);
            }
        }
        put(object, new Node(metadata.name(), metadata.uid(), metadata.labels(), addresses));
    }

    private void serviceExport(Field object, Metadata metadata) {
        put(object, new ServiceExport(metadata));
    }

    /** A ConfigMap with a value that is no text is skipped as a whole: half a configuration is another one. */
    private void configMap(Field object, Metadata metadata) {
        Field field = object.get("data");
        Map<String, String> data = new TreeMap<>();
        boolean allText = field.isMappingOrAbsent();
        for (Map.Entry<String, Field> entry : field.members().entrySet()) {
            Field value = entry.getValue();
            Optional<String> text = value.isAbsent() ? Optional.of("") : value.text();
            text.ifPresent(some -> data.put(entry.getKey(), some));
            allText &= text.isPresent();
        }
        if (allText) {
            ConfigMap read = new ConfigMap(metadata.namespace(), metadata.name(), data);
            found(object, read.ref(), read, false);
        }
    }

    private void service(Field object, Metadata metadata) {
        Field spec = object.get("spec");
        if (!spec.isMappingOrAbsent()) {
            return;
        }
        Field type = spec.get("type");
        Optional<String> given = type.text();
        if (given.isEmpty() && !type.isAbsent()) {
            return;
        }
        switch (given.orElse("")) {
            case "ExternalName" -> externalNameService(object, spec, metadata);
            case "", "ClusterIP", "NodePort", "LoadBalancer" -> addressedService(object, spec, metadata);
            default ->
                type.warn(
                        "invalid-type",
                        "not ClusterIP, NodePort, LoadBalancer or ExternalName: \"" + given.orElse("") + "\"");
        }
    }

    private void externalNameService(Field object, Field spec, Metadata metadata) {
        Field field = spec.get("externalName");
        Optional<String> target = field.text().filter(name -> !name.isEmpty());
        try {
            put(object, new ExternalNameService(metadata, target));
        } catch (InvalidFieldException e) {
            if (!e.field().equals("spec.externalName")) {
                throw e;
            }
            field.warn("invalid-external-name", e.problem());
            put(object, new ExternalNameService(metadata, Optional.empty()));
        }
    }

    private void addressedService(Field object, Field spec, Metadata metadata) {
        List<String> defaults = new ArrayList<>();
        addDefault(defaults, spec.get("type"), "ClusterIP");
        List<ServicePort> ports =
                ports(spec.get("ports"), port -> servicePort(port, defaults), ServicePort::key, false);
        if (!defaults.isEmpty()) {
            object.note(DEFAULTED, "completed: " + String.join(", ", defaults));
        }
        EndpointSelection selection = new EndpointSelection(
                selector(spec.get("selector")), families(spec.get("ipFamilies")), policy(spec.get("ipFamilyPolicy")));
        boolean publishNotReady = spec.get("publishNotReadyAddresses").truth().orElse(false)
                || object.get("metadata")
                        .get("annotations")
                        .get(TOLERATE_UNREADY)
                        .text()
                        .equals(Optional.of("true"));
        List<Field> given = givenClusterIps(spec);
        if (hasNone(given)) {
            warnOfTypeBesideNone(spec);
            given.stream()
                    .filter(one -> !isNone(one))
                    .forEach(one ->
                            one.warn("invalid-address", "an address beside None, which makes a headless Service"));
            put(object, new HeadlessService(metadata, ports, selection, publishNotReady));
            return;
        }
        List<IpAddress> addresses = new ArrayList<>();
        for (Field one : given) {
            Optional<IpAddress> address = address(one);
            if (address.isEmpty()) {
                continue;
            }
            if (hasFamily(addresses, address.get().family())) {
                one.warn(
                        "invalid-address",
                        "a second address of family " + address.get().family());
            } else {
                addresses.add(address.get());
            }
        }
        boolean refused = addresses.isEmpty() && !given.isEmpty();
        LoadBalancerIngress ingress = spec.get("type").says("LoadBalancer")
                ? ingress(object.get("status").get("loadBalancer").get("ingress"))
                : LoadBalancerIngress.NONE;
        ClusterIpService service =
                new ClusterIpService(metadata, addresses, ports, selection, publishNotReady, ingress);
        found(object, service.ref(), service, refused);
    }

    /** A host name that cannot be used is omitted, and warned of. */
    private LoadBalancerIngress ingress(Field field) {
        List<IpAddress> addresses = new ArrayList<>();
        List<String> hostNames = new ArrayList<>();
        for (Field entry : field.items()) {
            Field ip = entry.get("ip");
            if (!ip.saysNothing()) {
                address(ip).ifPresent(addresses::add);
            }
            Field hostname = entry.get("hostname");
            hostname.text().filter(name -> !name.isEmpty()).ifPresent(name -> {
                try {
                    hostNames.addAll(
                            LoadBalancerIngress.NONE.withHostNames(name).hostNames());
                } catch (InvalidFieldException invalid) {
                    hostname.warn("invalid-hostname", invalid.problem());
                }
            });
        }
        return addresses.isEmpty() && hostNames.isEmpty()
                ? LoadBalancerIngress.NONE
                : new LoadBalancerIngress(addresses, hostNames);
    }

    /** The API server would refuse it, kube-proxy has nothing to forward, and DNS takes it for headless. */
    private void warnOfTypeBesideNone(Field spec) {
        Field type = spec.get("type");
        if (checks.areApplied() && (type.says("NodePort") || type.says("LoadBalancer"))) {
            type.warn(
                    "invalid-type",
                    "ignored, as clusterIP is None: a headless Service cannot be a "
                            + type.scalarText().orElseThrow());
        }
    }

    private static boolean hasNone(List<Field> clusterIps) {
        for (Field one : clusterIps) {
            if (isNone(one)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasFamily(List<IpAddress> addresses, IpFamily family) {
        for (IpAddress known : addresses) {
            if (known.family() == family) {
                return true;
            }
        }
        return false;
    }

    private static boolean isNone(Field clusterIp) {
        return clusterIp.says("None");
    }

    /** The entries of clusterIPs, or clusterIP alone; nothing where the API server has yet to choose. */
    public static List<Field> givenClusterIps(Field spec) {
        Field single = spec.get("clusterIP");
        List<Field> all = spec.get("clusterIPs").items();
        boolean singleIsEmpty = single.saysNothing();
        if (all.isEmpty()) {
            return singleIsEmpty ? List.of() : List.of(single);
        }
        if (!singleIsEmpty && !single.scalarText().equals(all.get(0).scalarText())) {
            single.warn("invalid-address", "not the first of clusterIPs, which count");
        }
        return all;
    }

    private static List<IpFamily> families(Field field) {
        List<IpFamily> families = new ArrayList<>();
        for (Field entry : field.items()) {
            Optional<IpFamily> family = parsed(entry, ObjectReader::family, "invalid-family", "not IPv4 or IPv6");
            if (family.isEmpty()) {
                continue;
            }
            if (families.contains(family.get())) {
                entry.warn("invalid-family", "named twice: " + family.get());
            } else {
                families.add(family.get());
            }
        }
        return families;
    }

    public static Optional<IpFamily> family(String text) {
        for (IpFamily family : IpFamily.values()) {
            if (family.toString().equals(text)) {
                return Optional.of(family);
            }
        }
        return Optional.empty();
    }

    private static Optional<IpFamilyPolicy> policy(Field field) {
        return parsed(
                field,
                IpFamilyPolicy::tryParse,
                "invalid-family",
                "not SingleStack, PreferDualStack or RequireDualStack");
    }

    /** A selector that lost one of its labels would select more than it should, so it goes as a whole. */
    private static Optional<Labels> selector(Field field) {
        Map<String, Field> given = field.members();
        Labels labels = labels(given);
        if (labels.values().size() < given.size()) {
            field.warn("invalid-selector", "omitted as a whole: without one of its labels it selects other Pods");
            return Optional.empty();
        }
        return given.isEmpty() ? Optional.empty() : Optional.of(labels);
    }

    private Optional<ServicePort> servicePort(Field field, List<String> defaults) {
        Optional<Integer> number = portNumber(field, "port");
        Optional<Protocol> protocol = protocol(field);
        Optional<Optional<String>> name = portName(field);
        if (number.isEmpty() || protocol.isEmpty() || name.isEmpty()) {
            return Optional.empty();
        }
        Field target = field.get("targetPort");
        addDefault(defaults, field.get("protocol"), "TCP");
        addDefault(defaults, target, number.get());
        return Optional.of(new ServicePort(name.get(), protocol.get(), number.get(), targetPort(target, number.get())));
    }

    /** Adds what the API server would fill in, if it would. */
    private void addDefault(List<String> defaults, Field field, Object value) {
        if (checks.areApplied() && field.isAbsent()) {
            defaults.add(field.path().orElseThrow() + " " + value);
        }
    }

    /**
     * A number, or text that names a container port; as to the API server 0 and "" mean what a missing one means.
     * Anything else is the target's fault alone, and the port stays.
     */
    private static TargetPort targetPort(Field field, int port) {
        Optional<Integer> number = field.isNumber() ? field.number() : Optional.empty();
        Optional<String> name = field.isNumber() ? Optional.empty() : field.text();
        if (field.isAbsent() || number.equals(Optional.of(0)) || name.equals(Optional.of(""))) {
            return new TargetPort.Numbered(port);
        }
        try {
            if (number.isPresent()) {
                return new TargetPort.Numbered(number.get());
            }
            return name.isPresent() ? new TargetPort.Named(name.get()) : new TargetPort.Unknown();
        } catch (InvalidFieldException e) {
            field.warn("invalid-port", e.problem());
            return new TargetPort.Unknown();
        }
    }

    private void endpoints(Field object, Metadata metadata) {
        List<Endpoints.Subset> subsets = new ArrayList<>();
        for (Field subset : object.get("subsets").items()) {
            if (subset.get("addresses").entries().isEmpty()
                    && subset.get("notReadyAddresses").entries().isEmpty()) {
                subset.warn("invalid-subset", "without addresses and notReadyAddresses");
            }
            subsets.add(new Endpoints.Subset(
                    endpointAddresses(subset.get("addresses"), metadata.namespace()),
                    endpointAddresses(subset.get("notReadyAddresses"), metadata.namespace()),
                    ports(subset.get("ports"), port -> endpointPort(port, true), EndpointPort::key, true)));
        }
        put(object, new Endpoints(metadata, subsets));
    }

    private List<Endpoints.Address> endpointAddresses(Field field, String namespace) {
        List<Endpoints.Address> addresses = new ArrayList<>();
        for (Field entry : field.items()) {
            endpointAddress(entry.get("ip"))
                    .ifPresent(ip -> addresses.add(new Endpoints.Address(
                            ip, hostname(entry.get("hostname")), nodeName(entry), targetRef(entry, namespace))));
        }
        return addresses;
    }

    private void pod(Field object, Metadata metadata) {
        Field spec = object.get("spec");
        Field status = object.get("status");
        if (!spec.isMappingOrAbsent() || !status.isMappingOrAbsent()) {
            return;
        }
        List<Field> given = new ArrayList<>();
        status.get("podIPs").items().forEach(entry -> given.add(entry.get("ip")));
        Field single = status.get("podIP");
        if (given.isEmpty() && !single.saysNothing()) {
            given.add(single);
        }
        List<IpAddress> addresses = new ArrayList<>();
        given.forEach(entry -> address(entry).ifPresent(addresses::add));
        Pod.Builder builder = Pod.builder(metadata).ips(addresses);
        phase(status.get("phase")).ifPresent(builder::phase);
        ready(status.get("conditions")).ifPresent(builder::ready);
        builder.terminating(!object.get("metadata").get("deletionTimestamp").isAbsent());
        spec.get("hostNetwork").truth().ifPresent(builder::hostNetwork);
        hostname(spec.get("hostname")).ifPresent(builder::hostname);
        name(spec.get("subdomain"), KubernetesNames::isDnsLabel, "invalid-subdomain", "not a DNS label")
                .ifPresent(builder::subdomain);
        nodeName(spec).ifPresent(builder::nodeName);
        Pod pod = builder.ports(containerPorts(spec)).build();
        found(object, pod.ref(), pod, addresses.isEmpty() && !given.isEmpty());
    }

    /** A phase that there is not is not the same as none, which would be completed to Running. */
    private static Optional<PodPhase> phase(Field field) {
        if (field.saysNothing()) {
            return Optional.empty();
        }
        return Optional.of(parsed(field, PodPhase::tryParse, "invalid-phase", "not the phase of a Pod")
                .orElse(PodPhase.UNKNOWN));
    }

    private static Optional<Boolean> ready(Field conditions) {
        Optional<Boolean> ready = Optional.empty();
        for (Field condition : conditions.items()) {
            if (condition.get("type").says("Ready")) {
                ready = Optional.of(condition.get("status").text().equals(Optional.of("True")));
            }
        }
        return ready;
    }

    /** The named ports of the containers, then those of the sidecars, as the controller of EndpointSlices seeks them. */
    private List<ContainerPort> containerPorts(Field spec) {
        List<ContainerPort> ports = new ArrayList<>();
        for (Field container : spec.get("containers").items()) {
            addContainerPorts(ports, container);
        }
        for (Field container : spec.get("initContainers").items()) {
            if (container.get("restartPolicy").says("Always")) {
                addContainerPorts(ports, container);
            }
        }
        return ports;
    }

    private void addContainerPorts(List<ContainerPort> ports, Field container) {
        for (Field field : container.get("ports").items()) {
            port(field, ObjectReader::containerPort).ifPresent(ports::add);
        }
    }

    private static Optional<ContainerPort> containerPort(Field field) {
        Optional<String> name = field.get("name").text().filter(text -> !text.isEmpty());
        if (name.isEmpty()) {
            return Optional.empty();
        }
        Optional<Integer> number = portNumber(field, "containerPort");
        Optional<Protocol> protocol = protocol(field);
        return number.isPresent() && protocol.isPresent()
                ? Optional.of(new ContainerPort(name.get(), protocol.get(), number.get()))
                : Optional.empty();
    }

    // discovery.k8s.io/v1

    private void endpointSlice(Field object, Metadata metadata) {
        Field type = object.get("addressType");
        Optional<AddressType> addressType =
                parsed(type, AddressType::tryParse, "invalid-type", "not IPv4, IPv6 or FQDN");
        if (addressType.isEmpty()) {
            if (type.isAbsent()) {
                type.warn("invalid-type", "an EndpointSlice without an address type");
            }
            return;
        }
        List<Endpoint> endpoints = new ArrayList<>();
        if (addressType.get() != AddressType.FQDN) {
            for (Field field : object.get("endpoints").items()) {
                endpoint(field, addressType.get(), metadata.namespace()).ifPresent(endpoints::add);
            }
        }
        EndpointSlice.Builder slice = EndpointSlice.builder(metadata)
                .addressType(addressType.get())
                .endpoints(endpoints)
                .ports(ports(object.get("ports"), port -> endpointPort(port, false), EndpointPort::key, false));
        metadata.labels().get(EndpointSlice.SERVICE_NAME_LABEL).ifPresent(slice::service);
        put(object, slice.build());
    }

    private Optional<Endpoint> endpoint(Field field, AddressType type, String namespace) {
        if (!field.isMappingOrAbsent()) {
            return Optional.empty();
        }
        Field conditions = field.get("conditions");
        Optional<Boolean> ready = conditions.get("ready").truth();
        if (!conditions.isMappingOrAbsent()
                || ready.isEmpty() && !conditions.get("ready").isAbsent()) {
            // To publish an endpoint whose condition cannot be read would be a guess.
            return Optional.empty();
        }
        List<Field> given = field.get("addresses").items();
        if (given.isEmpty()) {
            field.warn("invalid-endpoint", "an endpoint without an address");
        }
        List<IpAddress> addresses = new ArrayList<>();
        for (Field entry : given) {
            Optional<IpAddress> address = endpointAddress(entry);
            if (address.isEmpty()) {
                continue;
            }
            if (AddressType.of(address.get().family()) != type) {
                entry.warn("invalid-address", "not an address of type " + type + ": " + address.get());
            } else if (addresses.size() == MOST_ADDRESSES) {
                entry.warn("invalid-address", "more than " + MOST_ADDRESSES + " addresses of one endpoint");
            } else {
                addresses.add(address.get());
            }
        }
        if (addresses.isEmpty()) {
            return Optional.empty();
        }
        Endpoint.Builder endpoint = Endpoint.builder(addresses);
        ready.ifPresent(endpoint::ready);
        hostname(field.get("hostname")).ifPresent(endpoint::hostname);
        targetRef(field, namespace).ifPresent(endpoint::targetRef);
        nodeName(field).ifPresent(endpoint::nodeName);
        field.get("zone").text().filter(zone -> !zone.isEmpty()).ifPresent(endpoint::topologyZone);
        return Optional.of(endpoint.build());
    }

    // apps/v1

    private void statefulSet(Field object, Metadata metadata) {
        Field spec = object.get("spec");
        if (!spec.isMappingOrAbsent()) {
            return;
        }
        labels(spec.get("selector").get("matchLabels").members());
        Field template = spec.get("template");
        if (!template.isMappingOrAbsent() || !template.get("spec").isMappingOrAbsent()) {
            return;
        }
        // API servers accepted any value for years.
        Field podSpec = template.get("spec").withWarningsAsNotes();
        put(
                object,
                new StatefulSet(
                        metadata,
                        notNegative(spec.get("replicas"), 1),
                        notNegative(spec.get("ordinals").get("start"), 0),
                        spec.get("serviceName").text().filter(name -> !name.isEmpty()),
                        new PodTemplate(
                                labels(template.get("metadata").get("labels").members()),
                                podSpec.get("hostNetwork").truth().orElse(false),
                                nodeName(podSpec),
                                containerPorts(podSpec))));
    }

    /** A number that is left out, for whatever reason, means what a missing one means. */
    private static int notNegative(Field field, int missing) {
        int number = field.number().orElse(missing);
        if (number < 0) {
            field.warn("invalid-number", "negative, so read as " + missing + ": " + number);
            return missing;
        }
        return number;
    }

    // What several kinds have

    private Optional<IpAddress> address(Field field) {
        if (field.isAbsent()) {
            field.warn("invalid-address", "no address");
        }
        return parsed(field, IpAddress::tryParse, "invalid-address", "not an IP address");
    }

    private Optional<IpAddress> endpointAddress(Field field) {
        return address(field).filter(checks::isEndpointAddress);
    }

    public static Optional<String> hostname(Field field) {
        return name(field, KubernetesNames::isDnsLabel, "invalid-hostname", "not a DNS label");
    }

    public static Optional<String> nodeName(Field parent) {
        return name(
                parent.get("nodeName"), KubernetesNames::isDnsSubdomain, "invalid-node-name", "not a DNS subdomain");
    }

    private static Optional<String> name(Field field, Predicate<String> rule, String code, String problem) {
        Optional<String> text = field.text().filter(name -> !name.isEmpty());
        if (text.isPresent() && !rule.test(text.get())) {
            field.warn(code, problem + ": \"" + text.get() + "\"");
            return Optional.empty();
        }
        return text;
    }

    private static <T> Optional<T> parsed(
            Field field, Function<String, Optional<T>> parser, String code, String problem) {
        Optional<String> text = field.text();
        Optional<T> parsed = text.flatMap(parser);
        if (text.isPresent() && parsed.isEmpty()) {
            field.warn(code, problem + ": \"" + text.get() + "\"");
        }
        return parsed;
    }

    private static Optional<ObjectRef> targetRef(Field parent, String namespace) {
        Field ref = parent.get("targetRef");
        Optional<String> kind = ref.get("kind").text();
        Optional<String> name = ref.get("name").text();
        return kind.isPresent() && name.isPresent()
                ? Optional.of(
                        ObjectRef.of(kind.get(), ref.get("namespace").text().orElse(namespace), name.get()))
                : Optional.empty();
    }

    private Optional<EndpointPort> endpointPort(Field field, boolean numberRequired) {
        OptionalInt number = OptionalInt.empty();
        if (numberRequired || !field.get("port").isAbsent()) {
            Optional<Integer> given = portNumber(field, "port");
            if (given.isEmpty()) {
                return Optional.empty();
            }
            number = OptionalInt.of(given.get());
        }
        Optional<Protocol> protocol = protocol(field);
        Optional<Optional<String>> name = portName(field);
        return protocol.isPresent() && name.isPresent()
                ? Optional.of(new EndpointPort(name.get(), protocol.get(), number))
                : Optional.empty();
    }

    /**
     * Reads a list of ports; of several with the same key only the first is kept.
     *
     * @param namesMayRepeat whether an API server accepts several ports with one name, as it does in a subset of Endpoints
     */
    private static <T> List<T> ports(
            Field field, Function<Field, Optional<T>> reader, Function<T, PortKey> key, boolean namesMayRepeat) {
        List<T> ports = new ArrayList<>();
        Set<PortKey> keys = new HashSet<>();
        Set<Optional<String>> names = new HashSet<>();
        for (Field entry : field.items()) {
            if (!entry.isMappingOrAbsent()) {
                continue;
            }
            Optional<T> port = port(entry, reader);
            if (port.isEmpty()) {
                continue;
            }
            PortKey portKey = key.apply(port.get());
            boolean isNew = keys.add(portKey);
            if (isNew) {
                ports.add(port.get());
            }
            boolean isNewName = names.add(portKey.name());
            if (namesMayRepeat && !isNew) {
                entry.get("name").note("duplicate-port", "omitted: a second " + portKey);
            } else if (!namesMayRepeat && !isNewName) {
                entry.get("name")
                        .warn(
                                "duplicate-port",
                                (isNew ? "published, as the protocol differs, but refused by Kubernetes: " : "")
                                        + portKey.name()
                                                .map(name -> "a second port of this name: \"" + name + "\"")
                                                .orElse("a second port without a name"));
            }
        }
        return ports;
    }

    private static <T> Optional<T> port(Field field, Function<Field, Optional<T>> reader) {
        try {
            return reader.apply(field);
        } catch (InvalidFieldException e) {
            field.at(e.field()).warn("invalid-port", e.problem());
            return Optional.empty();
        }
    }

    public static Optional<Integer> portNumber(Field port, String name) {
        Field field = port.get(name);
        Optional<Integer> number = field.number();
        if (field.isAbsent()) {
            field.warn("invalid-port", "no port number");
        }
        if (number.isPresent() && (number.get() < 1 || number.get() > 65535)) {
            field.warn("invalid-port", "not a port number (1 to 65535): " + number.get());
            return Optional.empty();
        }
        return number;
    }

    public static Optional<Protocol> protocol(Field port) {
        Field field = port.get("protocol");
        if (field.saysNothing()) {
            return Optional.of(Protocol.TCP);
        }
        return parsed(field, Protocol::tryParse, "invalid-protocol", "not TCP, UDP or SCTP");
    }

    /** The name of a port, which may have none; empty if the name is no text. */
    private static Optional<Optional<String>> portName(Field port) {
        Field field = port.get("name");
        Optional<String> text = field.text();
        return text.isPresent() || field.isAbsent()
                ? Optional.of(text.filter(name -> !name.isEmpty()))
                : Optional.empty();
    }

    private void put(Field object, ClusterObject one) {
        found(object, one.ref(), one, false);
    }

    private void put(Field object, Endpoints one) {
        found(object, one.ref(), one, false);
    }

    private void put(Field object, StatefulSet one) {
        found(object, one.ref(), one, false);
    }

    private void found(Field object, ObjectRef ref, Object one, boolean addressRefused) {
        if (isSkipped) {
            return;
        }
        objectsFound++;
        found.object(ref, one, object.line(), addressRefused, !object.isInFaultyObject());
    }
}
