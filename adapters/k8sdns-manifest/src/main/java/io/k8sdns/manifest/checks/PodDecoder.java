package io.k8sdns.manifest.checks;

import io.k8sdns.json.ScalarType;
import io.k8sdns.json.Value;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.resolvconf.InvalidPodException.FieldError;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDnsSpec;
import io.k8sdns.resolvconf.PodDnsValidation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the DNS fields of a Pod as an API server's JSON decoder does: a value of the wrong type is an error in its
 * words, {@code null} counts as absent, and unknown fields are ignored. Unlike that decoder, it reports all errors and
 * not only the first.
 *
 * <p>A value of the wrong type counts as absent; in a list, its text is used, so that later elements keep their index.
 */
public final class PodDecoder {
    private static final int MAX_ERRORS = 100;
    private static final int MAX_KEPT_OF_BASE = 58;
    private static final String DRAWN = "xxxxx";
    private static final String FLAG = "; accepted with --kep-policies";

    private final boolean enhancementPolicies;
    private final boolean hasLines;
    private final List<FieldError> errors = new ArrayList<>();

    /**
     * Makes a decoder for one Pod.
     *
     * @param enhancementPolicies whether an option's value may be a number
     * @param hasLines whether errors name the line
     */
    public PodDecoder(boolean enhancementPolicies, boolean hasLines) {
        this.enhancementPolicies = enhancementPolicies;
        this.hasLines = hasLines;
    }

    /**
     * A value with its path.
     *
     * @param path its path in the manifest, indices included
     * @param goPath its path in Go's decoder, which has no indices
     * @param goOwner the name of the Go struct that holds the field
     */
    private record Part(@Nullable Value value, String path, String goPath, String goOwner) {
        boolean isAbsent() {
            return value == null || value instanceof Value.Scalar scalar && scalar.type() == ScalarType.NULL;
        }

        /** Returns the field of this name; without a value if this is not a mapping. */
        Part get(String name, String owner) {
            String prefix = path.isEmpty() ? "" : path + ".";
            String goPrefix = goPath.isEmpty() ? "" : goPath + ".";
            Value child = value instanceof Value.Mapping mapping ? mapping.get(name) : null;
            return new Part(child, prefix + name, goPrefix + name, owner);
        }

        /** Returns the entries; an empty list if this is not a list. */
        List<Part> entries() {
            if (!(value instanceof Value.Sequence sequence)) {
                return List.of();
            }
            List<Part> entries = new ArrayList<>(sequence.items().size());
            for (Value entry : sequence.items()) {
                entries.add(new Part(entry, path + "[" + entries.size() + "]", goPath, goOwner));
            }
            return entries;
        }

        String scalarText() {
            return value instanceof Value.Scalar scalar && scalar.type() != ScalarType.NULL ? scalar.text() : "";
        }
    }

    /** Returns the errors about values of the wrong type. */
    public List<FieldError> errors() {
        return errors;
    }

    /** Decodes a Pod; an absent name is empty. */
    public PodDnsSpec decode(Value.Mapping root) {
        Part pod = new Part(root, "", "", "");
        Part metadata = struct(pod.get("metadata", "Pod"), "v1.ObjectMeta");
        Part spec = struct(pod.get("spec", "Pod"), "v1.PodSpec");
        Optional<String> name =
                text(metadata.get("name", "ObjectMeta"), "string").filter(text -> !text.isEmpty());
        text(metadata.get("generateName", "ObjectMeta"), "string");
        PodDnsSpec.Builder built =
                PodDnsSpec.builder(name.or(() -> inventedName(root)).orElse(""));
        text(metadata.get("namespace", "ObjectMeta"), "string").ifPresent(built::namespace);
        text(metadata.get("uid", "ObjectMeta"), "types.UID").ifPresent(built::uid);
        truth(spec.get("hostNetwork", "PodSpec")).ifPresent(built::hostNetwork);
        text(spec.get("hostname", "PodSpec"), "string").ifPresent(built::hostname);
        text(spec.get("subdomain", "PodSpec"), "string").ifPresent(built::subdomain);
        truth(spec.get("setHostnameAsFQDN", "PodSpec")).ifPresent(built::setHostnameAsFqdn);
        text(spec.get("hostnameOverride", "PodSpec"), "string").ifPresent(built::hostnameOverride);
        text(spec.get("dnsPolicy", "PodSpec"), "v1.DNSPolicy").ifPresent(built::dnsPolicy);
        dnsConfig(spec.get("dnsConfig", "PodSpec")).ifPresent(built::dnsConfig);
        return built.build();
    }

    /**
     * Returns a name like those that the API server makes of {@code metadata.generateName}, with five random characters; empty if the Pod
     * has a name, or neither.
     */
    public static Optional<String> inventedName(Value.Mapping pod) {
        Part metadata = new Part(pod, "", "", "").get("metadata", "Pod");
        String base = metadata.get("generateName", "ObjectMeta").scalarText();
        return metadata.get("name", "ObjectMeta").scalarText().isEmpty() && !base.isEmpty()
                ? Optional.of(base.substring(0, Math.min(base.length(), MAX_KEPT_OF_BASE)) + DRAWN)
                : Optional.empty();
    }

    private Optional<DnsConfig> dnsConfig(Part part) {
        if (part.isAbsent()) {
            return Optional.empty();
        }
        struct(part, "v1.PodDNSConfig");
        if (!(part.value() instanceof Value.Mapping)) {
            return Optional.empty();
        }
        List<String> nameservers = texts(part.get("nameservers", "PodDNSConfig"));
        List<String> searches = texts(part.get("searches", "PodDNSConfig"));
        List<DnsConfig.Option> options = new ArrayList<>();
        for (Part option : list(part.get("options", "PodDNSConfig"), "[]v1.PodDNSConfigOption")) {
            options.add(option(struct(option, "v1.PodDNSConfigOption")));
        }
        return Optional.of(new DnsConfig(nameservers, searches, options));
    }

    private DnsConfig.Option option(Part part) {
        Part name = part.get("name", "PodDNSConfigOption");
        Part value = part.get("value", "PodDNSConfigOption");
        text(name, "string");
        boolean number = value.value() instanceof Value.Scalar scalar && scalar.type() == ScalarType.NUMBER;
        if (number && enhancementPolicies) {
            return new DnsConfig.Option(name.scalarText(), Optional.of(digits(value.scalarText())));
        }
        return new DnsConfig.Option(name.scalarText(), text(value, "string", number ? FLAG : ""));
    }

    /** Returns a whole number in the notation of JSON, as {@code kubectl} converts {@code 0x10}; other numbers unchanged. */
    private static String digits(String text) {
        double number = ScalarType.value(text);
        boolean whole = number == Math.rint(number) && Math.abs(number) < 1e15;
        return whole ? Long.toString((long) number) : text;
    }

    private List<String> texts(Part part) {
        List<String> texts = new ArrayList<>();
        for (Part entry : list(part, "[]string")) {
            text(entry, "string");
            texts.add(entry.scalarText());
        }
        return texts;
    }

    private List<Part> list(Part part, String goType) {
        if (!part.isAbsent() && !(part.value() instanceof Value.Sequence)) {
            wrongType(part, goType, "");
        }
        return part.entries();
    }

    private Part struct(Part part, String goType) {
        if (!part.isAbsent() && !(part.value() instanceof Value.Mapping)) {
            wrongType(part, goType, "");
        }
        return part;
    }

    private Optional<String> text(Part part, String goType) {
        return text(part, goType, "");
    }

    private Optional<String> text(Part part, String goType, String advice) {
        if (part.value() instanceof Value.Scalar scalar && scalar.type() == ScalarType.TEXT) {
            return Optional.of(scalar.text());
        }
        if (!part.isAbsent()) {
            wrongType(part, goType, (part.value() instanceof Value.Scalar ? "; quote it" : "") + advice);
        }
        return Optional.empty();
    }

    private Optional<Boolean> truth(Part part) {
        if (part.value() instanceof Value.Scalar scalar && scalar.type() == ScalarType.BOOLEAN) {
            return Optional.of(ScalarType.truth(scalar.text()));
        }
        if (!part.isAbsent()) {
            wrongType(part, "bool", "");
        }
        return Optional.empty();
    }

    /**
     * Adds an error.
     *
     * @param goType the type of the Go field
     * @param advice the advice, each part with a semicolon before it
     */
    private void wrongType(Part part, String goType, String advice) {
        if (errors.size() > MAX_ERRORS) {
            return;
        }
        if (errors.size() == MAX_ERRORS) {
            errors.add(new FieldError("spec", "Too many errors: only the first " + MAX_ERRORS + " are reported"));
            return;
        }
        String line =
                hasLines && part.value() != null ? "; line " + part.value().line() : "";
        String more = advice + line;
        errors.add(new FieldError(
                part.path(),
                "json: cannot unmarshal " + goWord(part) + " into Go struct field " + part.goOwner() + "."
                        + part.goPath() + " of type " + goType
                        + (more.isEmpty() ? "" : " (" + more.substring(2) + ")")));
    }

    private static String goWord(Part part) {
        if (part.value() instanceof Value.Mapping) {
            return "object";
        }
        if (part.value() instanceof Value.Scalar scalar) {
            return switch (scalar.type()) {
                case BOOLEAN -> "bool";
                case NUMBER -> "number";
                case TEXT, NULL -> "string";
            };
        }
        return "array";
    }

    /**
     * Returns the errors of {@link PodDnsValidation} about a Pod.
     *
     * @param pod the Pod as written
     * @param node the version of the API server and its limits
     */
    public static List<FieldError> findings(Value.Mapping pod, NodeDns node) {
        PodDecoder decoder = new PodDecoder(node.enhancementPolicies(), false);
        return decoder.findings(decoder.decode(pod), node);
    }

    /** Returns the errors of {@link PodDnsValidation} about the decoded Pod, without those about fields of the wrong type. */
    public List<FieldError> findings(PodDnsSpec spec, NodeDns node) {
        List<FieldError> findings = new ArrayList<>(PodDnsValidation.findings(spec, node));
        // A value of the wrong type is not reported again as empty.
        findings.removeIf(finding -> errors.stream().anyMatch(error -> isAtOrBelow(finding.field(), error.field())));
        return findings;
    }

    private static boolean isAtOrBelow(String field, String other) {
        return field.startsWith(other)
                && (field.length() == other.length() || ".[".indexOf(field.charAt(other.length())) >= 0);
    }
}
