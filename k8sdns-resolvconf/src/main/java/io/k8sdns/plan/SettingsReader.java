package io.k8sdns.plan;

import io.k8sdns.emulators.Emulator;
import io.k8sdns.hosts.NameText;
import io.k8sdns.resolvconf.ResolvConf;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.ResolverSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Reads a resolv.conf as the resolver of a dialect does. */
public final class SettingsReader {
    private SettingsReader() {}

    /**
     * Reads a file as a resolver does. Resolvers accept any text.
     *
     * @param dialect the dialect
     * @param resolvConf the text of the file
     * @param environment the environment of the program; some dialects read LOCALDOMAIN and RES_OPTIONS
     * @throws IllegalArgumentException if the resolver would try more than {@link ResolverSettings#MAX_SEARCHES}
     *     domains; the message names the line
     */
    public static ResolverSettings read(Dialect dialect, String resolvConf, Map<String, String> environment) {
        Objects.requireNonNull(dialect, "dialect");
        Objects.requireNonNull(resolvConf, "resolvConf");
        Objects.requireNonNull(environment, "environment");
        Map<String, String> utf8 = new HashMap<>();
        environment.forEach((name, value) -> utf8.put(name, NameText.utf8(value)));
        return Emulator.of(dialect).read(dialect, NameText.utf8(resolvConf), utf8);
    }

    /** Reads a file as a resolver does, without environment variables. */
    public static ResolverSettings read(Dialect dialect, ResolvConf resolvConf) {
        return read(dialect, Objects.requireNonNull(resolvConf, "resolvConf").render(), Map.of());
    }
}
