package io.k8sdns.federation.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.FederatedServices;
import io.k8sdns.federation.controller.ClusterLease.Intent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The laws of a Lease, for any faults between a cluster and controllers of one federation with different stores: a Service is written
 * only while the Lease names its writer, and the last remaining controller writes all Services.
 */
@ExtendWith(QuietControllerLog.class)
class LeaseLaws {
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void aServiceIsWrittenOnlyByTheHolderOfTheLease(int group) {
        Set<Integer> holders = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            long seed = group * 1_000L + i;
            Simulation simulation = new Simulation(seed);
            simulation.run();
            assertThat(simulation.wrong).as("seed %d", seed).isEmpty();
            holders.add(simulation.holders.size());
        }
        assertThat(holders).as("histories with several holders").anyMatch(count -> count > 3);
    }

    private static final class Simulation {
        private final Random random;
        private final ControllerVirtualTime clock = new ControllerVirtualTime();
        private final SimulatedServices services = new SimulatedServices();
        private final SimulatedLeases leases = new SimulatedLeases(clock);
        private final List<Controller> running = new ArrayList<>();
        private final List<String> wrong = new ArrayList<>();
        private final Set<String> holders = new HashSet<>();
        private double faults;
        private boolean isMended;
        private int started;

        Simulation(long seed) {
            random = new Random(seed);
            faults = random.nextDouble() * 0.3;
        }

        /** A controller with a store of its own, where it may lose the claim. */
        private final class Controller {
            private final String name = "c" + ++started;
            private final ControllerVirtualTime.Host host = clock.new Host(random.nextLong());
            private final LeasedShards shards;
            private Intent claim = Intent.HOLD;

            Controller() {
                SimulatedServices.Client client = services.new Client(clock, random, faults);
                client.longest = isMended ? Duration.ofSeconds(1) : DEADLINE;
                client.writing = this::isWriting;
                SimulatedLeases.Client access = leases.new Client(name, random, faults);
                // A few requests and answers together take longer than the deadline.
                access.delay =
                        () -> Duration.ofMillis(random.nextInt(!isMended && random.nextInt(4) == 0 ? 9_900 : 300));
                shards = new LeasedShards(
                        "foo",
                        new LeasedShards.Access(client, access),
                        name,
                        host,
                        new SplittableRandom(random.nextLong()),
                        new ControllerCore.Settings(
                                "prod",
                                name,
                                FederatedServices.labelledFor("prod"),
                                Duration.ofSeconds(30),
                                DEADLINE,
                                Duration.ofSeconds(60),
                                "kube-system"),
                        () -> claim == Intent.HOLD,
                        () -> claim,
                        () -> {});
                tick();
            }

            private void isWriting() {
                if (leases.holder().equals(name)) {
                    holders.add(name);
                } else {
                    wrong.add(name + " writes while the holder is '" + leases.holder() + "'");
                }
            }

            private void tick() {
                shards.run();
                var unused = host.after(Duration.ofSeconds(5), this::tick);
            }
        }

        private List<ShardTemplate> manifests() {
            List<ShardTemplate> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                if (random.nextInt(4) > 0) {
                    all.add(ShardTemplate.parse("""
                            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s%d", "namespace": "shop"},
                             "spec": {"ports": [{"port": %d}]}}
                            """.formatted(i, 80 + random.nextInt(3))));
                }
            }
            return all;
        }

        void run() {
            for (int i = 0; i < 100; i++) {
                happen();
                clock.pass(Duration.ofMillis(random.nextInt(random.nextInt(5) == 0 ? 60_000 : 5_000)));
            }
            List.copyOf(running).forEach(this::end);
            clock.pass(Duration.ofMinutes(1));
            faults = 0;
            isMended = true;
            Controller last = new Controller();
            List<ShardTemplate> wanted = manifests();
            last.shards.templates(wanted);
            clock.pass(Duration.ofMinutes(8));
            if (!last.shards.failures().isEmpty()) {
                wrong.add("in the end: " + last.shards.failures());
            }
            wanted.forEach(template -> {
                boolean isThere = services.get(template.toString())
                        .flatMap(json -> OwnedService.of(json, "prod"))
                        .filter(own -> own.update(template, "prod").isEmpty())
                        .isPresent();
                if (!isThere) {
                    wrong.add("in the end: no " + template);
                }
            });
            if (services.names().size() != wanted.size()) {
                wrong.add("in the end: " + services.names());
            }
        }

        private void happen() {
            if (running.isEmpty() || running.size() < 3 && random.nextInt(3) == 0) {
                Controller next = new Controller();
                running.add(next);
                next.host.execute(() -> next.shards.templates(manifests()));
                return;
            }
            Controller one = any();
            switch (random.nextInt(12)) {
                case 0 -> kill(one);
                case 1 -> end(one);
                case 2, 3, 4, 5 -> one.host.execute(() -> one.shards.templates(manifests()));
                case 6 -> one.claim = Intent.WAIT;
                case 7 -> one.claim = Intent.RELEASE;
                case 8, 9 -> one.claim = Intent.HOLD;
                case 10 -> touch();
                default -> {}
            }
        }

        /** Returns a controller, more often the one that holds the Lease. */
        private Controller any() {
            return running.stream()
                    .filter(one -> random.nextBoolean() && one.name.equals(leases.holder()))
                    .findFirst()
                    .orElseGet(() -> running.get(random.nextInt(running.size())));
        }

        private void kill(Controller one) {
            one.host.kill();
            running.remove(one);
        }

        private void end(Controller one) {
            one.host.execute(() -> one.shards.end(() -> {}));
            running.remove(one);
        }

        /** Changes the Lease as another program does. */
        private void touch() {
            leases.get().ifPresent(json -> {
                if (json.contains("\"x\":0,")) {
                    leases.edit("\"x\":0,", "");
                } else {
                    leases.edit("{\"apiVersion\"", "{\"x\":0,\"apiVersion\"");
                }
            });
        }
    }
}
