package io.k8sdns.resolver;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.Internal;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import java.util.Objects;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;

/**
 * A question for the records of a name.
 *
 * @param labels the labels of the name up to the root, in the client's spelling
 * @param type the type
 * @param dnsClass the class number; 1 is IN
 */
public record Question(DnsLabels labels, RecordType type, int dnsClass) {
    /** Checks that nothing is null. */
    @Internal
    public Question {
        Objects.requireNonNull(labels, "labels");
        Objects.requireNonNull(type, "type");
    }

    /**
     * Returns a question of class IN.
     *
     * @throws IllegalArgumentException if the name is not absolute
     */
    public static Question of(Name name, RecordType type) {
        return new Question(DnsNames.labels(name), type, DClass.IN);
    }

    /**
     * Returns a question of class IN.
     *
     * @param absolute the name up to the root, with or without the last dot
     * @param type the type
     * @throws io.k8sdns.name.InvalidNameException if it is not a valid name
     */
    public static Question of(String absolute, RecordType type) {
        return new Question(DnsLabels.parse(Objects.requireNonNull(absolute, "absolute")), type, DClass.IN);
    }

    /** Returns whether the question has a type, given by its number. */
    boolean isFor(int number) {
        return type.number() == number;
    }

    /** Returns the name; each call creates a new object. */
    public Name name() {
        return DnsNames.absolute(labels);
    }

    /** Returns name and type: {@code cart.shop.svc.cluster.local. A}. */
    @Override
    public String toString() {
        return name() + " " + type;
    }
}
