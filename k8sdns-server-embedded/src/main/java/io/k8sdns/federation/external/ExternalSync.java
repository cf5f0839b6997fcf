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
 * Updates an external zone to the wanted records, and retries failed changes.
 *
 * <p>A pass reads the zone if the last read is older than {@link Builder#interval} or a change has failed since; compares; and
 * applies the differences in batches. Between two reads the sync assumes that only its own changes were made. This is safe, because
 * each change is conditional on the old owner record. Without differences nothing is sent.
 *
 * <pre>
 *     read? ---> differences ---> batches of 100 ---> result of each name
 *       ^                                                applied     done
 *       |                                                otherwise   wait, read, retry
 *       +-------------- at the latest after the interval ----+
 * </pre>
 *
 * <p>Each name fails and is retried independently. The wait after a transient failure is 1 s, doubled for each further failure up
 * to 60 s, and shortened by a random part of up to one half. A conflict is retried once after 1 s, because the zone may have
 * changed since it was read; further conflicts and permanent failures are retried every 5 minutes. A name is tried immediately if
 * its wanted records change. If the zone cannot be read, the whole pass is retried with the same waits.
 *
 * <p>Names of other owners are never changed. {@link #pass} must be called by one thread at a time; {@link #status} is thread-safe.
 */
public final class ExternalSync {
    /** The default time between two reads of the zone. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(60);

    static final Duration FIRST_WAIT = Duration.ofSeconds(1);
    static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
    static final Duration SLOW_WAIT = Duration.ofMinutes(5);

    /** The number of doublings after which the longest wait is reached. */
    private static final int MAX_DOUBLINGS = 6;

    private final ExternalZone zone;
    private final LongSupplier nanoTime;
    private final RandomGenerator random;
    private final Duration interval;

    /** The content of the zone as last read and changed by this sync. */
    private final Map<DnsLabels, OwnedRecords> known = new HashMap<>();

    private boolean isComplete;
    private boolean mustRead = true;
    private long readAt;

    /** The names that have failed and still differ. */
    private final SortedMap<DnsLabels, Attempt> attempts = new TreeMap<>();

    private int zoneFailuresInARow;
    private String zoneFailure = "";
    private long zoneNotBefore;

    private volatile Status status;

    /**
     * The last failed attempt to change a name.
     *
     * @param change the change that failed
     * @param result the result with the reason
     * @param failures the number of failures in a row
     * @param notBefore the time of the next attempt, in nanoseconds
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
     * Returns a builder with the default interval.
     *
     * @param zone the zone; the caller closes it
     * @param nanoTime the clock, in nanoseconds since an arbitrary time, for example {@code System::nanoTime}
     * @param random shortens the waits; used only by the thread that calls {@link #pass}
     */
    public static Builder builder(ExternalZone zone, LongSupplier nanoTime, RandomGenerator random) {
        return new Builder(
                Objects.requireNonNull(zone, "zone"),
                Objects.requireNonNull(nanoTime, "nanoTime"),
                Objects.requireNonNull(random, "random"));
    }

    /**
     * Applies all changes that are due. Blocks during the calls of the zone.
     *
     * @param wanted all wanted names of one owner. All other names of the owner are removed, so do not call this before the list is
     *     complete
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
            boolean isUnavailable =
                    changed.size() == changedBefore && batch.stream().allMatch(change -> isTransient(change.name()));
            if (isUnavailable) {
                // The server does not answer: further batches would only wait for their timeouts.
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

    /** Returns the changes from the known to the wanted records, sorted by name. */
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

    /** The result of a pass. Immutable. */
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

        /** Returns whether the zone has all wanted records and, as far as it can be listed, no other records of the owner. */
        public boolean isDone() {
            return failures.isEmpty() && zoneFailure.isEmpty();
        }

        /** Returns the names that were changed in this pass. */
        public List<DnsLabels> changed() {
            return changed;
        }

        /** Returns all names whose change has failed, with the last results, including names that this pass did not retry. */
        public SortedMap<DnsLabels, ChangeResult> failures() {
            return failures;
        }

        /** Returns the names whose change failed in this pass for the first time or for another reason than before. */
        public List<DnsLabels> newFailures() {
            return newFailures;
        }

        /** Returns the reason if the zone cannot be read, otherwise empty. */
        public Optional<String> zoneFailure() {
            return zoneFailure;
        }

        /**
         * Returns whether the zone cannot be read, and this is new: the previous pass could read it, or failed for another reason.
         */
        public boolean isNewZoneFailure() {
            return isNewZoneFailure;
        }

        /** Returns whether all names of the zone were listed; otherwise names that are no longer wanted may remain. */
        public boolean isComplete() {
            return isComplete;
        }

        /** Returns the names without records and the reasons: {@link WantedRecords#problems}. */
        public List<String> problems() {
            return problems;
        }

        /** Returns the time until the next pass is due, unless the wanted records change earlier. */
        public Duration untilNext() {
            return next;
        }

        /** Returns the report in one line, for logs. */
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

        /** Returns the number of changes with a kind of result. */
        public long changes(Kind kind) {
            return results.getOrDefault(Objects.requireNonNull(kind, "kind"), 0L);
        }

        /** Returns the number of names whose last change has failed. */
        public int failing() {
            return failing;
        }

        /** Returns the number of failed reads of the zone. */
        public long unreadable() {
            return unreadable;
        }

        /**
         * Returns the time since the zone last had all wanted records; empty if it never had them.
         *
         * @param nanoTime now, by the clock of the sync
         */
        public Optional<Duration> sinceSuccess(long nanoTime) {
            return lastSuccess == null ? Optional.empty() : Optional.of(Duration.ofNanos(nanoTime - lastSuccess));
        }

        /**
         * Returns the time for which the zone has differed from the wanted records or could not be read; zero if it has all wanted
         * records.
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
         * Sets the time between two reads of the zone, which detect changes by others; {@link #DEFAULT_INTERVAL} by default.
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
