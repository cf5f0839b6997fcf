package io.k8sdns.cluster;

import static io.k8sdns.cluster.Cluster.WEB;
import static io.k8sdns.cluster.Cluster.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Selector;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VisibilityTest {
    private static final Namespace PROD = new Namespace("prod", Optional.empty(), new Labels(Map.of("stage", "prod")));

    @Test
    void everythingIsPublishedUnlessSaidOtherwise() {
        assertThat(Visibility.ALL.shows(PROD)).isTrue();
        assertThat(Visibility.ALL.shows(pod("web").build())).isTrue();
    }

    @Test
    void namespacesAreChosenByNameAndByLabel() {
        assertThat(new Visibility(Set.of("prod"), Selector.EVERYTHING, Selector.EVERYTHING).shows(PROD))
                .isTrue();
        assertThat(new Visibility(Set.of("test"), Selector.EVERYTHING, Selector.EVERYTHING).shows(PROD))
                .isFalse();
        assertThat(new Visibility(Set.of(), Selector.parse("stage=prod"), Selector.EVERYTHING).shows(PROD))
                .isTrue();
        assertThat(new Visibility(Set.of(), Selector.parse("stage!=prod"), Selector.EVERYTHING).shows(PROD))
                .isFalse();
    }

    @Test
    void servicesAndPodsAreChosenByLabel() {
        Visibility web = new Visibility(Set.of(), Selector.EVERYTHING, Selector.ofLabels(WEB));
        assertThat(web.shows(pod("web").build())).isTrue();
        assertThat(web.shows(pod("web").labelled(Labels.NONE).build())).isFalse();
    }
}
