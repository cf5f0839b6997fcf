package io.k8sdns.etcd;

import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A message of a watch. */
sealed interface WatchMessage {
    /** The watch is open. */
    record Created(EtcdHeader header) implements WatchMessage {}

    /**
     * Keys have changed.
     *
     * @param events in the order of revisions; empty for a progress notification
     */
    record Changed(List<Event> events) implements WatchMessage {}

    /** The server has ended the watch. */
    record Canceled(EtcdFailure failure) implements WatchMessage {}

    /**
     * One change.
     *
     * @param pair the key, its new value, and the revision of the change
     * @param deletion whether the key was removed
     */
    record Event(EtcdKeyValue pair, boolean deletion) {}

    /**
     * Parses a line of the gateway's stream.
     *
     * @throws IOException if it is malformed
     */
    static WatchMessage read(JsonParser json) throws IOException {
        var parts = new Object() {
            WatchMessage message = new Changed(List.of());
        };
        JsonFields.object(json, (name, at) -> {
            switch (name) {
                case "result" -> parts.message = result(at);
                case "error" -> parts.message = new Canceled(EtcdErrors.failure(EtcdErrors.error(at)));
                default -> {
                    // Skipped.
                }
            }
        });
        return parts.message;
    }

    private static WatchMessage result(JsonParser json) throws IOException {
        var parts = new Object() {
            EtcdHeader header = EtcdHeader.NONE;
            boolean created;
            boolean canceled;
            long compacted;
            String reason = "";
            final List<Event> events = new ArrayList<>();
        };
        JsonFields.object(json, (name, at) -> {
            switch (name) {
                case "header" -> parts.header = EtcdHeader.read(at);
                case "created" -> parts.created = JsonFields.flag(at);
                case "canceled" -> parts.canceled = JsonFields.flag(at);
                case "compact_revision" -> parts.compacted = JsonFields.number(at);
                case "cancel_reason" -> parts.reason = JsonFields.text(at);
                case "events" -> JsonFields.array(at, (none, one) -> parts.events.add(event(one)));
                default -> {
                    // Skipped.
                }
            }
        });
        if (parts.canceled) {
            return new Canceled(
                    parts.compacted > 0
                            ? EtcdFailure.of(EtcdFailure.Cause.COMPACTED, "compacted up to revision " + parts.compacted)
                            : EtcdErrors.canceled(parts.reason));
        }
        return parts.created ? new Created(parts.header) : new Changed(List.copyOf(parts.events));
    }

    private static Event event(JsonParser json) throws IOException {
        var parts = new Object() {
            EtcdKeyValue pair = new EtcdKeyValue("", "", 0);
            boolean deletion;
        };
        JsonFields.object(json, (name, at) -> {
            switch (name) {
                case "type" -> parts.deletion = JsonFields.text(at).equals("DELETE");
                case "kv" -> parts.pair = EtcdKeyValue.read(at);
                default -> {
                    // Skipped.
                }
            }
        });
        if (parts.pair.modRevision() == 0) {
            throw new IOException("an event without kv");
        }
        return new Event(parts.pair, parts.deletion);
    }
}
