package io.k8sdns.etcd;

import io.k8sdns.etcd.EtcdFailure.Cause;
import io.k8sdns.etcd.EtcdRequest.Range;
import io.k8sdns.etcd.EtcdRequest.RangeResponse;
import io.k8sdns.etcd.EtcdRequest.Swap;
import io.k8sdns.federation.FederationStore.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A simulated etcd cluster with faults. Responses may be late, lost, duplicated, malformed, refused or absent, and may arrive after a
 * cancellation. Members are cut off from the client or from each other, restart, compact, lose tokens, and are restored from a backup.
 * The seed determines everything.
 */
final class SimulatedEtcd implements EtcdTransport {
    private static final List<Cause> FAILURES =
            List.of(Cause.UNREACHABLE, Cause.MALFORMED, Cause.UNAVAILABLE, Cause.REFUSED, Cause.DENIED);

    /** The size of a page, small so that lists have several pages. */
    private static final int PAGE = 3;

    /** The key order of etcd: by bytes. */
    private static final Comparator<String> BY_BYTES = Comparator.comparing(KeyRange::encode, Arrays::compareUnsigned);

    private final EtcdVirtualTime time;
    private final Random random;
    private final Member[] members;
    private final boolean authenticates;
    private final Set<String> tokens = new HashSet<>();
    private final TreeMap<String, Entry> content = new TreeMap<>(BY_BYTES);
    private final List<EtcdKeyValueEvent> history = new ArrayList<>();
    private final Map<Long, Map<String, Entry>> states = new HashMap<>();
    private final Map<String, Integer> written = new HashMap<>();
    private long revision = 1;
    private long compacted;
    private int number;
    private int restores;
    private Optional<Backup> backup = Optional.empty();
    private double faults;
    private boolean loses;
    private boolean hasAnsweredFromThePast;
    private long known;

    private record Backup(long revision, TreeMap<String, Entry> content) {}

    private record EtcdKeyValueEvent(long revision, WatchMessage.Event event) {}

    /** The state of a member. */
    private static final class Member {
        private boolean down;
        private boolean unreachable;
        private boolean withoutMajority;
        private final List<OpenWatch> watches = new ArrayList<>();
    }

    SimulatedEtcd(EtcdVirtualTime time, Random random, int members, boolean authenticates) {
        this.time = time;
        this.random = random;
        this.authenticates = authenticates;
        this.members = new Member[members];
        for (int i = 0; i < members; i++) {
            this.members[i] = new Member();
        }
        remember();
    }

    // ---- cluster events ----

    /**
     * Sets the fraction of operations that fail.
     *
     * @param alsoLosses whether single events of a watch may be lost
     */
    void faults(double share, boolean alsoLosses) {
        faults = share;
        loses = alsoLosses;
    }

    /** Applies a random event to a member. */
    void disturb() {
        Member member = members[random.nextInt(members.length)];
        switch (random.nextInt(6)) {
            case 0 -> {
                member.down = true;
                cut(member);
            }
            case 1 -> member.unreachable = true;
            case 2 -> member.withoutMajority = true;
            case 3 -> {
                // A restart loses the tokens, which exist only in memory.
                cut(member);
                tokens.clear();
            }
            case 4 -> tokens.clear();
            default -> heal(member);
        }
    }

    void healAll() {
        for (Member member : members) {
            heal(member);
        }
    }

    private void heal(Member member) {
        boolean wasReachable = !member.unreachable;
        member.down = false;
        member.unreachable = false;
        member.withoutMajority = false;
        // Connections that were cut stay dead; some end without a message.
        if (!wasReachable) {
            member.watches.clear();
        } else {
            List.copyOf(member.watches).forEach(OpenWatch::deliver);
        }
    }

    private void cut(Member member) {
        List.copyOf(member.watches)
                .forEach(watch -> watch.end(EtcdFailure.of(Cause.UNREACHABLE, "the connection ended")));
        member.watches.clear();
    }

    void put(String key, String value) {
        revision++;
        content.put(key, new Entry(value, revision));
        written.merge(value, 1, Integer::sum);
        happened(new WatchMessage.Event(new EtcdKeyValue(key, value, revision), false));
    }

    void delete(String key) {
        if (content.remove(key) != null) {
            revision++;
            happened(new WatchMessage.Event(new EtcdKeyValue(key, "", revision), true));
        }
    }

    private void happened(WatchMessage.Event event) {
        remember();
        history.add(new EtcdKeyValueEvent(revision, event));
        for (Member member : members) {
            List.copyOf(member.watches).forEach(OpenWatch::deliver);
        }
    }

    private void remember() {
        states.put(revision, Map.copyOf(content));
    }

    void compact() {
        compacted = revision - (revision > 3 ? random.nextInt(3) : 0);
    }

    void backUp() {
        backup = Optional.of(new Backup(revision, new TreeMap<>(content)));
    }

    /** Restores the backup; returns false if there is none. */
    boolean restore() {
        if (backup.isEmpty()) {
            return false;
        }
        restores++;
        for (Member member : members) {
            cut(member);
        }
        tokens.clear();
        revision = backup.get().revision();
        content.clear();
        content.putAll(backup.get().content());
        history.clear();
        states.clear();
        compacted = revision;
        remember();
        return true;
    }

    int restores() {
        return restores;
    }

    long revision() {
        return revision;
    }

    Map<String, Entry> content() {
        return content;
    }

    /** Returns whether this is the current content, or was that of an earlier revision. */
    boolean wasContent(Map<String, Entry> entries, KeyRange range, long since) {
        return states.entrySet().stream()
                .filter(state -> state.getKey() >= since)
                .anyMatch(state -> withStoreKeys(state.getValue(), range).equals(entries));
    }

    /** Returns whether a key has this entry, or has had it since the last restore. */
    boolean had(String key, Entry entry) {
        return states.values().stream().anyMatch(state -> entry.equals(state.get(key)));
    }

    private static boolean isBetween(String key, String first, String end) {
        return BY_BYTES.compare(key, first) >= 0 && BY_BYTES.compare(key, end) < 0;
    }

    static Map<String, Entry> withStoreKeys(Map<String, Entry> entries, KeyRange range) {
        Map<String, Entry> own = new HashMap<>();
        entries.forEach((key, entry) -> range.toStoreKey(key).ifPresent(name -> own.put(name, entry)));
        return own;
    }

    /** Returns the number of writes of a value. */
    int timesWritten(String value) {
        return written.getOrDefault(value, 0);
    }

    /** Records that a client has the content of at least this revision, so that it can detect older ones. */
    void isKnown(long atLeast) {
        known = atLeast;
    }

    // ---- requests ----

    private boolean fails() {
        return random.nextDouble() < faults;
    }

    private Duration delay() {
        return Duration.ofMillis(random.nextInt(fails() ? 8_000 : 30));
    }

    /** A request that can be cancelled, and may be answered nevertheless, which callers must ignore. */
    private final class Sent implements Call {
        private boolean cancelled;

        @Override
        public void cancel() {
            cancelled = true;
        }

        boolean isHeard() {
            return !cancelled || fails();
        }
    }

    @Override
    public <R> Call send(int endpoint, String token, EtcdRequest<R> request, ResponseHandler<R> handler) {
        Sent sent = new Sent();
        Member member = members[endpoint];
        time.after(delay(), () -> {
            if (member.down) {
                if (sent.isHeard()) {
                    handler.failed(new EtcdFailure(Cause.UNREACHABLE, true, "no connection"));
                }
                return;
            }
            if (member.unreachable || sent.cancelled && random.nextBoolean()) {
                return;
            }
            if (member.withoutMajority) {
                later(sent, handler, Optional.empty(), EtcdFailure.of(Cause.UNAVAILABLE, "no leader"));
                return;
            }
            if (fails()) {
                Cause cause = FAILURES.get(random.nextInt(FAILURES.size()));
                later(sent, handler, Optional.empty(), EtcdFailure.of(cause, "a fault"));
                return;
            }
            answer(sent, token, request, handler, member);
        });
        return sent;
    }

    private <R> void answer(
            Sent sent, String token, EtcdRequest<R> request, ResponseHandler<R> handler, Member member) {
        Optional<R> response = Optional.empty();
        EtcdFailure failure = EtcdFailure.of(Cause.UNAUTHENTICATED, "invalid auth token");
        if (request instanceof EtcdRequest.Authenticate) {
            if (authenticates) {
                String issued = "token-" + ++number;
                tokens.add(issued);
                response = Optional.of(cast(issued));
            } else {
                failure = EtcdFailure.of(Cause.WITHOUT_AUTHENTICATION, "authentication is not enabled");
            }
        } else if (!authenticates || tokens.contains(token)) {
            if (request instanceof Range range) {
                if (range.revision() > 0 && range.revision() < compacted) {
                    failure = EtcdFailure.of(Cause.COMPACTED, "compacted");
                } else if (range.revision() > revision) {
                    failure = EtcdFailure.of(Cause.OTHER_HISTORY, "a future revision");
                } else {
                    response = Optional.of(cast(range(range)));
                }
            } else if (request instanceof Swap swap) {
                response = Optional.of(cast(swap(swap)));
            }
        }
        // The response to an executed request may be lost.
        if (!member.unreachable) {
            later(sent, handler, response, failure);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <R> R cast(Object response) {
        return (R) response;
    }

    private <R> void later(Sent sent, ResponseHandler<R> handler, Optional<R> response, EtcdFailure failure) {
        for (int times = fails() ? 2 : 1; times > 0; times--) {
            if (fails()) {
                continue;
            }
            time.after(delay(), () -> {
                if (sent.isHeard()) {
                    response.ifPresentOrElse(handler::received, () -> handler.failed(failure));
                }
            });
        }
    }

    private RangeResponse range(Range request) {
        long asked = request.revision();
        // Once per simulation a proxy answers with an old response.
        long oldest = states.keySet().stream().mapToLong(Long::longValue).min().getAsLong();
        boolean isOld = asked == 0 && !hasAnsweredFromThePast && oldest < known && fails();
        if (isOld) {
            hasAnsweredFromThePast = true;
            asked = oldest;
        }
        EtcdHeader header = new EtcdHeader("cluster", isOld ? asked : revision);
        Map<String, Entry> at = asked > 0 ? states.getOrDefault(asked, content) : content;
        TreeMap<String, Entry> found = new TreeMap<>(BY_BYTES);
        at.forEach((key, entry) -> {
            boolean isIn = request.end().isEmpty()
                    ? key.equals(request.first())
                    : isBetween(key, request.first(), request.end());
            if (isIn) {
                found.put(key, entry);
            }
        });
        int limit = switch (request.part()) {
            case PAGE_OF_PAIRS -> PAGE;
            case ONE_KEY -> 1;
            case COUNT -> 0;
        };
        List<EtcdKeyValue> all = new ArrayList<>();
        found.forEach((key, entry) -> {
            if (entry.version() > request.newerThan()) {
                all.add(new EtcdKeyValue(key, entry.value(), entry.version()));
            }
        });
        List<EtcdKeyValue> pairs = List.copyOf(all.subList(0, Math.min(limit, all.size())));
        return new RangeResponse(header, pairs, limit > 0 && all.size() > limit, found.size());
    }

    private EtcdHeader header() {
        return new EtcdHeader("cluster", revision);
    }

    private boolean swap(Swap request) {
        Entry now = content.get(request.key());
        if ((now == null ? 0 : now.version()) != request.modRevision()) {
            return false;
        }
        if (request.change() instanceof Swap.Put put) {
            put(request.key(), put.value());
        } else {
            delete(request.key());
        }
        return true;
    }

    // ---- watches ----

    @Override
    public Call watch(int endpoint, String token, WatchRequest request, WatchReader reader) {
        OpenWatch watch = new OpenWatch(members[endpoint], request, reader);
        time.after(delay(), () -> watch.open(token));
        return watch;
    }

    private final class OpenWatch implements Call {
        private final Member member;
        private final KeyRange range;
        private final WatchReader reader;
        private long next;
        private long sentAt;
        private boolean over;
        private boolean isDead;
        private boolean cancelled;

        OpenWatch(Member member, WatchRequest request, WatchReader reader) {
            this.member = member;
            this.range = request.range();
            this.reader = reader;
            this.next = request.revision();
        }

        void open(String token) {
            if (member.unreachable || over) {
                return;
            }
            if (member.down || fails()) {
                end(EtcdFailure.of(Cause.UNREACHABLE, "no connection"));
            } else if (authenticates && !tokens.contains(token)) {
                // The same message as etcd 3.4.
                say(new WatchMessage.Created(header()));
                say(new WatchMessage.Canceled(EtcdFailure.of(Cause.DENIED, "permission denied")));
            } else if (next <= compacted) {
                say(new WatchMessage.Created(header()));
                say(new WatchMessage.Canceled(EtcdFailure.of(Cause.COMPACTED, "compacted")));
            } else {
                // A member may be behind the others.
                say(new WatchMessage.Created(
                        new EtcdHeader("cluster", fails() ? Math.max(1, revision - random.nextInt(5)) : revision)));
                member.watches.add(this);
                deliver();
            }
        }

        /** Sends the events that the watch has not received yet, as far as the member has them. */
        void deliver() {
            if (over || member.unreachable || member.withoutMajority || member.down) {
                return;
            }
            if (random.nextInt(4) == 0 && fails()) {
                end(EtcdFailure.of(Cause.UNREACHABLE, "the connection ended"));
                return;
            }
            List<WatchMessage.Event> events = new ArrayList<>();
            for (EtcdKeyValueEvent one : history) {
                String key = one.event().pair().key();
                boolean isIn = isBetween(key, range.first(), range.end());
                if (one.revision() >= next && isIn && !(loses && fails())) {
                    events.add(one.event());
                }
            }
            next = Math.max(next, revision + 1);
            if (!events.isEmpty()) {
                // Sometimes one message contains repeated events.
                boolean atOnce = fails();
                if (!atOnce) {
                    say(new WatchMessage.Changed(List.copyOf(events)));
                }
                if (atOnce || fails()) {
                    // Sometimes an event is repeated, separately or at the end.
                    List<WatchMessage.Event> again = new ArrayList<>(events);
                    again.addAll(events.subList(0, 1 + random.nextInt(events.size())));
                    say(new WatchMessage.Changed(atOnce || random.nextBoolean() ? again : List.of(events.get(0))));
                }
            }
        }

        /** Delivers the messages of one watch in order. */
        private void say(WatchMessage message) {
            sentAt = Math.max(sentAt, time.nanoTime() + delay().toNanos());
            time.after(Duration.ofNanos(sentAt - time.nanoTime()), () -> {
                // After a lost message no further message arrives on the connection.
                isDead |= member.unreachable;
                if (!isDead && (!cancelled || fails())) {
                    reader.message(message);
                }
            });
        }

        void end(EtcdFailure failure) {
            over = true;
            member.watches.remove(this);
            sentAt = Math.max(sentAt, time.nanoTime() + delay().toNanos());
            time.after(Duration.ofNanos(sentAt - time.nanoTime()), () -> {
                if (!cancelled || fails()) {
                    reader.failed(failure);
                }
            });
        }

        @Override
        public void cancel() {
            cancelled = true;
            over = true;
            member.watches.remove(this);
        }
    }
}
