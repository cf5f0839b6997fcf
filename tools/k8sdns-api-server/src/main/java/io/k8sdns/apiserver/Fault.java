package io.k8sdns.apiserver;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Changes the responses of an {@link ApiServer}, as a faulty server or network would. */
@FunctionalInterface
public interface Fault {
    /** No fault. */
    Fault NONE = (request, right) -> right;

    /**
     * Returns the response that is sent.
     *
     * @param right the correct response, whose body is not sent yet
     */
    ApiReply instead(Request request, ApiReply right);

    /** Returns this fault for lists only. */
    default Fault ofLists() {
        return (request, right) -> request.isWatch() ? right : instead(request, right);
    }

    /** Returns this fault for writes with one method only. */
    default Fault ofWrites(String method) {
        return (request, right) -> request.method().equals(method) ? instead(request, right) : right;
    }

    /** Returns this fault for watches only. */
    default Fault ofWatches() {
        return (request, right) -> request.isWatch() ? instead(request, right) : right;
    }

    /** Sends another response. */
    static Fault reply(ApiReply reply) {
        return (request, right) -> reply;
    }

    /** Closes the connection after this many bytes of the body. */
    static Fault cutAfter(int bytes) {
        return (request, right) -> right.with(out -> {
            Counted counted = new Counted(out, bytes);
            right.body().writeTo(counted);
            // The body may have been shorter.
            counted.cut();
        });
    }

    /** Ends the body properly after this many bytes. */
    static Fault endAfter(int bytes) {
        return (request, right) -> right.with(out -> {
            Counted counted = new Counted(out, bytes);
            try {
                right.body().writeTo(counted);
            } catch (EOFException enough) {
                out.flush();
            }
        });
    }

    /** Sends nothing, not even a status, and keeps the connection open. */
    static Fault silence() {
        return (request, right) -> new ApiReply(0, right.headers(), right.body());
    }

    /** Sends status and headers, and nothing after them. */
    static Fault silenceAfterTheHead() {
        return (request, right) -> right.with(out -> {
            out.flush();
            new CountDownLatch(1).await();
        });
    }

    /** Sends the body when a gate is opened. */
    static Fault delayUntil(CountDownLatch gate) {
        return (request, right) -> right.with(out -> {
            gate.await();
            right.body().writeTo(out);
        });
    }

    /** Sends each piece twice. */
    static Fault twice() {
        return (request, right) -> right.with(out -> right.body().writeTo(new Altered(out) {
            @Override
            public void write(byte[] bytes) throws IOException {
                super.write(bytes);
                super.write(bytes);
            }
        }));
    }

    /** Sends the second piece before the first, the fourth before the third. */
    static Fault swapped() {
        return (request, right) -> right.with(out -> right.body().writeTo(new Altered(out) {
            private final List<byte[]> held = new ArrayList<>();

            @Override
            public void write(byte[] bytes) throws IOException {
                if (held.isEmpty()) {
                    held.add(bytes);
                } else {
                    super.write(bytes);
                    super.write(held.remove(0));
                }
            }
        }));
    }

    /** Forwards pieces. */
    abstract class Altered implements ApiReply.Pieces {
        private final ApiReply.Pieces out;

        Altered(ApiReply.Pieces out) {
            this.out = out;
        }

        @Override
        public void write(byte[] bytes) throws IOException {
            out.write(bytes);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }
    }

    /** Forwards a limited number of bytes. */
    final class Counted extends Altered {
        private int left;

        private Counted(ApiReply.Pieces out, int bytes) {
            super(out);
            this.left = bytes;
        }

        @Override
        public void write(byte[] bytes) throws IOException {
            if (bytes.length <= left) {
                left -= bytes.length;
                super.write(bytes);
            } else {
                super.write(Arrays.copyOf(bytes, left));
                cut();
            }
        }

        private void cut() throws IOException {
            flush();
            throw new EOFException("cut on demand");
        }
    }
}
