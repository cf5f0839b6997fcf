package io.k8sdns.cli;

import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.name.DnsLabels;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The two sources of the ConfigMap of kube-dns for {@code serve}: the directory of an option, which takes precedence, and the objects of
 * the manifests or the live cluster. Used under the lock of its owner.
 */
final class ConfigMapSources {
    private final KubeDnsVersions directory;
    private final KubeDnsVersions objects;

    /** Whether a ConfigMap of a live cluster was read, even if there was none. */
    private boolean isLive;

    /** Whether the objects have, or had, a ConfigMap, even an empty or invalid one. */
    private boolean hasConfigMap;

    /** The configurations of both sources. */
    record Configs(KubeDnsConfig ofDirectory, KubeDnsConfig ofObjects) {
        /** The configurations without a ConfigMap. */
        static final Configs DEFAULTS = new Configs(KubeDnsConfig.DEFAULTS, KubeDnsConfig.DEFAULTS);

        /** Returns the domains of the federations. */
        Map<String, DnsLabels> federations() {
            return ofDirectory.federations().isEmpty() ? ofObjects.federations() : ofDirectory.federations();
        }

        /** Returns the zones with servers of a ConfigMap; the root for servers of all other names. */
        Set<DnsLabels> zones() {
            Set<DnsLabels> zones = new HashSet<>();
            for (KubeDnsConfig config : List.of(ofDirectory, ofObjects)) {
                zones.addAll(config.stubDomains().keySet());
                if (!config.upstreamNameservers().isEmpty()) {
                    zones.add(DnsLabels.EMPTY);
                }
            }
            return zones;
        }
    }

    /**
     * Creates sources without a ConfigMap.
     *
     * @param directory the directory that {@link #poll} reads; empty for none
     * @param zones the forward zones of the cluster
     * @param warnings receives a warning once for each version that is not used
     */
    ConfigMapSources(Optional<Path> directory, List<DnsLabels> zones, Consumer<String> warnings) {
        this.directory = new KubeDnsVersions(data -> KubeDnsConfig.parse(data, zones), directory, warnings);
        this.objects = new KubeDnsVersions(data -> KubeDnsConfig.parse(data, zones), Optional.empty(), warnings);
    }

    /** Returns whether a directory is read. */
    boolean hasDirectory() {
        return directory.isDirectory();
    }

    /** Reads the directory, if any: see {@link KubeDnsVersions#poll}. */
    void poll() {
        directory.poll();
    }

    /**
     * Reads the ConfigMap of the objects: see {@link KubeDnsVersions#read}.
     *
     * @param data empty if there is no ConfigMap
     */
    void read(Optional<Map<String, String>> data) {
        hasConfigMap |= data.isPresent();
        objects.read(data);
    }

    /** As {@link #read}, for the objects of a live cluster. */
    void readLive(Optional<Map<String, String>> data) {
        isLive = true;
        read(data);
    }

    /** Returns whether a ConfigMap of a live cluster was read, even if there was none. */
    boolean isLive() {
        return isLive;
    }

    /** Returns whether the objects have, or had, a ConfigMap, even an empty or invalid one. */
    boolean hasConfigMap() {
        return hasConfigMap;
    }

    /** Returns the source that {@link #read} reads. */
    KubeDnsVersions objects() {
        return objects;
    }

    /** Returns the sources whose latest version is not in use. */
    List<KubeDnsVersions> changed() {
        return Stream.of(directory, objects).filter(source -> !source.isInUse()).toList();
    }

    /** Returns the configurations in use. */
    Configs used() {
        return new Configs(directory.used(), objects.used());
    }

    /** Returns the last valid configurations. */
    Configs latest() {
        return new Configs(directory.latest(), objects.latest());
    }

    /** Returns the configurations in use, but the last valid one of one source. */
    Configs usedWithLatest(KubeDnsVersions source) {
        return new Configs(
                source == directory ? directory.latest() : directory.used(),
                source == objects ? objects.latest() : objects.used());
    }

    /** Marks the latest versions of both sources as those in use. */
    void markUsed() {
        directory.markUsed();
        objects.markUsed();
    }
}
