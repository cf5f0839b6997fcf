package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.json.ApiReader;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.records.RecordSet;
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
import java.io.StringReader;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/** A zone that follows an API server. After each report it checks the answer for a Service that always exists. */
final class CheckedZone implements ClusterSource.Sink, ClusterObserver {
    private final ClusterZone zone = ClusterZone.create();
    private final ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.system()).build();
    private final DnsResolver resolver = ResolverChain.of(zone);
    private final String always;
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<String> reported = new LinkedBlockingQueue<>();
    private volatile boolean mayAnswer;
    private volatile boolean mustAnswer;

    CheckedZone(String always) {
        this.always = always;
    }

    @Override
    public void changed(List<ClusterChange> batch) {
        feed.changed(batch);
        checkAnswer();
        reported.add("changed");
    }

    @Override
    public void stateChanged(SyncState state) {
        // Includes STALE: the first kind may become stale before the last kind has been listed.
        mayAnswer |= state != SyncState.SYNCING;
        feed.stateChanged(state);
        mustAnswer = mayAnswer;
        checkAnswer();
        reported.add(state.toString());
    }

    @Override
    public void diagnosed(Diagnostic diagnostic) {}

    @Override
    public void state(String kind, SyncState state) {
        reported.add(kind + " " + state);
    }

    @Override
    public void failed(String kind, String reason) {
        failures.add(kind + " " + reason);
        checkAnswer();
        reported.add(reason);
    }

    /** Returns the failures so far. */
    Queue<String> failures() {
        return failures;
    }

    /** Checks the answer for the Service that always exists: SERVFAIL before the first sync, and an address after it. */
    private void checkAnswer() {
        boolean required = mustAnswer;
        Answer answer = ask(always);
        boolean exists = answer.rcode() == Rcode.NOERROR && !answer.answer().isEmpty();
        if (required && !exists) {
            wrong.add(Rcode.string(answer.rcode()) + " after the first sync");
        } else if (!mayAnswer && answer.rcode() != Rcode.SERVFAIL) {
            wrong.add(Rcode.string(answer.rcode()) + " before the first sync");
        }
    }

    Answer ask(String name) {
        try {
            Question question = Question.of(Name.fromString(name), RecordType.A);
            return ((Resolution.Ready) resolver.resolve(question, Client.IN_PROCESS)).answer();
        } catch (TextParseException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Waits for a report. */
    void await(Object what) throws InterruptedException {
        long until = soon();
        while (!next(until).equals(what.toString())) {
            // Reads the next report.
        }
    }

    /** Returns a deadline that only a hanging test reaches. */
    private static long soon() {
        return System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    }

    private String next(long until) throws InterruptedException {
        String next = reported.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        assertThat(next).as("reported in time").isNotNull();
        return next;
    }

    /** Waits until the zone has the records of the server's objects and is synced; all answers until then must be right. */
    void awaitRecordsOf(ApiServer server) throws InterruptedException {
        long revision = server.revision();
        List<String> expected = records(zoneOf(server));
        long until = soon();
        while (feed.state() != SyncState.SYNCED || !records(zone).equals(expected)) {
            next(until);
            if (server.revision() != revision) {
                revision = server.revision();
                expected = records(zoneOf(server));
            }
        }
        checkAnswer();
        assertThat(wrong).isEmpty();
    }

    private static ClusterZone zoneOf(ApiServer server) {
        List<ClusterObject> objects = new ArrayList<>();
        for (ApiKind kind : ApiKind.values()) {
            ApiReader reader = new ApiReader(kind.apiVersion(), kind.kind(), kind.isNamespaced(), diagnostic -> {});
            reader.list(
                    new StringReader(server.list(kind.resource())),
                    item -> item.object().ifPresent(objects::add));
        }
        return ClusterZone.of(ClusterSnapshot.of(objects), ZoneSettings.DEFAULTS);
    }

    /** Returns all records of a zone except SOA, whose serial differs. */
    static List<String> records(ClusterZone zone) {
        return zone.current().zones().stream()
                .flatMap(name -> zone.current().recordSets(name).stream())
                .filter(set -> set.typeNumber() != Type.SOA)
                .map(RecordSet::toString)
                .toList();
    }
}
