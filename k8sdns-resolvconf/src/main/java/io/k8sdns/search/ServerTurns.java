package io.k8sdns.search;

/** With which server the queries for a name begin: with the first one, or, where servers take turns, with the next one. */
final class ServerTurns {
    private final ResolverSettings settings;
    private int taken;

    ServerTurns(ResolverSettings settings) {
        this.settings = settings;
    }

    /** Takes a turn, and returns the index of the server. */
    int next() {
        return settings.takesTurns() ? taken++ % settings.nameservers().size() : 0;
    }
}
