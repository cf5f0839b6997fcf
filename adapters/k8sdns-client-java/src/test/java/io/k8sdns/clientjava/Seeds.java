package io.k8sdns.clientjava;

import java.security.SecureRandom;

/**
 * The seeds of laws that run many histories; the same seeds in each run, unless system properties set others.
 *
 * <p>{@code k8sdns.simulation.seed} is the first seed, or {@code random} for another one each time, which is printed;
 * {@code k8sdns.simulation.seeds} is how many there are.
 */
final class Seeds {
    private static final long DEFAULT = 20_251;
    private static final long FIRST = read(System.getProperty("k8sdns.simulation.seed", Long.toString(DEFAULT)));

    private Seeds() {}

    private static long read(String text) {
        if (!text.equals("random")) {
            return Long.parseLong(text);
        }
        long seed = new SecureRandom().nextInt(Integer.MAX_VALUE);
        System.out.println("simulation: seeds from " + seed + " on; again with -Dk8sdns.simulation.seed=" + seed);
        return seed;
    }

    /** Returns the first seed. */
    static long first() {
        return FIRST;
    }

    /** Returns how many seeds to try. */
    static int count(int usual) {
        return Integer.getInteger("k8sdns.simulation.seeds", usual);
    }
}
