package io.k8sdns.resolvconf;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.DnsConfig;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A resolver configuration: the lists that the kubelet passes to the container runtime, and that a Pod has in
 * {@code /etc/resolv.conf}.
 *
 * <p>The texts of the three lists are unchecked, as in the kubelet. Only an option of {@code dnsConfig} can contain
 * white space; it is written unchanged and read back as several words.
 *
 * @param nameservers the servers, one for each line, in order; any text, because a file may hold any
 * @param searches the domains of the search list, in order
 * @param options the options, in order, as written in the file: {@code ndots:5}
 */
public record ResolvConf(List<String> nameservers, List<String> searches, List<String> options) {
    /**
     * The order in which a container runtime writes the lines of a resolv.conf. Every resolver reads both orders alike.
     *
     * <p>The kubelet itself does not write the file: it passes three lists to the runtime.
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

        /** Returns the order with this word, otherwise empty. */
        public static Optional<FileOrder> tryParse(String word) {
            Objects.requireNonNull(word, "word");
            return Arrays.stream(values())
                    .filter(order -> order.word.equals(word))
                    .findFirst();
        }
    }

    /** The empty file, with which every C library queries 127.0.0.1. */
    public static final ResolvConf EMPTY = new ResolvConf(List.of(), List.of(), List.of());

    /** Copies the lists. */
    public ResolvConf {
        nameservers = Copies.list("nameservers", nameservers);
        searches = Copies.list("searches", searches);
        options = Copies.list("options", options);
    }

    /** Reads a node's file as the latest kubelet does; see {@link #parse(String, KubeletDialect)}. */
    public static ResolvConf parse(String text) {
        return parse(text, KubeletDialect.LATEST);
    }

    /**
     * Reads a node's file as the kubelet does. Unlike a C library, it ignores {@code domain} and {@code sortlist},
     * accepts indented keywords, and recognizes a comment only if {@code #} is the first character of a line. It uses
     * the first word of {@code nameserver} lines and the last of several {@code search} lines; it does not check
     * addresses.
     *
     * <p>Source: kubelet {@code parseResolvConf}. An option that occurs several times keeps its first position and
     * takes its last value; the kubelet's own order is random.
     *
     * @param text the text of the file, at most 10 MiB as UTF-8
     * @param dialect the version of the kubelet
     * @throws MalformedResolvConfException if a {@code nameserver} line has no address, or the file is too large
     */
    public static ResolvConf parse(String text, KubeletDialect dialect) {
        Objects.requireNonNull(text, "text");
        Objects.requireNonNull(dialect, "dialect");
        return HostFile.read(text, dialect).contents();
    }

    /** Returns the file in the order of the kubelet: {@link FileOrder#KUBELET}. */
    public String render() {
        return render(FileOrder.KUBELET);
    }

    /**
     * Returns the text of the file: one line for each nameserver, one for all searches, one for all options. An empty
     * list has no line; one blank separates words, and each line ends with a newline.
     *
     * @param order the order of the lines
     */
    public String render(FileOrder order) {
        StringBuilder file = new StringBuilder();
        if (order == FileOrder.CONTAINERD) {
            line(file, "search", searches);
        }
        nameservers.forEach(server -> file.append("nameserver ").append(server).append('\n'));
        if (order == FileOrder.KUBELET) {
            line(file, "search", searches);
        }
        line(file, "options", options);
        return file.toString();
    }

    /**
     * Returns this file with a Pod's own additions, without limits. Nameservers and searches are appended, each text
     * once; an option replaces the option of its name in place, and new options are appended.
     *
     * <p>Texts are compared, not their meaning: {@code 2001:DB8::A} and {@code 2001:db8::a} differ, and so do {@code x}
     * and {@code x.}. Duplicates of this file are removed too, even if nothing is added.
     *
     * <p>Source: kubelet {@code appendDNSConfig}, {@code mergeDNSOptions}; the kubelet's own order of options is random.
     */
    public ResolvConf merged(DnsConfig own) {
        return merged(Objects.requireNonNull(own, "own"), Integer.MAX_VALUE);
    }

    /** Returns the same file with only the first searches. */
    ResolvConf merged(DnsConfig own, int maxSearches) {
        Map<String, DnsConfig.Option> merged = new LinkedHashMap<>();
        for (String word : options) {
            DnsConfig.Option option = OptionWord.parse(word);
            merged.put(option.name(), option);
        }
        own.options().forEach(option -> merged.put(option.name(), option));
        return new ResolvConf(
                distinct(nameservers, own.nameservers(), Integer.MAX_VALUE),
                distinct(searches, own.searches(), maxSearches),
                merged.values().stream().map(DnsConfig.Option::toString).toList());
    }

    /** Returns whether the file is empty. */
    public boolean isEmpty() {
        return nameservers.isEmpty() && searches.isEmpty() && options.isEmpty();
    }

    /** Returns the texts of both lists, each once, up to a maximum number. */
    static List<String> distinct(List<String> first, List<String> second, int max) {
        return Stream.concat(first.stream(), second.stream())
                .distinct()
                .limit(max)
                .toList();
    }

    private static void line(StringBuilder file, String keyword, List<String> words) {
        if (!words.isEmpty()) {
            file.append(keyword).append(' ').append(String.join(" ", words)).append('\n');
        }
    }
}
