package io.k8sdns.arguments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Node;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.slices.EndpointSliceRules;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CopiesTest {
    /** A list whose third element cannot be read. */
    private static final List<String> UNREADABLE = new AbstractList<>() {
        @Override
        public String get(int index) {
            if (index == 2) {
                throw new ConcurrentModificationException("changed meanwhile");
            }
            return "a";
        }

        @Override
        public int size() {
            return 4;
        }
    };

    @Test
    void aCopyIsEqualAndIndependentOfTheOriginal() {
        List<String> list = new ArrayList<>(List.of("b", "a"));
        Map<String, Integer> map = new LinkedHashMap<>();
        for (int i = 20; i > 0; i--) {
            map.put("key" + i, i);
        }
        List<String> keys = List.copyOf(map.keySet());
        List<String> listCopy = Copies.list("names", list);
        List<String> iterableCopy = Copies.list("names", () -> list.iterator());
        Set<String> setCopy = Copies.set("names", list);
        Map<String, Integer> mapCopy = Copies.map("numbers", map);
        list.clear();
        map.clear();

        assertThat(listCopy).containsExactly("b", "a").isUnmodifiable();
        assertThat(iterableCopy).containsExactly("b", "a").isUnmodifiable();
        assertThat(setCopy).containsExactlyInAnyOrder("a", "b").isUnmodifiable();
        assertThat(mapCopy.keySet()).as("in the same order").containsExactlyElementsOf(keys);
        assertThat(mapCopy).containsEntry("key7", 7).isUnmodifiable();
        assertThat(Copies.list("names", listCopy)).isSameAs(listCopy);
    }

    @Test
    @SuppressWarnings("NullAway") // the test passes null on purpose
    void aNullArgumentIsReportedWithItsName() {
        assertThatNullPointerException()
                .isThrownBy(() -> Copies.list("zones", null))
                .withMessage("zones");
        assertThatNullPointerException()
                .isThrownBy(() -> Copies.set("zones", null))
                .withMessage("zones");
        assertThatNullPointerException()
                .isThrownBy(() -> Copies.map("zones", null))
                .withMessage("zones");
    }

    @Test
    @SuppressWarnings("NullAway") // the test passes null on purpose
    void aNullElementIsReportedWithItsIndexOrKey() {
        List<String> list = Arrays.asList("a", "b", "c", null, "d");
        List<String> streamed = Stream.of("a", null).toList();
        assertThatNullPointerException()
                .isThrownBy(() -> Copies.list("batch", list))
                .withMessage("batch[3]");
        assertThatNullPointerException()
                .isThrownBy(() -> Copies.list("batch", () -> list.iterator()))
                .withMessage("batch[3]");
        assertThatNullPointerException()
                .isThrownBy(() -> Copies.list("batch", streamed))
                .withMessage("batch[1]");
        assertThatNullPointerException()
                .isThrownBy(() -> Copies.set("names", new LinkedHashSet<>(list)))
                .withMessage("names[3]");
        Map<String, String> map = new LinkedHashMap<>();
        map.put("a", "b");
        map.put("c", null);
        assertThatNullPointerException()
                .isThrownBy(() -> Copies.map("labels", map))
                .withMessage("labels[c]");
        map.put("c", "d");
        map.put(null, "e");
        assertThatNullPointerException()
                .isThrownBy(() -> Copies.map("labels", map))
                .withMessage("labels[2]");
    }

    @Test
    void aCollectionThatCannotBeReadIsReportedWithItsName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Copies.list("batch", UNREADABLE))
                .withMessage("batch: cannot be read: java.util.ConcurrentModificationException: changed meanwhile")
                .withCauseInstanceOf(ConcurrentModificationException.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Copies.list("batch", () -> UNREADABLE.iterator()))
                .withMessageStartingWith("batch: cannot be read: ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Copies.set("names", UNREADABLE))
                .withMessageStartingWith("names: cannot be read: ");
        Map<String, String> unreadable = new AbstractMap<>() {
            @Override
            public Set<Entry<String, String>> entrySet() {
                throw new IllegalStateException("closed");
            }
        };
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Copies.map("labels", unreadable))
                .withMessage("labels: cannot be read: java.lang.IllegalStateException: closed");
    }

    /** The exception is thrown by {@code equals} of an element. */
    @Test
    void aNullPointerExceptionOfAnElementIsNotReportedAsANullElement() {
        class FailingEquals {
            @Override
            public boolean equals(Object other) {
                throw new NullPointerException("not initialized");
            }

            @Override
            public int hashCode() {
                return 1;
            }
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Copies.set("things", List.of(new FailingEquals(), new FailingEquals())))
                .withMessageStartingWith("things: cannot be read: ");
    }

    @Test
    void errorsArePropagated() {
        assertThatExceptionOfType(StackOverflowError.class)
                .isThrownBy(() -> Copies.list("batch", () -> {
                    throw new StackOverflowError();
                }));
    }

    @Test
    void entryPointsOfTheModelReportNullArgumentsAndElements() {
        List<Pod> pods = Collections.singletonList(null);
        List<Node> nodes = Collections.singletonList(null);
        List<ClusterObject> objects = Arrays.asList(Namespace.of("shop"), null);
        Map<String, String> labels = Collections.singletonMap("app", null);
        assertThatNullPointerException()
                .isThrownBy(() -> ClusterSnapshot.of(objects))
                .withMessage("objects[1]");
        Service service = HeadlessService.of("shop", "web");
        assertThatNullPointerException()
                .isThrownBy(() -> EndpointSliceRules.of(service, pods, List.of()))
                .withMessage("pods[0]");
        assertThatNullPointerException()
                .isThrownBy(() -> EndpointSliceRules.of(service, List.of(), nodes))
                .withMessage("nodes[0]");
        assertThatNullPointerException()
                .isThrownBy(() -> Selector.ofLabels(labels))
                .withMessage("labels[app]");
    }
}
