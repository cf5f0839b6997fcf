package io.k8sdns.cli;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** Random numbers from a generator for each thread, so that the threads of a server share none. */
final class ThreadRandom implements RandomGenerator {
    @Override
    public long nextLong() {
        return ThreadLocalRandom.current().nextLong();
    }

    @Override
    public int nextInt(int bound) {
        return ThreadLocalRandom.current().nextInt(bound);
    }
}
