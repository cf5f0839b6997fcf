package io.k8sdns.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * Simulates replicas of a server under the load of a cluster. Input is the measured processor time of an answer; output is waiting
 * time, loss and slow lookups. Equal arguments give equal figures: the random numbers have a fixed seed, and no clock is read.
 *
 * <p>{@code ReplicaSimulation [MICROS [MICROS_OF_ANOTHER]]}: the cost of an answer, from {@code docs/performance.md}.
 *
 * <p>The model: lookups start at random and independently. A lookup walks a search list: at each step it sends two queries (A, AAAA) to
 * one replica and waits for both. A replica answers one query at a time. Its service times are exponential around the measured mean,
 * which is a wider distribution than measured. A query that finds the receive buffer full is lost, and its lookup repeats the step
 * after five seconds, as glibc does. The network adds its round-trip time and loses nothing. Tables are Markdown; {@code docs/scale.md}
 * has the conclusions.
 */
public final class ReplicaSimulation {
    private static final long SEED = 1;
    private static final double SECONDS = 8;
    private static final double ROUND_TRIP_MICROS = 200;
    private static final double RETRY_MICROS = 5e6;

    /** The number of queries in a receive buffer of a megabyte, as counted on Linux 6.18. */
    private static final int BUFFER = 2_520;

    private static final int PODS = 150_000;
    private static final int PODS_PER_NODE = 30;
    private static final double LOOKUPS_PER_POD = 0.1;

    /** The steps of lookups: half of them find a Service at the second step, half end at the fifth, for a name outside the cluster. */
    private static final int[] STEPS = {2, 5};

    private ReplicaSimulation() {}

    /** Prints the tables. */
    public static void main(String[] args) {
        double ours = args.length > 0 ? Double.parseDouble(args[0]) : 5;
        double theirs = args.length > 1 ? Double.parseDouble(args[1]) : 23;
        double lookups = PODS * LOOKUPS_PER_POD;
        System.out.println(Result.HEADER);
        for (double micros : List.of(ours, theirs)) {
            for (int replicas : new int[] {1, 2, 3, 5, 10}) {
                row(new Cluster(replicas, micros, lookups));
            }
        }
        for (int times : new int[] {3, 10}) {
            for (int replicas : new int[] {3, 5, 10}) {
                row(new Cluster(replicas, ours, times * lookups));
            }
        }
        for (double stall : new double[] {5, 20, 50, 200}) {
            row(new Cluster(3, ours, lookups).stalling(stall * 1e3));
        }
        for (int replicas : new int[] {2, 3, 10}) {
            row(new Cluster(replicas, ours, lookups).losingOne());
        }
        row(new Cluster(1, ours, PODS_PER_NODE * LOOKUPS_PER_POD));
        System.out.println();
        System.out.println(
                "| names that a node's Pods query | TTL, s | answered by the node's cache | left for the replicas, queries/s |");
        System.out.println("|---|---|---|---|");
        for (int names : new int[] {20, 100, 1_000}) {
            for (int ttl : new int[] {5, 30}) {
                double hits = cacheHits(names, ttl);
                System.out.println(String.format(
                        Locale.ROOT,
                        "| %,d | %d | %.0f %% | %,.0f |",
                        names,
                        ttl,
                        100 * hits,
                        (1 - hits) * lookups * queriesOfALookup()));
            }
        }
    }

    private static double queriesOfALookup() {
        return 2.0 * Arrays.stream(STEPS).sum() / STEPS.length;
    }

    private static void row(Cluster cluster) {
        System.out.println(cluster.run().row(cluster));
    }

    /**
     * A simulated cluster.
     *
     * @param micros the mean processor time of an answer
     * @param lookups the number of lookups per second
     * @param stallMicros the duration of one pause of each replica during the simulation, or 0
     * @param loses whether one replica fails in the middle of the simulation, while clients still send to it
     */
    record Cluster(int replicas, double micros, double lookups, double stallMicros, boolean loses) {
        Cluster(int replicas, double micros, double lookups) {
            this(replicas, micros, lookups, 0, false);
        }

        Cluster stalling(double forMicros) {
            return new Cluster(replicas, micros, lookups, forMicros, loses);
        }

        Cluster losingOne() {
            return new Cluster(replicas, micros, lookups, stallMicros, true);
        }

        private String title() {
            return String.format(
                    Locale.ROOT,
                    "%d x %.1f µs%s%s",
                    replicas,
                    micros,
                    stallMicros > 0 ? String.format(Locale.ROOT, ", each paused for %.0f ms", stallMicros / 1e3) : "",
                    loses ? ", one removed" : "");
        }

        Result run() {
            Random random = new Random(SEED);
            Replica[] all = new Replica[replicas];
            for (int i = 0; i < replicas; i++) {
                double still = (0.25 + 0.5 * random.nextDouble()) * SECONDS * 1e6;
                all[i] =
                        new Replica(still, still + stallMicros, loses && i == 0 ? SECONDS / 2 * 1e6 : Double.MAX_VALUE);
            }
            PriorityQueue<Step> steps = new PriorityQueue<>((one, other) -> Double.compare(one.at, other.at));
            Result result = new Result();
            double next = 0;
            while (true) {
                // The next lookup starts before the next step of a running one.
                if (next < SECONDS * 1e6 && (steps.isEmpty() || next <= steps.peek().at)) {
                    steps.add(new Step(next, STEPS[random.nextInt(STEPS.length)], false));
                    result.lookups++;
                    next += -Math.log(1 - random.nextDouble()) * 1e6 / lookups;
                    continue;
                }
                Step step = steps.poll();
                if (step == null) {
                    break;
                }
                if (step.at > SECONDS * 1e6) {
                    // After the end of the simulation.
                    continue;
                }
                Replica replica = all[random.nextInt(replicas)];
                double a = result.asked(replica, step.at, -Math.log(1 - random.nextDouble()) * micros);
                double aaaa = result.asked(replica, step.at, -Math.log(1 - random.nextDouble()) * micros);
                if (a < 0 || aaaa < 0) {
                    result.slow += step.slow ? 0 : 1;
                    steps.add(new Step(step.at + RETRY_MICROS, step.left, true));
                } else if (step.left > 1) {
                    steps.add(new Step(step.at + Math.max(a, aaaa) + ROUND_TRIP_MICROS, step.left - 1, step.slow));
                }
            }
            return result;
        }
    }

    /** A step of a lookup, the number of remaining steps including it, and whether the lookup has lost a query before. */
    private record Step(double at, int left, boolean slow) {}

    /** A replica, with the completion time of each query in its buffer. */
    private static final class Replica {
        private final double[] done = new double[BUFFER];
        private final double stillFrom;
        private final double stillTo;
        private final double goneFrom;
        private int first;
        private int waiting;
        private double free;

        Replica(double stillFrom, double stillTo, double goneFrom) {
            this.stillFrom = stillFrom;
            this.stillTo = stillTo;
            this.goneFrom = goneFrom;
        }

        /** Returns the time of a query from its arrival to its answer, in microseconds, or -1 if it is lost. */
        double ask(double at, double work) {
            while (waiting > 0 && done[first] <= at) {
                first = (first + 1) % BUFFER;
                waiting--;
            }
            if (waiting == BUFFER || at >= goneFrom) {
                return -1;
            }
            double begin = Math.max(at, free);
            if (begin >= stillFrom && begin < stillTo) {
                begin = stillTo;
            }
            free = begin + work;
            done[(first + waiting) % BUFFER] = free;
            waiting++;
            return free - at;
        }
    }

    /** The results of a simulation. */
    static final class Result {
        private static final String HEADER =
                "| replicas, time of an answer | queries/s | a replica is busy | median wait, µs | p99 | p99.9 | lost | lookups with a wait of 5 s |\n"
                        + "|---|---|---|---|---|---|---|---|";

        private final List<float[]> blocks = new ArrayList<>();
        private int answered;
        private int lost;
        private double busy;
        private int lookups;
        private int slow;

        private double asked(Replica replica, double at, double work) {
            double waited = replica.ask(at, work);
            if (waited < 0) {
                lost++;
                return waited;
            }
            if (answered % 4_096 == 0) {
                blocks.add(new float[4_096]);
            }
            blocks.get(answered / 4_096)[answered % 4_096] = (float) waited;
            answered++;
            busy += work;
            return waited;
        }

        int lost() {
            return lost;
        }

        /** Returns a quantile of the waiting time, in microseconds. */
        double waited(double part) {
            float[] all = new float[answered];
            for (int i = 0; i < answered; i++) {
                all[i] = blocks.get(i / 4_096)[i % 4_096];
            }
            Arrays.sort(all);
            return answered == 0 ? 0 : all[(int) (part * (answered - 1))];
        }

        String row(Cluster cluster) {
            return String.format(
                    Locale.ROOT,
                    "| %s | %,.0f | %.0f %% | %,.0f | %,.0f | %,.0f | %.2f %% | %.2f %% |",
                    cluster.title(),
                    (answered + lost) / SECONDS,
                    Math.min(100, 100 * busy / 1e6 / SECONDS / cluster.replicas()),
                    waited(0.5),
                    waited(0.99),
                    waited(0.999),
                    100.0 * lost / (answered + lost),
                    100.0 * slow / lookups);
        }
    }

    /**
     * Returns the fraction of the queries of one node's Pods that a cache on the node answers, with names by Zipf's law and equal TTLs.
     */
    static double cacheHits(int names, int ttlSeconds) {
        Random random = new Random(SEED);
        double[] upTo = new double[names];
        double sum = 0;
        for (int i = 0; i < names; i++) {
            sum += 1.0 / (i + 1);
            upTo[i] = sum;
        }
        Map<Integer, Double> until = new HashMap<>();
        double rate = PODS_PER_NODE * LOOKUPS_PER_POD * queriesOfALookup() / 2;
        int asked = 200_000;
        int hits = 0;
        double at = 0;
        for (int i = 0; i < asked; i++) {
            at += -Math.log(1 - random.nextDouble()) / rate;
            int place = Arrays.binarySearch(upTo, random.nextDouble() * sum);
            int name = place < 0 ? -place - 1 : place;
            if (until.getOrDefault(name, -1.0) > at) {
                hits++;
            } else {
                until.put(name, at + ttlSeconds);
            }
        }
        return (double) hits / asked;
    }
}
