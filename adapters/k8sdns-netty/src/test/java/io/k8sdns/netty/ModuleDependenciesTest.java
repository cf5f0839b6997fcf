package io.k8sdns.netty;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.k8sdns.model.Internal;

/**
 * Checks the dependencies of this module against ARCHITECTURE.md. The command's test does not, because the command has no
 * Netty.
 */
@AnalyzeClasses(packages = "io.k8sdns.netty", importOptions = ImportOption.DoNotIncludeTests.class)
class ModuleDependenciesTest {
    @ArchTest
    static final ArchRule theHandlersDependOnlyOnTheResponderAndNetty = classes()
            .should()
            .onlyDependOnClassesThat(type(Internal.class)
                    .or(resideInAnyPackage(
                            "java..",
                            "org.jspecify..",
                            "io.netty..",
                            "io.k8sdns.netty",
                            "io.k8sdns.wire",
                            "io.k8sdns.resolver")));
}
