package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RepeatedWarningTest {
    private final List<String> received = new ArrayList<>();
    private final RepeatedWarning warning = new RepeatedWarning(received::add);

    @Test
    void warningsAreReceivedOneByOneAndOncePerChangeOfTheWholeList() {
        warning.reportAll(List.of("a", "b"));
        warning.reportAll(List.of("a", "b"));
        assertThat(received).containsExactly("a", "b");
        warning.reportAll(List.of("b"));
        assertThat(received).containsExactly("a", "b", "b");
    }

    @Test
    void withoutAWarningTheNextOneIsReceivedAgain() {
        warning.report("a");
        warning.report("a");
        warning.reportAll(List.of());
        warning.report("a");
        warning.clear();
        warning.reportAll(List.of("a"));
        assertThat(received).containsExactly("a", "a", "a");
    }
}
