package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.Fact;
import io.k8sdns.records.OwnerName;
import io.k8sdns.records.RecordRules;
import io.k8sdns.records.ZoneSettings;
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
 * What the table of names keeps for a name, counted and not measured: objects, and their bytes as a JVM of 64 bits with
 * compressed references lays them out.
 */
class RetainedTest {
    private static final int NAMES = 20_000;

    /** Names of Services, of 32 octets. */
    private static final NameTable SERVICES =
            table(i -> DnsLabels.of(format("service-%05d", i), format("namespace-%02d", i % 100), "svc"));

    /** Names of the endpoints of StatefulSets, of 53 octets. */
    private static final NameTable ENDPOINTS = table(i -> DnsLabels.of(
            format("headless-%04d", i / 20) + format("-%06d", i),
            format("headless-%04d", i / 20),
            format("namespace-%02d", i % 100),
            "svc"));

    private static String format(String format, int number) {
        return String.format(Locale.ROOT, format, number);
    }

    private static NameTable table(IntFunction<DnsLabels> names) {
        RecordRules rules = new RecordRules(ZoneSettings.DEFAULTS);
        Publisher publisher = new Publisher.Apex();
        NameTable.Edit edit = NameTable.EMPTY.edit();
        for (int i = 0; i < NAMES; i++) {
            DnsLabels name = names.apply(i);
            OwnerName owner = new OwnerName.Forward(name);
            List<Fact> facts = List.of(new Fact.Address(owner, IpAddress.ofIpv4(0x0AF4_0000L + i)));
            edit.put(name, rules.assemble(owner, facts).packed(), publisher);
        }
        return edit.build();
    }

    @Test
    void aNameIsOneObjectAndItsShareOfASegment() throws IllegalAccessException {
        // A segment is an object with three arrays; around all are the table, the array of segments and a mark.
        assertThat(Retained.by(SERVICES).objects).isLessThanOrEqualTo(NAMES + 4 * SERVICES.segmentCount() + 10);
        assertThat(SERVICES.segmentCount()).isLessThan(NAMES / 30);
    }

    @Test
    void aNameOfOneAddressCostsItsOctetsAndFortySeven() throws IllegalAccessException {
        assertThat(Retained.by(SERVICES).bytes).isLessThan(NAMES * (32L + 47));
        assertThat(Retained.by(ENDPOINTS).bytes).isLessThan(NAMES * (53L + 47));
    }

    /** All that is reached from an object but publishers, which belong to the objects of the cluster. */
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
