package io.k8sdns.emulators;

import io.k8sdns.search.ResolverSettings;

/** Chooses the server for the first query of a name: the first one, or the next one if servers take turns. */
final class ServerTurns {
    private final ResolverSettings settings;
    private int taken;

    ServerTurns(ResolverSettings settings) {
        this.settings = settings;
    }

    /** Returns the index of the server and advances to the next turn. */
    int next() {
        return takesTurns(settings) ? taken++ % settings.nameservers().size() : 0;
    }

    /** Returns whether servers take turns, so that the first server of a lookup is unknown. */
    static boolean takesTurns(ResolverSettings settings) {
        return settings.options().contains(ResolverSettings.Option.ROTATE)
                && settings.nameservers().size() > 1;
    }
}
