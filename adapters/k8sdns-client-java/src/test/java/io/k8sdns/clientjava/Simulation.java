package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.json.ApiReader;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;

/** A cluster of three kinds of objects that changes at random, its faulty API, and a zone that follows it. */
final class Simulation {
    /** The time for the longest silence, the longest waits and a list. */
    private static final Duration UNTIL_RECOVERED = ListWatch.WATCH_SILENCE.plus(Duration.ofMinutes(3));

    /** Events that were lost are found when a watch ends after {@link ListWatch#RELIST_AFTER}. */
    private static final Duration UNTIL_COMPARED = ListWatch.RELIST_AFTER.plus(ListWatch.WATCH_TIMEOUT.multipliedBy(3));

    private final Random random;
    private final VirtualTime time = new VirtualTime();
    private final Follower namespaces;
    private final Follower services;
    private final Follower slices;
    private final List<Follower> followers;
    private final ClusterZone zone = ClusterZone.create();
    private final ZoneFeed feed = ZoneFeed.builder(zone, () -> Instant.EPOCH).build();
    private final DnsResolver resolver;
    private final List<String> reported = new ArrayList<>();
    private int objects;

    Simulation(long seed) {
        random = new Random(seed);
        namespaces = new Follower("namespaces");
        services = new Follower("services");
        slices = new Follower("slices");
        followers = List.of(namespaces, services, slices);
        resolver = ResolverChain.of(zone);
    }

    /** Returns all reports of all kinds, as texts. */
    List<String> reported() {
        return reported;
    }

    void run() {
        for (int i = random.nextInt(10); i > 0; i--) {
            change();
        }
        double faults = random.nextDouble() * 0.5;
        boolean losses = random.nextBoolean();
        followers.forEach(follower -> follower.api.faults(faults, losses));
        followers.forEach(follower -> follower.listWatch.start());
        for (int i = 0; i < 40; i++) {
            change();
            pass(Duration.ofMillis(random.nextInt(random.nextInt(10) == 0 ? 200_000 : 3_000)));
        }
        checkRecordsOfReportedObjects();
        followers.forEach(follower -> follower.api.faults(0, false));
        pass(losses ? UNTIL_COMPARED : UNTIL_RECOVERED);
        check();
        followers.forEach(follower -> follower.listWatch.close());
        int before = reported.size();
        pass(UNTIL_COMPARED);
        assertThat(reported).as("nothing is reported after the end").hasSize(before);
    }

    private void pass(Duration duration) {
        long until = time.nanoTime() + duration.toNanos();
        while (time.step(until)) {
            // The next task.
        }
        assertThat(followers)
                .as("a kind that failed is not synced")
                .noneMatch(follower -> follower.failed && follower.state == SyncState.SYNCED);
        checkAnswer();
    }

    /** Checks that the records are those of the reported objects, and that no record of a removed object is left. */
    private void checkRecordsOfReportedObjects() {
        assertThat(CheckedZone.records(zone))
                .isEqualTo(CheckedZone.records(zoneOf(followers.stream()
                        .flatMap(follower -> follower.reportedObjects.values().stream())
                        .toList())));
    }

    /** Returns the worst state of the kinds. */
    private SyncState state() {
        for (SyncState one : List.of(SyncState.SYNCING, SyncState.STALE)) {
            if (followers.stream().anyMatch(follower -> follower.state == one)) {
                return one;
            }
        }
        return SyncState.SYNCED;
    }

    /** Asks for a Service: the answer is SERVFAIL before the first sync, and never after it. */
    private void checkAnswer() {
        Name name = Name.fromConstantString(
                "svc-" + reported.size() % 4 + ".ns-" + reported.size() / 4 % 3 + ".svc.cluster.local.");
        Answer answer =
                ((Resolution.Ready) resolver.resolve(Question.of(name, RecordType.A), Client.IN_PROCESS)).answer();
        if (state() == SyncState.SYNCING) {
            assertThat(answer.rcode()).as("before the first sync").isEqualTo(Rcode.SERVFAIL);
        } else {
            assertThat(answer.rcode()).as("after the first sync").isIn(Rcode.NOERROR, Rcode.NXDOMAIN);
        }
    }

    private void check() {
        assertThat(followers).allSatisfy(follower -> assertThat(follower.state).isEqualTo(SyncState.SYNCED));
        List<ClusterObject> all = followers.stream()
                .flatMap(follower -> follower.api.objects().stream())
                .toList();
        assertThat(CheckedZone.records(zone)).isEqualTo(CheckedZone.records(zoneOf(all)));
    }

    private static ClusterZone zoneOf(List<ClusterObject> objects) {
        return ClusterZone.of(ClusterSnapshot.of(objects), ZoneSettings.DEFAULTS);
    }

    // ---- changes ----

    private void change() {
        if (random.nextInt(20) == 0) {
            followers.get(random.nextInt(3)).api.compact();
        }
        if (random.nextInt(20) == 0) {
            followers.get(random.nextInt(3)).restoreOrBackUp();
        }
        switch (random.nextInt(6)) {
            case 0 -> changeNamespace();
            case 1, 2 -> changeService();
            default -> changeSlice();
        }
    }

    private void changeNamespace() {
        String name = "ns-" + random.nextInt(3);
        Labels labels = new Labels(Map.of("version", Integer.toString(++objects)));
        change(
                namespaces,
                ObjectRef.of(Namespace.KIND, name),
                uid -> Namespace.of(name).withLabels(labels).withUid(uid));
    }

    private void changeService() {
        Metadata metadata = Metadata.of("ns-" + random.nextInt(3), "svc-" + random.nextInt(4));
        List<ServicePort> ports = List.of(ServicePort.of("http", Protocol.TCP, 80 + random.nextInt(3)));
        ObjectRef ref = ObjectRef.of("Service", metadata.namespace(), metadata.name());
        IpAddress address = IpAddress.ofIpv4(0x0A60_0000L + random.nextInt(20));
        boolean headless = random.nextBoolean();
        change(
                services,
                ref,
                uid -> headless
                        ? HeadlessService.builder(metadata.withUid(uid))
                                .ports(ports)
                                .build()
                        : ClusterIpService.builder(metadata.withUid(uid))
                                .clusterIp(address)
                                .ports(ports)
                                .build());
    }

    private void changeSlice() {
        String service = "svc-" + random.nextInt(4);
        Metadata metadata = Metadata.of("ns-" + random.nextInt(3), service + "-" + random.nextInt(2));
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            endpoints.add(Endpoint.of(IpAddress.ofIpv4(0x0AF4_0000L + random.nextInt(30))));
        }
        ObjectRef ref = ObjectRef.of(EndpointSlice.KIND, metadata.namespace(), metadata.name());
        change(
                slices,
                ref,
                uid -> EndpointSlice.builder(metadata.withUid(uid))
                        .service(service)
                        .endpoints(endpoints)
                        .ports(EndpointPort.of("http", Protocol.TCP, 80))
                        .build());
    }

    private interface Making {
        ClusterObject of(String uid);
    }

    /** Creates, changes, deletes, or deletes and creates again. */
    private void change(Follower kind, ObjectRef ref, Making making) {
        SimulatedApi api = kind.api;
        Optional<ApiReader.Item> now = api.find(ref);
        boolean again = random.nextInt(4) == 0;
        if (now.isPresent() && (again || random.nextInt(3) == 0)) {
            api.delete(ref);
            if (!again) {
                return;
            }
            now = Optional.empty();
        }
        String uid = now.map(ApiReader.Item::uid).orElseGet(() -> "uid-" + ++objects);
        api.put(ref, uid, making.of(uid));
    }

    // ---- reports ----

    /** Passes the reports of one kind to the zone, and checks their invariants. */
    private final class Follower implements ListWatch.Listener {
        private final String kind;
        private final SimulatedApi api = new SimulatedApi(time, random);
        private final ListWatch listWatch;
        private final Map<ObjectRef, String> uids = new HashMap<>();
        private final Map<ObjectRef, ClusterObject> reportedObjects = new HashMap<>();
        private final Map<ObjectRef, Long> revisions = new HashMap<>();
        private final Set<String> deleted = new HashSet<>();
        private SyncState state = SyncState.SYNCING;
        private boolean forgetting;
        private boolean restored;
        private boolean failed;

        Follower(String kind) {
            this.kind = kind;
            this.listWatch = new ListWatch(api, time, random, this);
        }

        /** Restores the server once, after which deleted objects may return; or backs it up. */
        void restoreOrBackUp() {
            if (restored) {
                return;
            }
            restored = random.nextBoolean() && api.restore();
            if (restored) {
                deleted.clear();
                revisions.clear();
            } else {
                api.backUp();
            }
        }

        @Override
        public void changed(ClusterChange change) {
            reported.add(time.nanoTime() + " " + kind + " " + change);
            if (change instanceof ClusterChange.Put put) {
                String uid = put.object().uid().orElseThrow();
                assertThat(deleted).as("a deleted object does not return").doesNotContain(uid);
                long revision = api.revision(put.object());
                Long last = revisions.put(put.ref(), revision);
                assertThat(revision)
                        .as("revisions do not decrease")
                        .isGreaterThan(last == null ? 0 : restored ? last - 1 : last);
                reportedObjects.put(put.ref(), put.object());
                String before = uids.put(put.ref(), uid);
                if (before != null && !before.equals(uid)) {
                    deleted.add(before);
                }
            } else if (change instanceof ClusterChange.Remove remove) {
                String uid = remove.uid().orElseThrow();
                assertThat(uids).as("a removed object was reported before").containsEntry(remove.ref(), uid);
                uids.remove(remove.ref());
                reportedObjects.remove(remove.ref());
                if (forgetting) {
                    // The same object may be added again.
                    revisions.computeIfPresent(remove.ref(), (any, last) -> last - 1);
                } else {
                    deleted.add(uid);
                    assertThat(api.find(remove.ref()).map(ApiReader.Item::uid))
                            .as("a removed object is deleted at the server")
                            .isNotEqualTo(Optional.of(uid));
                }
            }
            zone.apply(List.of(change));
            checkAnswer();
        }

        @Override
        public void state(SyncState now) {
            reported.add(time.nanoTime() + " " + kind + " " + now);
            assertThat(now).isNotEqualTo(state);
            assertThat(now == SyncState.SYNCING)
                    .as("listed objects are forgotten by forgetObjects() only")
                    .isEqualTo(forgetting);
            if (state == SyncState.SYNCING) {
                assertThat(uids.keySet())
                        .as("all listed objects are reported before the state changes")
                        .containsAll(api.listed());
            }
            state = now;
            feed.stateChanged(Simulation.this.state());
            failed &= now != SyncState.SYNCED;
            checkAnswer();
        }

        @Override
        public void watched(ClusterObserver.Event event, ApiReader.Item object, boolean newlyTriggered) {}

        @Override
        public void missed(ApiReader.Item object, boolean newlyTriggered) {}

        @Override
        public void listed(Duration took) {}

        @Override
        public void received() {
            // A response for one kind may end the waits of the others at any time.
            if (random.nextInt(10) == 0) {
                followers.forEach(follower -> follower.listWatch.serverIsBack());
            }
        }

        @Override
        public void failed(ApiFailure failure) {
            reported.add(time.nanoTime() + " " + kind + " " + failure);
            failed = true;
            if (failure.cause() == ApiFailure.Cause.FORBIDDEN && random.nextBoolean()) {
                forgetting = true;
                listWatch.forgetObjects();
                forgetting = false;
                assertThat(uids).isEmpty();
                assertThat(state).isEqualTo(SyncState.SYNCING);
            }
        }
    }
}
