package io.k8sdns.model;

import io.k8sdns.arguments.KubernetesNames;
import java.util.Objects;
import java.util.function.Function;

/**
 * The target port of a Service port: a number, the name of a container port, which each Pod maps to a number of its
 * own, or unknown.
 */
public sealed interface TargetPort {
    /** Applies the function of this target's type; the compiler checks that no type is missing. */
    default <T> T fold(Function<Numbered, T> numbered, Function<Named, T> named, Function<Unknown, T> unknown) {
        if (this instanceof Numbered target) {
            return numbered.apply(target);
        }
        if (this instanceof Named target) {
            return named.apply(target);
        }
        if (this instanceof Unknown target) {
            return unknown.apply(target);
        }
        throw new AssertionError(this);
    }

    /**
     * A port number.
     *
     * @param port 1 to 65535
     */
    record Numbered(int port) implements TargetPort {
        /**
         * Checks the number.
         *
         * @throws InvalidFieldException if it is not a port number
         */
        public Numbered {
            FieldChecks.requirePortNumber("targetPort", port);
        }
    }

    /**
     * The name of a container port.
     *
     * @param name an IANA service name
     */
    record Named(String name) implements TargetPort {
        /**
         * Checks the name.
         *
         * @throws InvalidFieldException if it is not an IANA service name
         */
        public Named {
            Objects.requireNonNull(name, "name");
            if (!KubernetesNames.isIanaServiceName(name)) {
                throw new InvalidFieldException(
                        "targetPort",
                        "not a port name (a DNS label of at most 15 characters, with at least one letter): \"" + name
                                + "\"");
            }
        }
    }

    /**
     * A target that could not be read. The Service keeps the port, so that its cluster IP has the SRV records. Its
     * endpoints do not get the port, because they might not listen at a guessed number.
     */
    record Unknown() implements TargetPort {}
}
