package io.k8sdns.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.k8sdns.search.Dialect;
import io.k8sdns.search.QueryOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Compares the plans with every folder of {@code conformance/queries/}. */
class QueryCasesTest {
    @TestFactory
    Stream<DynamicTest> everyCaseMatchesItsPlan() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Path folder : QueryCase.folders()) {
            QueryCase one = QueryCase.read(folder);
            for (QueryCase.Expectation expected : QueryCase.expectations(folder)) {
                for (Dialect dialect : expected.dialects()) {
                    tests.add(dynamicTest(
                            one.title() + ": " + dialect.word(),
                            folder.resolve("queries.txt").toUri(),
                            () -> assertMatches(one, dialect, expected)));
                }
            }
        }
        return tests.stream();
    }

    private static void assertMatches(QueryCase one, Dialect dialect, QueryCase.Expectation expected) {
        QueryTrace trace = one.run(dialect);
        List<SentQuery> planned = trace.queries().stream().map(SentQuery::of).toList();
        assertThat(SentQuery.comparable(planned, expected.order()))
                .as("%s", one)
                .isEqualTo(SentQuery.comparable(expected.queries(), expected.order()));
        if (expected.order() != QueryOrder.NAMES) {
            assertThat(planned.stream().map(SentQuery::atMillis).sorted())
                    .as("times of %s", one)
                    .isEqualTo(expected.queries().stream()
                            .map(SentQuery::atMillis)
                            .sorted()
                            .toList());
        }
        assertThat(trace.outcome()).as("%s", one).isEqualTo(expected.outcome());
        assertThat(trace.plan().queryOrder()).as("%s", one).isEqualTo(expected.order());
    }

    @Test
    void everyDialectHasCases() {
        Set<Dialect> seen = new HashSet<>();
        for (Path folder : QueryCase.folders()) {
            QueryCase.expectations(folder).forEach(expected -> seen.addAll(expected.dialects()));
        }
        assertThat(seen).containsExactlyInAnyOrderElementsOf(Dialect.all());
    }

    @Test
    void everyCaseHasAReason() {
        assertThat(QueryCase.folders())
                .isNotEmpty()
                .allSatisfy(folder -> assertThat(folder.resolve("why.md")).isNotEmptyFile());
    }

    @Test
    void everyFileBelongsToACase() throws Exception {
        try (Stream<Path> files = Files.walk(QueryCase.ALL)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> file.getFileName().toString()))
                    .isSubsetOf("why.md", "resolv.conf", "lookup.txt", "queries.txt");
        }
    }
}
