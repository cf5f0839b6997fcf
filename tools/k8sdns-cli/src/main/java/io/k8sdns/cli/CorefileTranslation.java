package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import io.k8sdns.cli.Corefile.ServerBlock;
import io.k8sdns.resolvconf.ResolvConf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Translates a Corefile to options of {@code k8sdns serve} or {@code k8sdns node-cache}. A Corefile with a {@code kubernetes}
 * directive is translated to {@code serve}, any other to {@code node-cache}. This class reads the server blocks; each of the other
 * classes translates one directive, or directives that depend on each other.
 */
final class CorefileTranslation {
    static final String RESOLV_CONF = "/etc/resolv.conf";

    /** Directives that need no option, with the reasons. */
    private static final Map<String, String> UNNECESSARY = Map.ofEntries(
            Map.entry("any", "queries of type ANY get a short answer without an option"),
            Map.entry("bufsize", "the size of answers over UDP is bounded without an option"),
            Map.entry("cancel", "every query has a deadline without an option"),
            Map.entry("errors", "failures are logged without an option"),
            Map.entry("log", "queries are not logged; --metrics counts them"),
            Map.entry("loop", "loops are found without an option"),
            Map.entry("reload", "options are read once; start again to change them"));

    /** Directives that k8sdns does not support, with the reasons. Other unknown directives are reported without a reason. */
    private static final Map<String, String> UNSUPPORTED = Map.of(
            "acl", "clients are not filtered; limit them with a NetworkPolicy",
            "dns64", "no AAAA records are made of A records",
            "federation",
                    "write the federations into the ConfigMap of kube-dns, and name its directory with --kube-dns-config",
            "file", "zone files are not served",
            "hosts", "no hosts file is served",
            "import", "no other file is read; translate it on its own",
            "rewrite", "no query is rewritten",
            "template", "no answer is made of a template",
            "tls", "queries over TLS are not served");

    private final CorefileRemarks remarks = new CorefileRemarks();
    private final CorefileOptions options = new CorefileOptions(remarks);
    private final boolean forServe;
    private final CorefileListen listen;
    private final CorefileKubernetes kubernetes;
    private final CorefileForwarding forwarding;
    private final CorefileCaches caches;
    private final CorefileAutopath autopath;
    private final CorefileHttp http;

    /** Reads files of the machine. */
    interface HostFiles {
        /**
         * Reads a file in the format of resolv.conf.
         *
         * @param file the path in the Corefile
         * @throws IOException if it cannot be read
         */
        ResolvConf read(String file) throws IOException;
    }

    private CorefileTranslation(Corefile corefile, HostFiles files) {
        List<ServerBlock> blocks =
                corefile.blocks().stream().filter(this::isServed).toList();
        this.forServe = blocks.stream()
                .flatMap(block -> block.directives().stream())
                .anyMatch(CorefileTranslation::isKubernetes);
        CorefileFallthrough fallthrough = new CorefileFallthrough(options, remarks, forServe);
        this.listen = new CorefileListen(options, remarks);
        this.kubernetes = new CorefileKubernetes(options, remarks, fallthrough);
        this.forwarding = new CorefileForwarding(options, remarks, files, fallthrough::isNeverForwarded, forServe);
        this.caches = new CorefileCaches(options, remarks, fallthrough::isNeverForwarded, forServe);
        this.autopath = new CorefileAutopath(options, remarks, files, forServe);
        this.http = new CorefileHttp(options, remarks);
        corefile.imports().forEach(this::warnUnsupported);
        // The cluster's own zones first, because other blocks are compared with them.
        blocks.forEach(this::ownZones);
        fallthrough.translate();
        blocks.forEach(this::block);
        fallthrough.requireServers();
        autopath.notePods();
        caches.translate();
        http.translate();
        forwarding.clusterDomain();
    }

    /**
     * Translates a Corefile.
     *
     * @throws InvalidCorefileException if a zone, an address or a value is invalid
     */
    static CorefileTranslation of(Corefile corefile, HostFiles files) {
        return new CorefileTranslation(corefile, files);
    }

    /** Returns the command that the options are for: {@code serve} or {@code node-cache}. */
    String command() {
        return forServe ? "serve" : "node-cache";
    }

    /** Returns the options with their values, quoted for a shell. */
    List<String> options() {
        return options.lines();
    }

    /** Returns the values of the options by long name without dashes, as in a file for {@code serve --config}. */
    OutputObject values() {
        return options.object();
    }

    /** Returns the warnings and notes, in the order of the lines. */
    List<CorefileRemarks.Remark> remarks() {
        return remarks.inOrder();
    }

    private static boolean isKubernetes(Directive directive) {
        return directive.name().equals("kubernetes");
    }

    private void warnUnsupported(Directive directive) {
        remarks.warn(directive, UNSUPPORTED.getOrDefault(directive.name(), "a directive without a counterpart"));
    }

    /** Returns whether at least one zone of a block is served, and reports the zones that are not. */
    private boolean isServed(ServerBlock block) {
        boolean served = block.keys().stream().map(ZoneKey::parse).anyMatch(ZoneKey::isPlain);
        for (Corefile.BlockZone one : block.keys()) {
            ZoneKey key = ZoneKey.parse(one);
            if (!key.isPlain()) {
                remarks.warn(
                        one.line(),
                        one.text() + ": queries over " + key.transport() + " are not served; UDP and TCP are"
                                + (served ? "" : "; this block is skipped"));
            }
        }
        return served;
    }

    private void ownZones(ServerBlock block) {
        block.directives().stream()
                .filter(CorefileTranslation::isKubernetes)
                .forEach(one -> kubernetes.translate(one, block));
    }

    private void block(ServerBlock block) {
        listen.translate(block);
        Optional<Directive> ofCluster = block.directives().stream()
                .filter(CorefileTranslation::isKubernetes)
                .findFirst();
        boolean answers = false;
        boolean ordered = false;
        List<Directive> forwards = new ArrayList<>();
        for (Directive directive : block.directives()) {
            switch (directive.name()) {
                case "kubernetes" -> answers = true;
                case "forward", "proxy" -> {
                    if (forwarding.translate(directive, block)) {
                        forwards.add(directive);
                    }
                    answers = true;
                }
                case "loadbalance" -> {
                    ordered = true;
                    loadBalance(directive, ofCluster.isPresent());
                }
                case "autopath" -> autopath.translate(directive, block);
                case "cache" -> caches.add(directive, block);
                case "prometheus" -> http.add(directive, "localhost:9153");
                case "health" -> http.add(directive, ":8080");
                case "ready" -> http.add(directive, ":8181");
                case "bind" -> {}
                default -> other(directive);
            }
        }
        if (block.directives().stream().noneMatch(one -> one.name().equals("cache"))) {
            forwards.stream().findFirst().ifPresent(caches::addUncached);
        }
        if (!answers) {
            remarks.warn(
                    block.line(),
                    String.join(" ", ZoneKey.zones(block)) + ": neither kubernetes nor forward, so not served");
        }
        if (ofCluster.isPresent() && !ordered) {
            options.set(CorefileOptions.ORDER, "stable", ofCluster.get());
        }
    }

    private void loadBalance(Directive directive, boolean ofOwnZones) {
        if (!ofOwnZones) {
            remarks.note(directive, "forwarded answers keep their order");
            return;
        }
        options.set(CorefileOptions.ORDER, "shuffle", directive);
        if (!directive.arguments().isEmpty() && !directive.arguments().get(0).equals("round_robin")) {
            remarks.warn(directive, directive.arguments().get(0) + " has no counterpart; addresses are shuffled");
        }
        directive
                .block()
                .forEach(property -> remarks.warn(property, "a property of loadbalance without a counterpart"));
    }

    private void other(Directive directive) {
        String why = UNNECESSARY.get(directive.name());
        if (why == null) {
            warnUnsupported(directive);
        } else {
            remarks.note(directive, why);
        }
    }
}
