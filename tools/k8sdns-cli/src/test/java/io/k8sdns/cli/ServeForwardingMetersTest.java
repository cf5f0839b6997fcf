package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.autopath.AutopathObserver.Mode;
import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.CacheObserver.Kind;
import io.k8sdns.forward.UpstreamObserver.Failure;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.resolver.AnswerStatus;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Rcode;

class ServeForwardingMetersTest {
    private static final UpstreamServer UPSTREAM = UpstreamServer.parse("192.0.2.53");
    private static final Pattern ROW =
            Pattern.compile("^\\| `(k8sdns_\\w+)(?:\\{([^}]*)})?` \\| (\\w+) \\|", Pattern.MULTILINE);
    private static final Pattern FAMILY = Pattern.compile("^# TYPE (k8sdns_\\w+) (\\w+)$", Pattern.MULTILINE);
    private static final Pattern SAMPLE =
            Pattern.compile("^(k8sdns_\\w+?)(?:_bucket|_count|_sum)?(?:\\{(.*)})? \\S+$", Pattern.MULTILINE);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ForwardingMeters meters = new ForwardingMeters(registry);

    /** docs/metrics.md lists all metrics with their types and labels, and no others. */
    @Test
    void pageAndMetersAgree() throws IOException {
        String page = Files.readString(Run.ROOT.resolve(Path.of("docs", "metrics.md")));
        String section = page.substring(page.indexOf("\n## Forwarding, cache and autopath\n"));
        section = section.substring(0, section.indexOf("\n## Alerts\n"));
        Map<String, String> described = new TreeMap<>();
        ROW.matcher(section)
                .results()
                .forEach(row -> described.put(
                        row.group(1),
                        row.group(3) + " by "
                                + Stream.ofNullable(row.group(2))
                                        .flatMap(labels -> Stream.of(labels.split(", ")))
                                        .sorted()
                                        .toList()));

        AnswerCache cache = AnswerCache.builder((question, client) -> new CompletableFuture<>())
                .build();
        meters.created(cache);
        meters.answered(UPSTREAM, Rcode.NOERROR, 1_000);
        meters.failed(UPSTREAM, Failure.TIMEOUT);
        meters.connecting(UPSTREAM);
        meters.reusing(UPSTREAM);
        meters.markedDown(UPSTREAM);
        meters.unanswered(UpstreamZone.of(".", "192.0.2.53"));
        meters.refused(UpstreamZone.of(".", "192.0.2.53"));
        meters.expanded(Mode.NAME, 1, AnswerStatus.NOERROR, 1_000);
        meters.forwarded();
        meters.suffixSupported(true);

        String scraped = registry.scrape();
        Map<String, String> types = FAMILY.matcher(scraped)
                .results()
                .collect(Collectors.toMap(family -> family.group(1), family -> family.group(2)));
        Map<String, String> registered = new TreeMap<>();
        SAMPLE.matcher(scraped)
                .results()
                .filter(sample -> !sample.group(1).endsWith("_max"))
                .forEach(sample -> registered.put(
                        sample.group(1),
                        types.get(sample.group(1)) + " by "
                                + Stream.ofNullable(sample.group(2))
                                        .flatMap(labels -> Stream.of(labels.split("\",")))
                                        .map(label -> label.substring(0, label.indexOf('=')))
                                        .filter(label -> !label.equals("le"))
                                        .sorted()
                                        .toList()));
        assertThat(registered).isEqualTo(described);
        assertThat(cache.entries()).isZero();
    }

    @Test
    void eventsAreCounted() {
        meters.hit(Kind.DENIAL);
        meters.miss();
        meters.servedStale();
        meters.prefetched();
        meters.evicted(Kind.SUCCESS);
        meters.markedDown(UPSTREAM);
        meters.markedUp(UPSTREAM);
        meters.failed(UPSTREAM, Failure.NETWORK);
        meters.failed(UPSTREAM, Failure.NETWORK);
        meters.suffixSupported(true);
        meters.suffixSupported(false);
        meters.expanded(Mode.OPTION, 3, AnswerStatus.NXDOMAIN, 3_000_000);

        assertThat(registry.scrape().lines())
                .contains(
                        "k8sdns_cache_hits_total{type=\"denial\"} 1.0",
                        "k8sdns_cache_hits_total{type=\"success\"} 0.0",
                        "k8sdns_cache_misses_total 1.0",
                        "k8sdns_cache_served_stale_total 1.0",
                        "k8sdns_cache_prefetch_total 1.0",
                        "k8sdns_cache_evictions_total{type=\"success\"} 1.0",
                        "k8sdns_forward_down{proto=\"udp\",to=\"192.0.2.53:53\"} 0.0",
                        "k8sdns_forward_failures_total{reason=\"network\",to=\"192.0.2.53:53\"} 2.0",
                        "k8sdns_nodecache_autopath_supported 0.0",
                        "k8sdns_autopath_expansions_total{lookups=\"3\",mode=\"option\",status=\"nxdomain\"} 1.0",
                        "k8sdns_autopath_duration_seconds_sum{mode=\"option\"} 0.003");
    }
}
