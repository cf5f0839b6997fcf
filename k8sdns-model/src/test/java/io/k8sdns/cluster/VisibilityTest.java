package io.k8sdns.cluster;

import static io.k8sdns.cluster.Cluster.WEB;
import static io.k8sdns.cluster.Cluster.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.model.InvalidFieldException;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class VisibilityTest {
    private static final Namespace PROD = Namespace.of("prod").withLabels(new Labels(Map.of("stage", "prod")));
    private static final Pod WEB_POD = pod("web").build();
    private static final Pod BARE_POD = pod("web").labelled(Labels.NONE).build();

    @Test
    void namespaceNamesMustBeValid() {
        for (String name : List.of("Shop", "", "a.b", "*", "x".repeat(64))) {
            assertThatThrownBy(() -> Visibility.ofNamespaces(Set.of(name)))
                    .as(name)
                    .isInstanceOf(InvalidFieldException.class);
        }
    }

    @Test
    void allPublishesEverything() {
        assertThat(Visibility.ALL.shows(PROD)).isTrue();
        assertThat(Visibility.ALL.shows(WEB_POD)).isTrue();
        assertThat(Visibility.ALL.shows(BARE_POD)).isTrue();
    }

    @Test
    void namespacesAreChosenByNameOrByLabel() {
        assertThat(Visibility.ofNamespaces(Set.of("prod")).shows(PROD)).isTrue();
        assertThat(Visibility.ofNamespaces(Set.of("test")).shows(PROD)).isFalse();
        assertThat(Visibility.ofNamespacesWith(Selector.parse("stage=prod")).shows(PROD))
                .isTrue();
        assertThat(Visibility.ofNamespacesWith(Selector.parse("stage!=prod")).shows(PROD))
                .isFalse();
        assertThat(Visibility.ofNamespaces(Set.of("prod")).shows(BARE_POD)).isTrue();
    }

    @Test
    void servicesAndPodsAreChosenByLabel() {
        Visibility web = Visibility.ALL.onlyWith(Selector.ofLabels(WEB));
        assertThat(web.shows(PROD)).isTrue();
        assertThat(web.shows(WEB_POD)).isTrue();
        assertThat(web.shows(BARE_POD)).isFalse();
    }

    @Test
    void limitsAddUp() {
        Visibility web = Visibility.ALL.onlyWith(Selector.ofLabels(WEB));
        assertThat(web.onlyWith(Selector.parse("!other")).shows(WEB_POD)).isTrue();
        assertThat(web.onlyWith(Selector.parse("!other")).shows(BARE_POD)).isFalse();
        assertThat(web.onlyWith(Selector.parse("other")).shows(WEB_POD)).isFalse();
        Visibility predicate = new Visibility(any -> true, labels -> !labels.equals(Labels.NONE));
        assertThat(predicate.shows(WEB_POD)).isTrue();
        assertThat(predicate.onlyWith(Selector.parse("other")).shows(WEB_POD)).isFalse();
        assertThat(predicate.onlyWith(Selector.parse("!other")).shows(BARE_POD)).isFalse();
    }

    @Test
    void anEmptyChoicePublishesNothing() {
        assertThat(Visibility.NOTHING.shows(PROD)).isFalse();
        assertThat(Visibility.ofNamespaces(Set.of()).shows(PROD)).isFalse();
        for (Selector empty : List.of(Selector.parse(""), Selector.ofLabels(Map.of()))) {
            assertThat(Visibility.ofNamespacesWith(empty).shows(PROD)).isFalse();
            assertThat(Visibility.ALL.onlyWith(empty).shows(WEB_POD)).isFalse();
            assertThat(Visibility.ALL
                            .onlyWith(Selector.ofLabels(WEB))
                            .onlyWith(empty)
                            .shows(WEB_POD))
                    .isFalse();
            assertThat(new Visibility(any -> true, empty).shows(WEB_POD)).isFalse();
            assertThat(Visibility.ALL
                            .onlyWith(empty)
                            .onlyWith(Selector.ofLabels(WEB))
                            .shows(WEB_POD))
                    .isFalse();
        }
    }

    @Test
    void valuesMadeOfEqualPartsAreEqual() {
        assertThat(Visibility.ofNamespaces(new HashSet<>(Set.of("shop", "prod"))))
                .isEqualTo(Visibility.ofNamespaces(Set.of("prod", "shop")))
                .isNotEqualTo(Visibility.ofNamespaces(Set.of("prod")));
        assertThat(Visibility.ofNamespacesWith(Selector.parse("a=b")).onlyWith(Selector.parse("c")))
                .isEqualTo(Visibility.ofNamespacesWith(Selector.parse("a = b")).onlyWith(Selector.parse("c")));
        assertThat(Visibility.ofNamespaces(Set.of())).isEqualTo(Visibility.NOTHING);
    }

    @Test
    void limitsAreEqualInAnyOrderAndAnyNumber() {
        Selector app = Selector.parse("app=web");
        Selector tier = Selector.parse("tier=front");
        assertThat(Visibility.ALL.onlyWith(app).onlyWith(tier))
                .isEqualTo(Visibility.ALL.onlyWith(Selector.parse("app = web")).onlyWith(tier))
                .isEqualTo(Visibility.ALL.onlyWith(tier).onlyWith(app))
                .isEqualTo(Visibility.ALL.onlyWith(app).onlyWith(tier).onlyWith(app))
                .hasSameHashCodeAs(Visibility.ALL.onlyWith(tier).onlyWith(app))
                .isNotEqualTo(Visibility.ALL.onlyWith(app))
                .isNotEqualTo(Visibility.ALL);
        assertThat(Visibility.ALL.onlyWith(Selector.EVERYTHING)).isEqualTo(Visibility.ALL.onlyWith(Selector.parse("")));
    }

    @Test
    @SuppressWarnings("NullAway") // callers without a null checker may pass null
    void nullArgumentsAreReported() {
        @Nullable Set<String> noSet = null;
        @Nullable Selector noLabels = null;
        assertThatThrownBy(() -> Visibility.ofNamespaces(noSet)).hasMessage("names");
        assertThatThrownBy(() -> Visibility.ofNamespaces(Collections.singleton(null)))
                .hasMessage("names[0]");
        assertThatThrownBy(() -> Visibility.ofNamespacesWith(noLabels)).hasMessage("labels");
        assertThatThrownBy(() -> Visibility.ALL.onlyWith(noLabels)).hasMessage("limit");
    }
}
