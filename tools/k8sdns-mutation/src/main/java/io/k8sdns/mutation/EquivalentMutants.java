package io.k8sdns.mutation;

import java.util.ArrayList;
import java.util.List;

/** The mutants that no test can kill, as {@code equivalent.txt} lists them. Each entry excuses one mutant. */
final class EquivalentMutants {
    private final List<String> unused = new ArrayList<>();

    private EquivalentMutants() {}

    /**
     * Reads blocks of three lines: class, method and mutator; the line of source; the reason. Lines that begin with
     * {@code #} are comments.
     *
     * @throws IllegalArgumentException if a block has no source or no reason
     */
    static EquivalentMutants parse(String text) {
        EquivalentMutants mutants = new EquivalentMutants();
        List<String> block = new ArrayList<>();
        for (String line : (text + "\n\n").split("\n", -1)) {
            if (line.startsWith("#")) {
                continue;
            }
            if (!line.isBlank()) {
                block.add(line.strip());
            } else if (!block.isEmpty()) {
                if (block.size() < 3 || block.get(0).split(" ", -1).length != 3) {
                    throw new IllegalArgumentException(
                            "equivalent.txt: not \"CLASS METHOD MUTATOR\", a line of source and a reason: " + block);
                }
                mutants.unused.add(block.get(0) + "\n" + block.get(1));
                block.clear();
            }
        }
        return mutants;
    }

    /** Returns whether an entry for this mutant is left, and uses it up. */
    boolean excuses(Mutant mutant) {
        return unused.remove(mutant.key());
    }

    /** Returns the entries that excused no mutant, each as its first two lines. */
    List<String> unused() {
        return List.copyOf(unused);
    }
}
