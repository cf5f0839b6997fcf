package io.k8sdns.resolvconf;

import java.util.List;

/**
 * A resolver configuration file: what the kubelet hands to the container runtime, and what a Pod then finds in
 * {@code /etc/resolv.conf}.
 *
 * @param nameservers the servers, one of each line, in order; texts, since a file may hold any
 * @param searches the domains of the search list, in order
 * @param options the options, in order, each as the file has it: {@code ndots:5}
 */
public record ResolvConf(List<String> nameservers, List<String> searches, List<String> options) {
    /** Copies the lists. */
    public ResolvConf {
        nameservers = List.copyOf(nameservers);
        searches = List.copyOf(searches);
        options = List.copyOf(options);
    }

    /**
     * Returns the file as the kubelet and Docker order it: nameservers, one a line, then searches, then options; no line
     * for an empty list, a newline at every end.
     */
    public String render() {
        StringBuilder file = new StringBuilder();
        nameservers.forEach(server -> file.append("nameserver ").append(server).append('\n'));
        line(file, "search", searches);
        line(file, "options", options);
        return file.toString();
    }

    private static void line(StringBuilder file, String keyword, List<String> words) {
        if (!words.isEmpty()) {
            file.append(keyword).append(' ').append(String.join(" ", words)).append('\n');
        }
    }
}
