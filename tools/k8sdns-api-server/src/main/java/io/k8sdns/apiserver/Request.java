package io.k8sdns.apiserver;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A request for objects, or to write one.
 *
 * @param method its method, for example {@code GET}
 * @param path its path, decoded
 * @param parameters its parameters, decoded, in their order
 * @param headers its headers, their names in lower case
 * @param body its body; the empty text if it has none
 */
public record Request(
        String method, String path, Map<String, String> parameters, Map<String, String> headers, String body) {
    /** {@code namespaces/shop/services/cart} and {@code nodes/n1}. */
    private static final int NAMESPACED = 4;

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

    /** Returns the name of the one object that the path is about; the empty text if it is about many. */
    public String name() {
        List<String> segments = segments();
        boolean isOfNamespace = segments.size() > 2 && segments.get(0).equals("namespaces");
        int length = isOfNamespace ? NAMESPACED : CLUSTER_WIDE;
        return segments.size() == length ? segments.get(length - 1) : "";
    }

    /** Returns the segments of the path behind the version of the API; all of them if it is another path. */
    private List<String> segments() {
        List<String> all = List.of(path.substring(1).split("/", -1));
        int core = all.indexOf("api");
        int groups = all.indexOf("apis");
        int from = core >= 0 ? core + 2 : groups >= 0 ? groups + 3 : 0;
        return from < all.size() ? all.subList(from, all.size()) : all.subList(all.size() - 1, all.size());
    }

    /** Returns whether an object is to be created, replaced or deleted. */
    public boolean isWrite() {
        return !method.equals("GET");
    }

    /** Returns whether changes are asked for. */
    public boolean isWatch() {
        String watch = parameters.getOrDefault("watch", "");
        return watch.equals("true") || watch.equals("1");
    }

    /** Returns the namespace that the path is about, with a slash behind it; the empty text for all of them. */
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
