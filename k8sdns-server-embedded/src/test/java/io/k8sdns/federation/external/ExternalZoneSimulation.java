package io.k8sdns.federation.external;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.Shard;
import io.k8sdns.federation.external.ChangeResult.Kind;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Simulates a sync that is restarted, and a zone whose server loses, delays and refuses messages while others edit its records.
 * Like a real server, the zone applies a change only if the owner record is as expected at that time.
 */
final class ExternalZoneSimulation {
    private static final DnsLabels SUFFIX = DnsLabels.parse("example.org");
    private static final RecordOwner OWNER = new RecordOwner("one", "fed");

    /**
     * The time without faults after which the zone must have the wanted records: longer than the longest wait, an interval and the
     * longest delay of a message.
     */
    private static final Duration RECOVERY_TIME =
            ExternalSync.SLOW_WAIT.multipliedBy(2).plus(Duration.ofMinutes(5));

    private static final Duration MAX_DELAY = Duration.ofMinutes(2);

    private final Random random;
    private final boolean canTransfer;
    private final double faults;
    private final FaultyZone zone = new FaultyZone();
    private final List<String> history = new ArrayList<>();

    private long now;
    private boolean isFaultless;
    private ExternalSync sync;
    private WantedRecords wanted;

    ExternalZoneSimulation(long seed) {
        random = new Random(seed);
        canTransfer = random.nextBoolean();
        faults = random.nextDouble() * 0.5;
        now = random.nextLong();
        sync = restarted();
        wanted = services();
    }

    List<String> history() {
        return history;
    }

    void run() {
        for (int i = 0; i < 60; i++) {
            randomEvent();
            ExternalSync.Report report = sync.pass(wanted);
            history.add(now + " " + report + " " + report.failures().values());
            zone.check();
            long whole = report.untilNext().toNanos() + 1;
            now += random.nextInt(4) == 0 ? random.nextLong(whole) : whole;
        }
        isFaultless = true;
        zone.refused.clear();
        long until = now + RECOVERY_TIME.toNanos();
        while (now - until < 0) {
            now += sync.pass(wanted).untilNext().toNanos() + 1;
            zone.check();
        }
        Map<DnsLabels, OwnedRecords> expected = new TreeMap<>(zone.ofOthers);
        wanted.names().forEach((name, records) -> {
            if (!zone.foreign.contains(name)) {
                expected.putIfAbsent(name, records);
            }
        });
        assertThat(new TreeMap<>(zone.content.content())).isEqualTo(expected);
        long serial = zone.content.serial();
        now += ExternalSync.DEFAULT_INTERVAL.toNanos();
        ExternalSync.Report last = sync.pass(wanted);
        assertThat(last.changed()).isEmpty();
        assertThat(zone.content.serial()).isEqualTo(serial);
        Set<DnsLabels> blocked = new TreeSet<>(zone.foreign);
        blocked.addAll(zone.ofOthers.keySet());
        blocked.retainAll(wanted.names().keySet());
        assertThat(last.failures().keySet()).as("names that others have").isEqualTo(blocked);
    }

    private ExternalSync restarted() {
        return ExternalSync.builder(zone, () -> now, random).build();
    }

    private WantedRecords services() {
        Map<String, ClusterLocation> clusters = new HashMap<>();
        clusters.put("foo", ClusterLocation.UNKNOWN.withRegion("eu").withZones(List.of("a")));
        clusters.put("bar", ClusterLocation.UNKNOWN.withRegion("us").withZones(List.of("a", "b")));
        List<FederatedService> services = new ArrayList<>();
        for (String name : List.of("cart", "web", "db")) {
            FederatedService.Builder service = FederatedService.builder("shop", name);
            for (String cluster : List.of("foo", "bar")) {
                if (random.nextInt(3) > 0) {
                    service.shard(
                            cluster,
                            Shard.builder()
                                    .externalAddresses(List.of(address()))
                                    .build());
                }
            }
            services.add(service.build());
        }
        return ExternalRecords.builder(OWNER, SUFFIX)
                .ttlSeconds(random.nextInt(8) == 0 ? 60 : 180)
                .build()
                .of(services, clusters);
    }

    private IpAddress address() {
        return IpAddress.parse(
                random.nextBoolean() ? "192.0.2." + random.nextInt(4) : "2001:db8::" + random.nextInt(4));
    }

    private DnsLabels someName() {
        List<DnsLabels> names = new ArrayList<>(new TreeSet<>(wanted.names().keySet()));
        return names.isEmpty() ? DnsLabels.parse("x").append(SUFFIX) : names.get(random.nextInt(names.size()));
    }

    private void randomEvent() {
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> wanted = services();
            case 3 -> {
                history.add("restart");
                sync = restarted();
            }
            case 4, 5 -> zone.changeByHand(someName());
            case 6 -> {
                DnsLabels name = someName();
                if (!zone.refused.remove(name)) {
                    zone.refused.add(name);
                }
            }
            default -> {}
        }
    }

    /** The zone with random faults. */
    private final class FaultyZone implements ExternalZone {
        private final MemoryExternalZone content = new MemoryExternalZone();
        private final Set<DnsLabels> refused = new HashSet<>();

        /** Names with records that have no owner record. */
        private final Set<DnsLabels> foreign = new HashSet<>();

        private final Map<DnsLabels, OwnedRecords> ofOthers = new HashMap<>();
        private final Set<DnsLabels> journal = new HashSet<>();
        private final List<DelayedChange> delayed = new ArrayList<>();

        /** A change that the server applies after the sync has stopped waiting for it. */
        private record DelayedChange(long at, NameChange change) {}

        private boolean fails() {
            return !isFaultless && random.nextDouble() < faults;
        }

        private void applyDelayed() {
            List<DelayedChange> due =
                    delayed.stream().filter(one -> one.at() - now <= 0).toList();
            delayed.removeAll(due);
            due.forEach(one -> {
                history.add("late " + one.change().name());
                content.apply(List.of(one.change()));
            });
        }

        private void takeTime() {
            now += Duration.ofMillis(random.nextInt(fails() ? 10_000 : 100)).toNanos();
            applyDelayed();
        }

        /** Checks that the records of others are unchanged. */
        void check() {
            applyDelayed();
            assertThat(content.content()).containsAllEntriesOf(ofOthers);
        }

        @Override
        public Listing list(Set<DnsLabels> names) throws ExternalZoneException {
            takeTime();
            if (fails()) {
                history.add("unreadable");
                throw new ExternalZoneException("unreadable", random.nextInt(4) > 0);
            }
            if (canTransfer) {
                return content.list(names);
            }
            Map<DnsLabels, OwnedRecords> seen = new HashMap<>(content.content());
            seen.keySet().removeIf(name -> !names.contains(name) && !journal.contains(name));
            return new Listing(false, seen);
        }

        @Override
        public Map<DnsLabels, ChangeResult> apply(List<NameChange> changes) {
            assertThat(changes).hasSizeLessThanOrEqualTo(MAX_BATCH);
            takeTime();
            boolean isSilent = fails();
            Map<DnsLabels, ChangeResult> results = new HashMap<>();
            for (NameChange change : changes) {
                journal.add(change.name());
                results.put(change.name(), apply(change, isSilent));
            }
            return results;
        }

        private ChangeResult apply(NameChange change, boolean isSilent) {
            if (refused.contains(change.name())) {
                return new ChangeResult(Kind.PERMANENT, "REFUSED");
            }
            if (isSilent || fails()) {
                switch (random.nextInt(3)) {
                    case 0 -> delayed.add(new DelayedChange(now + random.nextLong(MAX_DELAY.toNanos()), change));
                    case 1 -> {
                        history.add("lost answer for " + change.name());
                        content.apply(List.of(change));
                    }
                    default -> {}
                }
                return new ChangeResult(Kind.TRANSIENT, "no answer");
            }
            return content.apply(List.of(change)).getOrDefault(change.name(), ChangeResult.APPLIED);
        }

        void changeByHand(DnsLabels name) {
            OwnedRecords present = content.content().get(name);
            history.add("by hand " + name);
            if (foreign.contains(name)) {
                foreign.remove(name);
                content.foreign(name, false);
            } else if (ofOthers.containsKey(name)) {
                ofOthers.remove(name);
                content.remove(name);
            } else if (present == null) {
                if (random.nextBoolean()) {
                    foreign.add(name);
                    content.foreign(name, true);
                } else {
                    OwnedRecords other =
                            new OwnedRecords(name, new RecordOwner("two", "fed").text("a", "b"), List.of());
                    ofOthers.put(name, other);
                    content.put(other);
                }
            } else if (random.nextInt(4) == 0) {
                // Without the owner record the name belongs to others.
                content.remove(name);
                foreign.add(name);
                content.foreign(name, true);
            } else {
                List<OwnedRecords> some = new ArrayList<>(List.of(new OwnedRecords(name, present.owner(), List.of())));
                OwnedRecords changed = services().names().get(name);
                if (changed != null) {
                    some.add(changed);
                }
                content.put(some.get(random.nextInt(some.size())));
            }
        }

        @Override
        public void close() {}
    }
}
