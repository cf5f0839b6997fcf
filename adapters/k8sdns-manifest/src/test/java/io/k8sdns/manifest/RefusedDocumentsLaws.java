package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** A document that an API server would refuse changes nothing, at any position. */
class RefusedDocumentsLaws {
    private static final String CONTAINERS = "containers: [{name: db, image: db}]";

    private static final Pattern OBJECT = Pattern.compile("kind: (\\w+), metadata: \\{name: ([a-z0-9-]+)");

    /** Documents that an API server accepts; some objects have two versions. */
    private static final List<String> VALID = List.of(
            "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: cart}}}",
            "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {addresses: [{type: InternalIP, address: 192.0.2.1}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: 10.96.0.9,"
                    + " ports: [{name: http, port: 80}, {name: tls, port: 443}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {type: NodePort, ports: [{port: 8080}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: db}, spec: {clusterIP: None, selector: {app: db}}}",
            "{apiVersion: v1, kind: Service, metadata: {name: ext}, spec: {type: ExternalName, externalName: example.org}}",
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 2, serviceName: db,"
                    + " selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {"
                    + CONTAINERS + "}}}}",
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {serviceName: db, selector:"
                    + " {matchExpressions: [{key: app, operator: In, values: [db, sql]}]},"
                    + " template: {metadata: {labels: {app: db}}, spec: {" + CONTAINERS + "}}}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0, labels: {app: db}}, spec: {" + CONTAINERS + "}}",
            "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web-1, namespace: shop, labels:"
                    + " {kubernetes.io/service-name: web}}, addressType: IPv4, endpoints: [{addresses: [192.0.2.8]}]}",
            "{apiVersion: v1, kind: Endpoints, metadata: {name: web, namespace: shop},"
                    + " subsets: [{addresses: [{ip: 192.0.2.9}], ports: [{port: 80}]}]}");

    /** Fragments and patches of the same objects, and of others. */
    private static final List<String> REFUSED = List.of(
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {type: NodePort}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}}",
            "{apiVersion: v1, kind: Service, metadata: {name: db}, spec: {selector: {app: other}, ports: []}}",
            "{apiVersion: v1, kind: Service, metadata: {name: db}, spec: {type: LoadBalancer, clusterIP: ''}}",
            "{apiVersion: v1, kind: Service, metadata: {name: ext}, spec: {type: ExternalName}}",
            "{apiVersion: v1, kind: Service, metadata: {name: ext}, $patch: delete}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {ports: [{$patch: delete, port: 80}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {clusterIP: None, $setElementOrder/ports: [{port: 80}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: nobody, namespace: elsewhere}, spec: {type: NodePort}}",
            "{apiVersion: v1, kind: Namespace, metadata: {name: shop}, $patch: replace}",
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 5}}",
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {template: {metadata:"
                    + " {labels: {app: db}}, spec: {" + CONTAINERS + "}}}}",
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {selector: {}, template: {spec: {"
                    + CONTAINERS + "}}}}",
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {selector: {matchLabels: {app: db}},"
                    + " template: {metadata: {labels: {app: other}}, spec: {" + CONTAINERS + "}}}}",
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {selector: {matchExpressions:"
                    + " [{key: app, operator: NotIn, values: [db]}]}, template: {metadata: {labels: {app: db}}, spec: {"
                    + CONTAINERS + "}}}}",
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {selector: {matchLabels: {app: db}},"
                    + " template: {metadata: {labels: {app: db}}}}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0, labels: {app: other}}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0}, spec: {containers: [{name: db}]}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0}, spec: {containers: [{image: db}]}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-1}, status: {podIP: 192.0.2.44}}",
            "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web-1, namespace: shop},"
                    + " endpoints: []}",
            "{apiVersion: v1, kind: Service, metadata: {name: Web, namespace: shop}, spec: {ports: [{port: 80}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {type: Port, ports: [{port: 1}]}}",
            "{apiVersion: v1, kind: Service, metadata: null, spec: {ports: [{port: 80}]}}",
            "{apiVersion: v1, kind: Servce, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}",
            "{apiVersion: core/v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}",
            "{apiVersion: V1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}",
            "{apiVersion: v2, name: web, version: 0.1.0}");

    /** Objects with one fault each, which are used if there is no other object of the name. */
    private static final List<String> FAULTY = List.of(
            "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: '-'}}}",
            "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {addresses: [{type: InternalIP, address: x}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {clusterip: 10.96.0.7, ports: [{port: 80}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {clusterIP: 10.96.0.300, ports: [{port: 80}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, labels: {a: 5}},"
                    + " spec: {clusterIP: 10.96.0.7, ports: [{port: 80}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {clusterIP: 10.96.0.7, ports: [{port: 0}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: db}, spec: {clusterIP: None, selector: {app: 1}}}",
            "{apiVersion: v1, kind: Service, metadata: {name: ext}, spec: {type: ExternalName, externalName: a..b}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0}, spec: {hostname: A, " + CONTAINERS + "}}",
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: -1, serviceName: db,"
                    + " selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {"
                    + CONTAINERS + "}}}}",
            "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web-1, namespace: shop, labels:"
                    + " {kubernetes.io/service-name: web}}, addressType: IPv4, endpoints: [{addresses: [192.0.2]}]}",
            "{apiVersion: v1, kind: Endpoints, metadata: {name: web, namespace: shop},"
                    + " subsets: [{addresses: [], ports: [{port: 80}]}]}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {clusterIP: 10.96.0.9, clusterIP: 10.96.0.7, ports: [{port: 80}]}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0, labels: {app: db, app: sql}}, spec: {" + CONTAINERS
                    + "}}");

    /** Objects with one fault each that only an API server finds; they have no fault when they are read as is. */
    private static final List<String> FAULTY_TO_APPLY = List.of(
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {ports: [{name: a, port: 80}, {port: 81}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {ports: [{name: a, port: 80}, {name: b, port: 80}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {type: NodePort, ports: [{port: 80, nodePort: abc}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {clusterIP: 10.96.0.7, ipFamilies: [IPv6], ports: [{port: 80}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {sessionAffinity: Cookie, ports: [{port: 80}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, annotations: {prometheus.io/port: 9090}},"
                    + " spec: {ports: [{port: 80}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},"
                    + " spec: {ports: [{port: 80, nodePort: 30080}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: ext, resourceVersion: 5},"
                    + " spec: {type: ExternalName, externalName: example.net}}",
            "{apiVersion: v1, kind: Namespace, metadata: {name: shop}, status: text}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0}, spec: {containers: [{name: db, image: db,"
                    + " env: [{name: A, value: 1}]}]}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0}, spec: {containers: [{name: db, image: db,"
                    + " volumeMounts: [{name: data, mountPath: /data}]}]}}",
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {podManagementPolicy: Serial, serviceName: db,"
                    + " selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {"
                    + CONTAINERS + "}}}}",
            "{apiVersion: v1, kind: Service, metadata: {name: ext},"
                    + " spec: {type: ExternalName, externalName: example.net, clusterIP: None}}",
            "{apiVersion: v1, kind: Service, metadata: {name: ext}, spec: {type: ExternalName, externalName: Example.org}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0}, spec: {containers: [{name: a, image: a},"
                    + " {name: a, image: b}]}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0}, spec: {dnsPolicy: None, " + CONTAINERS + "}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0}, spec: {restartPolicy: Once, " + CONTAINERS + "}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0}, spec: {containers: [{name: a, image: a,"
                    + " ports: [{containerPort: 0}]}]}}",
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 4, serviceName: db,"
                    + " selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {"
                    + "restartPolicy: Never, " + CONTAINERS + "}}}}",
            "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web-1, namespace: shop, labels:"
                    + " {kubernetes.io/service-name: web}}, addressType: IPv4, endpoints: [{addresses: [127.0.0.1]}]}",
            "{apiVersion: v1, kind: Endpoints, metadata: {name: web, namespace: shop},"
                    + " subsets: [{addresses: [{ip: 169.254.169.254}], ports: [{port: 80}]}]}");

    /**
     * A document to be added.
     *
     * @param place the index of the document before which this document is added, modulo the number of documents
     * @param listed whether the document is in a {@code List}
     */
    private record Added(String document, int place, boolean listed) {
        String text() {
            return listed ? "{apiVersion: v1, kind: List, items: [" + document + "]}" : document;
        }
    }

    @Property(tries = 500)
    void aRefusedDocumentChangesNothing(
            @ForAll @From("valid") List<String> documents,
            @ForAll @From("refused") List<Added> refused,
            @ForAll @IntRange(min = 1, max = 3) int files,
            @ForAll boolean carriageReturns) {
        ManifestResult without = read(documents, files, carriageReturns, ManifestOptions.DEFAULTS);
        ManifestResult with = read(with(documents, refused), files, carriageReturns, ManifestOptions.DEFAULTS);

        assertThat(with.snapshot()).isEqualTo(without.snapshot());
        assertThat(with.diagnostics().size() - without.diagnostics().size())
                .as("each refused document is reported")
                .isGreaterThanOrEqualTo(refused.size());
    }

    @Property(tries = 500)
    void aDocumentWithAFaultReplacesNoValidDocument(
            @ForAll @From("permutations") List<String> documents,
            @ForAll @From("faulty") List<Added> faulty,
            @ForAll @IntRange(min = 1, max = 3) int files,
            @ForAll boolean asIs) {
        ManifestOptions options = asIs ? ManifestOptions.DEFAULTS.withAsIs() : ManifestOptions.DEFAULTS;

        assertThat(read(with(documents, faulty), files, false, options).snapshot())
                .isEqualTo(read(documents, files, false, options).snapshot());
    }

    @Property(tries = 500)
    void aDocumentWithAFaultOfTheApiServerReplacesNoValidDocument(
            @ForAll @From("permutations") List<String> documents,
            @ForAll @From("faultyToApply") List<Added> faulty,
            @ForAll @IntRange(min = 1, max = 3) int files) {
        assertThat(read(with(documents, faulty), files, false, ManifestOptions.DEFAULTS)
                        .snapshot())
                .isEqualTo(
                        read(documents, files, false, ManifestOptions.DEFAULTS).snapshot());
    }

    @Property(tries = 50)
    void aRefusedDocumentInAFollowedFileChangesNothing(
            @ForAll @From("valid") List<String> documents,
            @ForAll @From("refused") List<Added> refused,
            @ForAll @From("fileNames") String name)
            throws IOException {
        Path folder = Files.createTempDirectory("k8sdns-laws");
        try {
            write(folder.resolve("b.yaml"), documents);
            FollowedFolder followed = follow(folder);
            ClusterSnapshot before = followed.cluster();

            List<String> written = with(name.equals("b.yaml") ? documents : List.of(), refused);
            write(folder.resolve(name), written);

            assertThat(followed.step().changes()).isEmpty();
            assertThat(followed.cluster()).isEqualTo(before);
        } finally {
            deleteAll(folder);
        }
    }

    /** The object of a damaged document is kept; objects deleted together with the damage are removed. */
    @Property(tries = 100)
    void aDamagedDocumentInAFollowedFileChangesNothing(
            @ForAll @From("permutations") List<String> documents,
            @ForAll @From("objects") Set<String> damaged,
            @ForAll @From("objects") Set<String> deleted,
            @ForAll Random random)
            throws IOException {
        List<String> edited = new ArrayList<>(documents);
        List<String> expected = new ArrayList<>(documents);
        edited.removeIf(one -> damaged.contains(object(one)) || deleted.contains(object(one)));
        expected.removeIf(one -> deleted.contains(object(one)) && !damaged.contains(object(one)));
        // A refused document keeps all objects of its name.
        Set<String> names = damaged.stream().map(RefusedDocumentsLaws::name).collect(Collectors.toSet());
        Assume.that(deleted.stream().noneMatch(one -> names.contains(name(one))));
        for (String object : damaged) {
            List<String> instead = insteadOf(object);
            edited.add(random.nextInt(edited.size() + 1), instead.get(random.nextInt(instead.size())));
        }
        Path folder = Files.createTempDirectory("k8sdns-laws");
        try {
            write(folder.resolve("a.yaml"), documents);
            FollowedFolder followed = follow(folder);

            write(folder.resolve("a.yaml"), edited);
            followed.step();

            assertThat(followed.cluster())
                    .isEqualTo(
                            read(expected, 1, false, ManifestOptions.DEFAULTS).snapshot());
            assertThat(followed.step().summary()).isEmpty();
        } finally {
            deleteAll(folder);
        }
    }

    private static String object(String document) {
        Matcher matcher = OBJECT.matcher(document);
        return matcher.find() ? matcher.group(1) + " " + matcher.group(2) : "";
    }

    private static String name(String object) {
        return object.substring(object.indexOf(' ') + 1);
    }

    /** Returns refused documents of the same name, of any kind, and the same object with a fault. */
    private static List<String> insteadOf(String object) {
        List<String> all = new ArrayList<>();
        REFUSED.stream().filter(one -> name(object(one)).equals(name(object))).forEach(all::add);
        Stream.concat(FAULTY.stream(), FAULTY_TO_APPLY.stream())
                .filter(one -> object(one).equals(object))
                .forEach(all::add);
        return all;
    }

    private static void write(Path file, List<String> documents) throws IOException {
        Files.writeString(file, String.join("\n---\n", documents));
    }

    private static FollowedFolder follow(Path folder) throws IOException {
        Instant now = Instant.parse("2026-11-23T08:00:00Z");
        return new FollowedFolder(List.of(folder), ManifestOptions.DEFAULTS, () -> now);
    }

    private static void deleteAll(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static List<String> with(List<String> documents, List<Added> added) {
        List<String> all = new ArrayList<>(documents);
        added.forEach(one -> all.add(one.place() % (all.size() + 1), one.text()));
        return all;
    }

    /** Reads documents distributed over files, the first documents in the first file. */
    private static ManifestResult read(
            List<String> documents, int files, boolean carriageReturns, ManifestOptions options) {
        List<ManifestInput> inputs = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            String text = String.join(
                    "\n---\n", documents.subList(documents.size() * i / files, documents.size() * (i + 1) / files));
            String lines = carriageReturns ? text.replace("\n", "\r\n") : text;
            inputs.add(ManifestInput.stream(
                    i + ".yaml", new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8))));
        }
        try {
            return Manifests.read(inputs, options);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Provide
    Arbitrary<List<String>> valid() {
        return Arbitraries.of(VALID).list().ofMaxSize(8);
    }

    @Provide
    Arbitrary<List<String>> permutations() {
        return Arbitraries.shuffle(VALID);
    }

    @Provide
    Arbitrary<Set<String>> objects() {
        return Arbitraries.of(VALID).map(RefusedDocumentsLaws::object).set().ofMaxSize(4);
    }

    @Provide
    Arbitrary<List<Added>> refused() {
        return added(REFUSED);
    }

    @Provide
    Arbitrary<List<Added>> faulty() {
        return added(FAULTY);
    }

    @Provide
    Arbitrary<List<Added>> faultyToApply() {
        return added(FAULTY_TO_APPLY);
    }

    @Provide
    Arbitrary<String> fileNames() {
        return Arbitraries.of("a.yaml", "b.yaml", "c.json");
    }

    private static Arbitrary<List<Added>> added(List<String> documents) {
        return Combinators.combine(
                        Arbitraries.of(documents), Arbitraries.integers().between(0, 20), Arbitraries.of(true, false))
                .as(Added::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(4);
    }
}
