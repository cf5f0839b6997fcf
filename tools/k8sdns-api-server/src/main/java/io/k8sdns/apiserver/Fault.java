package io.k8sdns.apiserver;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** What becomes of an answer. */
@FunctionalInterface
public interface Fault {
    /** Nothing goes wrong. */
    Fault NONE = (request, right) -> right;

    /**
     * Returns what is answered.
     *
     * @param right the answer as it should be; its body has not begun
     */
    ApiReply instead(Request request, ApiReply right);

    /** Returns the same for lists alone. */
    default Fault ofLists() {
        return (request, right) -> request.isWatch() ? right : instead(request, right);
    }

    /** Returns the same for writes with this method alone. */
    default Fault ofWrites(String method) {
        return (request, right) -> request.method().equals(method) ? instead(request, right) : right;
    }

    /** Returns the same for watches alone. */
    default Fault ofWatches() {
        return (request, right) -> request.isWatch() ? instead(request, right) : right;
    }

    /** Answers something else. */
    static Fault reply(ApiReply reply) {
        return (request, right) -> reply;
    }

    /** Cuts the connection when so many octets of the body have been sent. */
    static Fault cutAfter(int octets) {
        return (request, right) -> right.with(out -> {
            Counted counted = new Counted(out, octets);
            right.body().writeTo(counted);
            // Where there was not so much.
            counted.cut();
        });
    }

    /** Ends the body, in good order, when so many octets have been sent. */
    static Fault endAfter(int octets) {
        return (request, right) -> right.with(out -> {
            Counted counted = new Counted(out, octets);
            try {
                right.body().writeTo(counted);
            } catch (EOFException enough) {
                out.flush();
            }
        });
    }

    /** Says nothing, not even a status, and keeps the connection open. */
    static Fault silence() {
        return (request, right) -> new ApiReply(0, right.headers(), right.body());
    }

    /** Says that all is well, and nothing after that. */
    static Fault silenceAfterTheHead() {
        return (request, right) -> right.with(out -> {
            out.flush();
            new CountDownLatch(1).await();
        });
    }

    /** Answers when the gate is opened. */
    static Fault delayUntil(CountDownLatch gate) {
        return (request, right) -> right.with(out -> {
            gate.await();
            right.body().writeTo(out);
        });
    }

    /** Says everything twice. */
    static Fault twice() {
        return (request, right) -> right.with(out -> right.body().writeTo(new Altered(out) {
            @Override
            public void write(byte[] octets) throws IOException {
                super.write(octets);
                super.write(octets);
            }
        }));
    }

    /** Says the second before the first, the fourth before the third. */
    static Fault swapped() {
        return (request, right) -> right.with(out -> right.body().writeTo(new Altered(out) {
            private final List<byte[]> held = new ArrayList<>();

            @Override
            public void write(byte[] octets) throws IOException {
                if (held.isEmpty()) {
                    held.add(octets);
                } else {
                    super.write(octets);
                    super.write(held.remove(0));
                }
            }
        }));
    }

    /** Hands pieces on. */
    abstract class Altered implements ApiReply.Pieces {
        private final ApiReply.Pieces out;

        Altered(ApiReply.Pieces out) {
            this.out = out;
        }

        @Override
        public void write(byte[] octets) throws IOException {
            out.write(octets);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }
    }

    /** Hands on so many octets. */
    final class Counted extends Altered {
        private int left;

        private Counted(ApiReply.Pieces out, int octets) {
            super(out);
            this.left = octets;
        }

        @Override
        public void write(byte[] octets) throws IOException {
            if (octets.length <= left) {
                left -= octets.length;
                super.write(octets);
            } else {
                super.write(Arrays.copyOf(octets, left));
                cut();
            }
        }

        private void cut() throws IOException {
            flush();
            throw new EOFException("cut on demand");
        }
    }
}
