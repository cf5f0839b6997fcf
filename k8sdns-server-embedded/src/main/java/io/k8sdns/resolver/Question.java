package io.k8sdns.resolver;

import java.util.Objects;
import org.xbill.DNS.Name;

/**
 * What is asked.
 *
 * @param name the name, absolute, in the asker's spelling
 * @param type the type number
 * @param dnsClass the class number; 1 is IN
 */
public record Question(Name name, int type, int dnsClass) {
    /** Checks that the name is absolute. */
    public Question {
        Objects.requireNonNull(name, "name");
        if (!name.isAbsolute()) {
            throw new IllegalArgumentException("not absolute: " + name);
        }
    }
}
