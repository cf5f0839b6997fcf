package io.k8sdns.etcd;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A request with one response.
 *
 * @param <R> the response
 */
sealed interface EtcdRequest<R> {
    /** Returns the path of the URL. */
    String path();

    /** Writes the body of the request. */
    void write(JsonGenerator json) throws IOException;

    /**
     * Parses the response.
     *
     * @throws IOException if it is malformed
     */
    R read(JsonParser json) throws IOException;

    /** Returns whether the request may be sent again if it is unknown whether it was executed. */
    default boolean isRepeatable() {
        return true;
    }

    /**
     * Reads keys with a linearizable read, which needs a majority of the members, so that a member that is cut off does not answer.
     *
     * @param first the first key
     * @param end the key after the last one; empty to read only {@code first}
     * @param revision the revision of the store to read; 0 for the latest
     * @param newerThan keys that have not changed after this revision are omitted from the response, but counted
     * @param part the part of the range to read
     */
    record Range(String first, String end, long revision, long newerThan, Part part)
            implements EtcdRequest<RangeResponse> {
        /** The maximum number of keys of a page. */
        static final int PAGE = 1_000;

        /** The part of a range in a response. */
        enum Part {
            PAGE_OF_PAIRS,
            ONE_KEY,
            COUNT
        }

        static Range one(String key) {
            return new Range(key, "", 0, 0, Part.PAGE_OF_PAIRS);
        }

        static Range page(String first, KeyRange range, long revision) {
            return new Range(first, range.end(), revision, 0, Part.PAGE_OF_PAIRS);
        }

        /** Returns a request for one key that has changed after a revision, and for the number of all keys. */
        static Range newerThan(KeyRange range, long revision) {
            return new Range(range.first(), range.end(), 0, revision, Part.ONE_KEY);
        }

        static Range count(KeyRange range) {
            return new Range(range.first(), range.end(), 0, 0, Part.COUNT);
        }

        @Override
        public String path() {
            return "/v3/kv/range";
        }

        @Override
        public void write(JsonGenerator json) throws IOException {
            json.writeStartObject();
            json.writeBinaryField("key", KeyRange.encode(first));
            if (!end.isEmpty()) {
                json.writeBinaryField("range_end", KeyRange.encode(end));
            }
            if (revision > 0) {
                json.writeStringField("revision", Long.toString(revision));
            }
            if (newerThan > 0) {
                json.writeStringField("min_mod_revision", Long.toString(newerThan + 1));
            }
            switch (part) {
                case PAGE_OF_PAIRS -> json.writeStringField("limit", Integer.toString(PAGE));
                case ONE_KEY -> {
                    json.writeStringField("limit", "1");
                    json.writeBooleanField("keys_only", true);
                }
                case COUNT -> json.writeBooleanField("count_only", true);
            }
            json.writeEndObject();
        }

        @Override
        public RangeResponse read(JsonParser json) throws IOException {
            var parts = new Object() {
                EtcdHeader header = EtcdHeader.NONE;
                boolean more;
                long count;
                final List<EtcdKeyValue> pairs = new ArrayList<>();
            };
            JsonFields.object(json, (name, at) -> {
                switch (name) {
                    case "header" -> parts.header = EtcdHeader.read(at);
                    case "kvs" -> JsonFields.array(at, (none, one) -> parts.pairs.add(EtcdKeyValue.read(one)));
                    case "more" -> parts.more = JsonFields.flag(at);
                    case "count" -> parts.count = JsonFields.number(at);
                    default -> {
                        // Skipped.
                    }
                }
            });
            if (parts.header.revision() == 0) {
                throw new IOException("a response without a revision");
            }
            return new RangeResponse(parts.header, List.copyOf(parts.pairs), parts.more, parts.count);
        }
    }

    /**
     * The response to a {@link Range}.
     *
     * @param pairs the keys of the page, sorted
     * @param more whether there are further pages
     * @param count the number of all keys of the range
     */
    record RangeResponse(EtcdHeader header, List<EtcdKeyValue> pairs, boolean more, long count) {}

    /**
     * Writes or removes a key if its last change was at a revision. The response is whether the key was changed.
     *
     * @param modRevision 0 if the key must not exist
     * @param change the write or the removal
     */
    record Swap(String key, long modRevision, Change change) implements EtcdRequest<Boolean> {
        sealed interface Change {}

        record Put(String value) implements Change {}

        record Delete() implements Change {}

        @Override
        public String path() {
            return "/v3/kv/txn";
        }

        @Override
        public boolean isRepeatable() {
            return false;
        }

        @Override
        public void write(JsonGenerator json) throws IOException {
            byte[] bytes = KeyRange.encode(key);
            json.writeStartObject();
            json.writeArrayFieldStart("compare");
            json.writeStartObject();
            json.writeStringField("target", "MOD");
            json.writeStringField("result", "EQUAL");
            json.writeBinaryField("key", bytes);
            json.writeStringField("mod_revision", Long.toString(modRevision));
            json.writeEndObject();
            json.writeEndArray();
            json.writeArrayFieldStart("success");
            json.writeStartObject();
            if (change instanceof Put put) {
                json.writeObjectFieldStart("request_put");
                json.writeBinaryField("key", bytes);
                json.writeBinaryField("value", KeyRange.utf8(put.value()));
            } else {
                json.writeObjectFieldStart("request_delete_range");
                json.writeBinaryField("key", bytes);
            }
            json.writeEndObject();
            json.writeEndObject();
            json.writeEndArray();
            json.writeEndObject();
        }

        @Override
        public Boolean read(JsonParser json) throws IOException {
            var parts = new Object() {
                EtcdHeader header = EtcdHeader.NONE;
                boolean succeeded;
            };
            JsonFields.object(json, (name, at) -> {
                switch (name) {
                    case "header" -> parts.header = EtcdHeader.read(at);
                    case "succeeded" -> parts.succeeded = JsonFields.flag(at);
                    default -> {
                        // Skipped.
                    }
                }
            });
            // Any JSON object of another service has no revision, and must not be taken for a failed comparison.
            if (parts.header.revision() == 0) {
                throw new IOException("a response without a revision");
            }
            return parts.succeeded;
        }
    }

    /** Requests a token. {@link #toString} omits the password. */
    record Authenticate(String user, String password) implements EtcdRequest<String> {
        @Override
        public String path() {
            return "/v3/auth/authenticate";
        }

        @Override
        public void write(JsonGenerator json) throws IOException {
            json.writeStartObject();
            json.writeStringField("name", user);
            json.writeStringField("password", password);
            json.writeEndObject();
        }

        @Override
        public String read(JsonParser json) throws IOException {
            var parts = new Object() {
                String token = "";
            };
            JsonFields.object(json, (name, at) -> {
                if (name.equals("token")) {
                    parts.token = JsonFields.text(at);
                }
            });
            // The token is sent in a header.
            if (!parts.token.matches("[!-~]+")) {
                throw new IOException("no token, or one that is not valid in a header");
            }
            return parts.token;
        }

        @Override
        public String toString() {
            return "Authenticate[user=" + user + "]";
        }
    }
}
