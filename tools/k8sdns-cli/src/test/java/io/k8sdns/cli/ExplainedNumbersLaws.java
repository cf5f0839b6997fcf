package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.ClusterDns;
import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Readiness;
import io.k8sdns.completion.ClusterDraft;
import io.k8sdns.completion.Completion;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explainer;
import io.k8sdns.explain.Explanation;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Job;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.model.Workload;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.xbill.DNS.Name;

/** The law that a suggested number of Pods is enough. */
class ExplainedNumbersLaws {
    private static final Pattern NUMBER_OF_PODS =
            Pattern.compile("set spec\\.(replicas|parallelism) of \\S+ \\S+ to (\\d+)");

    /** The name resolves with all that a cluster makes of the changed workload. */
    @Property(tries = 300)
    void eachSuggestedNumberOfPodsResolves(
            @ForAll("statefulSets") StatefulSet set,
            @ForAll("indexedJobs") Job job,
            @ForAll boolean areReady,
            @ForAll boolean areNotReadyPublished,
            @ForAll @IntRange(max = 6) int number) {
        Readiness readiness = areReady ? Readiness.ALL : Readiness.NONE;
        ClusterSnapshot cluster = completed(areNotReadyPublished, readiness, set, job);
        for (String labels : List.of("db-" + number + ".db", "load-" + number + ".load", "db-0" + number + ".db")) {
            Name name = DnsNames.absolute(DnsLabels.parse(labels + ".prod.svc.cluster.local"));
            Explanation explanation = Explainer.of(cluster).explain(name, RecordType.A);
            explanation.suggestions().forEach(suggestion -> {
                Matcher change = NUMBER_OF_PODS.matcher(suggestion.text());
                if (change.matches()) {
                    int pods = Integer.parseInt(change.group(2));
                    Workload changed = change.group(1).equals("replicas")
                            ? set.toBuilder().replicas(pods).build()
                            : job.withParallelism(pods);
                    ClusterSnapshot after = completed(areNotReadyPublished, readiness, changed);
                    assertThat(ClusterDns.of(after)
                                    .lookup(suggestion.name(), RecordType.A)
                                    .answer())
                            .as(suggestion.text())
                            .isNotEmpty();
                }
            });
        }
    }

    private static ClusterSnapshot completed(boolean areNotReadyPublished, Readiness readiness, Workload... workloads) {
        List<ClusterObject> services = List.of(
                HeadlessService.builder("prod", "db")
                        .selector("app=db")
                        .publishNotReadyAddresses(areNotReadyPublished)
                        .build(),
                HeadlessService.builder("prod", "load")
                        .selector("job-name=load")
                        .publishNotReadyAddresses(areNotReadyPublished)
                        .build());
        return Completion.asApplied(
                        new ClusterDraft(services, List.of(), List.of(workloads)), Addressing.DEFAULTS, readiness)
                .snapshot();
    }

    @Provide
    Arbitrary<StatefulSet> statefulSets() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, 3),
                        Arbitraries.integers().between(0, 2),
                        Arbitraries.of("db", "other"),
                        Arbitraries.of(true, false))
                .as((replicas, first, service, parallel) -> StatefulSet.builder("prod", "db")
                        .replicas(replicas)
                        .firstOrdinal(first)
                        .service(service)
                        .parallel(parallel)
                        .template(PodTemplate.of("app=db"))
                        .build());
    }

    @Provide
    Arbitrary<Job> indexedJobs() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, 3),
                        Arbitraries.integers().between(1, 5),
                        Arbitraries.of("load", "other"),
                        Arbitraries.of(true, false))
                .as((parallelism, completions, subdomain, suspended) -> new Job(
                        Metadata.of("prod", "load"),
                        parallelism,
                        Optional.of(completions),
                        suspended,
                        true,
                        PodTemplate.builder().subdomain(subdomain).build()));
    }
}
