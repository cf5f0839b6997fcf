package io.k8sdns.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Client;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** Compares the metrics in docs/metrics.md with the registered meters. */
class MetricsPageTest {
    /** A row of a table: the metric with its labels, and its type. */
    private static final Pattern ROW =
            Pattern.compile("^\\| `(k8sdns_\\w+)(?:\\{([^}]*)})?` \\| (\\w+) \\|", Pattern.MULTILINE);

    private static final Pattern FAMILY = Pattern.compile("^# TYPE (k8sdns_\\w+) (\\w+)$", Pattern.MULTILINE);

    private static final Pattern SAMPLE = Pattern.compile("^(k8sdns_\\w+)(?:\\{(.*)})? \\S+$", Pattern.MULTILINE);

    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

    @Test
    void pageAndMetersAgree() throws IOException {
        String page = Files.readString(
                Path.of(System.getProperty("k8sdns.root", "../..")).resolve(Path.of("docs", "metrics.md")));
        String ours = page.substring(0, page.indexOf("\n## The process\n"));

        assertThat(registered(everything())).containsExactlyInAnyOrderEntriesOf(described(ours));
    }

    private static Map<String, String> described(String page) {
        Map<String, String> described = new TreeMap<>();
        ROW.matcher(page)
                .results()
                .forEach(row -> described.put(
                        row.group(1),
                        text(
                                row.group(3),
                                row.group(2) == null
                                        ? Stream.of()
                                        : Stream.of(row.group(2).split(", ")))));
        return described;
    }

    /** Returns the Prometheus text, without the maximum values that Micrometer adds. */
    private static Map<String, String> registered(String scraped) {
        Map<String, String> types = FAMILY.matcher(scraped)
                .results()
                .collect(Collectors.toMap(family -> family.group(1), family -> family.group(2)));
        Map<String, String> registered = new TreeMap<>();
        SAMPLE.matcher(scraped).results().forEach(sample -> {
            String family = sample.group(1).replaceFirst("_(bucket|count|sum)$", "");
            String name = types.containsKey(family) ? family : sample.group(1);
            if (!name.endsWith("_max")) {
                String labels = sample.group(2) == null ? "" : sample.group(2);
                String before = registered.put(
                        name,
                        text(
                                types.getOrDefault(name, "of no type"),
                                LABEL.matcher(labels)
                                        .results()
                                        .map(MatchResult::group)
                                        .map(label -> label.substring(0, label.length() - 2))
                                        .filter(label -> !label.equals("le"))));
                assertThat(before).as(name).isIn(null, registered.get(name));
            }
        });
        return registered;
    }

    private static String text(String type, Stream<String> labels) {
        return type + " by " + labels.collect(Collectors.toCollection(TreeSet::new));
    }

    /** Registers all meters, and uses each once. */
    private static String everything() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        RequestMeters requests = new RequestMeters(registry, List.of());
        requests.receiveBufferDrops(() -> 1);
        requests.response(requests.received(), Client.Transport.UDP, Type.A, true, Rcode.NOERROR, true, 50, 100);
        requests.drop(requests.received(), Client.Transport.UDP, 3);
        ClusterMeters cluster = new ClusterMeters(registry);
        cluster.state("Service", SyncState.SYNCED);
        cluster.received("Service");
        cluster.objects("Service", 1);
        cluster.event("Service", ClusterObserver.Event.PUT);
        cluster.listed("Service", Duration.ofMillis(1));
        cluster.failed("Service", "gone");
        cluster.rejected("Service");
        cluster.applied(1, 1, Duration.ofMillis(1));
        cluster.programmed(ClusterObserver.ServiceKind.CLUSTER_IP, ClusterObserver.Since.TRIGGER, Duration.ofMillis(1));
        ClusterZone zone = ClusterZone.of(ClusterSnapshot.of(List.of()), ZoneSettings.DEFAULTS);
        ZoneFeed feed =
                ZoneFeed.builder(zone, InstantSource.fixed(Instant.EPOCH)).build();
        new ZoneMeters(feed).bindTo(registry);
        new FederationMeters(FederationMetersTest.zone()).bindTo(registry);
        new ExternalZoneMeters(ExternalZoneMetersTest.sync(), () -> 0).bindTo(registry);
        return registry.scrape();
    }
}
