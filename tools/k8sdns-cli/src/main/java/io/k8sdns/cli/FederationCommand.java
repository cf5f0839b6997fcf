package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.exitCodes;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command {@code k8sdns federation}: runs the DNS server of a federation and its controller in one process until it is stopped.
 */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class FederationCommand implements Callable<Integer> {
    private final StoreOptions store = new StoreOptions(StoreOptions.Use.SHARED);
    private final FederatedDnsOptions server = new FederatedDnsOptions(store);
    private final ControllerOptions controller = new ControllerOptions();
    private final ExternalOptions external = new ExternalOptions();
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("federation", this);
        command.usageMessage()
                .description(
                        "Runs federated-dns and federation-controller in one process, until SIGTERM or Ctrl-C: writes the Services "
                                + "of many clusters to a store, and answers from it.",
                        "",
                        "Prints one line for each address on stdout when it answers there: 'listening on 127.0.0.1:1053 (udp, "
                                + "tcp)'. A store in memory that is empty is filled first, for at most --startup-timeout seconds. "
                                + "docs/federation.md describes names, answers and keys.",
                        "")
                .footer(
                        "  k8sdns federation --federation prod --cluster foo=foo.kubeconfig --cluster bar=bar.kubeconfig",
                        "  k8sdns federation --federation prod --cluster foo=foo.kubeconfig --store etcd "
                                + "--etcd https://192.0.2.1 --etcd-ca ca.pem --external-suffix example.org "
                                + "--rfc2136 192.0.2.53:53 --rfc2136-zone example.org --tsig-key-file tsig.key --owner k8sdns",
                        "  dig @127.0.0.1 -p 1053 +ednsopt=65432:666f6f cart.shop.prod.svc.federation  # from cluster foo")
                .exitCodeList(exitCodes(
                        "0:ended by SIGTERM, SIGHUP or Ctrl-C, after all pending answers were sent",
                        "1:failed at run time, for example: the port is taken",
                        "2:usage or invalid input"));
        server.declare(command);
        controller.declare(command);
        external.declare(command);
        return command;
    }

    @Override
    public Integer call() throws IOException {
        server.check();
        controller.check();
        external.check(controller.federation);
        CommandLine printed = command.commandLine();
        return new FederatedDns(server, command)
                .run(monitoring -> ControlledStore.open(
                        store, controller, external, false, monitoring, printed.getOut(), printed.getErr()));
    }
}
