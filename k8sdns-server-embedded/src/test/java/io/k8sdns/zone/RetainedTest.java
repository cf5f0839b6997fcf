package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.Fact;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The memory of the tables for a name, computed and not measured: the number of objects, and their bytes in the layout of a
 * 64-bit JVM with compressed references.
 */
class RetainedTest {
    private static final int NAMES = 20_000;
    private static final RecordRules RULES = new RecordRules(ZoneSettings.DEFAULTS);
    private static final Publisher PUBLISHER = new Publisher.FixedNames();

    /** Names of Services, of 32 bytes. */
    private static final NameTable SERVICES =
            table(i -> DnsLabels.of(format("service-%05d", i), format("namespace-%02d", i % 100), "svc"));

    /** Names of the endpoints of StatefulSets, of 53 bytes. */
    private static final NameTable ENDPOINTS = table(i -> DnsLabels.of(
            format("headless-%04d", i / 20) + format("-%06d", i),
            format("headless-%04d", i / 20),
            format("namespace-%02d", i % 100),
            "svc"));

    private static String format(String format, int number) {
        return String.format(Locale.ROOT, format, number);
    }

    private static NameTable table(IntFunction<DnsLabels> names) {
        NameTable.Editor edit = NameTable.EMPTY.edit();
        for (int i = 0; i < NAMES; i++) {
            DnsLabels name = names.apply(i);
            edit.put(name, packed(new OwnerName.Forward(name), i), PUBLISHER);
        }
        return edit.build();
    }

    /** Returns the packed data of a name with one address. */
    private static byte[] packed(OwnerName owner, int number) {
        Fact fact = new Fact.Address(owner, IpAddress.ofIpv4(0x0AF4_0000L + number));
        return RULES.assemble(owner, List.of(fact)).packed();
    }

    @Test
    void aNameIsOneObjectAndItsShareOfASegment() throws IllegalAccessException {
        // A segment is an object with three arrays, and 64 are a page; around all are the table, the array of pages and
        // a mark.
        int pages = SERVICES.segmentCount() / 64;
        assertThat(Retained.by(SERVICES).objects).isLessThanOrEqualTo(NAMES + 4 * SERVICES.segmentCount() + pages + 3);
        assertThat(SERVICES.segmentCount()).isLessThan(NAMES / 30);
    }

    @Test
    void aNameOfOneAddressTakesItsLengthAndFortySevenBytes() throws IllegalAccessException {
        assertThat(Retained.by(SERVICES).bytes).isLessThan(NAMES * (32L + 47));
        assertThat(Retained.by(ENDPOINTS).bytes).isLessThan(NAMES * (53L + 47));
    }

    @Test
    void anAdditionalNameCopiesASegmentAndItsPage() throws IllegalAccessException {
        NameTable.Editor edit = SERVICES.edit();
        DnsLabels name = DnsLabels.of("another", "namespace-00", "svc");
        edit.put(name, packed(new OwnerName.Forward(name), 0), PUBLISHER);
        Retained before = Retained.by(SERVICES);
        Retained both = Retained.by(new Object[] {SERVICES, edit.build()});
        // The array of both, the table, the array of pages, a page, a segment with three arrays, a mark, and the name.
        assertThat(both.objects - before.objects).isLessThanOrEqualTo(10);
        assertThat(both.bytes - before.bytes).isLessThan(4_000);
    }

    @Test
    void anAdditionalAddressCopiesThePathToIt() throws IllegalAccessException {
        AddressTable.Editor load = AddressTable.EMPTY.edit();
        for (int i = 0; i < NAMES; i++) {
            OwnerName.Reverse owner = new OwnerName.Reverse(IpAddress.ofIpv4(0x0A60_0000L + 2L * i));
            load.put(owner.address(), packed(owner, i), PUBLISHER);
        }
        AddressTable addresses = load.build();
        AddressTable.Editor edit = addresses.edit();
        OwnerName.Reverse owner = new OwnerName.Reverse(IpAddress.ofIpv4(0x0A60_0001L + NAMES));
        edit.put(owner.address(), packed(owner, NAMES), PUBLISHER);
        Retained before = Retained.by(addresses);
        Retained both = Retained.by(new Object[] {addresses, edit.build()});
        // The array of both, the table, a tree, three nodes with three arrays each, a mark, and the data of the
        // address.
        assertThat(both.objects - before.objects).isLessThanOrEqualTo(17);
        assertThat(both.bytes - before.bytes).isLessThan(6_000);
    }

    /** All objects reachable from an object, except publishers, which belong to the objects of the cluster. */
    private static final class Retained {
        private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        private final Deque<Object> left = new ArrayDeque<>();
        private long objects;
        private long bytes;

        static Retained by(Object root) throws IllegalAccessException {
            Retained retained = new Retained();
            retained.reach(root);
            while (!retained.left.isEmpty()) {
                retained.count(retained.left.pop());
            }
            return retained;
        }

        private void reach(@Nullable Object object) {
            if (object != null && !(object instanceof Publisher) && seen.add(object)) {
                left.push(object);
            }
        }

        private void count(Object object) throws IllegalAccessException {
            objects++;
            Class<?> type = object.getClass();
            long size;
            if (type.isArray()) {
                int length = Array.getLength(object);
                size = 16 + (long) length * size(type.getComponentType());
                for (int i = 0; i < length && !type.getComponentType().isPrimitive(); i++) {
                    reach(Array.get(object, i));
                }
            } else {
                size = 12;
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        size += size(field.getType());
                        if (!field.getType().isPrimitive()) {
                            field.setAccessible(true);
                            reach(field.get(object));
                        }
                    }
                }
            }
            bytes += size + 7 & -8;
        }

        private static int size(Class<?> type) {
            return type == byte.class ? 1 : type == long.class ? 8 : 4;
        }
    }
}
