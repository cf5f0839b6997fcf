package io.k8sdns.resolver;

import io.k8sdns.zone.ZoneRevision;
import java.util.Objects;

/**
 * What a resolver answers ordinary questions from, so that a responder can write the answers without asking it: those about
 * names of a zone's revision. Made by {@link ResolverChain}; other resolvers hand it on.
 */
public final class DirectAnswers {
    private final ZoneRevision revision;
    private final boolean recursionAvailable;

    DirectAnswers(ZoneRevision revision, boolean recursionAvailable) {
        this.revision = Objects.requireNonNull(revision, "revision");
        this.recursionAvailable = recursionAvailable;
    }

    /** Returns the revision that every name of its zones is answered from. */
    public ZoneRevision revision() {
        return revision;
    }

    /** Returns whether the answers have RA set. */
    public boolean recursionAvailable() {
        return recursionAvailable;
    }
}
