package io.k8sdns.manifest;

import io.k8sdns.json.FileNotes;
import io.k8sdns.json.ObjectReader;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import java.io.File;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Files from which another program makes manifests: templates of Helm charts and kustomizations. */
final class UnrenderedFiles {
    private static final String TEMPLATES = "/templates/";

    /** The codes of diagnostics about kustomizations without apiVersion, and perhaps without kind. */
    private static final Set<String> UNTYPED = Set.of(FileUse.NO_OBJECT, "no-type");

    private static final String KUSTOMIZE = "kustomize.config.k8s.io/";

    /** The fields of a kustomization that are refused without {@code --enable-helm}. */
    private static final Pattern OF_HELM = Pattern.compile("\\bhelmChart(s|InflationGenerator)\\b");

    private UnrenderedFiles() {}

    /** Returns whether a diagnostic is about a template. */
    static boolean isTemplate(Diagnostic one) {
        return one.code().equals(FileNotes.TEMPLATE);
    }

    /** Returns whether a diagnostic is about the file that describes a chart. */
    static boolean isChart(Diagnostic one) {
        return one.code().equals(FileUse.NO_OBJECT) && ("/" + file(one)).endsWith("/Chart.yaml");
    }

    /** Returns whether a diagnostic is about a kustomization, which need not have a kind. */
    static boolean isKustomization(Diagnostic one) {
        if (one.code().equals(ObjectReader.KIND_NOT_READ)) {
            String kind = one.object().map(ObjectRef::kind).orElse("");
            return one.text().startsWith(kind + " of " + KUSTOMIZE);
        }
        String file = file(one);
        return UNTYPED.contains(one.code())
                && Manifests.KUSTOMIZATION_FILES.contains(file.substring(file.lastIndexOf('/') + 1));
    }

    /**
     * Returns a hint how to read the charts of templates; empty if no template is in a chart.
     *
     * @param all all diagnostics; those about {@code Chart.yaml} show the directories of the charts
     * @param command reads manifests from standard input
     */
    static Optional<String> chartHint(List<Diagnostic> templates, List<Diagnostic> all, String command) {
        Set<String> charts = charts(templates, all);
        return charts.stream()
                .findFirst()
                .map(first -> "read " + (charts.size() == 1 ? "the chart" : "one of the " + charts.size() + " charts")
                        + ": helm template " + quoted(first) + " | " + command
                        + "; for the names of a release: helm template NAME "
                        + quoted(first) + " -f values.yaml | " + command);
    }

    /** Returns the directory of the first chart of which there are templates, as a word of a shell. */
    static Optional<String> chart(List<Diagnostic> all) {
        List<Diagnostic> templates =
                all.stream().filter(UnrenderedFiles::isTemplate).toList();
        return charts(templates, all).stream().findFirst().map(UnrenderedFiles::quoted);
    }

    /** Returns the directories of the charts of templates. */
    private static Set<String> charts(List<Diagnostic> templates, List<Diagnostic> all) {
        Set<String> known = all.stream()
                .filter(UnrenderedFiles::isChart)
                .map(UnrenderedFiles::file)
                .map(UnrenderedFiles::directory)
                .collect(Collectors.toSet());
        Set<String> charts = new LinkedHashSet<>();
        templates.forEach(one -> chart(file(one), known).ifPresent(charts::add));
        return charts;
    }

    /** Returns the outermost chart that contains a file: a chart renders the charts in it, too. */
    private static Optional<String> chart(String file, Set<String> known) {
        if (known.isEmpty()) {
            int at = ("/" + file).indexOf(TEMPLATES);
            return at < 0 ? Optional.empty() : Optional.of(at == 0 ? "." : file.substring(0, at - 1));
        }
        return known.stream()
                .filter(chart -> chart.equals(".") || file.startsWith(chart + "/"))
                .min(Comparator.comparingInt(String::length));
    }

    /**
     * Returns a hint how to read kustomizations.
     *
     * @param kustomizations at least one
     * @param command reads manifests from standard input
     */
    static String kustomizeHint(List<Diagnostic> kustomizations, String command) {
        List<String> directories = kustomizations.stream()
                .map(one -> directory(file(one)))
                .distinct()
                .toList();
        // A base is usually built as a part of its overlays.
        String first = directories.stream()
                .filter(directory -> directory.contains("overlay"))
                .findFirst()
                .orElse(directories.get(0));
        boolean usesHelm = kustomizations.stream()
                .filter(one -> directory(file(one)).equals(first))
                .anyMatch(one -> OF_HELM.matcher(one.text()).find());
        return "read " + (directories.size() == 1 ? "it" : "one of them") + ": kubectl kustomize "
                + (usesHelm ? "--enable-helm " : "") + quoted(first) + " | " + command;
    }

    private static String directory(String file) {
        int slash = file.lastIndexOf('/');
        return slash < 0 ? "." : file.substring(0, slash);
    }

    private static String file(Diagnostic one) {
        return one.position()
                .map(place -> place.file().replace(File.separatorChar, '/'))
                .orElse("");
    }

    /** Returns a path as a word of a shell. */
    private static String quoted(String path) {
        return path.matches("[\\w./+@%:=-]+") ? path : "'" + path.replace("'", "'\\''") + "'";
    }
}
