package io.k8sdns.cli;

import io.k8sdns.kubedns.InvalidKubeDnsConfigException;
import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.kubedns.KubeDnsConfigDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The versions of the ConfigMap of kube-dns from one source: a directory, or the objects of a cluster. Used under the lock of its owner.
 */
final class KubeDnsVersions {
    /** The time between two polls of a directory. */
    static final Duration POLL_INTERVAL = Duration.ofSeconds(10);

    private final Function<Map<String, String>, KubeDnsConfig> parser;
    private final Optional<KubeDnsConfigDirectory> directory;
    private final RepeatedWarning warning;

    /** The last version, unless it was invalid. */
    private KubeDnsConfig latest = KubeDnsConfig.DEFAULTS;

    /** The version in use. The latest is tried again while it is another one. */
    private KubeDnsConfig used = KubeDnsConfig.DEFAULTS;

    /**
     * Creates a source without a version.
     *
     * @param parser validates the data of a version
     * @param directory the directory that {@link #poll} reads; empty for the objects of a cluster
     * @param warnings receives a warning once for each version that is not used
     */
    KubeDnsVersions(
            Function<Map<String, String>, KubeDnsConfig> parser, Optional<Path> directory, Consumer<String> warnings) {
        this.parser = parser;
        // The parser receives every new version, even one that is returned by no poll because it equals the last valid
        // one.
        this.directory = directory.map(path -> new KubeDnsConfigDirectory(path, data -> {
            KubeDnsConfig config = parser.apply(data);
            read(config);
            return config;
        }));
        this.warning = new RepeatedWarning(warnings);
    }

    /** Returns whether the versions are those of a directory. */
    boolean isDirectory() {
        return directory.isPresent();
    }

    /** Returns the last valid version. */
    KubeDnsConfig latest() {
        return latest;
    }

    /** Returns the version in use. */
    KubeDnsConfig used() {
        return used;
    }

    /** Returns whether the latest version is in use. */
    boolean isInUse() {
        return latest.equals(used);
    }

    /** Reads the directory, if any. Reports an invalid version, or a directory that cannot be read, and keeps the last valid version. */
    void poll() {
        if (directory.isPresent()) {
            try {
                var unused = directory.get().poll();
            } catch (InvalidKubeDnsConfigException invalid) {
                drop(invalid);
            } catch (IOException | RuntimeException unreadable) {
                reject(unreadable);
            }
        }
    }

    /**
     * Reads the data of the ConfigMap. Reports an invalid version, and keeps the last valid one.
     *
     * @param data empty if there is no ConfigMap
     * @return whether the data are valid
     */
    boolean read(Optional<Map<String, String>> data) {
        try {
            read(data.map(parser).orElse(KubeDnsConfig.DEFAULTS));
            return true;
        } catch (InvalidKubeDnsConfigException invalid) {
            drop(invalid);
            return false;
        }
    }

    private void read(KubeDnsConfig config) {
        latest = config;
        if (isInUse()) {
            warning.clear();
        }
    }

    /** Drops the latest version, because an invalid one has replaced it. */
    private void drop(InvalidKubeDnsConfigException invalid) {
        latest = used;
        reject(invalid);
    }

    /** Reports, once for each version, that the present version is not used. */
    void reject(Exception unusable) {
        warning.report("warning: the ConfigMap of kube-dns is not used, "
                + (used.equals(KubeDnsConfig.DEFAULTS) ? "only the options are used: " : "the last valid one stays: ")
                + unusable.getMessage());
    }

    /** Marks the latest version as the one in use. */
    void markUsed() {
        if (!isInUse()) {
            used = latest;
            warning.clear();
        }
    }
}
