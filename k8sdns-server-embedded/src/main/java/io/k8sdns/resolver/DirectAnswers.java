package io.k8sdns.resolver;

import io.k8sdns.model.Internal;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.zone.RevisionView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a resolver answers ordinary questions from, so that a responder can write the answers without asking it: those about
 * names that a view shows of a zone's revision. Made by {@link ResolverChain}; other resolvers pass it on, some with exceptions.
 */
public final class DirectAnswers {
    private static final int NO_OPTION = -1;

    private final RevisionView view;
    private final boolean recursionAvailable;

    /** The zones whose missing names are resolved. */
    private final Set<DnsLabels> exceptMissing;

    /** The domains whose missing names are resolved; few, since each missing name is compared with all of them. */
    private final List<DnsLabels> exceptMissingBelow;

    /** The codes of the EDNS options whose messages are resolved. */
    private final List<Integer> exceptOptions;

    private volatile Optional<Object> kept = Optional.empty();

    /** The exception that was asked for last: decorators ask for the same one with every message. */
    private volatile @Nullable Narrowed narrowed;

    private record Narrowed(Set<DnsLabels> zones, Set<DnsLabels> domains, int option, Optional<DirectAnswers> left) {}

    DirectAnswers(RevisionView view, boolean recursionAvailable) {
        this(view, recursionAvailable, Set.of(), List.of(), List.of());
    }

    private DirectAnswers(
            RevisionView view,
            boolean recursionAvailable,
            Set<DnsLabels> exceptMissing,
            List<DnsLabels> exceptMissingBelow,
            List<Integer> exceptOptions) {
        this.view = Objects.requireNonNull(view, "view");
        this.recursionAvailable = recursionAvailable;
        this.exceptMissing = exceptMissing;
        this.exceptMissingBelow = exceptMissingBelow;
        this.exceptOptions = exceptOptions;
    }

    /**
     * Returns these answers except NXDOMAIN: questions about names of some zones that do not exist are resolved. For decorators
     * that change those answers only.
     *
     * @param zones the names of the zones; the same set each time, so that nothing is made anew
     * @return never empty
     */
    public Optional<DirectAnswers> exceptMissingNames(Set<DnsLabels> zones) {
        return except(Objects.requireNonNull(zones, "zones"), Set.of(), NO_OPTION);
    }

    /**
     * Returns these answers except NXDOMAIN for names in some domains: questions about missing names there are resolved. For
     * decorators that change answers about a few names of a zone.
     *
     * @param domains the names of the domains, which need not be zones, and may lie above or below one; few, and the same set
     *     each time, so that nothing is made anew
     * @return never empty
     */
    public Optional<DirectAnswers> exceptMissingNamesBelow(Set<DnsLabels> domains) {
        return except(Set.of(), Objects.requireNonNull(domains, "domains"), NO_OPTION);
    }

    /**
     * Returns these answers except those to messages with an EDNS option, whose questions are resolved. For decorators that
     * change those answers only.
     *
     * @param code the option code, 0 to 65535
     * @return never empty
     */
    public Optional<DirectAnswers> exceptOption(int code) {
        return except(Set.of(), Set.of(), code);
    }

    private Optional<DirectAnswers> except(Set<DnsLabels> zones, Set<DnsLabels> domains, int option) {
        Narrowed last = narrowed;
        if (last == null || last.option != option || !last.zones.equals(zones) || !last.domains.equals(domains)) {
            Set<DnsLabels> allZones = new HashSet<>(exceptMissing);
            allZones.addAll(zones);
            Set<DnsLabels> allDomains = new HashSet<>(exceptMissingBelow);
            allDomains.addAll(domains);
            List<Integer> allOptions = new ArrayList<>(exceptOptions);
            if (option != NO_OPTION) {
                allOptions.add(option);
            }
            DirectAnswers left = new DirectAnswers(
                    view, recursionAvailable, Set.copyOf(allZones), List.copyOf(allDomains), List.copyOf(allOptions));
            last = new Narrowed(Set.copyOf(zones), Set.copyOf(domains), option, Optional.of(left));
            narrowed = last;
        }
        return last.left;
    }

    /** Returns whether a name of a zone that does not exist is answered from here. */
    @Internal
    public boolean hasMissingNames(DnsLabels zone) {
        return !exceptMissing.contains(zone);
    }

    /** Returns the domains whose missing names are not answered from here: those that have a domain's name or are below it. */
    @Internal
    public List<DnsLabels> exceptMissingBelow() {
        return exceptMissingBelow;
    }

    /** Returns the codes of the EDNS options whose messages are not answered from here. */
    @Internal
    public List<Integer> exceptOptions() {
        return exceptOptions;
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
