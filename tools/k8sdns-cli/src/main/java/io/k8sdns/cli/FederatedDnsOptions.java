package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.optional;
import static io.k8sdns.cli.CommandSpecs.options;

import io.k8sdns.federation.FederatedZone;
import io.k8sdns.federation.SourceCluster;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.wire.AnswerOrder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options of {@code federated-dns}. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class FederatedDnsOptions {
    final StoreOptions store;
    List<HostAndPort> listen;
    DnsLabels zone;
    Optional<String> clusters;
    long ttl;
    AnswerOrder order;
    private List<UpstreamServer> upstream = new ArrayList<>();
    private String resolvConf;
    Optional<HostAndPort> metrics;
    private long sourceClusterOption;
    private List<IpAddress> nameServers = new ArrayList<>();
    private CommandSpec command;

    FederatedDnsOptions(StoreOptions store) {
        this.store = store;
    }

    /** Declares the options. */
    void declare(CommandSpec command) {
        this.command = command;
        addOptions(
                command,
                HelpSections.OWN,
                options("--listen", HostAndPort.class, value -> listen = value)
                        .converters(ListenAddresses.CONVERTER)
                        .paramLabel("HOST:PORT")
                        .defaultValue("127.0.0.1:1053")
                        .description(
                                "Where to answer, UDP and TCP; repeatable, IPv6 in brackets, :PORT for all addresses, port 0 takes a free one "
                                        + "(default: ${DEFAULT-VALUE})."),
                option("--zone", DnsLabels.class, value -> zone = value)
                        .converters(Main.parsed(DnsLabels::parseHostName))
                        .paramLabel("ZONE")
                        .defaultValue(FederatedZone.DEFAULT_ZONE)
                        .description("The zone of federated Services (default: ${DEFAULT-VALUE})."));
        store.declare(command);
        addOptions(
                command,
                HelpSections.OWN,
                optional("--clusters", String.class, value -> clusters = value)
                        .paramLabel("FILE")
                        .description(
                                "The locations of the clusters, JSON: {\"CLUSTER\": {\"region\": ..., \"zones\": [...]}}. The file is "
                                        + "watched. A key /_clusters/CLUSTER of the store takes precedence."),
                option("--ttl", long.class, value -> ttl = value)
                        .paramLabel("SECONDS")
                        .defaultValue("30")
                        .description("The TTL of records, and of negative answers at most 30 seconds "
                                + "(default: ${DEFAULT-VALUE})."),
                option("--order", AnswerOrder.class, value -> order = value)
                        .paramLabel("rotate|stable|shuffle")
                        .defaultValue("rotate")
                        .description(
                                "The order of addresses that are equally near to the client; nearer ones always come first "
                                        + "(default: ${DEFAULT-VALUE})."),
                option("--source-cluster-option", long.class, value -> sourceClusterOption = value)
                        .paramLabel("CODE")
                        .defaultValue(String.valueOf(SourceCluster.OPTION_CODE))
                        .description("The code of the EDNS option that names the client's cluster "
                                + "(default: ${DEFAULT-VALUE})."),
                options("--ns-address", IpAddress.class, value -> nameServers = value)
                        .paramLabel("IP")
                        .description(
                                "The address of ns.dns.ZONE, the zone's name server; repeatable (default: where the "
                                        + "command listens, 127.0.0.1 for a wildcard). Give all servers of a federation the same ones."),
                options("--upstream", UpstreamServer.class, value -> upstream = value)
                        .converters(Main.parsed(UpstreamOptions::server))
                        .paramLabel("SERVER")
                        .description(
                                "A DNS server that finds the addresses of load balancers that have host names: HOST[:PORT], IPv6 in "
                                        + "brackets, or tls://HOST[:PORT][#NAME]; repeatable, asked in order (default: those of --resolv-conf)."),
                option("--resolv-conf", String.class, value -> resolvConf = value)
                        .paramLabel("FILE")
                        .defaultValue("/etc/resolv.conf")
                        .description(
                                "The host's resolv.conf, whose servers are used without --upstream; read at the start "
                                        + "(default: ${DEFAULT-VALUE})."),
                optional("--metrics", HostAndPort.class, value -> metrics = value)
                        .converters(ListenAddresses.CONVERTER)
                        .paramLabel("HOST:PORT")
                        .description(
                                "Where to answer HTTP, :PORT for all addresses: /metrics for Prometheus (docs/metrics.md), /health, "
                                        + "and /ready, which is 200 once the store has been read (default: nowhere)."));
        store.etcd.declare(command);
    }

    /**
     * Checks options that the parser cannot check.
     *
     * @throws ParameterException if an option is invalid
     */
    void check() {
        store.check();
        EdnsOptionCodes.problem("--source-cluster-option", sourceClusterOption).ifPresent(problem -> {
            throw usage(problem);
        });
        if (clusters.filter("-"::equals).isPresent()) {
            throw usage("--clusters: standard input cannot be watched; name a file");
        }
    }

    /** Returns the code of the EDNS option with the client's cluster. */
    int sourceClusterCode() {
        return (int) sourceClusterOption;
    }

    /**
     * Returns the addresses to listen on.
     *
     * @throws IOException if a host name cannot be looked up
     * @throws ParameterException if an address is given twice
     */
    List<InetSocketAddress> addresses() throws IOException {
        return ListenAddresses.of(listen, this::usage);
    }

    /** Returns the addresses of the zone's name server. */
    List<IpAddress> nameServers(List<InetSocketAddress> listening) {
        return nameServers.isEmpty() ? ListenAddresses.nameServers(listening) : nameServers;
    }

    /**
     * Returns the DNS servers that look up host names, at least one.
     *
     * @param skipped receives warnings about lines of the host's resolv.conf that are skipped
     * @throws IOException if the servers of the host are used, and its resolv.conf has none
     */
    List<UpstreamServer> upstream(Consumer<String> skipped) throws IOException {
        return upstream.isEmpty() ? HostResolver.servers(resolvConf, skipped) : upstream;
    }

    /** Returns the exception for options that the parser accepts but that are invalid. */
    ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
