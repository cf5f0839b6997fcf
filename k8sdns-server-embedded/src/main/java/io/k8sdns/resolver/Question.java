package io.k8sdns.resolver;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.Internal;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;

/** A question for the records of a name. An immutable value. */
public final class Question {
    private final DnsLabels labels;
    private final RecordType type;
    private final int dnsClass;

    /** The labels as a name; created at the first use, since most answers do not need it. Threads may each create an equal one. */
    private volatile @Nullable Name name;

    /** Creates a question; see the accessors for the meaning of the parts. */
    @Internal
    public Question(DnsLabels labels, RecordType type, int dnsClass) {
        this.labels = Objects.requireNonNull(labels, "labels");
        this.type = Objects.requireNonNull(type, "type");
        this.dnsClass = dnsClass;
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

    /** Returns the labels of the name up to the root, in the client's spelling. */
    public DnsLabels labels() {
        return labels;
    }

    /** Returns the type. */
    public RecordType type() {
        return type;
    }

    /** Returns the number of the class; 1 is IN. */
    public int dnsClass() {
        return dnsClass;
    }

    /** Returns the name, in the client's spelling. */
    public Name name() {
        Name created = name;
        if (created == null) {
            created = DnsNames.absolute(labels);
            name = created;
        }
        return created;
    }

    /** Returns whether the other object is a question for the same name, compared case-insensitively, type and class. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Question question
                && labels.equals(question.labels)
                && type.equals(question.type)
                && dnsClass == question.dnsClass;
    }

    @Override
    public int hashCode() {
        return Objects.hash(labels, type, dnsClass);
    }

    /** Returns name and type: {@code cart.shop.svc.cluster.local. A}. */
    @Override
    public String toString() {
        return name() + " " + type;
    }
}
