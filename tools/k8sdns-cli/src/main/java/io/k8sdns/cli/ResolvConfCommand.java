package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.option;

import io.k8sdns.manifest.JsonObject;
import io.k8sdns.manifest.ManifestException;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.PodManifest;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.resolvconf.FqdnTooLongException;
import io.k8sdns.resolvconf.InvalidPodException;
import io.k8sdns.resolvconf.InvalidPodException.FieldError;
import io.k8sdns.resolvconf.KubeletDns;
import io.k8sdns.resolvconf.MalformedResolvConfException;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDns;
import io.k8sdns.resolvconf.PodDnsSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The command {@code k8sdns resolvconf}: prints the resolv.conf of a Pod, byte for byte. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class ResolvConfCommand implements Callable<Integer> {
    /** The name of a Pod, perhaps with its namespace. */
    private static final Pattern POD = Pattern.compile("(?:[a-z0-9-]+/)?[a-z0-9][a-z0-9.-]*");

    private static final String WITHOUT_CLUSTER_DNS =
            "without --cluster-dns the Pod gets the node's own file; name the cluster's DNS server, usually the cluster IP of the "
                    + "Service kube-system/kube-dns";

    @Nullable
    private String batch;

    @Nullable
    private String from;

    private boolean asDnsConfig;
    private final ManifestArguments manifests = new ManifestArguments();
    private final RenderOptions rendering = new RenderOptions();
    private final NodeOptions node = new NodeOptions();
    private PodNameMark podName = PodNameMark.NONE;
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("resolvconf", this);
        command.usageMessage()
                .description(
                        "Prints the /etc/resolv.conf that a Pod will find: what the kubelet makes of the Pod's manifest, its own "
                                + "configuration and the node's file.",
                        "",
                        "The kubelet's events are 'warning: ...' lines on stderr, in its own words. A Pod that an API server would "
                                + "refuse, or that would never start, gives 'error: ...' lines, all at once.",
                        "")
                .footer(
                        "  k8sdns resolvconf -f examples/pod.yaml --cluster-dns 10.96.0.10",
                        "  k8sdns resolvconf -f examples/bookstore --from shop/db-0 --cluster-dns 10.96.0.10",
                        "  k8sdns resolvconf -f pod.yaml --cluster-dns 10.96.0.10 --host-resolv-conf node.conf --advice",
                        "  kubectl get pod web-0 -o yaml | k8sdns resolvconf -f - --cluster-dns 10.96.0.10 --json",
                        "  k8sdns resolvconf --batch pods.jsonl")
                .exitCodeList(exitCodes(
                        "0:done; a batch is done whatever its lines hold",
                        "1:failed at run time",
                        "2:usage, or an invalid Pod or file of the node"));
        manifests.declareOfPod(command);
        addOptions(
                command,
                HelpSections.OWN,
                option("--from", String.class, value -> from = value)
                        .paramLabel("NS/POD")
                        .description(
                                "The Pod of the manifests, instead of the first one: NS/POD, or NS/WORKLOAD for the first Pod of a "
                                        + "workload; NS is default for manifests without a namespace."),
                option("--batch", String.class, value -> batch = value)
                        .paramLabel("FILE")
                        .description(
                                "Answer each line of FILE (- for standard input), a JSON object: {\"pod\": manifest, \"args\": "
                                        + "[options below], \"host_resolv_conf\": text of the node's file or null}, and \"id\" if wanted. One "
                                        + "line each: what --json prints, or {\"error\": text}; after the \"id\"."),
                flag("--as-dns-config", value -> asDnsConfig = value)
                        .description(
                                "Print, in place of the file, the dnsPolicy: None and the dnsConfig (YAML) that give the same "
                                        + "file on every node."));
        rendering.declare(command, HelpSections.OWN);
        node.declare(command);
        return command;
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = command.commandLine().getOut();
        if (batch != null) {
            checkBatchHasNoOtherOptions();
            new Batch(new BatchLine()::answer).run(batch, out);
            return Main.DONE;
        }
        OutputOptions.Format format = node.output.format();
        List<String> files = manifests.all();
        if (files.isEmpty()) {
            throw usage("missing: -f MANIFEST or --batch FILE; -f - reads standard input");
        }
        if (from != null && !from.matches("[^/]+/[^/]+")) {
            throw usage("--from: not NS/POD or NS/WORKLOAD: '" + from + "'");
        }
        if (asDnsConfig && format != OutputOptions.Format.TEXT) {
            throw usage("--as-dns-config and -o " + format.word() + " exclude each other");
        }
        if (files.contains("-") && node.hostResolvConf.equals("-")) {
            throw usage("-f and --host-resolv-conf cannot both be standard input");
        }
        rendering.check();
        requireFiles(files);
        return print(files, out);
    }

    /**
     * Checks that all files exist, also those after the first Pod, which are not read.
     *
     * @throws NoSuchFileException if one is missing
     * @throws ParameterException if its name is rather that of a Pod
     */
    private void requireFiles(List<String> files) throws NoSuchFileException {
        for (String file : files) {
            if (file.equals("-") || Files.exists(Path.of(file))) {
                continue;
            }
            if (files.size() > 1 && from == null && POD.matcher(file).matches() && !UsageHints.isManifest(file)) {
                throw usage("no such file or directory: '" + file + "'; for a Pod of the manifests write --from "
                        + (file.contains("/") ? "" : "NS/") + file);
            }
            throw new NoSuchFileException(file);
        }
    }

    private int print(List<String> files, PrintWriter out) throws IOException {
        try {
            NodeDns where = node(node.readHostFile());
            PodManifest read = firstPod(files);
            podName = new PodNameMark(read.inventedName());
            read.diagnostics().forEach(this::report);
            PodDnsSpec spec = read.spec(where);
            PodDns dns = KubeletDns.forPod(spec, where);
            if (isWithoutClusterDns(spec) && node.hostResolvConf.isEmpty()) {
                // Above the file, which is that of no real Pod.
                report("warning", WITHOUT_CLUSTER_DNS);
            }
            Optional<List<String>> advice = node.advice(dns, where, node.hostResolvConf);
            if (asDnsConfig) {
                Optional<String> form = asDnsConfig(spec, where, dns);
                if (form.isEmpty()) {
                    report(
                            "error",
                            "no dnsConfig gives this file: it has an entry twice, or an option that ends in a colon");
                    return Main.INVALID;
                }
                out.print(form.get());
            } else if (node.output.isObjects()) {
                node.output.print(object(dns, advice, podName), out);
                return Main.DONE;
            } else {
                out.print(dns.resolvConf().render(node.style));
            }
            dns.warnings().forEach(text -> report("warning", text));
            notes(spec).forEach(text -> report("note", text));
            advice.ifPresent(texts -> texts.forEach(text -> report("advice", text)));
            return Main.DONE;
        } catch (ManifestException unreadable) {
            unreadable.diagnostics().stream().map(Diagnostic::toString).forEach(text -> report("error", text));
            files.stream()
                    .filter(file -> !rendering.isChosen() && isChart(file))
                    .forEach(chart -> report(
                            "note",
                            "to read the chart: helm template RELEASE " + CorefileOptions.quoted(chart) + " | "
                                    + command.qualifiedName() + UsageHints.standardInput(command.name())
                                    + ", or --render"));
        } catch (MalformedResolvConfException malformed) {
            report("error", node.hostResolvConf + ": " + malformed.getMessage());
        } catch (InvalidPodException invalid) {
            invalid.errors().forEach(error -> report("error", error.toString()));
        } catch (FqdnTooLongException tooLong) {
            report("error", String.valueOf(tooLong.getMessage()));
        }
        return Main.INVALID;
    }

    /** Explains a file without the cluster's DNS server, and names the options that are missing. */
    private List<String> notes(PodDnsSpec spec) {
        Optional<DnsPolicy> policy = policy(spec);
        List<String> notes = new ArrayList<>();
        boolean isWithoutClusterDns = isWithoutClusterDns(spec);
        boolean hasNodeFile =
                isWithoutClusterDns || policy.filter(DnsPolicy.DEFAULT::equals).isPresent();
        if (isNodePolicy(spec)) {
            hasNodeFile = true;
            // The advice about a node with the cluster's DNS says the same.
            if (!node.advice || node.clusterDns.isEmpty()) {
                notes.add(
                        "with hostNetwork the dnsPolicy ClusterFirst means Default: the Pod gets the node's own file and finds no "
                                + "Service; ClusterFirstWithHostNet gives it the cluster's DNS");
            }
        } else if (isWithoutClusterDns && !node.hostResolvConf.isEmpty()) {
            notes.add(WITHOUT_CLUSTER_DNS);
        }
        if (hasNodeFile && node.hostResolvConf.isEmpty()) {
            notes.add(
                    "without --host-resolv-conf the node has no file of its own, and the kubelet writes the loopback address; "
                            + "name a copy of the node's resolv.conf");
        }
        return notes;
    }

    /** Returns whether a Pod should get the cluster's DNS server, and no option names one. */
    private boolean isWithoutClusterDns(PodDnsSpec spec) {
        return node.clusterDns.isEmpty()
                && !isNodePolicy(spec)
                && policy(spec)
                        .filter(one -> one == DnsPolicy.CLUSTER_FIRST || one == DnsPolicy.CLUSTER_FIRST_WITH_HOST_NET)
                        .isPresent();
    }

    /** Returns whether ClusterFirst means Default. */
    private static boolean isNodePolicy(PodDnsSpec spec) {
        return spec.hostNetwork()
                && policy(spec).filter(DnsPolicy.CLUSTER_FIRST::equals).isPresent();
    }

    private static Optional<DnsPolicy> policy(PodDnsSpec spec) {
        Optional<String> word = spec.dnsPolicy();
        return word.isPresent() ? word.flatMap(DnsPolicy::tryParse) : Optional.of(DnsPolicy.CLUSTER_FIRST);
    }

    /**
     * Reads the first Pod of the files and directories, or that of {@code --from}, and reports what could not be read before it in a
     * directory. Inputs after it are not read.
     *
     * @throws ManifestException if there is none, or a file that is named before it is invalid
     */
    private PodManifest firstPod(List<String> files) throws IOException {
        List<Diagnostic> withoutPod = new ArrayList<>();
        for (String file : files) {
            try {
                PodManifest found = read(input(file));
                withoutPod.stream().filter(one -> !isNoPod(one)).forEach(this::report);
                return found;
            } catch (ManifestException unreadable) {
                withoutPod.addAll(unreadable.diagnostics());
                if (unreadable.diagnostics().stream().noneMatch(ResolvConfCommand::isNoPod)) {
                    break;
                }
            }
        }
        throw new ManifestException(withoutPod);
    }

    private static boolean isChart(String manifest) {
        return !manifest.equals("-") && ManifestRenderer.isChart(Path.of(manifest));
    }

    private static boolean isNoPod(Diagnostic one) {
        return one.code().equals("no-pod");
    }

    private PodManifest read(ManifestInput input) throws IOException {
        if (from == null) {
            return PodManifest.read(input);
        }
        int slash = from.indexOf('/');
        return PodManifest.read(input, from.substring(0, slash), from.substring(slash + 1));
    }

    private ManifestInput input(String manifest) throws IOException {
        if (manifest.equals("-")) {
            return ManifestInput.stream("-", System.in);
        }
        return rendering
                .render(manifest, ManifestOptions.DEFAULTS.defaultNamespace())
                .map(output -> ManifestInput.stream(output.command(), output.open()))
                .orElseGet(() -> ManifestInput.path(Path.of(manifest)));
    }

    private NodeDns node(Optional<String> hostFile) {
        try {
            return node.node(hostFile);
        } catch (IllegalArgumentException invalid) {
            throw usage(String.valueOf(invalid.getMessage()));
        }
    }

    /**
     * Returns the result as a {@code dnsConfig} that all API servers accept; empty if the kubelet would create another file from
     * it.
     *
     * @throws InvalidPodException if the result cannot be written as a valid dnsConfig
     */
    private static Optional<String> asDnsConfig(PodDnsSpec spec, NodeDns node, PodDns dns) {
        DnsConfig config = dns.asDnsConfig();
        PodDnsSpec same = PodDnsSpec.builder(spec.name())
                .namespace(spec.namespace())
                .dnsPolicy(DnsPolicy.NONE)
                .dnsConfig(config)
                .build();
        return KubeletDns.forPod(same, node).resolvConf().equals(dns.resolvConf())
                ? Optional.of(PodSpecYaml.of(DnsPolicy.NONE, config))
                : Optional.empty();
    }

    private static OutputObject object(PodDns dns, Optional<List<String>> advice, PodNameMark podName) {
        OutputObject object = new OutputObject()
                .put("nameservers", dns.resolvConf().nameservers())
                .put("searches", dns.resolvConf().searches())
                .put("options", dns.resolvConf().options())
                .put("warnings", podName.marked(dns.warnings()))
                .put("hostname", dns.hostname().orElse(""))
                .put("fqdn", dns.fqdn().orElse(""));
        if (dns.hostname().filter(podName::isIn).isPresent()) {
            object.put("invented", true);
        }
        advice.ifPresent(texts -> object.put("advice", podName.marked(texts)));
        return object;
    }

    private void report(Diagnostic found) {
        boolean isWarning = found.severity() == Diagnostic.Severity.WARNING;
        String more = found.code().equals("first-pod") ? "; --from NS/POD chooses another" : "";
        report(isWarning ? "warning" : "note", found + more);
    }

    private void report(String kind, String text) {
        command.commandLine()
                .getErr()
                .println(kind + ": " + podName.marked(text).replaceAll("\\p{Cntrl}", " "));
    }

    private ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }

    private void checkBatchHasNoOtherOptions() {
        if (node.output.format() == OutputOptions.Format.YAML) {
            throw usage("--batch and -o yaml exclude each other: a batch prints JSON");
        }
        String others = command.commandLine().getParseResult().matchedOptions().stream()
                .filter(option -> !ProgramOptions.contains(option))
                .map(option -> option.longestName())
                .filter(name -> !Set.of("--batch", "--json", "--output").contains(name))
                .collect(Collectors.joining(", "));
        if (!others.isEmpty()) {
            throw usage("--batch takes the options of a Pod from its line (\"args\"), not " + others);
        }
    }

    /** Answers the lines of a batch. */
    private static final class BatchLine {
        private static final String HOST_FILE = "host_resolv_conf";

        private final NodeOptions node = new NodeOptions();

        /** Reused for all lines, because declaring the options takes longer than answering a line. Each parse resets the values. */
        private final CommandLine arguments;

        BatchLine() {
            CommandSpec args = CommandSpec.create().name("args");
            node.declare(args);
            arguments = Main.configured(args);
        }

        OutputObject answer(JsonObject line) throws IOException {
            try {
                arguments.parseArgs(line.texts("args").toArray(String[]::new));
            } catch (ParameterException wrong) {
                throw new IllegalArgumentException("args: " + wrong.getMessage(), wrong);
            }
            Optional<String> text = line.text(HOST_FILE);
            boolean ofItsOwn = !node.hostResolvConf.isEmpty();
            if (ofItsOwn && line.has(HOST_FILE)) {
                throw new IllegalArgumentException(HOST_FILE + " and --host-resolv-conf of args exclude each other");
            }
            String file = ofItsOwn ? node.hostResolvConf : HOST_FILE;
            try {
                NodeDns where = node.node(ofItsOwn ? node.readHostFile() : text);
                PodManifest pod = PodManifest.of(line, "pod");
                PodDns dns = KubeletDns.forPod(pod.spec(where), where);
                return object(dns, node.advice(dns, where, file), new PodNameMark(pod.inventedName()));
            } catch (InvalidPodException invalid) {
                throw new IllegalArgumentException(
                        invalid.errors().stream().map(FieldError::toString).collect(Collectors.joining("; ")), invalid);
            } catch (MalformedResolvConfException malformed) {
                throw new IllegalArgumentException(file + ": " + malformed.getMessage(), malformed);
            }
        }
    }
}
