package io.k8sdns.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks the architecture in ARCHITECTURE.md. */
@AnalyzeClasses(packages = "io.k8sdns", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final Path ROOT = Path.of(System.getProperty("k8sdns.root", "../.."));

    /** A source file; not package-info and module-info, since a class has no dash in its name. */
    private static final Pattern SOURCE = Pattern.compile(".*/src/(main|test)/java/(.*/)?(?<name>\\w+)\\.java");

    private static final String[] BELOW_THE_LINE = {
        "io.k8sdns",
        "io.k8sdns.arguments",
        "io.k8sdns.model",
        "io.k8sdns.slices",
        "io.k8sdns.cluster",
        "io.k8sdns.completion",
        "io.k8sdns.name",
        "io.k8sdns.schema",
        "io.k8sdns.dnsjava",
        "io.k8sdns.records",
        "io.k8sdns.rules",
        "io.k8sdns.hosts",
        "io.k8sdns.advice",
        "io.k8sdns.resolvconf",
        "io.k8sdns.search",
        "io.k8sdns.emulators",
        "io.k8sdns.plan",
        "io.k8sdns.zone",
        "io.k8sdns.resolver",
        "io.k8sdns.autopath",
        "io.k8sdns.federation",
        "io.k8sdns.federation.external",
        "io.k8sdns.pem",
        "io.k8sdns.timers",
        "io.k8sdns.upstream",
        "io.k8sdns.wire",
        "io.k8sdns.verify"
    };

    @ArchTest
    static final ArchRule packagesAreFreeOfCycles =
            slices().matching("io.k8sdns.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule packagesBelowTheLineDoNotUseThoseAbove = noClasses()
            .that()
            .resideInAnyPackage(BELOW_THE_LINE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.k8sdns.json..",
                    "io.k8sdns.manifest..",
                    "io.k8sdns.sockets..",
                    "io.k8sdns.netty..",
                    "io.k8sdns.etcd..",
                    "io.k8sdns.rfc2136..",
                    "io.k8sdns.clientjava..",
                    "io.k8sdns.federation.api..",
                    "io.k8sdns.federation.json..",
                    "io.k8sdns.federation.pem..",
                    "io.k8sdns.micrometer..",
                    "io.k8sdns.federation.store..",
                    "io.k8sdns.cli..",
                    "com.fasterxml..",
                    "io.netty..",
                    "io.kubernetes..",
                    "io.micrometer..",
                    "picocli..");

    @ArchTest
    static final ArchRule theModelUsesOnlyTheJdk = classes()
            .that()
            .resideInAnyPackage(
                    "io.k8sdns.arguments",
                    "io.k8sdns.model",
                    "io.k8sdns.slices",
                    "io.k8sdns.cluster",
                    "io.k8sdns.completion",
                    "io.k8sdns.name",
                    "io.k8sdns.schema")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "io.k8sdns.arguments",
                    "io.k8sdns.model",
                    "io.k8sdns.slices",
                    "io.k8sdns.cluster",
                    "io.k8sdns.completion",
                    "io.k8sdns.name",
                    "io.k8sdns.schema");

    @ArchTest
    static final ArchRule thePodsSideUsesOnlyTheModel = classes()
            .that()
            .resideInAnyPackage(
                    "io.k8sdns.advice",
                    "io.k8sdns.hosts",
                    "io.k8sdns.resolvconf",
                    "io.k8sdns.search",
                    "io.k8sdns.emulators",
                    "io.k8sdns.plan")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "io.k8sdns.arguments",
                    "io.k8sdns.model",
                    "io.k8sdns.name",
                    "io.k8sdns.schema",
                    "io.k8sdns.advice",
                    "io.k8sdns.hosts",
                    "io.k8sdns.resolvconf",
                    "io.k8sdns.search",
                    "io.k8sdns.emulators",
                    "io.k8sdns.plan");

    @ArchTest
    static final ArchRule manifestsAndSocketsDoNotUseEachOther =
            slices().matching("io.k8sdns.(manifest|sockets)..").should().notDependOnEachOther();

    @ArchTest
    static final ArchRule stepsOfReadingManifestsDoNotUseTheirCallers = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("manifests")
            .definedBy("io.k8sdns.manifest")
            .layer("kustomize")
            .definedBy("io.k8sdns.manifest.kustomize")
            .layer("following")
            .definedBy("io.k8sdns.manifest.following")
            .layer("objects")
            .definedBy("io.k8sdns.manifest.objects")
            .layer("checks")
            .definedBy("io.k8sdns.manifest.checks")
            .layer("syntax")
            .definedBy("io.k8sdns.manifest.syntax")
            .whereLayer("manifests")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("kustomize")
            .mayOnlyBeAccessedByLayers("manifests")
            .whereLayer("following")
            .mayOnlyBeAccessedByLayers("manifests", "kustomize")
            .whereLayer("objects")
            .mayOnlyBeAccessedByLayers("manifests", "kustomize", "following")
            .whereLayer("checks")
            .mayOnlyBeAccessedByLayers("manifests", "objects")
            .whereLayer("syntax")
            .mayOnlyBeAccessedByLayers("manifests", "objects");

    @ArchTest
    static final ArchRule kubernetesJsonUsesOnlyTheModelAndJackson = classes()
            .that()
            .resideInAPackage("io.k8sdns.json")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "com.fasterxml.jackson.core..",
                    "io.k8sdns.arguments",
                    "io.k8sdns.model",
                    "io.k8sdns.json");

    /** Applications that read live clusters do not depend on SnakeYAML. */
    @ArchTest
    static final ArchRule liveClustersDoNotUseManifests = noClasses()
            .that()
            .resideInAPackage("io.k8sdns.clientjava")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.k8sdns.manifest..",
                    "io.k8sdns.advice..",
                    "io.k8sdns.resolvconf..",
                    "io.k8sdns.search..",
                    "io.k8sdns.plan..",
                    "org.yaml..");

    /** Reading annotations is slow: the JDK generates a class for each annotation type at each start. */
    @ArchTest
    static final ArchRule commandsAreDeclaredWithoutAnnotations = noClasses()
            .that()
            .resideInAPackage("io.k8sdns.cli")
            .should()
            .dependOnClassesThat(resideInAPackage("picocli").and(assignableTo(Annotation.class)));

    /** Without {@code --metrics} no class of the metrics libraries is loaded, for a fast start. No command uses the training. */
    @ArchTest
    static final ArchRule onlyTwoClassesOfTheCommandUseMeters = noClasses()
            .that()
            .resideInAPackage("io.k8sdns.cli")
            .and()
            .haveNameNotMatching(".*\\.(MetricsServer|ForwardingMeters)(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.k8sdns.micrometer..", "io.micrometer..", "io.prometheus..", "com.sun.net..");

    /** Without {@code --store etcd} no class of the etcd client is loaded. */
    @ArchTest
    static final ArchRule onlyOneClassOfTheCommandUsesEtcd = noClasses()
            .that()
            .resideInAPackage("io.k8sdns.cli")
            .and()
            .haveNameNotMatching(".*\\.EtcdConnector(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.k8sdns.etcd..");

    @ArchTest
    static final ArchRule namesDescribeTheirTypes = noClasses()
            .should()
            .haveNameMatching(".*(Manager|Helper|Util|Utils|Impl)(\\$.*)?")
            .orShould()
            .haveNameMatching(".*\\.(Abstract|Default|Base)[A-Z][^.]*");

    @ArchTest
    static final ArchRule noStaticStateIsMutable = noFields()
            .that()
            .areStatic()
            .and()
            .doNotHaveModifier(JavaModifier.SYNTHETIC)
            .should()
            .notBeFinal();

    /** The variants of a class for later versions of Java, in {@code src/main/java22}, have its name. */
    @ArchTest
    static void noTwoSourceFilesHaveTheSameName(JavaClasses unused) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            Map<String, List<String>> byName = files.map(
                            file -> SOURCE.matcher(file.toString().replace('\\', '/')))
                    .filter(Matcher::matches)
                    .collect(Collectors.groupingBy(
                            match -> match.group("name"), Collectors.mapping(Matcher::group, Collectors.toList())));
            assertThat(byName).hasSizeGreaterThan(1_000);
            assertThat(byName.values().stream().filter(same -> same.size() > 1)).isEmpty();
        }
    }
}
