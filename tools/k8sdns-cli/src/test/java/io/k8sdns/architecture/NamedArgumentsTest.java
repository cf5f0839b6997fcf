package io.k8sdns.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordRules;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolvconf.ResolvConf;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.QueryPlan;
import io.k8sdns.verify.Outcome;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneRevision;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.xbill.DNS.Name;

/**
 * A record below the line that is handed a null collection, one that holds null, or one that cannot be read says which
 * component that is.
 */
class NamedArgumentsTest {
    private static final String[] BELOW_THE_LINE = {
        "io.k8sdns.model",
        "io.k8sdns.cluster",
        "io.k8sdns.name",
        "io.k8sdns.records",
        "io.k8sdns.resolvconf",
        "io.k8sdns.search",
        "io.k8sdns.zone",
        "io.k8sdns.resolver",
        "io.k8sdns.upstream",
        "io.k8sdns.wire",
        "io.k8sdns.verify"
    };

    /** Valid values of types that are not made by a public constructor of their own. */
    private static final Map<Class<?>, Object> SAMPLES = Map.ofEntries(
            Map.entry(String.class, "a"),
            Map.entry(int.class, 1),
            Map.entry(long.class, 1L),
            Map.entry(boolean.class, false),
            Map.entry(Optional.class, Optional.empty()),
            Map.entry(List.class, List.of()),
            Map.entry(Set.class, Set.of()),
            Map.entry(Map.class, Map.of()),
            Map.entry(Duration.class, Duration.ofSeconds(1)),
            Map.entry(Predicate.class, (Predicate<Object>) any -> true),
            Map.entry(Name.class, Name.root),
            Map.entry(DnsLabels.class, DnsLabels.of("a")),
            Map.entry(IpAddress.class, IpAddress.parse("192.0.2.1")),
            Map.entry(Labels.class, Labels.NONE),
            Map.entry(Metadata.class, Metadata.of("a", "a")),
            Map.entry(ClusterSnapshot.class, ClusterSnapshot.of(List.of())),
            Map.entry(
                    ZoneRevision.class,
                    ClusterZone.empty(new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL)
                            .current()),
            Map.entry(Outcome.class, new Outcome.NoData()));

    @TestFactory
    Stream<DynamicTest> everyRecordNamesTheCollectionThatItCannotCopy() {
        List<DynamicTest> tests = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(BELOW_THE_LINE).stream()
                        .filter(NamedArgumentsTest::isPublic)
                        .filter(JavaClass::isRecord)
                        .sorted(Comparator.comparing(JavaClass::getName))
                        .<Class<?>>map(JavaClass::reflect)
                        .flatMap(NamedArgumentsTest::tests)
                        .toList();
        assertThat(tests).hasSizeGreaterThan(40);
        return tests.stream();
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
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
        if (type.isRecord()) {
            return make(type, -1, null);
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
