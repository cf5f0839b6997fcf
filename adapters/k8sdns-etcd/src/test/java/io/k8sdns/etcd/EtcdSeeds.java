package io.k8sdns.etcd;

import java.security.SecureRandom;

/**
 * The seeds of the simulation. {@code k8sdns.simulation.seed} is the first seed, or {@code random} for a random one, which is printed;
 * {@code k8sdns.simulation.seeds} is the number of seeds.
 */
final class EtcdSeeds {
    private static final long DEFAULT = 20_261;

    private EtcdSeeds() {}

    static long first() {
        String text = System.getProperty("k8sdns.simulation.seed", Long.toString(DEFAULT));
        if (!text.equals("random")) {
            return Long.parseLong(text);
        }
        long seed = new SecureRandom().nextInt(Integer.MAX_VALUE);
        System.out.println("simulation: seeds from " + seed + " on; again with -Dk8sdns.simulation.seed=" + seed);
        return seed;
    }

    static int count(int usual) {
        return Integer.getInteger("k8sdns.simulation.seeds", usual);
    }
}
