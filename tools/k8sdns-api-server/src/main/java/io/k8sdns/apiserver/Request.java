package io.k8sdns.apiserver;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A request for objects.
 *
 * @param path its path, decoded
 * @param parameters its parameters, decoded, in their order
 * @param headers its headers, their names in lower case
 */
public record Request(String path, Map<String, String> parameters, Map<String, String> headers) {
    /** Reads the target of a request. */
    static Request of(String target, Map<String, String> headers) {
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
        return new Request(decoded(mark < 0 ? target : target.substring(0, mark)), parameters, headers);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** Returns the last segment of the path, for example {@code services}. */
    public String resource() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Returns whether changes are asked for. */
    public boolean isWatch() {
        String watch = parameters.getOrDefault("watch", "");
        return watch.equals("true") || watch.equals("1");
    }

    /** Returns the namespace that the path is about, with a slash behind it; the empty text for all of them. */
    String prefix() {
        int at = path.indexOf("/namespaces/");
        int from = at + "/namespaces/".length();
        return at < 0 ? "" : path.substring(from, path.indexOf('/', from) + 1);
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
