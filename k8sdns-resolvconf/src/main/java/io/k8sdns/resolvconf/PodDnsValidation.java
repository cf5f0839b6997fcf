package io.k8sdns.resolvconf;

import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
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
 * Checks the DNS fields of a Pod as an API server does, and returns all errors in its order and words.
 *
 * <p>Source: {@code validateDNSPolicy}, {@code validatePodDNSConfig} and {@code ValidatePodSpec} of
 * {@code pkg/apis/core/validation}. The name and the namespace are checked too, because both become parts of names
 * ({@code ValidateObjectMeta}).
 */
@Internal
public final class PodDnsValidation {
    private static final int OVERRIDE_LENGTH = 64;

    /** The maximum number of invalid elements of one list that are reported. */
    private static final int MAX_REPORTED = 100;

    private final PodDnsSpec pod;
    private final NodeDns node;
    private final List<FieldError> found = new ArrayList<>();

    private PodDnsValidation(PodDnsSpec pod, NodeDns node) {
        this.pod = node.enhancementPolicies() ? ProposedPolicies.read(pod) : pod;
        this.node = node;
    }

    /**
     * Returns the errors for which an API server would refuse the Pod; empty if it accepts it.
     *
     * <p>Values are quoted up to 1000 characters. The first hundred invalid elements of a list are reported; one error
     * stands for the others.
     *
     * @param pod the fields of the manifest
     * @param node the node, for its version and limits, and whether policies of enhancement proposals are accepted
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
        // A server that does not support the field drops it before validation.
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
        if (!node.enhancementPolicies() || !word.equals(ProposedPolicies.AUTOPATH)) {
            found.add(new FieldError(
                    field,
                    "Unsupported value: " + Quoted.of(word)
                            + ": supported values: \"ClusterFirstWithHostNet\", \"ClusterFirst\", \"Default\", \"None\""
                            + ProposedPolicies.hint(word)));
        } else if (ProposedPolicies.lacksClusterDomain(pod, node)) {
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
            tooMany(field, nameservers, "must not have more than " + PodResolvConf.NAMESERVERS + " nameservers");
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
            tooMany(field, searches, "must not have more than " + limits.domains() + " search paths");
        }
        long line = searches.stream().mapToLong(Utf8::length).sum() + Math.max(0, searches.size() - 1);
        if (line > limits.characters()) {
            tooMany(
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

    private void tooMany(String field, List<String> values, String problem) {
        found.add(new FieldError(field, "Invalid value: " + Quoted.list(values) + ": " + problem));
    }

    private <E> void each(String field, List<E> elements, BiFunction<String, E, List<FieldError>> judge) {
        int reported = 0;
        for (int i = 0; i < elements.size(); i++) {
            List<FieldError> errors = judge.apply(field + "[" + i + "]", elements.get(i));
            if (!errors.isEmpty() && ++reported > MAX_REPORTED) {
                found.add(new FieldError(
                        field, "Too many errors: only the first " + MAX_REPORTED + " invalid elements are reported"));
                return;
            }
            found.addAll(errors);
        }
    }
}
