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
 * A view of a zone's revision from which a responder answers ordinary questions itself, on its fast path, instead of calling the
 * resolver. {@link ResolverChain} creates it; other resolvers pass it on, some with exceptions.
 */
public final class DirectAnswers {
    private static final int NO_OPTION = -1;

    private final RevisionView view;
    private final boolean recursionAvailable;

    /** The zones whose missing names need the resolver. */
    private final Set<DnsLabels> exceptMissing;

    /** The domains whose missing names need the resolver; few, because each missing name is compared with all of them. */
    private final List<DnsLabels> exceptMissingBelow;

    /** The codes of EDNS options whose messages need the resolver. */
    private final List<Integer> exceptOptions;

    private volatile Optional<Object> attachment = Optional.empty();

    /** The result of the last {@link #except}, cached because decorators repeat the same call for every message. */
    private volatile @Nullable Narrowed narrowed;

    private record Narrowed(Set<DnsLabels> zones, Set<DnsLabels> domains, int option, Optional<DirectAnswers> result) {}

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
     * Returns these answers without NXDOMAIN for some zones: the resolver answers questions about their missing names. For
     * decorators that change only those answers.
     *
     * @param zones the names of the zones; pass the same set each time, so that the result is cached
     * @return never empty
     */
    public Optional<DirectAnswers> exceptMissingNames(Set<DnsLabels> zones) {
        return except(Objects.requireNonNull(zones, "zones"), Set.of(), NO_OPTION);
    }

    /**
     * Returns these answers without NXDOMAIN for names in some domains: the resolver answers questions about missing names there.
     * For decorators that change answers about a few names of a zone.
     *
     * @param domains the names of the domains, which need not be zones, and may lie above or below one; few, because each missing
     *     name is compared with all of them. Pass the same set each time, so that the result is cached
     * @return never empty
     */
    public Optional<DirectAnswers> exceptMissingNamesBelow(Set<DnsLabels> domains) {
        return except(Set.of(), Objects.requireNonNull(domains, "domains"), NO_OPTION);
    }

    /**
     * Returns these answers without those to messages with an EDNS option, which the resolver answers. For decorators that change
     * only those answers.
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
            DirectAnswers narrower = new DirectAnswers(
                    view, recursionAvailable, Set.copyOf(allZones), List.copyOf(allDomains), List.copyOf(allOptions));
            last = new Narrowed(Set.copyOf(zones), Set.copyOf(domains), option, Optional.of(narrower));
            narrowed = last;
        }
        return last.result;
    }

    /** Returns whether these answers include NXDOMAIN for a zone. */
    @Internal
    public boolean hasMissingNames(DnsLabels zone) {
        return !exceptMissing.contains(zone);
    }

    /** Returns the domains without NXDOMAIN: the resolver answers for missing names that equal a domain or lie below it. */
    @Internal
    public List<DnsLabels> exceptMissingBelow() {
        return exceptMissingBelow;
    }

    /** Returns the codes of EDNS options whose messages need the resolver. */
    @Internal
    public List<Integer> exceptOptions() {
        return exceptOptions;
    }

    /** Returns the view that holds the answers. */
    @Internal
    public RevisionView view() {
        return view;
    }

    /** Returns the object that a responder has attached with {@link #attach} if present, otherwise empty. */
    @Internal
    public Optional<Object> attachment() {
        return attachment;
    }

    /** Attaches an object to these answers, for example data that a responder derives from the revision. */
    @Internal
    public void attach(Object value) {
        attachment = Optional.of(value);
    }

    /** Returns whether the answers have RA set. */
    public boolean recursionAvailable() {
        return recursionAvailable;
    }
}
