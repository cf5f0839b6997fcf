package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import io.k8sdns.cli.Corefile.ServerBlock;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Translates {@code autopath}. */
final class CorefileAutopath {
    private final CorefileOptions options;
    private final CorefileRemarks remarks;
    private final CorefileTranslation.HostFiles files;
    private final boolean forServe;

    /** The directive that expands questions of Pods. */
    private Optional<Directive> autopath = Optional.empty();

    CorefileAutopath(
            CorefileOptions options, CorefileRemarks remarks, CorefileTranslation.HostFiles files, boolean forServe) {
        this.options = options;
        this.remarks = remarks;
        this.files = files;
        this.forServe = forServe;
    }

    /** Adds the options of a directive. */
    void translate(Directive directive, ServerBlock block) {
        List<String> arguments = directive.arguments();
        String source = arguments.isEmpty() ? "" : arguments.get(arguments.size() - 1);
        boolean isFile = !source.startsWith("@");
        if (!forServe || source.isEmpty() || !isFile && !source.equals("@kubernetes")) {
            remarks.warn(directive, "only autopath @kubernetes and autopath FILE of a server have a counterpart");
            return;
        }
        if (options.has(CorefileOptions.AUTOPATH) && options.has(CorefileOptions.SEARCH_FILE) != isFile) {
            remarks.warn(directive, source + " differs from an earlier line, which is used");
            return;
        }
        options.add(CorefileOptions.AUTOPATH, "pod");
        if (isFile) {
            options.set(CorefileOptions.SEARCH_FILE, source, directive);
            // Without arguments CoreDNS limits them to the zones of the server block.
            if (arguments.size() > 1 || !ZoneKey.zones(block).contains(ZoneKey.ROOT)) {
                remarks.note(
                        directive,
                        "expands the names below the first search domain of " + source
                                + "; no option limits them to zones");
            }
            return;
        }
        autopath = Optional.of(directive);
        try {
            List<String> searches = files.read(CorefileTranslation.RESOLV_CONF).searches();
            searches.forEach(domain -> options.add(CorefileOptions.HOST_SEARCH, domain));
            if (!searches.isEmpty()) {
                remarks.note(
                        directive,
                        "the last search domains are those of " + CorefileTranslation.RESOLV_CONF
                                + " now; it is not read again");
            }
        } catch (IOException | IllegalArgumentException unreadable) {
            remarks.warn(
                    directive,
                    CorefileTranslation.RESOLV_CONF + " cannot be read here (" + unreadable.getMessage()
                            + "); name its search domains with " + CorefileOptions.HOST_SEARCH);
        }
    }

    /** Notes that Pods are read, after all options are known. */
    void notePods() {
        autopath.ifPresent(this::notePods);
    }

    private void notePods(Directive directive) {
        if (!options.values("--pods").contains("verified")) {
            remarks.note(
                    directive,
                    "CoreDNS expands only with pods verified; " + CorefileOptions.AUTOPATH
                            + " pod always does, and needs permission to list and watch Pods");
        }
    }
}
