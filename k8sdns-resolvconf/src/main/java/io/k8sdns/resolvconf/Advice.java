package io.k8sdns.resolvconf;

import io.k8sdns.hosts.FatalSearchList;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.resolvconf.KubeletDialect.SearchLimits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes notes about a Pod's DNS in addition to the kubelet's events: how resolvers read the file, and which parts of
 * the manifest or of the node's file have no effect.
 *
 * <p>The Pod's images are unknown, so a note that depends on the C library names it.
 */
final class Advice {
    /** The longest line that musl reads: its buffer has 256 bytes, newline included, and it ignores longer lines. */
    private static final int MUSL_LINE = 254;

    /** The maximum number of domains that containerd before 1.5.6 and CRI-O before 1.22 accept. */
    private static final int OLD_RUNTIME_SEARCHES = 6;

    /** The maximum ndots of glibc, musl and Go, which reduce a higher value to this one. */
    private static final int NDOTS_CAP = 15;

    /**
     * By number of dots: the short name that the search list of a cluster resolves, and the domain that resolves it.
     */
    private static final List<String> SHORT_NAMES = List.of(
            "service",
            "service.namespace",
            "service.namespace.svc",
            "pod.service.namespace.svc",
            "_port._tcp.service.namespace.svc");

    private final PodDnsSpec pod;
    private final NodeDns node;
    private final PodResolvConf file;
    private final ResolvConf applied;
    private final List<Diagnostic> notes = new ArrayList<>();

    Advice(PodDnsSpec pod, NodeDns node, PodResolvConf file) {
        this.pod = pod;
        this.node = node;
        this.file = file;
        this.applied = file.applied();
    }

    List<Diagnostic> notes() {
        policy();
        nameservers();
        searches();
        options();
        lines();
        hostFile();
        hostname();
        return notes;
    }

    private void policy() {
        String policy = pod.dnsPolicy().orElse(DnsPolicy.CLUSTER_FIRST.word());
        if (pod.hostNetwork()
                && policy.equals(DnsPolicy.CLUSTER_FIRST.word())
                && !node.clusterDns().isEmpty()) {
            note(
                    "host-network-policy",
                    "spec.dnsPolicy",
                    "with hostNetwork ClusterFirst means Default, so that no Service is found;"
                            + " ClusterFirstWithHostNet keeps the cluster's DNS");
        }
        if (isWindows()) {
            if (policy.equals(DnsPolicy.CLUSTER_FIRST_WITH_HOST_NET.word())) {
                note(
                        "windows-host-network",
                        "spec.dnsPolicy",
                        "ClusterFirstWithHostNet is not supported on Windows nodes");
            }
            String suffix = applied.searches().stream()
                    .findFirst()
                    .map(first -> "only the first domain, " + Quoted.of(first) + ", is tried for a name without a dot")
                    .orElse("there is no domain to try for a name without a dot");
            note(
                    "windows-resolver",
                    "on Windows no resolv.conf is written: " + suffix
                            + "; a name with a dot is queried unchanged, and options have no effect");
        }
        if (policy.equals(ProposedPolicies.AUTOPATH) && file.clusterDnsUsed() && ownSearches()) {
            note(
                    "autopath-searches",
                    "spec.dnsConfig.searches",
                    "the Pod's own search domains are tried too late: the DNS server that expands the first domain tries the"
                            + " bare name itself, and last");
        }
    }

    private boolean isWindows() {
        return node.os() == NodeDns.Os.WINDOWS;
    }

    private boolean ownSearches() {
        return pod.dnsConfig().filter(own -> !own.searches().isEmpty()).isPresent();
    }

    private void nameservers() {
        List<String> all = file.merged().nameservers();
        if (all.size() > PodResolvConf.NAMESERVERS) {
            note(
                    "nameserver-count",
                    "there are " + all.size() + " nameservers, and C libraries read three; never queried: "
                            + cut(all.subList(PodResolvConf.NAMESERVERS, all.size())));
        }
        if (!pod.hostNetwork()) {
            loopback();
        }
    }

    /** A Pod on the network of its node can reach a server on the node's loopback. */
    private void loopback() {
        if (file.hostFile().isEmpty()) {
            if (isLookupSwitchedOff()) {
                note(
                        "loopback-nameserver",
                        "the node has no resolv.conf to give, so the Pod queries its own loopback address, where no server listens"
                                + " unless it runs one itself");
            }
            return;
        }
        List<String> stubs = file.hostFile().get().contents().nameservers().stream()
                .filter(Advice::isLoopback)
                .distinct()
                .toList();
        if (!stubs.isEmpty()) {
            boolean asked = stubs.stream().anyMatch(applied.nameservers()::contains);
            note(
                    "loopback-nameserver",
                    "the node's resolv.conf names a server on loopback, " + cut(stubs)
                            + (asked
                                    ? ", which the Pod cannot reach, because it has a loopback interface of its own"
                                    : "; this Pod does not ask it, but Pods of policy Default do, CoreDNS among them")
                            + "; on a node with systemd-resolved, resolvConf of the kubelet should be"
                            + " /run/systemd/resolve/resolv.conf");
        }
    }

    /**
     * Returns whether the file is the one that a kubelet without {@code resolvConf} writes, with which lookups fail.
     */
    private boolean isLookupSwitchedOff() {
        return file.hostFile().isEmpty() && !file.clusterDnsUsed() && !isNone();
    }

    private boolean isNone() {
        return pod.dnsPolicy().filter(DnsPolicy.NONE.word()::equals).isPresent();
    }

    private static boolean isLoopback(String nameserver) {
        return nameserver.length() < 64
                && IpAddress.tryParse(nameserver)
                        .filter(address -> address.isIpv4()
                                ? address.bytes()[0] == 127
                                : address.toString().equals("::1"))
                        .isPresent();
    }

    private void searches() {
        Map<String, String> seen = new HashMap<>();
        for (String search : applied.searches()) {
            String other = seen.putIfAbsent(canonical(search), search);
            if (other != null) {
                note(
                        "duplicate-search",
                        other.equals(search)
                                ? "search domain " + Quoted.of(search)
                                        + " is listed twice, and most resolvers query it twice"
                                : "search domains " + Quoted.of(other) + " and " + Quoted.of(search)
                                        + " are the same name, and most resolvers query it twice");
            } else {
                search(search);
            }
        }
        repeated();
        if (!isWindows()
                && FatalSearchList.is(applied.searches().stream().mapToInt(search -> (int) Utf8.length(search)))) {
            note(
                    "glibc-abort",
                    "programs on glibc 2.26 or later abort (assertion resolv_conf_matches) when they look up a name: the search"
                            + " list exceeds 256 characters after short first domains; shorten it");
        }
        if (applied.searches().size() > OLD_RUNTIME_SEARCHES && !isWindows()) {
            note(
                    "runtime-search-limit",
                    "containerd before 1.5.6 and CRI-O before 1.22 start no Pod with more than 6 search domains; this list has "
                            + applied.searches().size());
        }
    }

    /**
     * Adds a note for each search domain of the Pod that is already in the list: it has no effect, and the kubelet does
     * not report it.
     */
    private void repeated() {
        List<String> own = pod.dnsConfig().map(DnsConfig::searches).orElse(List.of());
        Set<String> seen = new HashSet<>();
        file.base().searches().stream().limit(SearchLimits.EXPANDED.domains()).forEach(seen::add);
        for (int i = 0; i < own.size(); i++) {
            if (!seen.add(own.get(i))) {
                note(
                        "repeated-search",
                        "spec.dnsConfig.searches[" + i + "]",
                        "search domain " + Quoted.of(own.get(i)) + " is already in the list");
            }
        }
    }

    private void search(String search) {
        if (search.isEmpty()) {
            note(
                    "empty-search",
                    "a search domain is the empty text, made of the node's \".\"; some resolvers fail on it");
        } else if (search.equals(".") && !isLookupSwitchedOff()) {
            note(
                    "root-search",
                    "search domain \".\" tries the name without a suffix; on musl up to 1.2.3 every lookup that reaches it fails;"
                            + " remove it");
        } else {
            node.clusterDomain()
                    .filter(domain -> shadows(canonical(search), canonical(domain)))
                    .ifPresent(domain -> note(
                            "shadowing-search",
                            "search domain " + Quoted.of(search) + " is below the cluster domain " + Quoted.of(domain)
                                    + ": a name that exists in an earlier search domain, too, is found in that one"));
        }
    }

    /** Returns whether the domain is in the cluster domain, but is none of the kubelet's three search domains. */
    private boolean shadows(String search, String domain) {
        return search.endsWith("." + domain)
                && !new ClusterSearches(pod.namespace(), domain).domains().contains(search);
    }

    private static String canonical(String search) {
        String name = search.endsWith(".") ? search.substring(0, search.length() - 1) : search;
        return name.toLowerCase(Locale.ROOT);
    }

    private void options() {
        int ndots = ndots();
        if (ndots > NDOTS_CAP) {
            note("ndots-cap", "ndots above 15 counts as 15");
        }
        lowNdots(ndots);
        List<DnsConfig.Option> own = pod.dnsConfig().map(DnsConfig::options).orElse(List.of());
        own.stream()
                .map(DnsConfig.Option::toString)
                .filter(word -> word.chars().anyMatch(c -> GoText.isSpace((char) c)))
                .findFirst()
                .ifPresent(this::optionWithWhiteSpace);
    }

    /** Neither the API server nor the kubelet checks the names of options, so an option may add a line to the file. */
    private void optionWithWhiteSpace(String word) {
        note(
                "option-white-space",
                "spec.dnsConfig.options",
                "option " + Quoted.of(word)
                        + " holds white space: what follows it is a word or a line of its own in the file (glibc and"
                        + " c-ares still read a number after blanks as the value)");
    }

    /** musl, unlike other C libraries, does not try the search list when a name with enough dots is not found. */
    private void lowNdots(int ndots) {
        if (isWindows()) {
            return;
        }
        List<String> lost = new ArrayList<>();
        for (int dots = ndots; dots < SHORT_NAMES.size(); dots++) {
            if (isExpanded(dots)) {
                lost.add(SHORT_NAMES.get(dots));
            }
        }
        if (!lost.isEmpty()) {
            note(
                    "musl-ndots",
                    "ndots is " + ndots
                            + ": musl (Alpine) never uses the search list for a name with that many dots or more,"
                            + " so that it no longer resolves " + String.join(", ", lost));
        }
    }

    /** Returns whether the Pod's search list resolves a short name with so many dots. */
    private boolean isExpanded(int dots) {
        return node.clusterDomain()
                .map(domain -> new ClusterSearches(pod.namespace(), domain).domains())
                .map(domains -> domains.get(Math.min(dots, domains.size() - 1)))
                .filter(domain -> applied.searches().stream()
                        .anyMatch(search -> canonical(search).equals(canonical(domain))))
                .isPresent();
    }

    /**
     * Returns the ndots that C libraries read: 1 if the option is absent, has no value or a value that is not a number.
     */
    private int ndots() {
        String value = "1";
        for (String word : applied.options()) {
            DnsConfig.Option option = OptionWord.parse(word);
            if (option.name().equals("ndots")) {
                value = option.value().orElse("1");
            }
        }
        return value.matches("\\d{1,6}") ? Integer.parseInt(value) : 1;
    }

    private void lines() {
        musl("search", applied.searches(), "its programs have no search list at all");
        musl("options", applied.options(), "all options are ignored, and ndots is 1");
        if (applied.isEmpty() && !isWindows()) {
            note(
                    "empty-file",
                    "the runtime gets no server, no domain and no option: CRI-O and older containerd then copy the"
                            + " node's resolv.conf into the Pod; an empty file means a server on 127.0.0.1");
        }
    }

    private void musl(String keyword, List<String> words, String consequence) {
        long length = Utf8.length(keyword)
                + words.stream().mapToLong(word -> Utf8.length(word) + 1).sum();
        if (!words.isEmpty() && length > MUSL_LINE && !isWindows()) {
            note(
                    "musl-line-length",
                    "the " + keyword + " line has " + length
                            + " characters, and musl (Alpine) ignores a line of more than " + MUSL_LINE
                            + " as a whole: " + consequence);
        }
    }

    private void hostFile() {
        file.hostFile()
                .filter(host -> host.ignoredLines() > 0)
                .ifPresent(host -> note(
                        "ignored-lines",
                        "ignored lines of the node's resolv.conf: " + String.join("; ", host.ignored())
                                + (host.ignoredLines() > host.ignored().size()
                                        ? "; and "
                                                + (host.ignoredLines()
                                                        - host.ignored().size()) + " more"
                                        : "")));
    }

    private void hostname() {
        if (pod.hostNetwork()) {
            firstNameField()
                    .ifPresent(field -> note(
                            "host-network-hostname",
                            "spec." + field,
                            field + " has no effect with hostNetwork: the Pod has the name of its node"));
            return;
        }
        boolean overridden =
                node.dialect().hostnameOverride() && pod.hostnameOverride().isPresent();
        if (!overridden && pod.hostnameOverride().isPresent()) {
            note(
                    "unknown-field",
                    "spec.hostnameOverride",
                    "this version of Kubernetes does not know hostnameOverride, and drops it");
        }
        PodHostname.tooLong(pod, node)
                .ifPresent(name -> note(
                        "truncated-hostname",
                        "the hostname is cut to " + PodHostname.LABEL_LIMIT + " characters: " + Quoted.of(name)
                                + " is too long"));
        if (!overridden && pod.setHostnameAsFqdn() && pod.subdomain().isEmpty()) {
            note("no-fqdn", "spec.setHostnameAsFQDN", "setHostnameAsFQDN has no effect without a subdomain");
        }
        if (!overridden && pod.subdomain().isPresent() && node.clusterDomain().isEmpty()) {
            note(
                    "no-cluster-domain",
                    "the FQDN ends in a dot, because the node has no cluster domain; set it (--cluster-domain)");
        }
    }

    private Optional<String> firstNameField() {
        if (pod.hostname().isPresent()) {
            return Optional.of("hostname");
        }
        if (pod.subdomain().isPresent()) {
            return Optional.of("subdomain");
        }
        return pod.setHostnameAsFqdn() ? Optional.of("setHostnameAsFQDN") : Optional.empty();
    }

    private static String cut(List<String> words) {
        int most = 5;
        String first =
                String.join(" ", words.stream().limit(most).map(Quoted::bare).toList());
        return words.size() > most ? first + " and " + (words.size() - most) + " more" : first;
    }

    private void note(String code, String text) {
        notes.add(Diagnostic.note(code, ObjectRef.of("Pod", pod.namespace(), pod.name()), text));
    }

    private void note(String code, String field, String text) {
        notes.add(Diagnostic.note(code, ObjectRef.of("Pod", pod.namespace(), pod.name()), text)
                .atField(field));
    }
}
