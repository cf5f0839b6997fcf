package io.k8sdns.records;

import java.util.Locale;
import java.util.Objects;
import org.xbill.DNS.Type;

/**
 * A type of records, or of questions: a number from 0 to 65535 with its mnemonic.
 *
 * <p>The constants are the types of the records of Kubernetes' names, and types that clients often query together with them. {@link
 * #of(int)} returns any other type.
 */
public final class RecordType {
    /** An IPv4 address (RFC 1035). */
    public static final RecordType A = new RecordType(Type.A);

    /** A name server (RFC 1035). */
    public static final RecordType NS = new RecordType(Type.NS);

    /** The canonical name of an alias (RFC 1035). */
    public static final RecordType CNAME = new RecordType(Type.CNAME);

    /** The start of authority of a zone (RFC 1035). */
    public static final RecordType SOA = new RecordType(Type.SOA);

    /** The name of an address (RFC 1035). */
    public static final RecordType PTR = new RecordType(Type.PTR);

    /** Text (RFC 1035). */
    public static final RecordType TXT = new RecordType(Type.TXT);

    /** An IPv6 address (RFC 3596). */
    public static final RecordType AAAA = new RecordType(Type.AAAA);

    /** A port and the host that serves it (RFC 2782). */
    public static final RecordType SRV = new RecordType(Type.SRV);

    /** A question for all records of a name, answered as RFC 8482 allows. */
    public static final RecordType ANY = new RecordType(Type.ANY);

    private final int number;

    private RecordType(int number) {
        this.number = number;
    }

    /**
     * Returns the type with a number.
     *
     * @throws IllegalArgumentException if the number is below 0 or above 65535
     */
    public static RecordType of(int number) {
        if (number < 0 || number > 0xFFFF) {
            throw new IllegalArgumentException("not a record type (0 to 65535): " + number);
        }
        return switch (number) {
            case Type.A -> A;
            case Type.AAAA -> AAAA;
            case Type.SRV -> SRV;
            case Type.PTR -> PTR;
            case Type.CNAME -> CNAME;
            case Type.TXT -> TXT;
            case Type.SOA -> SOA;
            case Type.NS -> NS;
            case Type.ANY -> ANY;
            default -> new RecordType(number);
        };
    }

    /**
     * Returns the type with a mnemonic, in any case, for example {@code AAAA} or {@code TYPE64} (RFC 3597).
     *
     * @throws IllegalArgumentException if it is unknown
     */
    public static RecordType parse(String mnemonic) {
        Objects.requireNonNull(mnemonic, "mnemonic");
        int number = Type.value(mnemonic.toUpperCase(Locale.ROOT));
        if (number < 0) {
            throw new IllegalArgumentException("not a record type: \"" + mnemonic + "\"");
        }
        return of(number);
    }

    /** Returns the number. */
    public int number() {
        return number;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RecordType type && number == type.number;
    }

    @Override
    public int hashCode() {
        return number;
    }

    /** Returns the mnemonic, {@code TYPE64} for a type without one. */
    @Override
    public String toString() {
        return Type.string(number);
    }
}
