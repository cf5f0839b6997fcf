package io.k8sdns.federation.external;

import io.k8sdns.federation.external.ChangeResult.Kind;
import io.k8sdns.name.DnsLabels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Brings an external zone to the wanted records, whatever happens to it in the meantime.
 *
 * <p>A pass reads the zone if it has not been read for {@link Builder#interval}, or if a change has failed since; compares; and makes
 * the changes in batches. Between two readings the zone is taken to have what was read and changed; every change is guarded, so at
 * worst it fails. If nothing differs, nothing is sent.
 *
 * <pre>
 *     read? ---> differences ---> batches of 100 ---> result of each name
 *       ^                                                applied     the name is known
 *       |                                                otherwise   wait, read, try again
 *       +-------------- at the latest after the interval ------+
 * </pre>
 *
 * <p>Names fail on their own. A transient failure waits 1 s, doubled up to 60 s, less a random part of at most one half. A conflict
 * is tried again once soon, since the zone may have changed since it was read; then, as a permanent failure, every 5 minutes. A name
 * whose wanted records change is tried at once. If the zone cannot be read, the whole pass waits in the same way.
 *
 * <p>Names of other owners are never changed. {@link #pass} is for one thread at a time; {@link #status} for any.
 */
public final class ExternalSync {
    /** How often a zone is read unless another time is set. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(60);

    static final Duration FIRST_WAIT = Duration.ofSeconds(1);
    static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
    static final Duration SLOW_WAIT = Duration.ofMinutes(5);

    /** After so many doublings the limit has been reached. */
    private static final int MAX_DOUBLINGS = 6;

    private final ExternalZone zone;
    private final LongSupplier nanoTime;
    private final RandomGenerator random;
    private final Duration interval;

    /** What the zone has, as far as it is known. */
    private final Map<DnsLabels, OwnedRecords> known = new HashMap<>();

    private boolean isComplete;
    private boolean mustRead = true;
    private long readAt;

    /** The names that have failed and differ still. */
    private final SortedMap<DnsLabels, Attempt> attempts = new TreeMap<>();

    private int zoneFailuresInARow;
    private String zoneFailure = "";
    private long zoneNotBefore;

    private volatile Status status;

    /**
     * A name that has failed.
     *
     * @param change the change that failed
     * @param result why
     * @param failures how often in a row
     * @param notBefore when it is tried again, in nanoseconds
     */
    private record Attempt(NameChange change, ChangeResult result, int failures, long notBefore) {}

    private ExternalSync(Builder builder) {
        zone = builder.zone;
        nanoTime = builder.nanoTime;
        random = builder.random;
        interval = builder.interval;
        status = new Status(nanoTime.getAsLong());
    }

    /**
     * Returns a builder with an interval of 60 s.
     *
     * @param zone the zone; the caller closes it
     * @param nanoTime the time, in nanoseconds from an arbitrary moment on, for example {@code System::nanoTime}
     * @param random for waits; used by the thread of {@link #pass} alone
     */
    public static Builder builder(ExternalZone zone, LongSupplier nanoTime, RandomGenerator random) {
        return new Builder(
                Objects.requireNonNull(zone, "zone"),
                Objects.requireNonNull(nanoTime, "nanoTime"),
                Objects.requireNonNull(random, "random"));
    }

    /**
     * Brings the zone to the wanted records as far as possible now. Blocks while the zone does.
     *
     * @param wanted all names of one owner; names of it that are not wanted are removed, so this must not be called before everything
     *     that is wanted is known
     */
    public Report pass(WantedRecords wanted) {
        Objects.requireNonNull(wanted, "wanted");
        long begun = nanoTime.getAsLong();
        if (zoneFailuresInARow > 0 && begun - zoneNotBefore < 0) {
            return report(wanted, List.of(), List.of(), false);
        }
        if (mustRead || begun - readAt >= interval.toNanos()) {
            try {
                read(wanted);
            } catch (ExternalZoneException failed) {
                boolean isNew = !zoneFailure.equals(text(failed));
                zoneFailure = text(failed);
                zoneNotBefore = nanoTime.getAsLong() + wait(failed.isTransient(), zoneFailuresInARow);
                zoneFailuresInARow++;
                status = status.withUnreadable(nanoTime.getAsLong());
                return report(wanted, List.of(), List.of(), isNew);
            }
        }
        List<NameChange> differences = differences(wanted);
        if (!differences.isEmpty()) {
            status = status.withBehind(begun);
        }
        attempts.keySet().retainAll(differences.stream().map(NameChange::name).toList());
        List<NameChange> due = differences.stream()
                .filter(change -> isDue(change, nanoTime.getAsLong()))
                .toList();
        List<DnsLabels> changed = new ArrayList<>();
        List<DnsLabels> newFailures = new ArrayList<>();
        for (int from = 0; from < due.size(); from += ExternalZone.MAX_BATCH) {
            List<NameChange> batch = due.subList(from, Math.min(due.size(), from + ExternalZone.MAX_BATCH));
            int changedBefore = changed.size();
            apply(batch, changed, newFailures);
            boolean isSilent =
                    changed.size() == changedBefore && batch.stream().allMatch(change -> isTransient(change.name()));
            if (isSilent) {
                // Nothing answers; the rest would only wait for it, too.
                break;
            }
        }
        status = status.withFailing(attempts.size());
        if (changed.size() == differences.size()) {
            status = status.withSuccess(nanoTime.getAsLong());
        }
        return report(wanted, changed, newFailures, false);
    }

    private static String text(Exception failed) {
        return Objects.requireNonNullElse(failed.getMessage(), failed.toString());
    }

    private void read(WantedRecords wanted) throws ExternalZoneException {
        ExternalZone.Listing listing = zone.list(wanted.names().keySet());
        known.clear();
        known.putAll(listing.owned());
        isComplete = listing.isComplete();
        mustRead = false;
        readAt = nanoTime.getAsLong();
        zoneFailuresInARow = 0;
        zoneFailure = "";
    }

    /** Returns the changes that make the known names the wanted ones, sorted by name. */
    private List<NameChange> differences(WantedRecords wanted) {
        SortedMap<DnsLabels, NameChange> changes = new TreeMap<>();
        wanted.names().forEach((name, records) -> {
            OwnedRecords present = known.get(name);
            if (present == null || !wanted.owner().owns(present.owner())) {
                changes.put(name, NameChange.create(records));
            } else if (!present.equals(records)) {
                changes.put(name, NameChange.replace(present, records));
            }
        });
        known.forEach((name, present) -> {
            if (wanted.owner().owns(present.owner()) && !wanted.names().containsKey(name)) {
                changes.put(name, NameChange.delete(present));
            }
        });
        return List.copyOf(changes.values());
    }

    private boolean isDue(NameChange change, long now) {
        Attempt last = attempts.get(change.name());
        return last == null || !last.change().after().equals(change.after()) || now - last.notBefore() >= 0;
    }

    private boolean isTransient(DnsLabels name) {
        Attempt attempt = attempts.get(name);
        return attempt != null && attempt.result().kind() == Kind.TRANSIENT;
    }

    private void apply(List<NameChange> batch, List<DnsLabels> changed, List<DnsLabels> newFailures) {
        Map<DnsLabels, ChangeResult> results = zone.apply(batch);
        long now = nanoTime.getAsLong();
        for (NameChange change : batch) {
            DnsLabels name = change.name();
            ChangeResult result = results.getOrDefault(name, new ChangeResult(Kind.TRANSIENT, "no result"));
            status = status.withResult(result.kind());
            if (result.kind() == Kind.APPLIED) {
                attempts.remove(name);
                change.after().ifPresentOrElse(after -> known.put(name, after), () -> known.remove(name));
                changed.add(name);
            } else {
                mustRead = true;
                Attempt last = attempts.get(name);
                boolean isSame = last != null && last.change().after().equals(change.after());
                int failures = isSame && last != null ? last.failures() : 0;
                boolean isSoon = result.kind() == Kind.TRANSIENT || result.kind() == Kind.CONFLICT && failures == 0;
                attempts.put(name, new Attempt(change, result, failures + 1, now + wait(isSoon, failures)));
                if (!isSame || last == null || !last.result().equals(result)) {
                    newFailures.add(name);
                }
            }
        }
    }

    private long wait(boolean isSoon, int failures) {
        long whole = isSoon
                ? Math.min(FIRST_WAIT.toNanos() << Math.min(failures, MAX_DOUBLINGS), LONGEST_WAIT.toNanos())
                : SLOW_WAIT.toNanos();
        return whole / 2 + random.nextLong(whole / 2 + 1);
    }

    private Report report(
            WantedRecords wanted, List<DnsLabels> changed, List<DnsLabels> newFailures, boolean isNewZoneFailure) {
        long now = nanoTime.getAsLong();
        long next;
        if (zoneFailuresInARow > 0) {
            next = zoneNotBefore - now;
        } else {
            next = readAt + interval.toNanos() - now;
            for (Attempt attempt : attempts.values()) {
                next = Math.min(next, attempt.notBefore() - now);
            }
        }
        SortedMap<DnsLabels, ChangeResult> failures = new TreeMap<>();
        attempts.forEach((name, attempt) -> failures.put(name, attempt.result()));
        return new Report(
                List.copyOf(changed),
                Collections.unmodifiableSortedMap(failures),
                List.copyOf(newFailures),
                zoneFailure.isEmpty() ? Optional.empty() : Optional.of(zoneFailure),
                isNewZoneFailure,
                isComplete,
                wanted.problems(),
                Duration.ofNanos(Math.max(0, next)));
    }

    /** Returns the counters. */
    public Status status() {
        return status;
    }

    /** What a pass did, and what is left. Immutable. */
    public static final class Report {
        private final List<DnsLabels> changed;
        private final SortedMap<DnsLabels, ChangeResult> failures;
        private final List<DnsLabels> newFailures;
        private final Optional<String> zoneFailure;
        private final boolean isNewZoneFailure;
        private final boolean isComplete;
        private final List<String> problems;
        private final Duration next;

        private Report(
                List<DnsLabels> changed,
                SortedMap<DnsLabels, ChangeResult> failures,
                List<DnsLabels> newFailures,
                Optional<String> zoneFailure,
                boolean isNewZoneFailure,
                boolean isComplete,
                List<String> problems,
                Duration next) {
            this.changed = changed;
            this.failures = failures;
            this.newFailures = newFailures;
            this.zoneFailure = zoneFailure;
            this.isNewZoneFailure = isNewZoneFailure;
            this.isComplete = isComplete;
            this.problems = problems;
            this.next = next;
        }

        /** Returns whether the zone has all wanted records, and no others of the owner as far as it can be listed. */
        public boolean isDone() {
            return failures.isEmpty() && zoneFailure.isEmpty();
        }

        /** Returns the names that were changed. */
        public List<DnsLabels> changed() {
            return changed;
        }

        /** Returns every name that is not as wanted, and why; those that this pass has not tried again among them. */
        public SortedMap<DnsLabels, ChangeResult> failures() {
            return failures;
        }

        /** Returns the names that have failed in this pass, and not in the same way before. */
        public List<DnsLabels> newFailures() {
            return newFailures;
        }

        /** Returns why the zone cannot be read, if so. */
        public Optional<String> zoneFailure() {
            return zoneFailure;
        }

        /** Returns whether the zone cannot be read, and the pass before could or had another reason. */
        public boolean isNewZoneFailure() {
            return isNewZoneFailure;
        }

        /** Returns whether the zone could be listed wholly; otherwise names that are no longer wanted may stay. */
        public boolean isComplete() {
            return isComplete;
        }

        /** Returns what has no records, and why: {@link WantedRecords#problems}. */
        public List<String> problems() {
            return problems;
        }

        /** Returns when the next pass is due if nothing else is wanted until then. */
        public Duration untilNext() {
            return next;
        }

        /** Returns the report in one line, for a person. */
        @Override
        public String toString() {
            return changed.size() + " names changed, " + failures.size() + " failed"
                    + zoneFailure
                            .map(text -> "; the zone cannot be read: " + text)
                            .orElse("");
        }
    }

    /** The counters of a sync since it was built. Immutable. */
    public static final class Status {
        private final Map<Kind, Long> results;
        private final long unreadable;
        private final int failing;
        private final @Nullable Long lastSuccess;
        private final @Nullable Long behindSince;

        private Status(long now) {
            this(Map.of(), 0, 0, null, now);
        }

        private Status(
                Map<Kind, Long> results,
                long unreadable,
                int failing,
                @Nullable Long lastSuccess,
                @Nullable Long behindSince) {
            this.results = results;
            this.unreadable = unreadable;
            this.failing = failing;
            this.lastSuccess = lastSuccess;
            this.behindSince = behindSince;
        }

        private Status withResult(Kind kind) {
            Map<Kind, Long> more = new HashMap<>(results);
            more.merge(kind, 1L, Long::sum);
            return new Status(Map.copyOf(more), unreadable, failing, lastSuccess, behindSince);
        }

        private Status withUnreadable(long now) {
            return new Status(
                    results,
                    unreadable + 1,
                    failing,
                    lastSuccess,
                    behindSince == null ? Long.valueOf(now) : behindSince);
        }

        private Status withBehind(long now) {
            return behindSince == null ? new Status(results, unreadable, failing, lastSuccess, now) : this;
        }

        private Status withFailing(int names) {
            return new Status(results, unreadable, names, lastSuccess, behindSince);
        }

        private Status withSuccess(long now) {
            return new Status(results, unreadable, failing, now, null);
        }

        /** Returns how many changes had a result. */
        public long changes(Kind kind) {
            return results.getOrDefault(Objects.requireNonNull(kind, "kind"), 0L);
        }

        /** Returns how many names are not as wanted because a change of them has failed. */
        public int failing() {
            return failing;
        }

        /** Returns how often the zone could not be read. */
        public long unreadable() {
            return unreadable;
        }

        /**
         * Returns the time since the zone last had all wanted records; empty if it never had.
         *
         * @param nanoTime now, by the clock of the sync
         */
        public Optional<Duration> sinceSuccess(long nanoTime) {
            return lastSuccess == null ? Optional.empty() : Optional.of(Duration.ofNanos(nanoTime - lastSuccess));
        }

        /**
         * Returns for how long the zone has differed from the wanted records, or could not be read; zero if it has them.
         *
         * @param nanoTime now, by the clock of the sync
         */
        public Duration lag(long nanoTime) {
            return behindSince == null ? Duration.ZERO : Duration.ofNanos(nanoTime - behindSince);
        }
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder {
        private final ExternalZone zone;
        private final LongSupplier nanoTime;
        private final RandomGenerator random;
        private Duration interval = DEFAULT_INTERVAL;

        private Builder(ExternalZone zone, LongSupplier nanoTime, RandomGenerator random) {
            this.zone = zone;
            this.nanoTime = nanoTime;
            this.random = random;
        }

        /**
         * Sets how often the zone is read, which finds changes that others have made; 60 s unless set.
         *
         * @param value at least 1 s
         * @throws IllegalArgumentException if it is less
         */
        public Builder interval(Duration value) {
            if (Objects.requireNonNull(value, "interval").compareTo(Duration.ofSeconds(1)) < 0) {
                throw new IllegalArgumentException("an interval is at least 1 s, not " + value);
            }
            interval = value;
            return this;
        }

        /** Returns the sync. Nothing is sent before the first pass. */
        public ExternalSync build() {
            return new ExternalSync(this);
        }
    }
}
