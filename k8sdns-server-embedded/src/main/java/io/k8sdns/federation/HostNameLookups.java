package io.k8sdns.federation;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;

/** Looks up the host names of load balancers, without the options of the client. */
final class HostNameLookups {
    private final DnsLabels zone;
    private final @Nullable DnsResolver resolver;

    HostNameLookups(FederatedZoneSettings settings) {
        this.zone = settings.zone();
        this.resolver = settings.hostNames();
    }

    /** Returns the answer for each host name; none if host names are not looked up. */
    List<CompletableFuture<Answer>> lookUp(List<DnsLabels> hosts, RecordType type) {
        DnsResolver present = resolver;
        return present == null
                ? List.of()
                : hosts.stream().map(host -> lookUp(present, host, type)).toList();
    }

    /** Looks up a host name. Names of the federation's zone fail, because they would be a loop. */
    private CompletableFuture<Answer> lookUp(DnsResolver present, DnsLabels host, RecordType type) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        if (host.endsWith(zone)) {
            answer.complete(Answer.FAILED);
            return answer;
        }
        try {
            present.resolve(new Question(host, type, DClass.IN), Client.IN_PROCESS)
                    .deliver(answer::complete);
        } catch (RuntimeException failed) {
            // A failure is SERVFAIL for this host name only, so that the addresses of the other load balancers are
            // found.
            answer.complete(Answer.FAILED);
        }
        return answer;
    }
}
