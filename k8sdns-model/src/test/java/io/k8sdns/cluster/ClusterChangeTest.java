package io.k8sdns.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClusterChangeTest {
    private static final List<ClusterChange> CHANGES = List.of(
            new ClusterChange.Put(Namespace.of("prod")),
            new ClusterChange.Remove(ObjectRef.of("Namespace", "prod"), Optional.empty()));

    @Test
    void foldTakesEveryChange() {
        assertThat(CHANGES.stream().<Class<?>>map(Object::getClass))
                .containsExactlyInAnyOrder(ClusterChange.class.getPermittedSubclasses());
        assertThat(CHANGES.stream().map(change -> change.<Object>fold(put -> put, remove -> remove)))
                .isEqualTo(CHANGES);
    }

    @Test
    void aRemovalIsForEveryObjectOfItsNameThatIsNotKnownToBeAnother() {
        ObjectRef prod = ObjectRef.of("Namespace", "prod");
        ClusterChange.Remove withUid = new ClusterChange.Remove(prod, Optional.of("1"));
        assertThat(withUid.isFor(Optional.of("1"))).isTrue();
        assertThat(withUid.isFor(Optional.empty())).isTrue();
        assertThat(withUid.isFor(Optional.of("2"))).isFalse();
        assertThat(new ClusterChange.Remove(prod, Optional.empty()).isFor(Optional.of("2")))
                .isTrue();
    }

    @Test
    void everyChangeHasTheReferenceOfItsObject() {
        assertThat(CHANGES).allMatch(change -> change.ref().equals(ObjectRef.of("Namespace", "prod")));
    }
}
