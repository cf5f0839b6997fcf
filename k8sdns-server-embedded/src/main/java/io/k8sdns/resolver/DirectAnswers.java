package io.k8sdns.resolver;

import io.k8sdns.model.Internal;
import io.k8sdns.zone.RevisionView;
import java.util.Objects;
import java.util.Optional;

/**
 * What a resolver answers ordinary questions from, so that a responder can write the answers without asking it: those about
 * names that a view shows of a zone's revision. Made by {@link ResolverChain}; other resolvers hand it on.
 */
public final class DirectAnswers {
    private final RevisionView view;
    private final boolean recursionAvailable;
    private volatile Optional<Object> kept = Optional.empty();

    DirectAnswers(RevisionView view, boolean recursionAvailable) {
        this.view = Objects.requireNonNull(view, "view");
        this.recursionAvailable = recursionAvailable;
    }

    /** Returns what every name of the zones is answered from. */
    @Internal
    public RevisionView view() {
        return view;
    }

    /** Returns what a responder has kept with these answers, if anything. */
    @Internal
    public Optional<Object> kept() {
        return kept;
    }

    /** Keeps something with these answers, for example what a responder derives from the revision. */
    @Internal
    public void keep(Object value) {
        kept = Optional.of(value);
    }

    /** Returns whether the answers have RA set. */
    public boolean recursionAvailable() {
        return recursionAvailable;
    }
}
