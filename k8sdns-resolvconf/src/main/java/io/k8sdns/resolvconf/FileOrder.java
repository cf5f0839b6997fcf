package io.k8sdns.resolvconf;

import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * In which order a container runtime writes the lines of a resolv.conf. Every resolver reads both alike.
 *
 * <p>The kubelet itself writes nothing: it hands three lists to the runtime.
 */
public enum FileOrder {
    /** Nameservers, search, options: the kubelet's own order, and that of Docker and cri-dockerd. */
    KUBELET("kubelet"),
    /** Search, nameservers, options: containerd and CRI-O. */
    CONTAINERD("containerd");

    private final String word;

    FileOrder(String word) {
        this.word = word;
    }

    /** Returns the name of the order in commands and data files: {@code kubelet} or {@code containerd}. */
    public String word() {
        return word;
    }

    /** Returns the order with this word; empty if there is none. */
    public static Optional<FileOrder> tryParse(String word) {
        Objects.requireNonNull(word, "word");
        return Arrays.stream(values()).filter(order -> order.word.equals(word)).findFirst();
    }
}
