package io.k8sdns.emulators;

import io.k8sdns.search.Dialect;
import java.util.Map;
import java.util.Optional;

/** The emulator of each dialect. */
final class Emulators {
    private static final Map<Dialect, Emulator> BY_DIALECT = Map.ofEntries(
            Map.entry(Dialect.GLIBC, new Glibc()),
            Map.entry(Dialect.MUSL_1_2_3, new Musl(false)),
            Map.entry(Dialect.MUSL_1_2_5, new Musl(true)),
            Map.entry(Dialect.GO, new Go()),
            Map.entry(Dialect.C_ARES_1_18, new CAres()),
            Map.entry(Dialect.NETTY, new Netty()),
            Map.entry(Dialect.DNSJAVA_LOOKUP, new Dnsjava(false)),
            Map.entry(Dialect.DNSJAVA_SESSION, new Dnsjava(true)),
            Map.entry(Dialect.JDK_GLIBC, new Glibc()),
            Map.entry(Dialect.JDK_MUSL, new Musl(true)),
            Map.entry(Dialect.SYSTEMD_RESOLVED, new SingleLabelSearch(true)),
            Map.entry(Dialect.WINDOWS, new SingleLabelSearch(false)));

    private Emulators() {}

    static Emulator of(Dialect dialect) {
        return Optional.ofNullable(BY_DIALECT.get(dialect))
                .orElseThrow(() -> new IllegalStateException("no emulator for " + dialect));
    }
}
