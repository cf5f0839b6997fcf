package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.controller.FederationController.ControllerReport;
import io.k8sdns.federation.controller.FederationController.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProblemLogTest {
    private static final Problem SERVICE = new Problem("Service shop/web in cluster b", "no namespace");
    private static final Problem AWAY = new Problem("cluster b", "it does not answer; its keys are kept");

    private final List<String> printed = new ArrayList<>();
    private final ProblemLog log = new ProblemLog(printed::add);

    private void report(Set<String> written, Problem... problems) {
        log.report(new ControllerReport(List.of(problems), written));
    }

    @Test
    void aProblemIsPrintedWhenItPersistsAndWhenItEnds() {
        report(Set.of("b"), SERVICE);
        assertThat(printed).isEmpty();
        report(Set.of("b"), SERVICE);
        report(Set.of("b"), SERVICE);
        assertThat(printed).containsExactly("warning: Service shop/web in cluster b: no namespace");
        printed.clear();
        report(Set.of("b"));
        report(Set.of("b"));
        assertThat(printed).containsExactly("note: Service shop/web in cluster b: recovered");
    }

    @Test
    void aProblemOfAClusterThatIsNoLongerWrittenHasNotRecovered() {
        report(Set.of("a", "b"), SERVICE);
        report(Set.of("a"), SERVICE, AWAY);
        report(Set.of("a"), SERVICE, AWAY);
        printed.clear();
        report(Set.of("a"), AWAY);
        assertThat(printed)
                .containsExactly("note: Service shop/web in cluster b: no longer written by this controller");
        printed.clear();
        report(Set.of("a", "b"), SERVICE);
        assertThat(printed).containsExactly("note: cluster b: recovered");
        report(Set.of("a", "b"), SERVICE);
        assertThat(printed).endsWith("warning: Service shop/web in cluster b: no namespace");
    }

    @Test
    void aProblemThatOneOfAllServicesReplacesHasNotRecovered() {
        Problem all = new Problem("Services in cluster b", "they are written by the controller x");
        report(Set.of("b"), SERVICE);
        report(Set.of("b"), SERVICE);
        printed.clear();
        report(Set.of("b"), all);
        assertThat(printed)
                .containsExactly("note: Service shop/web in cluster b: no longer written by this controller");
        report(Set.of("b"), SERVICE, new Problem("Services in cluster c", "no answer"));
        report(Set.of("b"), SERVICE, new Problem("Services in cluster c", "no answer"));
        printed.clear();
        report(Set.of("b"), new Problem("Services in cluster c", "no answer"));
        assertThat(printed).containsExactly("note: Service shop/web in cluster b: recovered");
    }

    @Test
    void aClusterThatLeavesIsNoLongerWritten() {
        report(Set.of(), AWAY);
        report(Set.of(), AWAY);
        printed.clear();
        report(Set.of());
        assertThat(printed).containsExactly("note: cluster b: no longer written by this controller");
    }

    @Test
    void aProblemOfTheStoreHasNoCluster() {
        Problem store = new Problem("store", "it has not been read");
        report(Set.of(), store, SERVICE);
        report(Set.of(), store, SERVICE);
        report(Set.of());
        assertThat(printed).containsExactly("warning: store: it has not been read", "note: store: recovered");
    }

    @ParameterizedTest
    @CsvSource({
        "cluster b,b",
        "stub zone of cluster b.c,b.c",
        "prod/shop/cluster in cluster cluster,cluster",
        "Services in cluster b,b",
        "store,",
        "--clusters-dir,",
        "controller,"
    })
    void theNameOfAProblemEndsWithItsCluster(String name, String cluster) {
        assertThat(new Problem(name, "reason").cluster().orElse(null)).isEqualTo(cluster);
    }
}
