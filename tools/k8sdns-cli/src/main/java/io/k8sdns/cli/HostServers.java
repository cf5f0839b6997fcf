package io.k8sdns.cli;

import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.forward.UpstreamServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The name servers of the host's resolv.conf, and the warnings about them. Used under the lock of its owner. */
final class HostServers {
    private final String resolvConf;
    private final RepeatedWarning warning;
    private final RepeatedWarning lineWarning;

    /** The servers in use; empty if they are not used. */
    private List<UpstreamServer> used = List.of();

    /** The servers that were used last, kept while a ConfigMap names others. */
    private List<UpstreamServer> last = List.of();

    HostServers(String resolvConf, UpstreamReports reports) {
        this.resolvConf = resolvConf;
        this.warning = new RepeatedWarning(text -> reports.warn(SetupError.RESOLV_CONF, text));
        this.lineWarning = new RepeatedWarning(text -> reports.warn(SetupError.RESOLV_CONF, text));
    }

    /**
     * Reads the servers, but does not use them.
     *
     * @throws IOException see {@link HostResolver#servers}
     */
    List<UpstreamServer> read() throws IOException {
        List<String> skipped = new ArrayList<>();
        List<UpstreamServer> read = HostResolver.servers(resolvConf, skipped::add);
        lineWarning.reportAll(skipped);
        return read;
    }

    /** Returns the servers in use; empty if they are not used. */
    List<UpstreamServer> used() {
        return used;
    }

    /** Returns whether these servers are in use. */
    boolean areUsed() {
        return !used.isEmpty();
    }

    /** Returns the servers that were used last; empty if none were. */
    List<UpstreamServer> last() {
        return last;
    }

    /** Marks servers as those in use. */
    void markUsed(List<UpstreamServer> servers) {
        used = servers;
        if (!servers.isEmpty()) {
            last = servers;
        }
    }

    /** Reports that the servers cannot be read or used. */
    void reject(Exception unusable) {
        warning.report(
                used.isEmpty()
                        ? "warning: the name servers of " + resolvConf + " are not used, other names are REFUSED: "
                                + unusable.getMessage()
                        : HostResolver.unusable(resolvConf, unusable));
    }

    /** Ends the cause of the last warning: the servers are in use, or not needed. */
    void clearWarning() {
        warning.clear();
    }
}
