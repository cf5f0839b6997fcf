package io.k8sdns.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.k8sdns.model.Internal;
import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.DClass;

/** Compares the public API with the committed list, so that reviews show its changes. */
class PublicApiTest {
    private static final Path LIST = Path.of(System.getProperty("k8sdns.root", "../.."), "docs/public-api.txt");
    private static final Path ACTUAL = Path.of("target/public-api.txt");

    /**
     * Internal types in public packages, which cannot be moved: internal members of public types return them, and they have cyclic
     * dependencies with their packages.
     */
    private static final Set<String> INTERNAL_IN_PUBLIC_PACKAGES = Set.of(
            "io.k8sdns.model.Internal",
            "io.k8sdns.model.PortKey",
            "io.k8sdns.resolvconf.PodDnsValidation",
            "io.k8sdns.zone.RevisionView",
            "io.k8sdns.zone.ZoneLookup");

    /** The packages that module descriptors export to all modules. */
    private static final Set<String> PACKAGES = modules()
            .flatMap(module -> module.exports().stream())
            .filter(exported -> !exported.isQualified())
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toSet());

    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.k8sdns");

    private static final List<JavaClass> TYPES = ALL.stream()
            .filter(PublicApiTest::isPublic)
            .sorted(Comparator.comparing(JavaClass::getName))
            .toList();

    /** Returns all module descriptors. The command has none. */
    private static Stream<ModuleDescriptor> modules() {
        Path[] ours = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> entry.contains("k8sdns-"))
                .map(Path::of)
                .toArray(Path[]::new);
        return ModuleFinder.of(ours).findAll().stream()
                .map(ModuleReference::descriptor)
                .filter(module -> !module.isAutomatic());
    }

    private static boolean isPublic(JavaClass type) {
        return PACKAGES.contains(type.getPackageName())
                && type.getModifiers().contains(JavaModifier.PUBLIC)
                && !isInternal(type)
                && type.getEnclosingClass().map(PublicApiTest::isPublic).orElse(true);
    }

    private static boolean isInternal(CanBeAnnotated annotated) {
        return annotated.isAnnotatedWith(Internal.class);
    }

    @Test
    void thePublicApiIsTheCommittedList() throws IOException {
        List<String> lines = TYPES.stream().flatMap(PublicApiTest::lines).toList();
        Files.write(ACTUAL, lines);
        List<String> committed = Files.readAllLines(LIST);
        List<String> missing = withTypes(committed);
        List<String> added = withTypes(lines);
        withTypes(lines).forEach(missing::remove);
        withTypes(committed).forEach(added::remove);
        assertThat(Map.of("added", added, "missing", missing))
                .as("If the change is intended, copy %s to %s", ACTUAL.toAbsolutePath(), LIST)
                .isEqualTo(Map.of("added", List.of(), "missing", List.of()));
        assertThat(lines.equals(committed))
                .as("%s has the order of %s", LIST, ACTUAL)
                .isTrue();
    }

    /** Returns the lines with each member, which is indented below its type, after the name of the type. */
    private static List<String> withTypes(List<String> lines) {
        List<String> named = new ArrayList<>();
        String type = "";
        for (String line : lines) {
            if (line.startsWith(" ")) {
                named.add(type + line);
            } else {
                type = line;
                named.add(line);
            }
        }
        return named;
    }

    /** Types that are not exported need no annotation. */
    @Test
    void onlyTheListedInternalTypesAreInPublicPackages() {
        assertThat(ALL.stream()
                        .filter(type -> PACKAGES.contains(type.getPackageName()))
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .filter(PublicApiTest::isInternal)
                        .map(JavaClass::getName))
                .containsExactlyInAnyOrderElementsOf(INTERNAL_IN_PUBLIC_PACKAGES);
    }

    @Test
    void theDescriptorsOfAllModulesAreRead() {
        assertThat(PACKAGES)
                .contains("io.k8sdns", "io.k8sdns.zone", "io.k8sdns.netty")
                .doesNotContain("io.k8sdns.rules");
    }

    private static Stream<String> lines(JavaClass type) {
        return Stream.concat(
                Stream.of(type.getName()),
                members(type).map(PublicApiTest::line).sorted().map(line -> "  " + line));
    }

    private static Stream<JavaMember> members(JavaClass type) {
        return type.getMembers().stream()
                .filter(member -> !isInternal(member))
                .filter(member -> !member.getModifiers().contains(JavaModifier.SYNTHETIC))
                .filter(member -> member.getModifiers().contains(JavaModifier.PUBLIC)
                        || member.getModifiers().contains(JavaModifier.PROTECTED));
    }

    private static String line(JavaMember member) {
        String prefix = member.getModifiers().contains(JavaModifier.STATIC) ? "static " : "";
        if (member instanceof JavaField field) {
            return prefix + field.getName() + ": " + name(field.getRawType());
        }
        JavaCodeUnit method = (JavaCodeUnit) member;
        return prefix
                + method.getName()
                + method.getRawParameterTypes().stream()
                        .map(PublicApiTest::name)
                        .collect(Collectors.joining(", ", "(", ")"))
                + (method.isConstructor() ? "" : ": " + name(method.getRawReturnType()));
    }

    private static String name(JavaClass type) {
        return type.getSimpleName();
    }

    /** A member with an internal type in its signature must be internal. */
    @Test
    void noPublicMemberHasAnInternalTypeInItsSignature() {
        List<String> leaks = new ArrayList<>();
        for (JavaClass type : TYPES) {
            members(type).forEach(member -> {
                if (member.getAllInvolvedRawTypes().stream().anyMatch(PublicApiTest::isHidden)) {
                    leaks.add(type.getName() + " " + line(member));
                }
            });
        }
        assertThat(leaks).isEmpty();
    }

    private static boolean isHidden(JavaClass type) {
        JavaClass element = type.getBaseComponentType();
        return element.getPackageName().startsWith("io.k8sdns") && !isPublic(element);
    }

    @Test
    void noTypeHasTheNameOfAnotherOneOrOfOneOfDnsjava() {
        TreeMap<String, List<String>> byName = new TreeMap<>();
        for (JavaClass type : TYPES) {
            if (type.getEnclosingClass().isEmpty()) {
                byName.computeIfAbsent(type.getSimpleName(), any -> new ArrayList<>())
                        .add(type.getName());
            }
        }
        for (JavaClass type : new ClassFileImporter().importPackagesOf(DClass.class)) {
            List<String> ours = byName.get(type.getSimpleName());
            if (ours != null && type.getEnclosingClass().isEmpty()) {
                ours.add(type.getName());
            }
        }
        byName.values().removeIf(names -> names.size() == 1);
        assertThat(byName).isEmpty();
    }

    /** Types with more arguments need a builder, which can be extended without breaking callers. */
    @Test
    void aConstructorTakesAtMostThreeArguments() {
        List<String> tooLong = new ArrayList<>();
        for (JavaClass type : TYPES) {
            members(type)
                    .filter(member -> member instanceof JavaCodeUnit constructor
                            && constructor.isConstructor()
                            && constructor.getRawParameterTypes().size() > 3)
                    .forEach(member -> tooLong.add(type.getName() + " " + line(member)));
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void noParameterIsAnOptional() {
        List<String> optional = new ArrayList<>();
        for (JavaClass type : TYPES) {
            members(type)
                    .filter(member -> member instanceof JavaCodeUnit method
                            && method.getRawParameterTypes().stream()
                                    .anyMatch(parameter -> parameter.isEquivalentTo(Optional.class)))
                    .forEach(member -> optional.add(type.getName() + " " + line(member)));
        }
        assertThat(optional).isEmpty();
    }

    @Test
    void aPackageHasFewPublicTypes() {
        Map<String, Long> counts = TYPES.stream()
                .filter(type -> type.getEnclosingClass().isEmpty())
                .collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new, Collectors.counting()));
        // The model has a type for each kind of object.
        counts.remove("io.k8sdns.model");
        assertThat(counts)
                .allSatisfy((name, count) -> assertThat(count).as(name).isLessThanOrEqualTo(13L));
    }
}
