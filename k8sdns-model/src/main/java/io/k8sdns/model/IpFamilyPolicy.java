package io.k8sdns.model;

import java.util.Objects;
import java.util.Optional;

/** The number of address families that a Service requests (KEP-563). */
public enum IpFamilyPolicy {
    SINGLE_STACK("SingleStack"),
    PREFER_DUAL_STACK("PreferDualStack"),
    REQUIRE_DUAL_STACK("RequireDualStack");

    private final String text;

    IpFamilyPolicy(String text) {
        this.text = text;
    }

    /** Reads the API's spelling; empty for anything else. */
    public static Optional<IpFamilyPolicy> tryParse(String text) {
        Objects.requireNonNull(text, "text");
        for (IpFamilyPolicy policy : values()) {
            if (policy.text.equals(text)) {
                return Optional.of(policy);
            }
        }
        return Optional.empty();
    }

    /** Returns the API's spelling, for example {@code PreferDualStack}. */
    @Override
    public String toString() {
        return text;
    }
}
