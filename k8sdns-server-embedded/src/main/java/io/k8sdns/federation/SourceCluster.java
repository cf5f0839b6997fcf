package io.k8sdns.federation;

import io.k8sdns.arguments.KubernetesNames;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.GenericEDNSOption;

/**
 * The EDNS option (RFC 6891, 6.1.2) with the cluster of the client, in queries for federated names. Its data is the cluster's name
 * in ASCII, so that other DNS servers can add it, and {@code dig +ednsopt=65432:666f6f} can send it.
 *
 * @param name a DNS-1123 label, or labels joined by dots; 1 to 253 characters; in lower case
 */
public record SourceCluster(String name) {
    /**
     * The default option code, from the range for local use (RFC 6891, 9). Other software uses these codes of the range: 65001
     * (dnsmasq), 65011 (SkyDNS), 65073 and 65074 (dnsmasq, Nominum), 65518 (examples of CoreDNS), 65433 ({@link
     * io.k8sdns.autopath.SearchPaths}).
     */
    public static final int OPTION_CODE = 65_432;

    private static final int MAX_OPTION_CODE = 0xFFFF;

    /** The length of an option's code and length fields, in bytes. */
    private static final int OPTION_HEADER = 4;

    /**
     * Checks the name and converts it to lower case.
     *
     * @throws IllegalArgumentException if it is not the name of a cluster
     */
    public SourceCluster {
        Objects.requireNonNull(name, "name");
        name = name.toLowerCase(Locale.ROOT);
        if (!isValid(name)) {
            throw new IllegalArgumentException(
                    "not the name of a cluster (a DNS-1123 label or several joined by dots, at most "
                            + "253 characters): '" + name + "'");
        }
    }

    private static boolean isValid(String folded) {
        return KubernetesNames.isDnsSubdomain(folded)
                && Arrays.stream(folded.split("\\.", -1)).allMatch(KubernetesNames::isDnsLabel);
    }

    /**
     * Parses the data of the option.
     *
     * @param data the data after option code and length
     * @return empty if the data is not the name of a cluster; callers ignore such an option
     */
    public static Optional<SourceCluster> parse(byte[] data) {
        for (byte one : Objects.requireNonNull(data, "data")) {
            if (one < 0) {
                return Optional.empty();
            }
        }
        String text = new String(data, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT);
        return isValid(text) ? Optional.of(new SourceCluster(text)) : Optional.empty();
    }

    /**
     * Returns the cluster in the options of a query. Only the first option with the code counts.
     *
     * @param options the options of the query in their order
     * @param code the option code
     * @return empty if there is no such option, or the first one is malformed
     */
    public static Optional<SourceCluster> find(List<EDNSOption> options, int code) {
        return Objects.requireNonNull(options, "options").stream()
                .filter(option -> option.getCode() == code)
                .findFirst()
                .flatMap(option -> parse(data(option)));
    }

    static byte[] data(EDNSOption option) {
        byte[] wire = option.toWire();
        return Arrays.copyOfRange(wire, OPTION_HEADER, wire.length);
    }

    /**
     * Returns the option.
     *
     * @param code the option code, 1 to 65535, usually {@link #OPTION_CODE}
     * @throws IllegalArgumentException if the code is out of that range
     */
    public EDNSOption toOption(int code) {
        return new GenericEDNSOption(requireCode(code), name.getBytes(StandardCharsets.US_ASCII));
    }

    static int requireCode(int code) {
        if (code < 1 || code > MAX_OPTION_CODE) {
            throw new IllegalArgumentException("not an option code (1 to 65535): " + code);
        }
        return code;
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}
