package io.k8sdns.benchmarks;

import io.k8sdns.apiserver.Fault;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Namespace;
import io.k8sdns.zone.ClusterZone;
import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/**
 * A soak test: follows a cluster that changes at random, behind an API server that fails now and then, while the zone is queried. Every
 * answer must equal that of {@code ClusterZone.of} for a possible state of the Service and its slices: between the last state that was
 * published before the question and the newest that was sent before the answer. In the end the zone must equal the content of the API
 * server, and no thread, socket or heap may leak.
 *
 * <p>{@code LiveSoak SERVICES ENDPOINTS CHANGES-A-SECOND SECONDS OUTAGE-SECONDS [SEED]}, for example {@code LiveSoak 1000 40 100 300
 * 60}: every other Service is headless, with the given number of endpoints. Exits with 1 if an answer was wrong.
 */
final class LiveSoak {
    /** The maximum number of possible states of a Service for which an answer is checked. */
    private static final int MAX_CANDIDATES = 64;

    private static final int FAULTS = 10;
    private static final int HISTORY = 3_000;

    private final ChangingCluster cluster;
    private final Random random;
    private long questions;
    private long undecided;
    private final List<String> wrong = new ArrayList<>();

    /** The resources in use. */
    private record Resources(int threads, int files, long heap) {
        static Resources now() {
            Runtime runtime = Runtime.getRuntime();
            long used = Long.MAX_VALUE;
            for (int i = 0; i < 4; i++) {
                System.gc();
                used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
            }
            String[] files = new File("/proc/self/fd").list();
            return new Resources(Thread.activeCount(), files == null ? 0 : files.length, used);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%d threads, %d open files, %.1f MB of heap", threads, files, heap / 1e6);
        }
    }

    private LiveSoak(ChangingCluster cluster, long seed) {
        this.cluster = cluster;
        this.random = new Random(seed);
    }

    /** Runs the soak test. */
    public static void main(String[] args) throws Exception {
        long seed = args.length > 5 ? Long.parseLong(args[5]) : System.nanoTime();
        List<String> wrong = run(
                Integer.parseInt(args[0]),
                Integer.parseInt(args[1]),
                Integer.parseInt(args[2]),
                Duration.ofSeconds(Long.parseLong(args[3])),
                Duration.ofSeconds(Long.parseLong(args[4])),
                HISTORY,
                seed);
        if (!wrong.isEmpty()) {
            System.exit(1);
        }
    }

    /**
     * Runs the soak test, and returns the first wrong answers.
     *
     * @param history the number of changes before the test
     */
    static List<String> run(
            int services, int endpoints, int rate, Duration time, Duration outage, int history, long seed)
            throws Exception {
        print("seed %d", seed);
        // A first run, because classes that are loaded once are not a leak.
        List<String> none = follow(2, 1, 10, Duration.ofMillis(100), Duration.ZERO, 0, seed);
        Resources before = Resources.now();
        List<String> wrong = follow(services, endpoints, rate, time, outage, history, seed);
        print("before:          %s", before);
        print("closed:          %s", Resources.now());
        wrong.addAll(none);
        wrong.forEach(one -> print("WRONG: %s", one));
        return wrong;
    }

    /** A separate method, so that its locals do not keep objects reachable. */
    private static List<String> follow(
            int services, int endpoints, int rate, Duration time, Duration outage, int history, long seed)
            throws Exception {
        try (ChangingCluster cluster = new ChangingCluster(services, endpoints, seed, true)) {
            // Fills the history of the API server, which does not grow afterwards.
            for (int i = 0; i < history; i++) {
                cluster.change();
            }
            LiveSoak soak = new LiveSoak(cluster, seed);
            try (FollowedZone zone =
                    new FollowedZone(cluster.server().url(), ClusterObserver.NONE, cluster::published)) {
                zone.await(SyncState.SYNCED);
                Resources begun = Resources.now();
                soak.run(zone, rate, time, outage);
                soak.checkTheEnd(zone);
                print("synced at first: %s", begun);
                print("in the end:      %s", Resources.now());
            }
            return soak.wrong;
        }
    }

    private void run(FollowedZone zone, int rate, Duration time, Duration outage) throws InterruptedException {
        int[] changes = {0};
        Thread changing = new Thread(() -> changes[0] = change(rate, time, outage), "changing");
        changing.start();
        while (changing.isAlive()) {
            ask(zone);
        }
        changing.join();
        print(
                "%,d changes, %,d questions, %,d of them with too many possible states to judge, %d wrong answers",
                changes[0], questions, undecided, wrong.size());
    }

    /** Makes changes at a rate, with each kind of fault in turn and one outage. */
    private int change(int rate, Duration time, Duration outage) {
        long begun = System.nanoTime();
        long next = begun;
        int changes = 0;
        int faults = 0;
        boolean wasAway = outage.isZero();
        for (long passed = 0; passed < time.toNanos(); passed = System.nanoTime() - begun) {
            cluster.change();
            changes++;
            next += TimeUnit.SECONDS.toNanos(1) / rate;
            if (passed * FAULTS / time.toNanos() > faults) {
                fail(faults++);
            }
            if (!wasAway && passed > time.toNanos() / 2) {
                wasAway = true;
                cluster.server().away(true);
                long back = System.nanoTime() + outage.toNanos();
                while (System.nanoTime() < back) {
                    cluster.change();
                    changes++;
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1) / rate);
                }
                cluster.server().away(false);
                next = System.nanoTime();
            }
            LockSupport.parkNanos(next - System.nanoTime());
        }
        return changes;
    }

    private void fail(int number) {
        for (String resource : List.of("services", "endpointslices")) {
            switch (number % 5) {
                case 0 -> cluster.server().endWatches(resource);
                case 1 -> cluster.server().fault(resource, Fault.twice().ofWatches());
                case 2 ->
                    cluster.server().fault(resource, Fault.cutAfter(20_000).ofWatches());
                case 3 -> {
                    cluster.server().compact();
                    cluster.server().fault(resource, Fault.cutAfter(100_000).ofLists());
                }
                default -> cluster.server().fault(resource, Fault.NONE);
            }
        }
        cluster.server().cut();
    }

    // ---- questions ----

    private void ask(FollowedZone zone) {
        int service = random.nextInt(cluster.services());
        Message query = query("service-" + service + ".shop.svc.cluster.local.");
        List<List<Optional<ClusterObject>>> before = cluster.states(service);
        Message answer = FollowedZone.parsed(zone.ask(query));
        List<List<Optional<ClusterObject>>> after = cluster.states(service);
        questions++;
        Set<String> actual = data(answer);
        List<List<Optional<ClusterObject>>> possible = new ArrayList<>();
        for (int i = 0; i < before.size(); i++) {
            // The possible states: those before the question, and those since.
            List<Optional<ClusterObject>> states = new ArrayList<>(before.get(i));
            for (Optional<ClusterObject> state : after.get(i)) {
                if (!states.contains(state)) {
                    states.add(state);
                }
            }
            possible.add(states);
        }
        long candidates = possible.stream().mapToLong(List::size).reduce(1, (one, other) -> one * other);
        if (candidates > MAX_CANDIDATES) {
            undecided++;
        } else if (!matchesSomeState(possible, 0, new ArrayList<>(), query, actual) && wrong.size() < 20) {
            wrong.add(query.getQuestion().getName() + " " + actual + ", possible: " + possible);
        }
    }

    private static boolean matchesSomeState(
            List<List<Optional<ClusterObject>>> possible,
            int index,
            List<ClusterObject> chosen,
            Message query,
            Set<String> actual) {
        if (index == possible.size()) {
            List<ClusterObject> all = new ArrayList<>(chosen);
            all.add(Namespace.of("shop"));
            return data(answerOf(all, query)).equals(actual);
        }
        for (Optional<ClusterObject> state : possible.get(index)) {
            List<ClusterObject> more = new ArrayList<>(chosen);
            state.ifPresent(more::add);
            if (matchesSomeState(possible, index + 1, more, query, actual)) {
                return true;
            }
        }
        return false;
    }

    private static Message answerOf(List<ClusterObject> objects, Message query) {
        ClusterZone zone = ClusterZone.of(ClusterSnapshot.of(objects), FollowedZone.RULES, Visibility.ALL);
        return FollowedZone.parsed(FollowedZone.ask(FollowedZone.responder(zone), query));
    }

    private static Set<String> data(Message answer) {
        return answer.getRcode() == Rcode.NOERROR
                ? answer.getSection(Section.ANSWER).stream()
                        .map(Record::rdataToString)
                        .collect(Collectors.toSet())
                : Set.of(Rcode.string(answer.getRcode()));
    }

    static Message query(String name) {
        try {
            return Message.newQuery(Record.newRecord(Name.fromString(name), Type.A, DClass.IN));
        } catch (TextParseException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Checks that the zone equals the content of the API server after all faults have ended. */
    private void checkTheEnd(FollowedZone zone) {
        for (String resource : List.of("services", "endpointslices")) {
            cluster.server().fault(resource, Fault.NONE);
        }
        cluster.server().cut();
        String held =
                records(ClusterZone.of(ClusterSnapshot.of(cluster.objects()), FollowedZone.RULES, Visibility.ALL));
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
        while (!zone.isSynced() || !records(zone.zone()).equals(held)) {
            if (System.nanoTime() > until) {
                wrong.add("in the end the zone differs from the content of the API server");
                return;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    private static String records(ClusterZone zone) {
        return zone.current().zones().stream()
                .flatMap(name -> zone.current().recordSets(name).stream())
                .filter(set -> set.typeNumber() != Type.SOA)
                .map(Object::toString)
                .collect(Collectors.joining("\n"));
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
