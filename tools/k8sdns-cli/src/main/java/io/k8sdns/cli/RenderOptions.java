package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.option;

import io.k8sdns.arguments.KubernetesNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options with which a program renders kustomizations and charts. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class RenderOptions {
    private boolean isChosen;

    @Nullable
    private String release;

    private CommandSpec command;

    /** Declares the options under a heading of {@code --help}. */
    void declare(CommandSpec command, String heading) {
        this.command = command;
        addOptions(
                command,
                heading,
                flag("--render", value -> isChosen = value)
                        .description("Run kubectl kustomize (or kustomize build) for a directory with a kustomization "
                                + "and helm template for a chart, and read their output."),
                option("--release", String.class, value -> release = value)
                        .paramLabel("NAME")
                        .description("With --render: the name of a chart's release, of which its names are made "
                                + "(default: that of helm template, release-name)."));
    }

    /** Returns whether manifests are rendered. */
    boolean isChosen() {
        return isChosen;
    }

    /**
     * Checks the options.
     *
     * @throws ParameterException if there is a release that nothing renders, or its name is invalid
     */
    void check() {
        if (release == null) {
            return;
        }
        if (!isChosen) {
            throw new ParameterException(command.commandLine(), "--release without --render");
        }
        if (!KubernetesNames.isDnsSubdomain(release)) {
            throw new ParameterException(
                    command.commandLine(), "--release: not the name of a release: '" + release + "'");
        }
    }

    /**
     * Renders a manifest that a user names, and prints the messages of the program.
     *
     * @param namespace the namespace in which a chart is rendered
     * @return empty if nothing is rendered: without the option, and for another manifest
     * @throws IOException if no program is on the path, or it fails; the message names it
     */
    Optional<ManifestRenderer.Rendered> render(String manifest, String namespace) throws IOException {
        if (!isChosen || manifest.equals("-")) {
            return Optional.empty();
        }
        Optional<ManifestRenderer.Rendered> output =
                new ManifestRenderer().render(Path.of(manifest), namespace, Optional.ofNullable(release));
        output.filter(one -> !one.messages().isEmpty())
                .ifPresent(one ->
                        command.commandLine().getErr().println("warning: " + one.command() + ": " + one.messages()));
        return output;
    }
}
