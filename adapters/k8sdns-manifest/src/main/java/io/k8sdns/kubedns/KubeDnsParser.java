package io.k8sdns.kubedns;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.json.BrokenDocumentException;
import io.k8sdns.json.Documents;
import io.k8sdns.json.FileNotes;
import io.k8sdns.json.JsonTokens;
import io.k8sdns.json.ScalarType;
import io.k8sdns.json.Value;
import io.k8sdns.kubedns.InvalidKubeDnsConfigException.EntryError;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Reads one version of the ConfigMap and collects its errors. */
final class KubeDnsParser {
    /** The maximum size of a ConfigMap in an API server, in bytes. */
    static final int LARGEST = 1 << 20;

    private static final String FEDERATIONS = "federations";
    private static final String STUB_DOMAINS = "stubDomains";
    private static final String UPSTREAM = "upstreamNameservers";
    private static final int MAX_UPSTREAM = 3;
    private static final int MAX_ERRORS = 100;

    private final List<DnsLabels> clusterDomains;
    private final boolean forNodeCache;
    private final List<EntryError> errors = new ArrayList<>();
    private int moreErrors;

    /** The servers that are allowed in one list. */
    private enum Allowed {
        ADDRESSES("an IP address, such as 10.0.0.10, 10.0.0.10:53 or [2001:db8::1]:53"),
        ADDRESSES_AND_NAMES("an IP address, such as 10.0.0.10, 10.0.0.10:53 or [2001:db8::1]:53, or a host name"),
        ADDRESSES_WITH_TRANSPORT(
                "an IP address, such as 10.0.0.10, 10.0.0.10:53 or [2001:db8::1]:53, optionally after dns:// or tls://");

        private final String words;

        Allowed(String words) {
            this.words = words;
        }
    }

    KubeDnsParser(List<DnsLabels> clusterDomains, boolean forNodeCache) {
        this.clusterDomains = clusterDomains;
        this.forNodeCache = forNodeCache;
    }

    /**
     * Reads a version.
     *
     * @throws InvalidKubeDnsConfigException if the configuration is invalid
     */
    KubeDnsConfig parse(Map<String, String> data) {
        Map<DnsLabels, List<KubeDnsServer>> stubDomains =
                text(data, STUB_DOMAINS).map(this::stubDomains).orElse(Map.of());
        List<KubeDnsServer> upstream =
                text(data, UPSTREAM).map(this::upstreamNameservers).orElse(List.of());
        Map<String, DnsLabels> federations =
                text(data, FEDERATIONS).map(this::federations).orElse(Map.of());
        if (moreErrors > 0) {
            errors.add(new EntryError("", "and", moreErrors + " more errors"));
        }
        if (!errors.isEmpty()) {
            throw new InvalidKubeDnsConfigException(errors);
        }
        return new KubeDnsConfig(stubDomains, upstream, federations);
    }

    /** Returns the text of a key; empty if it is missing, blank, or too large for a ConfigMap. */
    private Optional<String> text(Map<String, String> data, String key) {
        String text = data.getOrDefault(key, "");
        if (text.length() > LARGEST) {
            error(key, key, "larger than 1 MiB, which no ConfigMap can be; shorten it");
            return Optional.empty();
        }
        return text.isBlank() ? Optional.empty() : Optional.of(text);
    }

    private void error(String key, String entry, String problem) {
        if (errors.size() < MAX_ERRORS) {
            errors.add(new EntryError(key, FileNotes.printable(entry), FileNotes.printable(problem)));
        } else {
            moreErrors++;
        }
    }

    // federations

    private Map<String, DnsLabels> federations(String text) {
        Map<String, DnsLabels> federations = new LinkedHashMap<>();
        int number = 0;
        for (String part : text.split(",", -1)) {
            String entry = FEDERATIONS + "[" + number++ + "]";
            String pair = part.strip();
            int equals = pair.indexOf('=');
            if (equals < 0) {
                error(FEDERATIONS, entry, "not NAME=DOMAIN, such as prod=fed.example.com: \"" + pair + "\"");
                continue;
            }
            String name = pair.substring(0, equals).strip();
            if (!KubernetesNames.isDnsLabel(name)) {
                error(
                        FEDERATIONS,
                        entry,
                        "not the name of a federation (a DNS label: lower-case letters, digits, inner dashes, 1 to 63 characters): \""
                                + name + "\"");
            }
            domain(FEDERATIONS, entry, pair.substring(equals + 1).strip())
                    .ifPresent(domain -> federations.put(name, domain));
        }
        return federations;
    }

    /** Returns a domain; reports a text that is not a domain and returns empty. */
    private Optional<DnsLabels> domain(String key, String entry, String text) {
        try {
            if (KubernetesNames.isDnsSubdomain(text)) {
                return Optional.of(DnsLabels.parseHostName(text));
            }
        } catch (InvalidNameException longLabel) {
            // Kubernetes allows labels of more than 63 characters, DNS does not.
        }
        error(
                key,
                entry,
                "not a domain (lower-case letters, digits, inner dashes and dots, no final dot): \"" + text + "\"");
        return Optional.empty();
    }

    // JSON

    /** Returns the value of a JSON text; empty for null and for invalid JSON, which is reported. */
    private Optional<Value> json(String key, String text, String example) {
        if (text.startsWith("\uFEFF")) {
            error(key, key, "begins with a byte order mark; save the text without one");
            return Optional.empty();
        }
        try {
            Value value = Documents.only(JsonTokens.ofAnything(new StringReader(text)));
            return isNull(value) ? Optional.empty() : Optional.of(value);
        } catch (BrokenDocumentException broken) {
            error(key, key, "line " + broken.line() + ": " + broken.getMessage() + "; write JSON, such as " + example);
            return Optional.empty();
        }
    }

    private static boolean isNull(Value value) {
        return value instanceof Value.Scalar scalar && scalar.type() == ScalarType.NULL;
    }

    private static String words(Value value) {
        return value instanceof Value.Mapping ? "an object" : isNull(value) ? "null" : value.words();
    }

    private Map<DnsLabels, List<KubeDnsServer>> stubDomains(String text) {
        String example = "{\"acme.example\": [\"10.0.0.10\"]}";
        Value value = json(STUB_DOMAINS, text, example).orElse(null);
        if (value == null) {
            return Map.of();
        }
        if (!(value instanceof Value.Mapping mapping)) {
            error(STUB_DOMAINS, STUB_DOMAINS, "expected an object, found " + words(value) + "; write " + example);
            return Map.of();
        }
        Allowed allowed = forNodeCache ? Allowed.ADDRESSES_WITH_TRANSPORT : Allowed.ADDRESSES_AND_NAMES;
        Map<DnsLabels, List<KubeDnsServer>> stubDomains = new LinkedHashMap<>();
        for (String key : mapping.keys()) {
            String entry = STUB_DOMAINS + "[\"" + key + "\"]";
            Optional<DnsLabels> domain =
                    key.isEmpty() && forNodeCache ? Optional.of(DnsLabels.EMPTY) : domain(STUB_DOMAINS, entry, key);
            if (domain.isPresent() && clusterDomains.contains(domain.get())) {
                error(STUB_DOMAINS, entry, "the cluster's own domain, which is answered here; remove it");
            }
            int before = errorCount();
            List<KubeDnsServer> servers =
                    servers(STUB_DOMAINS, entry, Objects.requireNonNull(mapping.get(key)), allowed);
            if (servers.isEmpty() && errorCount() == before) {
                error(STUB_DOMAINS, entry, "no server; name one, or remove the domain");
            }
            domain.ifPresent(one -> stubDomains.put(one, servers));
        }
        return stubDomains;
    }

    private int errorCount() {
        return errors.size() + moreErrors;
    }

    private List<KubeDnsServer> upstreamNameservers(String text) {
        Optional<Value> value = json(UPSTREAM, text, "[\"192.0.2.53\"]");
        if (value.isEmpty()) {
            return List.of();
        }
        if (value.get() instanceof Value.Sequence sequence && sequence.items().size() > MAX_UPSTREAM) {
            error(
                    UPSTREAM,
                    UPSTREAM,
                    sequence.items().size() + " servers, at most three are allowed; remove the others");
        }
        return servers(
                UPSTREAM, UPSTREAM, value.get(), forNodeCache ? Allowed.ADDRESSES_WITH_TRANSPORT : Allowed.ADDRESSES);
    }

    private List<KubeDnsServer> servers(String key, String entry, Value value, Allowed allowed) {
        if (!(value instanceof Value.Sequence sequence)) {
            error(key, entry, "expected a list of servers, found " + words(value) + "; write [\"10.0.0.10\"]");
            return List.of();
        }
        List<KubeDnsServer> servers = new ArrayList<>();
        for (int i = 0; i < sequence.items().size(); i++) {
            Value item = sequence.items().get(i);
            String location = entry + "[" + i + "]";
            if (!(item instanceof Value.Scalar scalar) || scalar.type() != ScalarType.TEXT) {
                error(key, location, "expected text, found " + words(item) + "; quote the server");
                continue;
            }
            Optional<KubeDnsServer> server = server(scalar.text(), allowed);
            if (server.isEmpty()) {
                error(key, location, "not " + allowed.words + ": \"" + scalar.text() + "\"");
            }
            server.ifPresent(servers::add);
        }
        return servers;
    }

    // Servers

    private static Optional<KubeDnsServer> server(String text, Allowed allowed) {
        if (allowed == Allowed.ADDRESSES_AND_NAMES && KubeDnsServer.isHostName(text)) {
            return Optional.of(new KubeDnsServer(text, KubeDnsServer.DNS_PORT));
        }
        if (allowed != Allowed.ADDRESSES_WITH_TRANSPORT) {
            return addressed(text, false);
        }
        boolean tls = text.startsWith("tls://");
        return addressed(tls || text.startsWith("dns://") ? text.substring("tls://".length()) : text, tls);
    }

    /** Reads {@code 10.0.0.1}, {@code 10.0.0.1:53}, {@code 2001:db8::1} or {@code [2001:db8::1]:53}. */
    private static Optional<KubeDnsServer> addressed(String text, boolean tls) {
        Optional<String> whole = address(text);
        if (whole.isPresent()) {
            return whole.map(
                    host -> new KubeDnsServer(host, tls ? KubeDnsServer.TLS_PORT : KubeDnsServer.DNS_PORT, tls));
        }
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            return Optional.empty();
        }
        String before = text.substring(0, colon);
        boolean bracketed = before.startsWith("[") && before.endsWith("]");
        String inner = bracketed ? before.substring(1, before.length() - 1) : before;
        // Brackets are valid only around IPv6 addresses, which have colons.
        if (bracketed != inner.indexOf(':') >= 0) {
            return Optional.empty();
        }
        Optional<Integer> port = port(text.substring(colon + 1));
        return address(inner)
                .filter(host -> port.isPresent())
                .map(host -> new KubeDnsServer(host, port.orElseThrow(), tls));
    }

    /**
     * Returns an address; leading zeros are refused, because some programs read them as octal and others as decimal.
     */
    private static Optional<String> address(String text) {
        return IpAddress.tryParse(text)
                .filter(address -> text.indexOf(':') >= 0 || address.toString().equals(text))
                .map(IpAddress::toString);
    }

    private static Optional<Integer> port(String text) {
        if (text.isEmpty() || text.length() > 5 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return Optional.empty();
        }
        return Optional.of(Integer.parseInt(text)).filter(port -> port >= 1 && port <= 65535);
    }
}
