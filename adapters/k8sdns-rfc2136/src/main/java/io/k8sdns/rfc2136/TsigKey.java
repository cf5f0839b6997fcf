package io.k8sdns.rfc2136;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.spec.SecretKeySpec;
import org.xbill.DNS.Name;
import org.xbill.DNS.TSIG;

/**
 * A key that signs messages (TSIG, RFC 8945), for HMAC with SHA-256, SHA-384 or SHA-512. HMAC-MD5 and HMAC-SHA1 are not supported.
 * Immutable. {@link #toString} omits the secret.
 */
public final class TsigKey {
    private static final int MAX_FILE = 65_536;

    private static final Map<String, Name> ALGORITHMS = Map.of(
            "hmac-sha256", TSIG.HMAC_SHA256,
            "hmac-sha384", TSIG.HMAC_SHA384,
            "hmac-sha512", TSIG.HMAC_SHA512);

    private static final Map<String, String> MACS = Map.of(
            "hmac-sha256", "HmacSHA256",
            "hmac-sha384", "HmacSHA384",
            "hmac-sha512", "HmacSHA512");

    /** One key clause of BIND's configuration, after comments are removed. */
    private static final Pattern CLAUSE =
            Pattern.compile("\\s*key\\s+(\"[^\"]*\"|[^\\s\"{;]+)\\s*\\{([^{}]*)}\\s*;\\s*");

    private static final Pattern STATEMENT = Pattern.compile("\\s*([a-z-]+)\\s+(\"[^\"]*\"|[^\\s\";]+)\\s*;");
    private static final Pattern COMMENT = Pattern.compile("\"[^\"\\n]*\"|/\\*.*?\\*/|(?://|#)[^\\n]*", Pattern.DOTALL);

    private final DnsLabels name;
    private final String algorithm;
    private final byte[] secret;

    private TsigKey(DnsLabels name, String algorithm, byte[] secret) {
        this.name = name;
        this.algorithm = algorithm;
        this.secret = secret;
    }

    /**
     * Returns a key.
     *
     * @param name the name of the key on the server
     * @param algorithm {@code hmac-sha256}, {@code hmac-sha384} or {@code hmac-sha512}
     * @param secret the decoded secret, at least one byte; {@code tsig-keygen} prints it in Base64
     * @throws IllegalArgumentException if the algorithm is another one, or the secret is empty
     */
    public static TsigKey of(DnsLabels name, String algorithm, byte[] secret) {
        Objects.requireNonNull(name, "name");
        String folded = Objects.requireNonNull(algorithm, "algorithm").toLowerCase(Locale.ROOT);
        byte[] own = Objects.requireNonNull(secret, "secret").clone();
        if (!ALGORITHMS.containsKey(folded)) {
            throw new IllegalArgumentException("algorithm " + algorithm
                    + " is not supported; use hmac-sha256, hmac-sha384 or hmac-sha512 (tsig-keygen -a hmac-sha256)");
        }
        if (own.length == 0) {
            throw new IllegalArgumentException("the secret is empty");
        }
        return new TsigKey(name, folded, own);
    }

    /**
     * Reads a file in the format of {@code tsig-keygen}: one {@code key} clause of BIND's configuration.
     *
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if it has another content; the message names the file, and never contains the secret
     */
    public static TsigKey read(Path file) throws IOException {
        Objects.requireNonNull(file, "file");
        if (Files.size(file) > MAX_FILE) {
            throw new IllegalArgumentException(file + ": a file with a TSIG key has at most " + MAX_FILE + " bytes");
        }
        try {
            return parse(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(file + ": " + wrong.getMessage(), wrong);
        }
    }

    /**
     * Parses one {@code key} clause of BIND's configuration; see {@link #read}.
     *
     * @throws IllegalArgumentException if the text has another form; the message never contains the secret
     */
    public static TsigKey parse(String text) {
        Objects.requireNonNull(text, "text");
        String bare = COMMENT.matcher(text)
                .replaceAll(match -> match.group().startsWith("\"") ? Matcher.quoteReplacement(match.group()) : " ");
        Matcher clause = CLAUSE.matcher(bare);
        if (!clause.matches()) {
            throw new IllegalArgumentException(
                    "not one key in the format of tsig-keygen: key \"NAME\" { algorithm hmac-sha256; secret \"BASE64\"; };");
        }
        String algorithm = "";
        String secret = "";
        Matcher statement = STATEMENT.matcher(clause.group(2));
        int at = 0;
        while (statement.find(at) && statement.start() == at) {
            at = statement.end();
            String value = unquoted(statement.group(2));
            if (statement.group(1).equals("algorithm") && algorithm.isEmpty()) {
                algorithm = value;
            } else if (statement.group(1).equals("secret") && secret.isEmpty()) {
                secret = value;
            } else {
                throw new IllegalArgumentException(
                        "the key must have one algorithm and one secret, and nothing else: " + statement.group(1));
            }
        }
        if (!clause.group(2).substring(at).isBlank() || algorithm.isEmpty() || secret.isEmpty()) {
            throw new IllegalArgumentException(
                    "the key must have one algorithm and one secret, each followed by a semicolon");
        }
        return of(name(unquoted(clause.group(1))), algorithm, decoded(secret));
    }

    private static String unquoted(String text) {
        return text.startsWith("\"") ? text.substring(1, text.length() - 1) : text;
    }

    private static DnsLabels name(String text) {
        try {
            DnsLabels name = DnsLabels.parse(text);
            if (name.isEmpty()) {
                throw new IllegalArgumentException("the key has no name");
            }
            return name;
        } catch (InvalidNameException wrong) {
            throw new IllegalArgumentException("the name of the key: " + wrong.getMessage(), wrong);
        }
    }

    private static byte[] decoded(String secret) {
        try {
            return Base64.getDecoder().decode(secret);
        } catch (IllegalArgumentException wrong) {
            // Without the cause, whose message may contain a part of the secret.
            throw new IllegalArgumentException("the secret is not Base64");
        }
    }

    /** Returns the name of the key on the server. */
    public DnsLabels name() {
        return name;
    }

    /** Returns the algorithm, for example {@code hmac-sha256}. */
    public String algorithm() {
        return algorithm;
    }

    /** Returns the dnsjava key that signs and verifies messages. */
    TSIG tsig(Clock clock) {
        String mac = Optional.ofNullable(MACS.get(algorithm)).orElseThrow();
        Name dnsAlgorithm = Optional.ofNullable(ALGORITHMS.get(algorithm)).orElseThrow();
        return new TSIG(dnsAlgorithm, DnsNames.absolute(name), new SecretKeySpec(secret, mac), clock);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TsigKey that
                && name.equals(that.name)
                && algorithm.equals(that.algorithm)
                && Arrays.equals(secret, that.secret);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, algorithm);
    }

    /** Returns name and algorithm. */
    @Override
    public String toString() {
        return name + " (" + algorithm + ")";
    }
}
