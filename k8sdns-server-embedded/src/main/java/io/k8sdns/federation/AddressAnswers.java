package io.k8sdns.federation;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.xbill.DNS.Rcode;

/** Answers questions for A and AAAA records with the addresses of shards, and of the host names of their load balancers. */
final class AddressAnswers {
    private final FederatedZoneSettings settings;
    private final ZoneAnswers zone;
    private final HostNameLookups hostNames;
    private boolean dependsOnLookups;

    AddressAnswers(FederatedZoneSettings settings, ZoneAnswers zone) {
        this.settings = settings;
        this.zone = zone;
        this.hostNames = new HostNameLookups(settings);
    }

    /** A host name that is being looked up. */
    private record Lookup(ShardDistance distance, CompletableFuture<Answer> answer) {}

    /** Returns whether an answer depends on a lookup of a host name and must not be cached. */
    boolean dependsOnLookups() {
        return dependsOnLookups;
    }

    /**
     * Answers a question with the addresses of shards.
     *
     * @param family the family of the question's type, and of the addresses
     */
    Resolution answer(Question question, IpFamily family, List<ShardAddresses> shards) {
        List<Lookup> lookups = new ArrayList<>();
        for (ShardAddresses shard : shards) {
            hostNames
                    .lookUp(shard.hostNames(), question.type())
                    .forEach(answer -> lookups.add(new Lookup(shard.distance(), answer)));
        }
        dependsOnLookups |= !lookups.isEmpty();
        CompletableFuture<Void> all =
                CompletableFuture.allOf(lookups.stream().map(Lookup::answer).toArray(CompletableFuture[]::new));
        return all.isDone()
                ? new Resolution.Ready(answer(question, family, shards, lookups))
                : new Resolution.Pending(all.thenApply(done -> answer(question, family, shards, lookups)));
    }

    private Answer answer(Question question, IpFamily family, List<ShardAddresses> shards, List<Lookup> lookups) {
        AddressGroups groups = new AddressGroups();
        for (ShardAddresses shard : shards) {
            groups.add(shard.distance(), shard.addresses());
        }
        long ttlSeconds = settings.ttlSeconds();
        boolean isFailed = false;
        for (Lookup lookup : lookups) {
            Answer answer = lookup.answer().join();
            isFailed |= answer.rcode() != Rcode.NOERROR && answer.rcode() != Rcode.NXDOMAIN;
            for (RecordSet set : answer.answer()) {
                ttlSeconds = Math.min(ttlSeconds, set.ttlSeconds());
            }
            groups.add(
                    lookup.distance(),
                    answer.addresses().stream()
                            .map(IpAddress::parse)
                            .filter(address -> address.family() == family)
                            .toList());
        }
        List<RecordSet> sets = groups.recordSets(question.name(), ttlSeconds);
        if (sets.isEmpty()) {
            // NODATA would be cached by the client, although the addresses are only unknown.
            return isFailed ? Answer.FAILED : zone.noData();
        }
        return ZoneAnswers.found(sets);
    }
}
