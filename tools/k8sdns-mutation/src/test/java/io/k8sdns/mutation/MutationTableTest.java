package io.k8sdns.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The count of mutants, and the failure of a run. */
class MutationTableTest {
    private static final String CLASS = "io.k8sdns.wire.Query";

    private static final EquivalentMutants NONE = EquivalentMutants.parse("# none\n");

    @Test
    void survivorOfANestedClassIsCountedForItsOuterClass() {
        MutationTable table = MutationTable.of(
                Map.of(CLASS, 90), List.of(mutant(CLASS, true), mutant(CLASS + "$Reader", false)), NONE);
        assertThat(table.passed()).isFalse();
        assertThat(table.text()).contains("50.0 %", "90 % MISSED", "Query$Reader.read:7 Math\n    return a + b;");
    }

    @Test
    void entryExcusesOneMutant() {
        List<Mutant> mutants = List.of(mutant(CLASS, true), mutant(CLASS, false), mutant(CLASS, false));
        String entry = CLASS + " read Math\nreturn a + b;\nboth are 0\n";
        assertThat(MutationTable.of(Map.of(CLASS, 90), mutants, EquivalentMutants.parse(entry))
                        .passed())
                .isFalse();
        assertThat(MutationTable.of(Map.of(CLASS, 100), mutants, EquivalentMutants.parse(entry + "\n" + entry))
                        .passed())
                .isTrue();
    }

    @Test
    void entryWithoutSurvivorFailsTheRunOfItsClass() {
        EquivalentMutants entry = EquivalentMutants.parse(CLASS + " read Math\nreturn a - b;\nboth are 0\n");
        MutationTable table = MutationTable.of(Map.of(CLASS, 90), List.of(mutant(CLASS, true)), entry);
        assertThat(table.passed()).isFalse();
        assertThat(table.text()).contains("did not survive", "return a - b;");
        assertThat(MutationTable.of(
                                Map.of("io.k8sdns.wire.FastPath", 0),
                                List.of(mutant("io.k8sdns.wire.FastPath", true)),
                                entry)
                        .passed())
                .isTrue();
    }

    @Test
    void classWithoutMutantsFails() {
        assertThat(MutationTable.of(Map.of(CLASS, 0), List.of(), NONE).passed()).isFalse();
    }

    @Test
    void entryNeedsAReason() {
        assertThatThrownBy(() -> EquivalentMutants.parse(CLASS + " read Math\nreturn a + b;\n"))
                .hasMessageContaining("a reason");
    }

    private static Mutant mutant(String className, boolean killed) {
        return new Mutant(className, "read", "Math", 7, "return a + b;", killed);
    }
}
