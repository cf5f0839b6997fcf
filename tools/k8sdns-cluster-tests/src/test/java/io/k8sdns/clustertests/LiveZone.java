package io.k8sdns.clustertests;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.clientjava.ApiClusterSource;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.records.PodsMode;
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
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/** A zone that is updated from a cluster, with queries to it. */
final class LiveZone implements ClusterSource.Sink, AutoCloseable {
    private final ClusterZone zone;
    private final ZoneFeed feed;
    private final DnsResolver resolver;
    private final Semaphore reports = new Semaphore(0);
    private final ClusterSource source;
    private final Duration patience;

    private LiveZone(ApiClusterSource.Builder source, Duration patience) {
        this.patience = patience;
        zone = ClusterZone.create(ZoneSettings.builder().pods(PodsMode.VERIFIED).build());
        feed = ZoneFeed.builder(zone, InstantSource.system()).build();
        resolver = ResolverChain.of(zone);
        this.source = source.build();
    }

    /** Starts to follow the cluster; returns when the source is synced. */
    static LiveZone of(ApiClusterSource.Builder source, Duration patience) throws InterruptedException {
        LiveZone zone = new LiveZone(source, patience);
        long until = zone.soon();
        zone.source.start(zone);
        while (zone.feed.state() != SyncState.SYNCED) {
            zone.awaitChange(until);
        }
        return zone;
    }

    @Override
    public void changed(List<ClusterChange> batch) {
        feed.changed(batch);
        reports.release();
    }

    @Override
    public void stateChanged(SyncState state) {
        feed.stateChanged(state);
        reports.release();
    }

    @Override
    public void diagnosed(Diagnostic diagnostic) {}

    private long soon() {
        return System.nanoTime() + patience.toNanos();
    }

    private void awaitChange(long until) throws InterruptedException {
        assertThat(reports.tryAcquire(until - System.nanoTime(), TimeUnit.NANOSECONDS))
                .as("changed in time")
                .isTrue();
    }

    /** Returns the data of the answer in order; the RCODE if it is not NOERROR. */
    List<String> ask(String name, int type) {
        try {
            Question question = Question.of(Name.fromString(name), RecordType.of(type));
            Answer answer = ((Resolution.Ready) resolver.resolve(question, Client.IN_PROCESS)).answer();
            return answer.rcode() == Rcode.NOERROR
                    ? answer.answer().stream()
                            .flatMap(set -> set.records().stream())
                            .map(Record::rdataToString)
                            .sorted()
                            .toList()
                    : List.of(Rcode.string(answer.rcode()));
        } catch (TextParseException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Waits until a name has these data. */
    void await(String name, int type, String... data) throws InterruptedException {
        long until = soon();
        while (!ask(name, type).equals(List.of(data))) {
            awaitChange(until);
        }
    }

    /** Waits until a name does not exist. */
    void awaitNoSuchName(String name) throws InterruptedException {
        await(name, Type.A, "NXDOMAIN");
    }

    @Override
    public void close() {
        source.close();
    }
}
