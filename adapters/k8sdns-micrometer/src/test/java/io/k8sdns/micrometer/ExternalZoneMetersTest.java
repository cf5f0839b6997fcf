package io.k8sdns.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.Shard;
import io.k8sdns.federation.external.ExternalRecords;
import io.k8sdns.federation.external.ExternalSync;
import io.k8sdns.federation.external.FederatedService;
import io.k8sdns.federation.external.MemoryExternalZone;
import io.k8sdns.federation.external.RecordOwner;
import io.k8sdns.federation.external.WantedRecords;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ExternalZoneMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private long now;

    static ExternalSync sync() {
        return ExternalSync.builder(new MemoryExternalZone(), () -> 0, new Random(1))
                .build();
    }

    private static WantedRecords wanted() {
        Shard shard = Shard.builder()
                .externalAddresses(List.of(IpAddress.parse("192.0.2.1")))
                .build();
        return ExternalRecords.builder(new RecordOwner("one", "fed"), DnsLabels.parse("example.org"))
                .build()
                .of(
                        List.of(FederatedService.builder("shop", "cart")
                                .shard("foo", shard)
                                .build()),
                        Map.of());
    }

    private double changes(String result) {
        return registry.get("k8sdns.external.changes")
                .tag("result", result)
                .functionCounter()
                .count();
    }

    private double seconds(String name) {
        return registry.get(name).timeGauge().value(TimeUnit.SECONDS);
    }

    @Test
    void changesFailuresAndLagAreCounted() {
        MemoryExternalZone zone = new MemoryExternalZone();
        ExternalSync sync = ExternalSync.builder(zone, () -> now, new Random(1)).build();
        new ExternalZoneMeters(sync, () -> now).bindTo(registry);
        assertThat(seconds("k8sdns.external.success.age")).isNaN();
        DnsLabels name = wanted().names().keySet().iterator().next();
        zone.foreign(name, true);
        sync.pass(wanted());
        now += Duration.ofSeconds(5).toNanos();
        assertThat(changes("conflict")).isEqualTo(1);
        assertThat(registry.get("k8sdns.external.failing.names").gauge().value())
                .isEqualTo(1);
        assertThat(seconds("k8sdns.external.lag")).isEqualTo(5);
        zone.foreign(name, false);
        sync.pass(wanted());
        now += Duration.ofSeconds(7).toNanos();
        assertThat(changes("applied")).isEqualTo(1);
        assertThat(registry.get("k8sdns.external.failing.names").gauge().value())
                .isZero();
        assertThat(seconds("k8sdns.external.lag")).isZero();
        assertThat(seconds("k8sdns.external.success.age")).isEqualTo(7);
        zone.close();
        now += Duration.ofSeconds(60).toNanos();
        sync.pass(wanted());
        assertThat(registry.get("k8sdns.external.unreadable").functionCounter().count())
                .isEqualTo(1);
    }
}
