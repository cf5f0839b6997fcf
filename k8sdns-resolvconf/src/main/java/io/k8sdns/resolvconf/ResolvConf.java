package io.k8sdns.resolvconf;

import io.k8sdns.arguments.Copies;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A resolver configuration file: what the kubelet hands to the container runtime, and what a Pod then finds in
 * {@code /etc/resolv.conf}.
 *
 * <p>The three lists are texts and unchecked, as the kubelet's are. A word that holds white space, which nothing but an
 * option of {@code dnsConfig} can, is written as it is and read back as several.
 *
 * @param nameservers the servers, one of each line, in order; texts, since a file may hold any
 * @param searches the domains of the search list, in order
 * @param options the options, in order, each as the file has it: {@code ndots:5}
 */
public record ResolvConf(List<String> nameservers, List<String> searches, List<String> options) {
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
            return Arrays.stream(values())
                    .filter(order -> order.word.equals(word))
                    .findFirst();
        }
    }

    /** The file without a line. Every C library asks 127.0.0.1 then. */
    public static final ResolvConf EMPTY = new ResolvConf(List.of(), List.of(), List.of());

    /** Copies the lists. */
    public ResolvConf {
        nameservers = Copies.list("nameservers", nameservers);
        searches = Copies.list("searches", searches);
        options = Copies.list("options", options);
    }

    /** Reads a node's file as today's kubelet does; see {@link #parse(String, KubeletDialect)}. */
    public static ResolvConf parse(String text) {
        return parse(text, KubeletDialect.LATEST);
    }

    /**
     * Reads a node's file as the kubelet does, which is not how a C library reads it: {@code domain} and
     * {@code sortlist} mean nothing, a keyword may be indented, and a comment begins with {@code #} at the start of a
     * line only. Of {@code nameserver} lines the first word counts, of {@code search} lines the last one; addresses are
     * not looked at.
     *
     * <p>Source: kubelet {@code parseResolvConf}. Options of several lines keep the place of the first with their name
     * and have the value of the last; the kubelet's own order is random.
     *
     * @param text the text of the file, at most 10 MiB as UTF-8
     * @param dialect which kubelet reads it
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
     * Returns the file: one line for each nameserver, one for all searches, one for all options; no line for an empty
     * list, one blank between words, a newline at every end.
     *
     * @param order whose order of lines
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
     * Returns this file with a Pod's own additions, without limits: nameservers and searches behind the ones that are
     * there, each text once; an option replaces the one of its name in place, a new one follows.
     *
     * <p>Texts are compared, not what they mean: {@code 2001:DB8::A} and {@code 2001:db8::a}, {@code x} and {@code x.}
     * are two each. Duplicates of this file go as well, even if nothing is added.
     *
     * <p>Source: kubelet {@code appendDNSConfig}, {@code mergeDNSOptions}; the kubelet's own order of options is random.
     */
    public ResolvConf merged(DnsConfig own) {
        return merged(Objects.requireNonNull(own, "own"), Integer.MAX_VALUE);
    }

    /** Returns the same, with no more searches than these: the first ones. */
    ResolvConf merged(DnsConfig own, int mostSearches) {
        Map<String, DnsConfig.Option> merged = new LinkedHashMap<>();
        for (String word : options) {
            DnsConfig.Option option = OptionWord.parse(word);
            merged.put(option.name(), option);
        }
        own.options().forEach(option -> merged.put(option.name(), option));
        return new ResolvConf(
                distinct(nameservers, own.nameservers(), Integer.MAX_VALUE),
                distinct(searches, own.searches(), mostSearches),
                merged.values().stream().map(DnsConfig.Option::toString).toList());
    }

    /** Returns whether the file has no line. */
    public boolean isEmpty() {
        return nameservers.isEmpty() && searches.isEmpty() && options.isEmpty();
    }

    /** Returns the texts of both lists, each once, and no more than these. */
    static List<String> distinct(List<String> first, List<String> second, int most) {
        return Stream.concat(first.stream(), second.stream())
                .distinct()
                .limit(most)
                .toList();
    }

    private static void line(StringBuilder file, String keyword, List<String> words) {
        if (!words.isEmpty()) {
            file.append(keyword).append(' ').append(String.join(" ", words)).append('\n');
        }
    }
}
