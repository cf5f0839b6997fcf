package io.k8sdns.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.k8sdns.advice.NdotsAdvisor;
import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.Shard;
import io.k8sdns.federation.api.StubZones;
import io.k8sdns.federation.external.ExternalSync;
import io.k8sdns.federation.external.MemoryExternalZone;
import io.k8sdns.manifest.JsonObject;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.ObjectBuilder;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import io.k8sdns.model.ServiceBuilder;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolvconf.ResolvConf;
import io.k8sdns.resolver.Catalog;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.DnsLabel;
import io.k8sdns.search.Dialect;
import io.k8sdns.verify.ExpectedOutcome;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneRevision;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.xbill.DNS.Name;

/**
 * Checks that exceptions contain the name of the invalid argument: a null that is passed to a public constructor, factory, setter
 * or copying method, and a collection that a record cannot copy because it is null, contains null, or throws.
 */
class NamedArgumentsTest {
    private static final String[] PACKAGES = {
        "io.k8sdns.model",
        "io.k8sdns.cluster",
        "io.k8sdns.name",
        "io.k8sdns.records",
        "io.k8sdns.resolvconf",
        "io.k8sdns.advice",
        "io.k8sdns.search",
        "io.k8sdns.plan",
        "io.k8sdns.zone",
        "io.k8sdns.resolver",
        "io.k8sdns.autopath",
        "io.k8sdns.federation",
        "io.k8sdns.upstream",
        "io.k8sdns.wire",
        "io.k8sdns.verify",
        "io.k8sdns.kubedns",
        "io.k8sdns.manifest"
    };

    /** Packages below those, which are not exported. */
    private static final Set<String> INTERNAL_PACKAGES = Set.of(
            "io.k8sdns.manifest.checks",
            "io.k8sdns.manifest.following",
            "io.k8sdns.manifest.kustomize",
            "io.k8sdns.manifest.objects",
            "io.k8sdns.manifest.syntax");

    private static final RecordRules RULES = new RecordRules(ZoneSettings.DEFAULTS);

    /** Samples of types without a public constructor, or whose constructor does not accept the samples of its parameters. */
    private static final Map<Class<?>, Object> SAMPLES = Map.ofEntries(
            Map.entry(String.class, "a"),
            Map.entry(int.class, 1),
            Map.entry(long.class, 1L),
            Map.entry(boolean.class, false),
            Map.entry(Optional.class, Optional.empty()),
            Map.entry(OptionalInt.class, OptionalInt.empty()),
            Map.entry(List.class, List.of()),
            Map.entry(Set.class, Set.of()),
            Map.entry(Map.class, Map.of()),
            Map.entry(Collection.class, List.of()),
            Map.entry(Duration.class, Duration.ofSeconds(1)),
            Map.entry(Predicate.class, (Predicate<Object>) any -> true),
            Map.entry(InetSocketAddress.class, new InetSocketAddress(53)),
            Map.entry(Name.class, Name.root),
            Map.entry(DnsLabel.class, DnsLabel.of("a")),
            Map.entry(DnsLabels.class, DnsLabels.of("a")),
            Map.entry(IpAddress.class, IpAddress.parse("192.0.2.1")),
            Map.entry(Labels.class, Labels.NONE),
            Map.entry(Selector.class, Selector.EVERYTHING),
            Map.entry(Metadata.class, Metadata.of("a", "a")),
            Map.entry(Addressing.class, Addressing.DEFAULTS),
            Map.entry(Endpoint.class, Endpoint.of("192.0.2.1")),
            Map.entry(Endpoints.Address.Builder.class, Endpoints.Address.builder("192.0.2.1")),
            Map.entry(EndpointSlice.class, EndpointSlice.of("a", "a")),
            Map.entry(Pod.class, Pod.running("a", "a")),
            Map.entry(ClusterSnapshot.class, ClusterSnapshot.of(List.of())),
            Map.entry(ClusterLocation.class, ClusterLocation.UNKNOWN),
            Map.entry(Shard.class, Shard.UNREACHABLE),
            Map.entry(
                    ExternalSync.class,
                    ExternalSync.builder(new MemoryExternalZone(), () -> 0, new Random(1))
                            .build()),
            Map.entry(NameData.class, NameData.ABSENT),
            Map.entry(RecordType.class, RecordType.A),
            Map.entry(Dialect.class, Dialect.GLIBC),
            Map.entry(ObjectBuilder.class, HeadlessService.builder("a", "a")),
            Map.entry(ServiceBuilder.class, HeadlessService.builder("a", "a")),
            Map.entry(ZoneSettings.class, ZoneSettings.DEFAULTS),
            Map.entry(ReverseZone.class, ReverseZone.IPV4),
            Map.entry(RecordRules.class, RULES),
            Map.entry(ClusterZone.class, ClusterZone.empty(RULES, Visibility.ALL)),
            Map.entry(Catalog.class, Catalog.builder().build()),
            Map.entry(ResolverChain.class, ResolverChain.of(ClusterZone.create())),
            Map.entry(
                    ZoneRevision.class, ClusterZone.empty(RULES, Visibility.ALL).current()),
            Map.entry(NdotsAdvisor.class, new NdotsAdvisor("", Map.of(), Set.of(Dialect.GLIBC))),
            Map.entry(InputStream.class, InputStream.nullInputStream()),
            Map.entry(URI.class, URI.create("https://localhost")),
            Map.entry(JsonObject.class, JsonObject.parse("{}")),
            Map.entry(ManifestOptions.class, ManifestOptions.DEFAULTS),
            Map.entry(ExpectedOutcome.class, new ExpectedOutcome.NoData()));

    /** Methods on the fast path of each query, which do not check their arguments. */
    private static final Set<String> UNCHECKED =
            Set.of("DnsLabels.hash", "DnsLabels.matches", "DnsLabels.compareLabels", "AddressLabels.canSpell");

    /** The first words of the names of instance methods that return a changed copy. */
    private static final Set<String> COPYING = Set.of("with", "without", "at", "append", "prepend", "merged");

    @TestFactory
    Stream<DynamicTest> everyRecordReportsTheCollectionThatItCannotCopy() {
        List<DynamicTest> tests = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(PACKAGES).stream()
                        .filter(NamedArgumentsTest::isPublic)
                        .filter(JavaClass::isRecord)
                        .sorted(Comparator.comparing(JavaClass::getName))
                        .<Class<?>>map(JavaClass::reflect)
                        .flatMap(NamedArgumentsTest::tests)
                        .toList();
        assertThat(tests).hasSizeGreaterThan(40);
        return tests.stream();
    }

    @Test
    void everyConstructorFactoryAndSetterReportsTheNullArgument() {
        List<Executable> entryPoints = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(PACKAGES).stream()
                        .filter(NamedArgumentsTest::isPublic)
                        .sorted(Comparator.comparing(JavaClass::getName))
                        .<Class<?>>map(JavaClass::reflect)
                        .flatMap(NamedArgumentsTest::entryPoints)
                        .toList();
        assertThat(entryPoints).hasSizeGreaterThan(200);
        assertThat(entryPoints.stream().flatMap(NamedArgumentsTest::unnamedNulls))
                .as("calls with null, and their outcomes")
                .isEmpty();
    }

    @TestFactory
    Stream<DynamicTest> everySetterReportsTheElementThatItCannotCopy() {
        List<DynamicTest> tests = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(PACKAGES).stream()
                        .filter(NamedArgumentsTest::isPublic)
                        .filter(type -> type.getSimpleName().endsWith("Builder"))
                        .sorted(Comparator.comparing(JavaClass::getName))
                        .<Class<?>>map(JavaClass::reflect)
                        .flatMap(type -> Stream.of(type.getDeclaredMethods()))
                        .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
                        .filter(method ->
                                method.getParameterCount() == 1 && unreadable(method.getParameterTypes()[0]) != null)
                        .map(NamedArgumentsTest::namesElement)
                        .toList();
        assertThat(tests).hasSizeGreaterThan(5);
        return tests.stream();
    }

    private static DynamicTest namesElement(Method setter) {
        Class<?> type = setter.getDeclaringClass();
        String name = type.getName() + "." + setter.getName();
        return dynamicTest(
                name,
                () -> assertThatThrownBy(() -> {
                            try {
                                setter.invoke(receiver(type), holdingNull(setter.getParameterTypes()[0]));
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        })
                        .isExactlyInstanceOf(NullPointerException.class)
                        .hasMessage(setter.getName() + "[0]"));
    }

    private static Stream<Executable> entryPoints(Class<?> type) {
        Stream<Executable> methods = Stream.of(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
                .filter(method -> Modifier.isStatic(method.getModifiers()) || isSetter(method))
                .filter(method -> !type.isEnum() || !method.getName().equals("valueOf"))
                .filter(method -> !UNCHECKED.contains(type.getSimpleName() + "." + method.getName()))
                .map(method -> method);
        return Stream.concat(Stream.of(type.getConstructors()), methods);
    }

    private static boolean isSetter(Executable method) {
        String firstWord = method.getName().replaceFirst("[A-Z].*", "");
        return isOfBuilder(method) || COPYING.contains(firstWord);
    }

    private static boolean isOfBuilder(Executable method) {
        return method.getDeclaringClass().getSimpleName().endsWith("Builder");
    }

    /** Returns the outcomes of calls with one null, except NullPointerExceptions with the name of the argument or setter. */
    private static Stream<String> unnamedNulls(Executable entryPoint) {
        Parameter[] parameters = entryPoint.getParameters();
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i].getType().isPrimitive()
                    || parameters[i].getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                continue;
            }
            String outcome = outcome(entryPoint, i);
            String name =
                    isOfBuilder(entryPoint) && parameters.length == 1 ? entryPoint.getName() : parameters[i].getName();
            if (!outcome.equals("java.lang.NullPointerException: " + name)) {
                problems.add(entryPoint + ", argument " + name + ": " + outcome);
            }
        }
        return problems.stream();
    }

    private static String outcome(Executable entryPoint, int nullIndex) {
        try {
            return "returned " + call(entryPoint, nullIndex);
        } catch (Throwable thrown) {
            return thrown.toString();
        }
    }

    /**
     * Calls a constructor, a static method or a setter.
     *
     * @param nullIndex the index of the argument that is null; -1 for none
     */
    private static Object call(Executable entryPoint, int nullIndex) throws Throwable {
        Class<?>[] types = entryPoint.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = i == nullIndex ? null : sample(types[i]);
        }
        try {
            if (entryPoint instanceof Constructor<?> constructor) {
                return constructor.newInstance(arguments);
            }
            Method method = (Method) entryPoint;
            Object receiver = Modifier.isStatic(method.getModifiers()) ? null : receiver(method.getDeclaringClass());
            return method.invoke(receiver, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Returns an object to call setters on: a new builder, or a valid value of another type. */
    private static Object receiver(Class<?> type) throws Throwable {
        if (!type.getSimpleName().equals("Builder") || SAMPLES.containsKey(type)) {
            return sample(type);
        }
        for (Method method : type.getEnclosingClass().getMethods()) {
            // The samples are not valid arguments of every factory.
            if (method.getReturnType() == type
                    && Modifier.isStatic(method.getModifiers())
                    && !List.of(method.getParameterTypes()).contains(List.class)) {
                return call(method, -1);
            }
        }
        throw new AssertionError("no factory of " + type);
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && !type.isAnnotatedWith(Internal.class)
                && !INTERNAL_PACKAGES.contains(type.getPackageName())
                && type.getEnclosingClass().map(NamedArgumentsTest::isPublic).orElse(true);
    }

    private static Stream<DynamicTest> tests(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        return Stream.iterate(0, i -> i < components.length, i -> i + 1)
                .filter(i -> unreadable(components[i].getType()) != null)
                .map(i -> dynamicTest(
                        type.getSimpleName() + "." + components[i].getName(), () -> namesComponent(type, i)));
    }

    private static void namesComponent(Class<?> type, int index) {
        RecordComponent component = type.getRecordComponents()[index];
        assertThatThrownBy(() -> make(type, index, null))
                .isExactlyInstanceOf(NullPointerException.class)
                .hasMessage(component.getName());
        assertThatThrownBy(() -> make(type, index, holdingNull(component.getType())))
                .isExactlyInstanceOf(NullPointerException.class)
                .hasMessage(component.getName() + "[0]");
        assertThatThrownBy(() -> make(type, index, unreadable(component.getType())))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessage(component.getName() + ": cannot be read: java.lang.IllegalStateException: closed");
    }

    private static Object make(Class<?> type, int index, @Nullable Object value) throws Throwable {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] arguments = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            arguments[i] = i == index ? value : sample(types[i]);
        }
        Constructor<?> constructor = type.getConstructor(types);
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Returns a valid value of a type. */
    private static Object sample(Class<?> type) throws Throwable {
        if (SAMPLES.containsKey(type)) {
            return SAMPLES.get(type);
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        if (type == QueryPlan.class) {
            return QueryPlan.of(new ResolvConf(List.of(), List.of(), List.of()), "a", Dialect.GLIBC);
        }
        if (type == StubZones.class) {
            return StubZones.builder().open();
        }
        if (type.isRecord()) {
            return make(type, -1, null);
        }
        if (type.isSealed()) {
            return sample(type.getPermittedSubclasses()[0]);
        }
        if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), 0);
        }
        if (type.isInterface()) {
            return Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null);
        }
        throw new AssertionError("no sample of " + type);
    }

    private static Object holdingNull(Class<?> collection) {
        if (collection == Map.class) {
            return Collections.singletonMap(null, "a");
        }
        return collection == Set.class ? Collections.singleton(null) : Collections.singletonList(null);
    }

    /** Returns a collection of one element that throws when it is read; null for another type. */
    private static @Nullable Object unreadable(Class<?> type) {
        if (type == List.class) {
            return new AbstractList<Object>() {
                @Override
                public Object get(int index) {
                    throw new IllegalStateException("closed");
                }

                @Override
                public int size() {
                    return 1;
                }
            };
        }
        if (type == Set.class) {
            return new AbstractSet<Object>() {
                @Override
                public Iterator<Object> iterator() {
                    throw new IllegalStateException("closed");
                }

                @Override
                public int size() {
                    return 1;
                }
            };
        }
        if (type == Map.class) {
            return new AbstractMap<Object, Object>() {
                @Override
                public Set<Entry<Object, Object>> entrySet() {
                    throw new IllegalStateException("closed");
                }
            };
        }
        return null;
    }
}
