package io.k8sdns.rules;

import java.util.ArrayList;
import java.util.List;

/**
 * Octets of which some ranges are replaced. The others are copied once, into an array that has the right length at once: of
 * a name of thousands of records a change writes little, and the copy is what it costs.
 */
final class Splice {
    static final byte[] NOTHING = new byte[0];

    /** What is to be where a range was. */
    private static final class Piece {
        private final int from;
        private final int to;
        private final byte[] octets;

        Piece(int from, int to, byte[] octets) {
            this.from = from;
            this.to = to;
            this.octets = octets;
        }
    }

    private final byte[] octets;

    /** In the order of their places. */
    private final List<Piece> pieces = new ArrayList<>();

    private int length;

    Splice(byte[] octets) {
        this.octets = octets;
        this.length = octets.length;
    }

    /** Returns a mark before whatever is replaced from now on. */
    int mark() {
        return pieces.size();
    }

    /** Replaces a range behind all others so far. */
    void replace(int from, int to, byte[] by) {
        replace(mark(), from, to, by);
    }

    /** Replaces a range that is behind what was replaced before a mark, and before what was replaced after it. */
    void replace(int mark, int from, int to, byte[] by) {
        if (from < to || by.length > 0) {
            pieces.add(mark, new Piece(from, to, by));
            length += by.length - (to - from);
        }
    }

    /** Returns the octets with other ones in place of what was replaced. */
    byte[] spliced() {
        byte[] all = new byte[length];
        int done = 0;
        int at = 0;
        for (Piece piece : pieces) {
            System.arraycopy(octets, done, all, at, piece.from - done);
            at += piece.from - done;
            System.arraycopy(piece.octets, 0, all, at, piece.octets.length);
            at += piece.octets.length;
            done = piece.to;
        }
        System.arraycopy(octets, done, all, at, octets.length - done);
        return all;
    }
}
