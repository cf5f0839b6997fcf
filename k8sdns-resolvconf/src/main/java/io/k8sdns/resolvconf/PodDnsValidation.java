package io.k8sdns.resolvconf;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.resolvconf.InvalidPodException.FieldError;
import io.k8sdns.resolvconf.KubeletDialect.SearchLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * What an API server finds wrong with what a Pod says about DNS: all of it at once, in its order and its words.
 *
 * <p>Source: {@code validateDNSPolicy}, {@code validatePodDNSConfig} and {@code ValidatePodSpec} of
 * {@code pkg/apis/core/validation}. Of the metadata the name and the namespace are checked, since both become parts of names
 * ({@code ValidateObjectMeta}).
 */
@Internal
public final class PodDnsValidation {
    private static final int OVERRIDE_LENGTH = 64;

    /** Of the elements of one list no more than this are named; the others are counted. */
    private static final int MOST_NAMED = 100;

    private final PodDnsSpec pod;
    private final NodeDns node;
    private final List<FieldError> found = new ArrayList<>();

    private PodDnsValidation(PodDnsSpec pod, NodeDns node) {
        this.pod = node.enhancementPolicies() ? EnhancementWords.read(pod) : pod;
        this.node = node;
    }

    /**
     * Returns what an API server would say against the Pod, nothing if it takes it.
     *
     * <p>Values are quoted up to 1000 characters. Of the elements of one list the first hundred that are wrong are named,
     * the others counted.
     *
     * @param pod what the manifest says
     * @param node for its version and limits, and whether words of enhancement proposals are taken
     */
    public static List<FieldError> findings(PodDnsSpec pod, NodeDns node) {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(node, "node");
        return new PodDnsValidation(pod, node).findings();
    }

    private List<FieldError> findings() {
        metadata();
        dnsPolicy();
        dnsConfig();
        pod.hostname().ifPresent(text -> invalid("spec.hostname", text, NameSyntax.label(text)));
        pod.subdomain().ifPresent(text -> invalid("spec.subdomain", text, NameSyntax.label(text)));
        // A server that does not know the field drops it before it looks.
        pod.hostnameOverride().filter(text -> node.dialect().hostnameOverride()).ifPresent(this::hostnameOverride);
        return List.copyOf(found);
    }

    private void metadata() {
        if (pod.name().isEmpty()) {
            found.add(FieldError.required("metadata.name", "name or generateName is required"));
        } else {
            invalid("metadata.name", pod.name(), NameSyntax.subdomain(pod.name(), false));
        }
        if (pod.namespace().isEmpty()) {
            found.add(new FieldError("metadata.namespace", "Required value"));
        } else {
            invalid("metadata.namespace", pod.namespace(), NameSyntax.label(pod.namespace()));
        }
    }

    private void dnsPolicy() {
        String field = "spec.dnsPolicy";
        Optional<String> other =
                pod.dnsPolicy().filter(word -> DnsPolicy.tryParse(word).isEmpty());
        if (other.isEmpty()) {
            return;
        }
        String word = other.get();
        if (!node.enhancementPolicies() || !word.equals(EnhancementWords.AUTOPATH)) {
            found.add(new FieldError(
                    field,
                    "Unsupported value: " + Quoted.of(word)
                            + ": supported values: \"ClusterFirstWithHostNet\", \"ClusterFirst\", \"Default\", \"None\""
                            + EnhancementWords.hint(word)));
        } else if (EnhancementWords.lacksClusterDomain(pod, node)) {
            found.add(FieldError.invalid(field, word, "there is no cluster domain to make its search domain of"));
        }
    }

    private void dnsConfig() {
        String field = "spec.dnsConfig";
        if (pod.dnsPolicy().filter(DnsPolicy.NONE.word()::equals).isPresent()) {
            if (pod.dnsConfig().isEmpty()) {
                found.add(FieldError.required(field, "must provide `dnsConfig` when `dnsPolicy` is None"));
                return;
            }
            if (pod.dnsConfig().get().nameservers().isEmpty()) {
                found.add(FieldError.required(
                        field + ".nameservers", "must provide at least one DNS nameserver when `dnsPolicy` is None"));
                return;
            }
        }
        pod.dnsConfig().ifPresent(config -> {
            nameservers(field + ".nameservers", config.nameservers());
            searches(field + ".searches", config.searches());
            options(field + ".options", config.options());
        });
    }

    private void nameservers(String field, List<String> nameservers) {
        if (nameservers.size() > PodResolvConf.NAMESERVERS) {
            tooMuch(field, nameservers, "must not have more than " + PodResolvConf.NAMESERVERS + " nameservers");
        }
        each(
                field,
                nameservers,
                (element, text) -> IpAddress.tryParse(text).isPresent()
                        ? List.of()
                        : List.of(FieldError.invalid(
                                element, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")));
    }

    private void searches(String field, List<String> searches) {
        SearchLimits limits = node.dialect().limits();
        if (searches.size() > limits.domains()) {
            tooMuch(field, searches, "must not have more than " + limits.domains() + " search paths");
        }
        long line = searches.stream().mapToLong(Utf8::length).sum() + Math.max(0, searches.size() - 1);
        if (line > limits.characters()) {
            tooMuch(
                    field,
                    searches,
                    "must not have more than " + limits.characters()
                            + " characters (including spaces) in the search list");
        }
        boolean relaxed = node.dialect().relaxedSearches();
        each(field, searches, (element, text) -> {
            if (relaxed && text.equals(".")) {
                return List.of();
            }
            String domain = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
            return errors(element, domain, NameSyntax.subdomain(domain, relaxed));
        });
    }

    private void options(String field, List<DnsConfig.Option> options) {
        each(
                field,
                options,
                (element, option) -> option.name().isEmpty()
                        ? List.of(FieldError.required(element, "must not be empty"))
                        : List.of());
    }

    private void hostnameOverride(String text) {
        String field = "spec.hostnameOverride";
        if (pod.setHostnameAsFqdn()) {
            found.add(new FieldError(field, "Forbidden: may not be specified when setHostnameAsFQDN is true"));
        }
        if (pod.hostNetwork()) {
            found.add(new FieldError(field, "Forbidden: may not be specified when hostNetwork is true"));
        }
        invalid(field, text, NameSyntax.subdomain(text, false));
        if (Utf8.length(text) > OVERRIDE_LENGTH) {
            invalid(field, text, List.of(NameSyntax.tooLong(OVERRIDE_LENGTH)));
        }
    }

    private void invalid(String field, String value, List<String> problems) {
        found.addAll(errors(field, value, problems));
    }

    private static List<FieldError> errors(String field, String value, List<String> problems) {
        return problems.stream()
                .map(problem -> FieldError.invalid(field, value, problem))
                .toList();
    }

    private void tooMuch(String field, List<String> values, String problem) {
        found.add(new FieldError(field, "Invalid value: " + Quoted.list(values) + ": " + problem));
    }

    private <E> void each(String field, List<E> elements, BiFunction<String, E, List<FieldError>> judge) {
        int named = 0;
        for (int i = 0; i < elements.size(); i++) {
            List<FieldError> errors = judge.apply(field + "[" + i + "]", elements.get(i));
            if (!errors.isEmpty() && ++named > MOST_NAMED) {
                found.add(new FieldError(
                        field, "Too many errors: only the first " + MOST_NAMED + " wrong elements are named"));
                return;
            }
            found.addAll(errors);
        }
    }
}
