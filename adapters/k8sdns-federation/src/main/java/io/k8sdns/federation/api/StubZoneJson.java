package io.k8sdns.federation.api;

import io.k8sdns.federation.json.RelaxedJson;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes stub zones as JSON: one as {@code {"nameservers": ["192.0.2.53"]}}, several as an object of these by federation.
 * Other members are ignored. {@link RelaxedJson} accepts more than strict JSON.
 */
final class StubZoneJson {
    private static final String NAME_SERVERS = "nameservers";

    private static final RelaxedJson JSON = new RelaxedJson();

    private StubZoneJson() {}

    /**
     * Reads one stub zone.
     *
     * @param json the bytes of the text, in UTF-8
     * @throws InvalidStubZoneException if the text is not a valid stub zone
     */
    static StubZone read(String federation, byte[] json) {
        StubZone.requireName(federation);
        return StubZone.parse(federation, nameServers(object(json)));
    }

    /**
     * Reads all stub zones.
     *
     * @param json the bytes of the text, in UTF-8
     * @throws InvalidStubZoneException if the text is not an object of valid stub zones
     */
    static Map<String, StubZone> readAll(byte[] json) {
        Map<String, StubZone> all = new TreeMap<>();
        object(json).forEach((federation, value) -> {
            if (!(value instanceof Map<?, ?> members)) {
                throw new InvalidStubZoneException(
                        "the value of federation " + StubZone.quoted(federation) + " is not an object" + quoted(value));
            }
            all.put(federation, StubZone.parse(federation, nameServers(members)));
        });
        return all;
    }

    private static Map<String, @Nullable Object> object(byte[] json) {
        try {
            return JSON.object(json);
        } catch (IllegalArgumentException malformed) {
            throw new InvalidStubZoneException(String.valueOf(malformed.getMessage()));
        }
    }

    private static List<String> nameServers(Map<?, ?> members) {
        if (!members.containsKey(NAME_SERVERS)) {
            throw new InvalidStubZoneException("the member \"" + NAME_SERVERS + "\" is missing");
        }
        Object value = members.get(NAME_SERVERS);
        if (!(value instanceof List<?> items)) {
            throw new InvalidStubZoneException(NAME_SERVERS + " is not a list" + quoted(value));
        }
        List<String> texts = new ArrayList<>();
        for (Object item : items) {
            if (!(item instanceof String text)) {
                throw new InvalidStubZoneException(NAME_SERVERS + " has an entry that is not a text" + quoted(item));
            }
            texts.add(text);
        }
        return texts;
    }

    private static String quoted(@Nullable Object value) {
        return ": " + StubZone.quoted(value instanceof String text ? text : JSON.text(value));
    }

    /** Returns one stub zone as JSON in one line. */
    static String write(StubZone zone) {
        return line(members(zone));
    }

    /** Returns stub zones as JSON in one line, by federation. */
    static String write(Collection<StubZone> zones) {
        Map<String, Object> all = new TreeMap<>();
        zones.forEach(zone -> all.put(zone.federation(), members(zone)));
        return line(all);
    }

    /** Returns the JSON of an error. */
    static String error(String message) {
        return line(Map.of("error", message));
    }

    private static Map<String, Object> members(StubZone zone) {
        return Map.of(NAME_SERVERS, zone.nameServerTexts());
    }

    private static String line(Object value) {
        return JSON.text(value) + "\n";
    }
}
