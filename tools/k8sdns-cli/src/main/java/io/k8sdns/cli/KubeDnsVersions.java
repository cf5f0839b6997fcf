package io.k8sdns.cli;

import io.k8sdns.kubedns.KubeDnsConfig;

/** The versions of the ConfigMap of kube-dns from one source. Used under the lock of its owner. */
final class KubeDnsVersions {
    /** The last version, unless it was invalid. */
    private KubeDnsConfig latest = KubeDnsConfig.DEFAULTS;

    /** The version in use. The latest is tried again while it is another one. */
    private KubeDnsConfig used = KubeDnsConfig.DEFAULTS;

    /** The warning about the present version; empty if it is in use. */
    private String rejection = "";

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

    /** Sets the latest version, which is valid. */
    void read(KubeDnsConfig config) {
        latest = config;
        if (isInUse()) {
            rejection = "";
        }
    }

    /** Drops the latest version, because an invalid one has replaced it. */
    void drop() {
        latest = used;
    }

    /** Marks the latest version as the one in use. */
    void use() {
        if (!isInUse()) {
            used = latest;
            rejection = "";
        }
    }

    /** Returns whether a warning about the present version is another one than before, and remembers it. */
    boolean isNewRejection(String warning) {
        boolean isNew = !warning.equals(rejection);
        rejection = warning;
        return isNew;
    }
}
