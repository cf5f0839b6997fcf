package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import io.k8sdns.cli.Corefile.ServerBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Translates {@code fallthrough} of {@code kubernetes}: which zones forward the names that they do not have. All zones must be known
 * before.
 */
final class CorefileFallthrough {
    private final CorefileOptions options;
    private final CorefileRemarks remarks;
    private final boolean forServe;
    private final List<Line> lines = new ArrayList<>();

    /** The names of the zones of {@code serve}; only these can fall through. */
    private List<String> served = List.of();

    /**
     * A line with {@code fallthrough}.
     *
     * @param zones the zones of {@code kubernetes}
     * @param block the block with both
     */
    private record Line(Directive line, List<String> zones, ServerBlock block) {}

    CorefileFallthrough(CorefileOptions options, CorefileRemarks remarks, boolean forServe) {
        this.options = options;
        this.remarks = remarks;
        this.forServe = forServe;
    }

    /**
     * Adds a line, which {@link #translate} translates.
     *
     * @param zones the zones of {@code kubernetes}
     * @param block the block with both
     */
    void add(Directive line, List<String> zones, ServerBlock block) {
        lines.add(new Line(line, zones, block));
    }

    /** Removes the zones that fall through if there is no server to forward to, because {@code serve} refuses them then. */
    void requireServers() {
        if (!options.has(CorefileOptions.FORWARD) && !options.has(CorefileOptions.STUB_DOMAIN)) {
            options.remove(CorefileOptions.FALLTHROUGH);
            lines.forEach(one -> noteNoForward(one.line()));
        }
    }

    private void noteNoForward(Directive fallthrough) {
        remarks.note(fallthrough, "no forward here covers these names, so those that do not exist are NXDOMAIN");
    }

    /** Translates the lines with {@code fallthrough}, after all zones are known. */
    void translate() {
        Set<String> reverse = options.values(CorefileOptions.REVERSE_ZONE);
        if (forServe && reverse.isEmpty()) {
            // serve always has reverse zones.
            ZoneKey.REVERSE_ZONES.forEach(zone -> options.add(CorefileOptions.FALLTHROUGH, zone));
        }
        served = Stream.concat(
                        (options.has(CorefileOptions.ZONE)
                                        ? options.values(CorefileOptions.ZONE)
                                        : Set.of(ZoneKey.DEFAULT_ZONE))
                                .stream(),
                        (reverse.isEmpty() ? ZoneKey.REVERSE_ZONES : reverse).stream())
                .flatMap(zone -> ZoneKey.names(zone).stream())
                .distinct()
                .toList();
        lines.forEach(this::translate);
    }

    /**
     * Translates {@code fallthrough}, which applies to all zones if it has no zone or the root. Without a {@code forward} in their
     * block that covers them, names do not fall through to the servers of another block. Names outside of the zones of the block
     * belong to another block.
     */
    private void translate(Line one) {
        List<String> own = ZoneKey.names(one.zones());
        List<String> given =
                ZoneKey.names(one.line().arguments().stream(), one.line().line());
        boolean all = given.isEmpty() || given.contains(ZoneKey.ROOT);
        List<Directive> forwards = one.block().directives().stream()
                .filter(CorefileForward::isForward)
                .toList();
        List<String> ofBlock = ZoneKey.names(ZoneKey.zones(one.block()));
        Predicate<String> isForwarded = zone ->
                forwards.stream().anyMatch(forward -> covers(forward, zone)) || !ZoneKey.isWithinAny(zone, ofBlock);
        served.stream()
                .filter(zone ->
                        all ? own.contains(zone) : ZoneKey.isWithinAny(zone, own) && ZoneKey.isWithinAny(zone, given))
                .forEach(zone -> {
                    if (isForwarded.test(zone)) {
                        options.add(CorefileOptions.FALLTHROUGH, zone);
                    } else {
                        noteNoForward(one.line());
                    }
                });
        if (!all) {
            given.stream()
                    .filter(zone -> served.stream().noneMatch(whole -> ZoneKey.isWithin(whole, zone)))
                    .forEach(zone -> {
                        if (isForwarded.test(zone)) {
                            reportPart(one.line(), zone);
                        } else {
                            noteNoForward(one.line());
                        }
                    });
        }
    }

    /** Returns whether a {@code forward} forwards names of a zone: its zone contains it, and no name of {@code except} does. */
    private static boolean covers(Directive forward, String zone) {
        return ZoneKey.isWithinAny(
                        zone, ZoneKey.names(forward.arguments().stream().limit(1), forward.line()))
                && forward.block().stream()
                        .filter(property -> property.name().equals("except"))
                        .noneMatch(except ->
                                ZoneKey.isWithinAny(zone, ZoneKey.names(except.arguments().stream(), except.line())));
    }

    /** Returns whether {@link #isNeverForwarded(String)} holds for all names of a zone or network in a line. */
    boolean isNeverForwarded(String zone, Directive directive) {
        return ZoneKey.names(Stream.of(zone), directive.line()).stream().allMatch(this::isNeverForwarded);
    }

    /**
     * Returns whether {@code serve} answers all names of a zone itself, because they lie in its own zones, and these do not fall
     * through. Used after {@link #translate()}.
     */
    boolean isNeverForwarded(String zone) {
        Set<String> forwarded = options.values(CorefileOptions.FALLTHROUGH);
        List<String> own =
                served.stream().filter(whole -> ZoneKey.isWithin(zone, whole)).toList();
        return forServe && !own.isEmpty() && own.stream().noneMatch(forwarded::contains);
    }

    /** Reports a zone of {@code fallthrough} without a whole zone of the command. */
    private void reportPart(Directive line, String zone) {
        served.stream()
                .filter(whole -> ZoneKey.isWithin(zone, whole))
                .findFirst()
                .ifPresentOrElse(
                        whole -> remarks.warn(
                                line,
                                zone + " is a part of the zone " + whole + "; serve forwards the missing names of whole"
                                        + " zones only, with " + CorefileOptions.FALLTHROUGH + " " + whole),
                        () -> remarks.note(line, zone + " is in no zone of kubernetes, so not used"));
    }
}
