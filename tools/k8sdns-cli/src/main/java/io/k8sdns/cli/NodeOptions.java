package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.options;

import io.k8sdns.model.IpAddress;
import io.k8sdns.resolvconf.KubeletDialect;
import io.k8sdns.resolvconf.KubeletDialect.SearchLimits;
import io.k8sdns.resolvconf.KubeletDns;
import io.k8sdns.resolvconf.MalformedResolvConfException;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDns;
import io.k8sdns.resolvconf.ResolvConf.FileOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code resolvconf} for the node and the output; also the {@code args} of a line of its batch. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class NodeOptions {
    List<IpAddress> clusterDns = new ArrayList<>();
    String clusterDomain;
    String hostResolvConf;
    List<IpAddress> nodeIps = new ArrayList<>();
    SearchLimits limits;
    NodeDns.Os os;
    FileOrder style;
    boolean advice;
    boolean kepPolicies;
    final OutputOptions output = new OutputOptions();

    /** Declares the options. */
    void declare(CommandSpec command) {
        addOptions(
                command,
                "The node:",
                options("--cluster-dns", IpAddress.class, value -> clusterDns = value)
                        .paramLabel("IP")
                        .description(
                                "A DNS server of the cluster; repeatable, in order. Without one, Pods get the node's "
                                        + "own file, as with the kubelet."),
                option("--cluster-domain", String.class, value -> clusterDomain = value)
                        .paramLabel("DOMAIN")
                        .defaultValue(ZoneKey.DEFAULT_ZONE)
                        .description("The cluster's domain; an empty text for none (default: ${DEFAULT-VALUE})."),
                option("--host-resolv-conf", String.class, value -> hostResolvConf = value)
                        .paramLabel("FILE")
                        .defaultValue("")
                        .description(
                                "The node's own resolv.conf, - for standard input. Without it, or with an empty text, the "
                                        + "kubelet's resolvConf is empty: the file of this machine is never read by itself."),
                options("--node-ip", IpAddress.class, value -> nodeIps = value)
                        .paramLabel("IP")
                        .description("An address of the node; repeatable. Used only without --host-resolv-conf."),
                option("--limits", SearchLimits.class, value -> limits = value)
                        .paramLabel("legacy|expanded")
                        .defaultValue("expanded")
                        .description(
                                "How long a search list may be: 6 domains and 256 characters (Kubernetes up to 1.25, which "
                                        + "also refuses underscores and a single dot in dnsConfig.searches), or 32 and 2048 "
                                        + "(default: ${DEFAULT-VALUE})."),
                option("--os", NodeDns.Os.class, value -> os = value)
                        .paramLabel("linux|windows")
                        .defaultValue("linux")
                        .description("The operating system of the node (default: ${DEFAULT-VALUE})."),
                option("--style", FileOrder.class, value -> style = value)
                        .paramLabel("kubelet|containerd")
                        .defaultValue("kubelet")
                        .description(
                                "The order of lines: nameserver, search, options as the kubelet and Docker have it, or search, "
                                        + "nameserver, options as containerd and CRI-O do (default: ${DEFAULT-VALUE})."),
                flag("--advice", value -> advice = value)
                        .description(
                                "Print advice in addition to the kubelet's events: 'advice: ...' lines, or the member "
                                        + "\"advice\"."),
                flag("--kep-policies", value -> kepPolicies = value)
                        .description(
                                "Accept values of enhancement proposals that API servers reject: dnsPolicy Custom (None) and "
                                        + "ClusterFirstWithAutopath, numbers as values of options."));
        output.declare(
                command,
                "The node:",
                "one object: {\"nameservers\", \"searches\", \"options\", \"warnings\", \"hostname\", \"fqdn\"}, the first "
                        + "four being arrays of texts; both names are empty with hostNetwork; \"invented\": true if they "
                        + "are made of a name of the Pod that no manifest holds.");
    }

    /**
     * Returns the node.
     *
     * @param hostFile the text of the node's resolv.conf; empty if the kubelet's setting {@code resolvConf} is empty
     * @throws IllegalArgumentException if the cluster domain is not a host name; the message contains the option
     */
    NodeDns node(Optional<String> hostFile) {
        NodeDns.Builder node = NodeDns.builder()
                .clusterDns(clusterDns)
                .clusterDomain(clusterDomain)
                .nodeIps(nodeIps)
                .os(os)
                .dialect(KubeletDialect.LATEST.withLimits(limits))
                .enhancementPolicies(kepPolicies);
        hostFile.ifPresent(node::hostResolvConf);
        try {
            return node.build();
        } catch (IllegalArgumentException noDomain) {
            // The other settings of a node cannot be invalid here.
            throw new IllegalArgumentException("--cluster-domain: " + noDomain.getMessage(), noDomain);
        }
    }

    /**
     * Returns the advice about the Pod and the kubelet's events of the node; empty without {@code --advice}.
     *
     * @param file the name of the node's file, for messages
     */
    Optional<List<String>> advice(PodDns dns, NodeDns node, String file) {
        if (!advice) {
            return Optional.empty();
        }
        List<String> texts = new ArrayList<>(dns.advice());
        KubeletDns.checkNode(node, file)
                .forEach(event -> texts.add("the kubelet's event of the node, when it starts: " + event.text()));
        return Optional.of(texts);
    }

    /**
     * Reads the node's resolv.conf.
     *
     * @return empty if the option is empty
     * @throws IOException if the file is missing or cannot be read
     * @throws MalformedResolvConfException if a line other than a comment is not UTF-8
     */
    Optional<String> readHostFile() throws IOException {
        return hostResolvConf.isEmpty() ? Optional.empty() : Optional.of(InputFile.nodeFile(hostResolvConf));
    }
}
