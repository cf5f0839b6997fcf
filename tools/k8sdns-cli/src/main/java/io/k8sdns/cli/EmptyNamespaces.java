package io.k8sdns.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Warns of namespaces of {@code --namespace} without objects, which are often misspelt. */
final class EmptyNamespaces {
    private EmptyNamespaces() {}

    /**
     * Returns a warning for each chosen namespace without objects. That of a namespace that does not exist has the most similar name,
     * and some of all names.
     *
     * @param chosen the values of the option
     * @param used the namespaces with objects
     * @param existing returns the namespaces that exist, as far as they are known; called only for a warning
     */
    static List<String> warnings(
            List<String> chosen, Set<String> used, Supplier<? extends Collection<String>> existing) {
        List<String> empty =
                chosen.stream().filter(one -> !used.contains(one)).distinct().toList();
        if (empty.isEmpty()) {
            return List.of();
        }
        List<String> known = List.copyOf(new TreeSet<>(existing.get()));
        List<String> warnings = new ArrayList<>();
        for (String one : empty) {
            String text = "warning: no object that has records is in the namespace " + one;
            if (!known.contains(one) && !known.isEmpty()) {
                text += DidYouMean.question(one, known) + " (namespaces: " + PlanTable.first(known) + ")";
            }
            warnings.add(text);
        }
        return warnings;
    }
}
