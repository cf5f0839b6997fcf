package io.k8sdns;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explainer;
import io.k8sdns.explain.Explanation;
import io.k8sdns.model.IpAddress;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneRevision;
import io.k8sdns.zone.ZoneView;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;

/**
 * Looks up, lists and explains the DNS names of a cluster: of a snapshot, or of a live zone.
 *
 * <pre>{@code
 * ClusterDns dns = ClusterDns.of(Manifests.read(Path.of("deploy")));
 * dns.lookup("db-0.db.shop", A).addresses();    // [10.244.30.31]
 * dns.lookup("no.shop", A).status();            // NXDOMAIN
 * dns.explain("no.shop", A).causes();           // [Service shop/no: no such Service]
 * }</pre>
 *
 * <p>A name given as text is absolute if it ends in a dot or in a served zone. Any other name is relative to {@code
 * svc.cluster.local}, or to {@code svc} of the first zone of the settings. So {@code db-0.db.shop}, {@code
 * db-0.db.shop.svc.cluster.local} and {@code db-0.db.shop.svc.cluster.local.} are one name; {@code db-0.db.shop.svc} and {@code
 * db-0.db.shop.svc.example.org}, which end in no served zone, are rejected with an {@link io.k8sdns.name.InvalidNameException}.
 *
 * <p>Answers are those that a server of the same zone sends; aliases are followed. Thread-safe.
 */
public final class ClusterDns {
    private final ClusterZone zone;
    private final ZoneView view;
    private final ResolverChain chain;

    /** The objects, for {@link #explain}; null if only a zone is known. */
    private final @Nullable ClusterSnapshot snapshot;

    /** Created by the first {@link #explain}, because it has a zone of its own. */
    private volatile @Nullable Explainer explainer;

    private ClusterDns(ZoneView view, @Nullable ClusterSnapshot snapshot) {
        this.snapshot = snapshot;
        this.zone = view.zone();
        this.view = view;
        this.chain = ResolverChain.of(view);
    }

    /** Returns the names of a snapshot, with {@link ZoneSettings#DEFAULTS}. */
    public static ClusterDns of(ClusterSnapshot cluster) {
        return of(cluster, ZoneSettings.DEFAULTS);
    }

    /** Returns the names of a snapshot. */
    public static ClusterDns of(ClusterSnapshot cluster, ZoneSettings settings) {
        return new ClusterDns(ClusterZone.of(cluster, settings).view(Visibility.ALL), cluster);
    }

    /** Returns the names of a zone that may change: each lookup reads its current revision. */
    public static ClusterDns of(ClusterZone zone) {
        return of(Objects.requireNonNull(zone, "zone").view(Visibility.ALL));
    }

    /** Returns the names of a zone as some of its clients see it: hidden names do not exist. */
    public static ClusterDns of(ZoneView view) {
        return new ClusterDns(Objects.requireNonNull(view, "view"), null);
    }

    /** Returns the zone that answers, which may contain names that the view hides. */
    public ClusterZone zone() {
        return zone;
    }

    /**
     * Looks up a name.
     *
     * @param name the name; for {@link RecordType#PTR} also an IP address, to look up its reverse name
     * @param type the type
     * @throws io.k8sdns.name.InvalidNameException if it is not a valid name
     */
    public Answer lookup(String name, RecordType type) {
        return lookup(absolute(name, type), type);
    }

    /** Returns the name of a question; with type PTR an address is its reverse name. */
    private Name absolute(String name, RecordType type) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Optional<IpAddress> address = type.equals(RecordType.PTR) ? IpAddress.tryParse(name) : Optional.empty();
        return address.map(NameSchema::reverseName)
                .map(DnsNames::absolute)
                .orElseGet(() -> settings().absoluteName(name));
    }

    /**
     * Looks up a name, given as dnsjava's type.
     *
     * @param name the name, absolute
     * @param type the type
     * @throws IllegalArgumentException if the name is not absolute
     */
    public Answer lookup(Name name, RecordType type) {
        Question question = Question.of(name, Objects.requireNonNull(type, "type"));
        // Does not block: without an upstream resolver the answer is always ready.
        return chain.resolve(question, Client.IN_PROCESS)
                .toStage()
                .toCompletableFuture()
                .join();
    }

    /**
     * Explains why a name has records, or why it has none and what would make it resolve.
     *
     * @param name the name, as {@link #lookup(String, RecordType)} reads it
     * @param type the type
     * @throws io.k8sdns.name.InvalidNameException if it is not a valid name
     * @throws IllegalStateException if these are the names of a zone, which does not keep labels and selectors
     */
    public Explanation explain(String name, RecordType type) {
        return explain(absolute(name, type), type);
    }

    /**
     * Explains a name like {@link #explain(String, RecordType)}, given as dnsjava's type.
     *
     * @param name the name, absolute
     * @param type the type
     * @throws IllegalArgumentException if the name is not absolute
     * @throws IllegalStateException if these are the names of a zone, which does not keep labels and selectors
     */
    public Explanation explain(Name name, RecordType type) {
        Explainer explaining = explainer;
        if (explaining == null) {
            if (snapshot == null) {
                throw new IllegalStateException(
                        "a zone does not keep the labels and selectors of its objects, which explanations "
                                + "need: pass a snapshot to ClusterDns.of, or use Explainer.of(snapshot)");
            }
            // Two threads may both create one; they are equal.
            explaining = Explainer.of(snapshot, settings());
            explainer = explaining;
        }
        return explaining.explain(name, type);
    }

    /**
     * Waits until a name has records of a type or is an alias. Before the zone is synced, no answer has records.
     *
     * @param name as {@link #lookup(String, RecordType)} reads it, but not an address
     * @param type the type
     * @param timeout how long to wait at most
     * @return an answer with records, even if they have been removed since
     * @throws TimeoutException if the timeout expires first
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public Answer await(String name, RecordType type, Duration timeout) throws InterruptedException, TimeoutException {
        Name absolute = settings().absoluteName(name);
        Objects.requireNonNull(type, "type");
        AtomicReference<@Nullable Answer> found = new AtomicReference<>();
        zone.await(
                absolute,
                type,
                published -> {
                    Answer answer = lookup(absolute, type);
                    boolean hasRecords = !answer.answer().isEmpty();
                    if (hasRecords) {
                        found.set(answer);
                    }
                    return hasRecords;
                },
                timeout);
        return Objects.requireNonNull(found.get());
    }

    /**
     * Returns all records, zone by zone: SOA and NS, then the others by owner, type and data. {@link RecordSet#lines} returns the records
     * in zone file format.
     */
    public List<RecordSet> records() {
        ZoneRevision revision = zone.current();
        return revision.zones().stream()
                .flatMap(one -> revision.recordSets(one).stream())
                .flatMap(set -> view.of(revision).hidesNames() ? shown(set) : Stream.of(set))
                .toList();
    }

    /** Returns the visible part of a record set of the zone. */
    private Stream<RecordSet> shown(RecordSet set) {
        return lookup(set.owner(), set.type()).answer().stream()
                .filter(found ->
                        found.owner().equals(set.owner()) && found.type().equals(set.type()));
    }

    /** Returns the names that own records, each once, in the order of {@link #records}. */
    public List<Name> names() {
        return records().stream().map(RecordSet::owner).distinct().toList();
    }

    private ZoneSettings settings() {
        return zone.current().settings();
    }
}
