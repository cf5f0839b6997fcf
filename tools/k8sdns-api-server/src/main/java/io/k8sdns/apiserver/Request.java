package io.k8sdns.apiserver;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A request to read objects, or to write one.
 *
 * @param method its method, for example {@code GET}
 * @param path its path, decoded
 * @param parameters its parameters, decoded, in their order
 * @param headers its headers, their names in lower case
 * @param body its body; the empty text if it has none
 */
public record Request(
        String method, String path, Map<String, String> parameters, Map<String, String> headers, String body) {
    /** The segments of {@code namespaces/shop/services/cart}. */
    private static final int NAMESPACED = 4;

    /** The segments of {@code nodes/n1}. */
    private static final int CLUSTER_WIDE = 2;

    /** Reads the target of a request. */
    static Request of(String method, String target, Map<String, String> headers, String body) {
        int mark = target.indexOf('?');
        Map<String, String> parameters = new LinkedHashMap<>();
        if (mark >= 0) {
            for (String one : target.substring(mark + 1).split("&", -1)) {
                int equals = one.indexOf('=');
                parameters.put(
                        decoded(equals < 0 ? one : one.substring(0, equals)),
                        equals < 0 ? "" : decoded(one.substring(equals + 1)));
            }
        }
        return new Request(method, decoded(mark < 0 ? target : target.substring(0, mark)), parameters, headers, body);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** Returns the resource, for example {@code services}: the last segment of the path, or the one before the name of an object. */
    public String resource() {
        List<String> segments = segments();
        return segments.get(segments.size() - (name().isEmpty() ? 1 : 2));
    }

    /** Returns the name of the object in the path; the empty text if the path has many objects. */
    public String name() {
        List<String> segments = segments();
        boolean isOfNamespace = segments.size() > 2 && segments.get(0).equals("namespaces");
        int length = isOfNamespace ? NAMESPACED : CLUSTER_WIDE;
        return segments.size() == length ? segments.get(length - 1) : "";
    }

    /** Returns the segments of the path after the version of the API; all segments of other paths. */
    private List<String> segments() {
        List<String> all = List.of(path.substring(1).split("/", -1));
        int core = all.indexOf("api");
        int groups = all.indexOf("apis");
        int from = core >= 0 ? core + 2 : groups >= 0 ? groups + 3 : 0;
        return from < all.size() ? all.subList(from, all.size()) : all.subList(all.size() - 1, all.size());
    }

    /** Returns whether the request creates, replaces or deletes an object. */
    public boolean isWrite() {
        return !method.equals("GET");
    }

    /** Returns whether the request is a watch. */
    public boolean isWatch() {
        String watch = parameters.getOrDefault("watch", "");
        return watch.equals("true") || watch.equals("1");
    }

    /** Returns the namespace of the path, followed by a slash; the empty text for all namespaces. */
    String prefix() {
        List<String> segments = segments();
        return segments.size() > 2 && segments.get(0).equals("namespaces") ? segments.get(1) + "/" : "";
    }

    /** Returns path and parameters, decoded. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(path).append('?');
        parameters.forEach((name, value) -> text.append(text.charAt(text.length() - 1) == '?' ? "" : "&")
                .append(name)
                .append('=')
                .append(value));
        return text.toString();
    }
}
