package io.k8sdns.advice;

import io.k8sdns.arguments.Copies;
import io.k8sdns.search.Dialect;
import java.util.List;
import java.util.Map;

/**
 * The queries of a Pod's programs with one value of {@code ndots}.
 *
 * @param ndots the number
 * @param queries the number of queries of all host strings together, by dialect
 * @param lost the host strings that are found with the Pod's own {@code ndots} and not with this one, by dialect
 */
public record NdotsChoice(int ndots, Map<Dialect, Integer> queries, Map<Dialect, List<String>> lost) {
    /** Copies the maps. */
    public NdotsChoice {
        queries = Copies.map("queries", queries);
        lost = Copies.map("lost", lost);
    }
}
