package io.k8sdns.cli;

import io.k8sdns.cluster.Visibility;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.records.RecordRules;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.sockets.ServerLimits;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "serve",
        description = "Serves DNS from Kubernetes manifests until SIGTERM.",
        mixinStandardHelpOptions = true)
final class Serve implements Callable<Integer> {
    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:1053",
            description = "Where to listen (default: ${DEFAULT-VALUE}).")
    private String listen;

    @Parameters(paramLabel = "MANIFEST", arity = "1..*", description = "Files and directories of manifests.")
    private List<Path> manifests;

    @Override
    public Integer call() throws Exception {
        int colon = listen.lastIndexOf(':');
        InetSocketAddress address = new InetSocketAddress(
                InetAddress.getByName(listen.substring(0, colon)), Integer.parseInt(listen.substring(colon + 1)));
        ClusterZone zone = ClusterZone.of(
                Manifests.read(manifests.stream().map(ManifestInput::path).toList(), ManifestOptions.DEFAULTS)
                        .snapshot(),
                new RecordRules(ZoneSettings.DEFAULTS),
                Visibility.ALL);
        CountDownLatch stop = new CountDownLatch(1);
        try (DnsServer server = DnsServer.start(
                List.of(address), DnsResponder.builder(ResolverChain.of(zone)).build(), ServerLimits.DEFAULTS)) {
            Runtime.getRuntime().addShutdownHook(new Thread(stop::countDown, "k8sdns-stop"));
            for (InetSocketAddress bound : server.addresses()) {
                System.out.println("listening on " + bound.getHostString() + ":" + bound.getPort() + " (udp, tcp)");
            }
            System.out.flush();
            stop.await();
        }
        return 0;
    }
}
