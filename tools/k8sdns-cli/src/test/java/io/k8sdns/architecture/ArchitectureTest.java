package io.k8sdns.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.lang.annotation.Annotation;

/** The drawing in ARCHITECTURE.md, as rules. */
@AnalyzeClasses(packages = "io.k8sdns", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
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
        "io.k8sdns.upstream",
        "io.k8sdns.wire",
        "io.k8sdns.verify"
    };

    @ArchTest
    static final ArchRule packagesAreFreeOfCycles =
            slices().matching("io.k8sdns.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule belowTheLineKnowsNothingAbove = noClasses()
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
    static final ArchRule theModelKnowsTheJdkAlone = classes()
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
    static final ArchRule thePodsSideKnowsTheModelAlone = classes()
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
                    "io.k8sdns.advice",
                    "io.k8sdns.hosts",
                    "io.k8sdns.resolvconf",
                    "io.k8sdns.search",
                    "io.k8sdns.emulators",
                    "io.k8sdns.plan");

    @ArchTest
    static final ArchRule manifestsAndSocketsDoNotKnowEachOther =
            slices().matching("io.k8sdns.(manifest|sockets)..").should().notDependOnEachOther();

    @ArchTest
    static final ArchRule syntaxAndChecksDoNotKnowTheirCallers = noClasses()
            .that()
            .resideInAnyPackage("io.k8sdns.manifest.syntax", "io.k8sdns.manifest.checks")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.k8sdns.manifest");

    @ArchTest
    static final ArchRule kubernetesJsonKnowsTheModelAndJacksonAlone = classes()
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

    /** A host that follows a live cluster gets no SnakeYAML with it. */
    @ArchTest
    static final ArchRule liveClustersAreReadWithoutManifests = noClasses()
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

    /** The JDK writes a class for each kind of annotation that is read, at each start. */
    @ArchTest
    static final ArchRule commandsAreDeclaredWithoutAnnotations = noClasses()
            .that()
            .resideInAPackage("io.k8sdns.cli")
            .should()
            .dependOnClassesThat(resideInAPackage("picocli").and(assignableTo(Annotation.class)));

    /** Without {@code --metrics} nothing of it is loaded: the command starts as fast as if there were none. */
    @ArchTest
    static final ArchRule twoClassesOfTheCommandKnowMeters = noClasses()
            .that()
            .resideInAPackage("io.k8sdns.cli")
            .and()
            .haveNameNotMatching(".*\\.(MetricsServer|ForwardingMeters)(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.k8sdns.micrometer..", "io.micrometer..", "io.prometheus..", "com.sun.net..");

    /** Without {@code --store etcd} nothing of it is loaded. */
    @ArchTest
    static final ArchRule oneClassOfTheCommandKnowsEtcd = noClasses()
            .that()
            .resideInAPackage("io.k8sdns.cli")
            .and()
            .haveNameNotMatching(".*\\.EtcdConnector(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.k8sdns.etcd..");

    @ArchTest
    static final ArchRule namesSayWhatAThingIs = noClasses()
            .should()
            .haveNameMatching(".*(Manager|Helper|Util|Utils|Impl)(\\$.*)?")
            .orShould()
            .haveNameMatching(".*\\.(Abstract|Default|Base)[A-Z][^.]*");

    @ArchTest
    static final ArchRule nothingStaticChanges = noFields()
            .that()
            .areStatic()
            .and()
            .doNotHaveModifier(JavaModifier.SYNTHETIC)
            .should()
            .notBeFinal();
}
