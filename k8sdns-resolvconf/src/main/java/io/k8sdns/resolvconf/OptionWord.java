package io.k8sdns.resolvconf;

import io.k8sdns.model.DnsConfig;

/** An option as written in a file, {@code ndots:5} or {@code edns0}, cut at its first colon. */
final class OptionWord {
    private OptionWord() {}

    static String name(String word) {
        int colon = word.indexOf(':');
        return colon < 0 ? word : word.substring(0, colon);
    }

    static DnsConfig.Option parse(String word) {
        String name = name(word);
        return name.length() == word.length()
                ? DnsConfig.Option.of(name)
                : DnsConfig.Option.of(name, word.substring(name.length() + 1));
    }
}
