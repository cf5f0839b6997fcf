package io.k8sdns.search;

/** Chooses the server for the first query of a name: the first one, or the next one if servers take turns. */
final class ServerTurns {
    private final ResolverSettings settings;
    private int taken;

    ServerTurns(ResolverSettings settings) {
        this.settings = settings;
    }

    /** Returns the index of the server and advances to the next turn. */
    int next() {
        return settings.takesTurns() ? taken++ % settings.nameservers().size() : 0;
    }
}
