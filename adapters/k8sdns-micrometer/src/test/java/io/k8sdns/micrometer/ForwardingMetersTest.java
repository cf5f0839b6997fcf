package io.k8sdns.micrometer;

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
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Rcode;

/** Tests the meters of autopath, of caches, of upstream servers and of node caches. */
class ForwardingMetersTest {
    private static final UpstreamServer SERVER = UpstreamServer.parse("192.0.2.53");
    private static final UpstreamServer TLS = UpstreamServer.parse("tls://[2001:db8::53]:8853#dns.example");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void expansionsAreCountedByModeLookupsAndStatus() {
        AutopathMeters meters = new AutopathMeters(registry);
        meters.expanded(Mode.OPTION, 3, AnswerStatus.NXDOMAIN, 3_000_000);

        assertThat(registry.scrape().lines())
                .contains(
                        "k8sdns_autopath_expansions_total{lookups=\"3\",mode=\"option\",status=\"nxdomain\"} 1.0",
                        "k8sdns_autopath_duration_seconds_bucket{mode=\"option\",le=\"0.004\"} 1",
                        "k8sdns_autopath_duration_seconds_sum{mode=\"option\"} 0.003");
    }

    @Test
    void eventsOfACacheAreCountedByKind() {
        CacheMeters meters = new CacheMeters(registry);
        meters.hit(Kind.DENIAL);
        meters.miss();
        meters.miss();
        meters.servedStale();
        meters.prefetched();
        meters.evicted(Kind.SUCCESS);

        assertThat(registry.scrape().lines())
                .contains(
                        "k8sdns_cache_hits_total{type=\"denial\"} 1.0",
                        "k8sdns_cache_hits_total{type=\"success\"} 0.0",
                        "k8sdns_cache_misses_total 2.0",
                        "k8sdns_cache_served_stale_total 1.0",
                        "k8sdns_cache_prefetch_total 1.0",
                        "k8sdns_cache_evictions_total{type=\"success\"} 1.0")
                .noneMatch(line -> line.startsWith("k8sdns_cache_entries"));
    }

    @Test
    void sizeOfACacheIsReported() {
        AnswerCache cache = AnswerCache.builder((question, client) -> new CompletableFuture<>())
                .build();
        new CacheMeters(registry).size(cache);

        assertThat(registry.scrape().lines()).contains("k8sdns_cache_entries 0.0", "k8sdns_cache_size_bytes 0.0");
        assertThat(cache.entries()).isZero();
    }

    @Test
    void serversAreLabelledWithAddressAndTransport() {
        UpstreamMeters meters = new UpstreamMeters(registry);
        meters.answered(SERVER, Rcode.NXDOMAIN, 1_000_000);
        meters.failed(SERVER, Failure.NETWORK);
        meters.failed(SERVER, Failure.NETWORK);
        meters.connecting(TLS);
        meters.reusing(TLS);
        meters.markedDown(SERVER);
        meters.markedDown(TLS);
        meters.markedUp(SERVER);

        assertThat(registry.scrape().lines())
                .contains(
                        "k8sdns_proxy_request_duration_seconds_count{proxy_name=\"forward\",rcode=\"NXDOMAIN\","
                                + "to=\"192.0.2.53:53\"} 1",
                        "k8sdns_forward_failures_total{reason=\"network\",to=\"192.0.2.53:53\"} 2.0",
                        "k8sdns_forward_connections_total{proto=\"tls\",to=\"[2001:db8::53]:8853\"} 1.0",
                        "k8sdns_forward_connection_reuses_total{proto=\"tls\",to=\"[2001:db8::53]:8853\"} 1.0",
                        "k8sdns_forward_down{proto=\"udp\",to=\"192.0.2.53:53\"} 0.0",
                        "k8sdns_forward_down{proto=\"tls\",to=\"[2001:db8::53]:8853\"} 1.0");
    }

    @Test
    void aServerWithAHostNameIsLabelledWithIt() {
        new UpstreamMeters(registry).failed(UpstreamServer.parse("dns.example:5353"), Failure.TIMEOUT);

        assertThat(registry.scrape().lines())
                .contains("k8sdns_forward_failures_total{reason=\"timeout\",to=\"dns.example:5353\"} 1.0");
    }

    @Test
    void questionsWithoutAnAnswerAreCountedByZone() {
        UpstreamMeters meters = new UpstreamMeters(registry);
        meters.unanswered(UpstreamZone.of(".", "192.0.2.53"));
        meters.refused(UpstreamZone.of("corp.example", "192.0.2.53"));

        assertThat(registry.scrape().lines())
                .contains(
                        "k8sdns_forward_unanswered_total{zone=\".\"} 1.0",
                        "k8sdns_forward_max_concurrent_rejects_total{zone=\"corp.example.\"} 1.0");
    }

    @Test
    void supportOfTheSuffixIsReportedOnceItIsKnown() {
        NodeCacheMeters meters = new NodeCacheMeters(registry);
        assertThat(registry.scrape()).doesNotContain("k8sdns_nodecache");

        meters.suffixSupported(true);
        meters.forwarded();
        meters.expanded(Mode.NAME, 1, AnswerStatus.NOERROR, 1_000);
        assertThat(registry.scrape().lines())
                .contains(
                        "k8sdns_nodecache_autopath_supported 1.0",
                        "k8sdns_nodecache_autopath_forwarded_total 1.0",
                        "k8sdns_autopath_expansions_total{lookups=\"1\",mode=\"name\",status=\"noerror\"} 1.0");

        meters.suffixSupported(false);
        assertThat(registry.scrape().lines()).contains("k8sdns_nodecache_autopath_supported 0.0");
    }
}
