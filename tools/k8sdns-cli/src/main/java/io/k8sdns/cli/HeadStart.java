package io.k8sdns.cli;

import io.k8sdns.cluster.Visibility;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.OversizedRecords;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/**
 * Shortens the startup of {@code serve}: answers one query from an example Service in a second thread, while the main thread parses
 * the arguments. Half of the startup time is loading classes and linking code, and most machines have a second processor.
 *
 * <p>Has no other effect: no state, no sockets, and the main thread does not wait.
 */
final class HeadStart implements Runnable {
    private static final String SERVICE = """
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"type":
            "ClusterIP", "clusterIP": "10.96.0.1", "ports": [{"name": "http", "port": 80, "protocol": "TCP"}]}}
            """;

    private HeadStart() {}

    /** Starts the daemon thread. */
    static void begin() {
        Thread thread = new Thread(new HeadStart(), "k8sdns-head-start");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        try {
            DnsServer.prepare();
            answer();
        } catch (IOException | RuntimeException | LinkageError again) {
            // The startup fails in the same way and reports the reason.
        }
    }

    /** Answers the example query, and returns the length of the response in bytes. */
    static int answer() throws IOException {
        RecordRules rules = new RecordRules(ZoneSettings.DEFAULTS);
        ManifestInput input =
                ManifestInput.stream("-", new ByteArrayInputStream(SERVICE.getBytes(StandardCharsets.UTF_8)));
        ClusterZone zone = ClusterZone.of(
                Manifests.read(List.of(input), ManifestOptions.DEFAULTS, new OversizedRecords(rules)::check)
                        .snapshot(),
                rules,
                Visibility.ALL);
        byte[] query = Message.newQuery(
                        Record.newRecord(Name.fromConstantString("web.shop.svc.cluster.local."), Type.A, DClass.IN))
                .toWire();
        int[] length = {0};
        DnsResponder.builder(ResolverChain.of(zone))
                .build()
                .respond(
                        ByteBuffer.wrap(query),
                        Client.builder(Client.Transport.UDP).build(),
                        response -> length[0] = response.remaining());
        return length[0];
    }
}
