package io.k8sdns.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.autopath.AutopathResolver;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.zone.ClusterZone;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class LookupCostsTest {
    @Test
    void resolversWithTheSameQueriesShareARowAndEachHasItsTime() throws Exception {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("prod", "data", "10.96.0.20"));
        ResolverChain chain = ResolverChain.of(zone);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (DnsServer ordinary = DnsServer.start(chain, 0);
                DnsServer autopath =
                        DnsServer.start(AutopathResolver.builder(chain).byName().build(), 0)) {
            new LookupCosts(new PrintStream(text, true, StandardCharsets.UTF_8), 0, 1)
                    .measure(
                            List.of("data.prod"),
                            List.of(
                                    "plain=" + ordinary.port()
                                            + "=test.svc.cluster.local,svc.cluster.local,cluster.local",
                                    "autopath=" + autopath.port() + "=search.test.cluster.local.ap.k8s.io"));
        }
        assertThat(text.toString(StandardCharsets.UTF_8).lines())
                .anyMatch(row ->
                        row.matches("\\| data\\.prod \\| plain \\| 4 \\| \\d+ \\| .*glibc \\d+, musl-1\\.2\\.3 \\d+.*"))
                .anyMatch(row -> row.matches(
                        "\\| data\\.prod \\| autopath \\| 2 \\| \\d+ \\| .*glibc \\d+, musl-1\\.2\\.3 \\d+.*"));
    }
}
