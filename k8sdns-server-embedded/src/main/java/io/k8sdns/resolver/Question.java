package io.k8sdns.resolver;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.DnsNames;
import java.util.Objects;
import org.xbill.DNS.Name;

/**
 * What is asked.
 *
 * @param labels the labels of the name up to the root, in the asker's spelling
 * @param type the type number
 * @param dnsClass the class number; 1 is IN
 */
public record Question(DnsLabels labels, int type, int dnsClass) {
    /** Checks that there is a name. */
    public Question {
        Objects.requireNonNull(labels, "labels");
    }

    /**
     * Asks for a name of dnsjava's.
     *
     * @throws IllegalArgumentException if the name is not absolute
     */
    public Question(Name name, int type, int dnsClass) {
        this(DnsNames.labels(name), type, dnsClass);
    }

    /** Returns the name as dnsjava's, made anew each time. */
    public Name name() {
        return DnsNames.absolute(labels);
    }
}
