package io.k8sdns;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.NameSchema;
import io.k8sdns.records.DnsNames;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneRevision;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.xbill.DNS.Name;

/**
 * The DNS names of a cluster, of a snapshot or a live one: look one up, or list all records.
 *
 * <pre>{@code
 * ClusterDns dns = ClusterDns.of(Manifests.read(Path.of("deploy")));
 * dns.lookup("db-0.db.shop", A).addresses();    // [10.244.30.31]
 * dns.lookup("no.shop", A).status();            // NXDOMAIN
 * }</pre>
 *
 * <p>A name that is given as text is absolute if it ends in a dot or in a zone that is served; any other is read below {@code
 * svc.cluster.local}, or below {@code svc} of the first zone of the settings. So {@code db-0.db.shop}, {@code
 * db-0.db.shop.svc.cluster.local} and {@code db-0.db.shop.svc.cluster.local.} are one name; {@code db-0.db.shop.svc} is refused.
 *
 * <p>Answers are those that a server of the same zone sends, aliases followed. Any number of threads may ask.
 */
public final class ClusterDns {
    private final ClusterZone zone;
    private final ResolverChain chain;

    private ClusterDns(ClusterZone zone) {
        this.zone = zone;
        this.chain = ResolverChain.of(zone);
    }

    /** Returns the names of a snapshot, with {@link ZoneSettings#DEFAULTS}. */
    public static ClusterDns of(ClusterSnapshot cluster) {
        return of(cluster, ZoneSettings.DEFAULTS);
    }

    /** Returns the names of a snapshot. */
    public static ClusterDns of(ClusterSnapshot cluster, ZoneSettings settings) {
        return of(ClusterZone.of(cluster, settings));
    }

    /** Returns the names of a zone, which may change: each look-up is answered from its current revision. */
    public static ClusterDns of(ClusterZone zone) {
        return new ClusterDns(Objects.requireNonNull(zone, "zone"));
    }

    /** Returns the zone that answers. */
    public ClusterZone zone() {
        return zone;
    }

    /**
     * Looks up a name.
     *
     * @param name the name; for {@link RecordType#PTR} also an IP address, which stands for its reverse name
     * @param type the type
     * @throws io.k8sdns.name.InvalidNameException if it is no name
     */
    public Answer lookup(String name, RecordType type) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Optional<IpAddress> address = type.equals(RecordType.PTR) ? IpAddress.tryParse(name) : Optional.empty();
        return lookup(
                address.map(ClusterDns::reverseName).orElseGet(() -> settings().absoluteName(name)), type);
    }

    /**
     * Looks up a name of dnsjava's.
     *
     * @param name the name, absolute
     * @param type the type
     * @throws IllegalArgumentException if the name is not absolute
     */
    public Answer lookup(Name name, RecordType type) {
        Question question = Question.of(name, Objects.requireNonNull(type, "type"));
        // Ready at once: nothing is forwarded.
        return chain.resolve(question, Client.IN_PROCESS)
                .toStage()
                .toCompletableFuture()
                .join();
    }

    private static Name reverseName(IpAddress address) {
        DnsLabels labels =
                NameSchema.formatReverse(new IpNetwork(address, address.family().octets() * 8));
        return DnsNames.absolute(labels);
    }

    /**
     * Waits until a name has records of a type, or is an alias, and looks it up.
     *
     * @param name as {@link #lookup(String, RecordType)} reads it, but no address
     * @param type the type
     * @param timeout how long to wait at most
     * @throws TimeoutException if there is no such record in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public Answer await(String name, RecordType type, Duration timeout) throws InterruptedException, TimeoutException {
        zone.await(name, type, timeout);
        return lookup(name, type);
    }

    /**
     * Returns all records, zone by zone: SOA and NS, then the others by owner, type and data. A {@link RecordSet} prints its
     * records as a zone file has them.
     */
    public List<RecordSet> records() {
        ZoneRevision revision = zone.current();
        return revision.zones().stream()
                .flatMap(one -> revision.recordSets(one).stream())
                .toList();
    }

    /** Returns the names that own records, each once, in the order of {@link #records}. */
    public List<Name> names() {
        return records().stream().map(RecordSet::owner).distinct().toList();
    }

    private ZoneSettings settings() {
        return zone.current().settings();
    }
}
