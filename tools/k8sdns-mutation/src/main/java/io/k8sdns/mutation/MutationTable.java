package io.k8sdns.mutation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The share of killed mutants of each class, compared with the required share.
 *
 * @param text the table, the mutants that survived, and the unused entries of {@code equivalent.txt}
 * @param passed whether each class has its required share, and each entry of {@code equivalent.txt} a mutant
 */
record MutationTable(String text, boolean passed) {
    /**
     * Counts mutants by class.
     *
     * @param required the minimum share of each class in percent, by class name, in the order of the table
     * @param mutants all mutants of those classes
     * @param equivalent the mutants that do not count
     */
    static MutationTable of(Map<String, Integer> required, List<Mutant> mutants, EquivalentMutants equivalent) {
        StringBuilder table =
                new StringBuilder(row("class", "mutants", "killed", "equivalent", "survived", "score", "required"));
        StringBuilder survivors = new StringBuilder();
        boolean passed = true;
        for (Map.Entry<String, Integer> entry : required.entrySet()) {
            int all = 0;
            int killed = 0;
            int excused = 0;
            for (Mutant mutant : mutants) {
                if (!mutant.topLevelClass().equals(entry.getKey())) {
                    continue;
                }
                all++;
                if (mutant.killed()) {
                    killed++;
                } else if (equivalent.excuses(mutant)) {
                    excused++;
                } else {
                    survivors.append(mutant.className() + "." + mutant.method() + ":" + mutant.line() + " "
                            + mutant.mutator() + "\n    " + mutant.source() + "\n");
                }
            }
            boolean enough = all > 0 && killed * 100 >= entry.getValue() * (all - excused);
            passed &= enough;
            double score = all == excused ? 0 : 100.0 * killed / (all - excused);
            table.append(row(
                    entry.getKey().substring("io.k8sdns.".length()),
                    Integer.toString(all),
                    Integer.toString(killed),
                    Integer.toString(excused),
                    Integer.toString(all - killed - excused),
                    String.format(Locale.ROOT, "%.1f %%", score),
                    entry.getValue() + " %" + (enough ? "" : " MISSED")));
        }
        List<String> unused = new ArrayList<>(equivalent.unused());
        unused.removeIf(entry -> required.keySet().stream()
                .noneMatch(name -> entry.startsWith(name + " ") || entry.startsWith(name + "$")));
        for (String entry : unused) {
            survivors.append(
                    "equivalent.txt lists a mutant that did not survive:\n    " + entry.replace("\n", "\n    ") + "\n");
        }
        return new MutationTable(table + "\n" + survivors, passed && unused.isEmpty());
    }

    private static String row(String... cells) {
        return String.format(Locale.ROOT, "%-36s %8s %7s %11s %9s %9s  %s%n", (Object[]) cells);
    }
}
