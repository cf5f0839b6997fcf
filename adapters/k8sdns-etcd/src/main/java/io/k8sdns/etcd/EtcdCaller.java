package io.k8sdns.etcd;

import io.k8sdns.etcd.EtcdFailure.Cause;
import io.k8sdns.etcd.EtcdTransport.Call;
import io.k8sdns.etcd.EtcdTransport.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes a call out of one or several requests: chooses the member, tries the next one when it fails, obtains the token and renews
 * it, and ends after a deadline whatever the servers do. Knows no clock, thread or socket.
 *
 * <p>A request that changes something is sent to another member only if the first one certainly has not received it: sent twice, a
 * compare-and-swap would report the second result, which the first has caused.
 */
final class EtcdCaller {
    private final EtcdTransport transport;
    private final EtcdTimers timers;
    private final List<String> endpoints;
    private final Optional<EtcdRequest.Authenticate> user;
    private final Duration timeout;
    private final List<Consumer<Optional<EtcdFailure>>> waitingForToken = new ArrayList<>();
    private final Set<Call> underWay = new HashSet<>();
    private int preferred;

    /** Absent until it is needed; empty if the server wants none. */
    private Optional<String> token = Optional.empty();

    /**
     * Creates a caller.
     *
     * @param endpoints the names of the members, for messages; at least one
     * @param user empty without authentication
     * @param timeout the longest time of a call, or until a watch is open
     */
    EtcdCaller(
            EtcdTransport transport,
            EtcdTimers timers,
            List<String> endpoints,
            Optional<EtcdRequest.Authenticate> user,
            Duration timeout) {
        this.transport = transport;
        this.timers = timers;
        this.endpoints = endpoints;
        this.user = user;
        this.timeout = timeout;
    }

    /** Returns the member that is asked first. */
    int preferred() {
        return preferred;
    }

    /** Prefers the next member, if this one is still preferred. */
    void avoid(int endpoint) {
        if (preferred == endpoint) {
            preferred = (endpoint + 1) % endpoints.size();
        }
    }

    /** Ends all calls and watches without a reply. */
    void close() {
        List.copyOf(underWay).forEach(Call::cancel);
    }

    /** Calls any member. */
    <R> Call call(EtcdRequest<R> request, Reply<R> reply) {
        Exchange<R> exchange = new Exchange<>(request, reply, Math.max(2, endpoints.size()), preferred);
        exchange.start();
        return exchange;
    }

    /** Calls one member. */
    <R> Call callAt(int endpoint, EtcdRequest<R> request, Reply<R> reply) {
        Exchange<R> exchange = new Exchange<>(request, reply, 1, endpoint);
        exchange.start();
        return exchange;
    }

    /** Opens a watch of one member; it fails if it is not open in time. */
    Call watch(int endpoint, WatchRequest request, EtcdTransport.WatchReader reader) {
        Watch watch = new Watch(endpoint, request, reader);
        watch.start();
        return watch;
    }

    // ---- the token ----

    private void withToken(Consumer<Optional<EtcdFailure>> next) {
        if (user.isEmpty() || token.isPresent()) {
            next.accept(Optional.empty());
            return;
        }
        waitingForToken.add(next);
        if (waitingForToken.size() == 1) {
            call(user.get(), new Reply<String>() {
                @Override
                public void received(String response) {
                    token = Optional.of(response);
                    release(Optional.empty());
                }

                @Override
                public void failed(EtcdFailure failure) {
                    if (failure.cause() == Cause.WITHOUT_AUTHENTICATION) {
                        token = Optional.of("");
                        release(Optional.empty());
                    } else {
                        release(Optional.of(failure));
                    }
                }
            });
        }
    }

    private void release(Optional<EtcdFailure> failure) {
        List<Consumer<Optional<EtcdFailure>>> all = List.copyOf(waitingForToken);
        waitingForToken.clear();
        all.forEach(one -> one.accept(failure));
    }

    /** Has a token obtained before the next request, unless another one than this has been in the meantime. */
    private void renew(String used) {
        if (token.equals(Optional.of(used))) {
            token = Optional.empty();
        }
    }

    private static boolean isOfToken(EtcdFailure failure) {
        return failure.cause() == Cause.UNAUTHENTICATED;
    }

    // ---- a call ----

    /** One call: its requests one after the other, and its deadline. */
    private final class Exchange<R> implements Call {
        private final EtcdRequest<R> request;
        private final Reply<R> reply;
        private final Duration perRequest;
        private int remaining;
        private int endpoint;
        private boolean renewed;
        private boolean over;
        private int number;
        private @Nullable Call call;
        private EtcdTimers.@Nullable Timer deadline;
        private EtcdTimers.@Nullable Timer limit;
        private String lastFailure = "";

        Exchange(EtcdRequest<R> request, Reply<R> reply, int requests, int endpoint) {
            this.request = request;
            this.reply = reply;
            this.remaining = requests;
            this.endpoint = endpoint;
            this.perRequest = requests > 1 && endpoints.size() > 1 ? timeout.dividedBy(endpoints.size()) : timeout;
        }

        void start() {
            underWay.add(this);
            deadline = timers.after(
                    timeout,
                    () -> fail(EtcdFailure.of(
                            Cause.SILENT,
                            lastFailure.isEmpty()
                                    ? endpoints.get(endpoint) + ": no answer within " + timeout.toMillis() + " ms"
                                    : lastFailure)));
            authenticated();
        }

        private void authenticated() {
            if (request instanceof EtcdRequest.Authenticate) {
                send("");
            } else {
                withToken(failure -> {
                    if (over) {
                        return;
                    }
                    if (failure.isPresent()) {
                        fail(new EtcdFailure(
                                failure.get().cause(), true, failure.get().text()));
                    } else {
                        send(token.orElse(""));
                    }
                });
            }
        }

        private void send(String used) {
            int current = ++number;
            remaining--;
            limit = timers.after(
                    perRequest,
                    () -> failed(
                            current,
                            used,
                            EtcdFailure.of(Cause.SILENT, "no answer within " + perRequest.toMillis() + " ms")));
            Call made = transport.send(endpoint, used, request, new Reply<R>() {
                @Override
                public void received(R response) {
                    if (!over && number == current) {
                        end();
                        reply.received(response);
                    }
                }

                @Override
                public void failed(EtcdFailure failure) {
                    Exchange.this.failed(current, used, failure);
                }
            });
            if (!over && number == current) {
                call = made;
            } else {
                made.cancel();
            }
        }

        private void failed(int of, String used, EtcdFailure failure) {
            if (over || number != of) {
                return;
            }
            stopRequest();
            // Whatever the request still sends does not count.
            number++;
            lastFailure = endpoints.get(endpoint) + ": " + failure.text();
            if (isOfToken(failure) && user.isPresent() && !(request instanceof EtcdRequest.Authenticate)) {
                renew(used);
                if (!renewed) {
                    renewed = true;
                    remaining++;
                    authenticated();
                    return;
                }
            }
            if (failure.cause().isOfThisMember()) {
                avoid(endpoint);
                if (remaining > 0 && (failure.unsent() || request.isRepeatable())) {
                    endpoint = (endpoint + 1) % endpoints.size();
                    authenticated();
                    return;
                }
            }
            fail(failure.at(endpoints.get(endpoint)));
        }

        private void fail(EtcdFailure failure) {
            if (!over) {
                end();
                reply.failed(failure);
            }
        }

        private void end() {
            over = true;
            underWay.remove(this);
            stopRequest();
            if (deadline != null) {
                deadline.cancel();
            }
        }

        private void stopRequest() {
            if (limit != null) {
                limit.cancel();
            }
            if (call != null) {
                call.cancel();
                call = null;
            }
        }

        @Override
        public void cancel() {
            end();
        }
    }

    // ---- a watch ----

    /** One watch, and the deadline until it is open. */
    private final class Watch implements Call, EtcdTransport.WatchReader {
        private final int endpoint;
        private final WatchRequest request;
        private final EtcdTransport.WatchReader reader;
        private String used = "";
        private boolean over;
        private @Nullable Call call;
        private EtcdTimers.@Nullable Timer deadline;

        Watch(int endpoint, WatchRequest request, EtcdTransport.WatchReader reader) {
            this.endpoint = endpoint;
            this.request = request;
            this.reader = reader;
        }

        void start() {
            underWay.add(this);
            deadline = timers.after(
                    timeout,
                    () -> failed(EtcdFailure.of(Cause.SILENT, "no watch within " + timeout.toMillis() + " ms")));
            withToken(failure -> {
                if (over) {
                    return;
                }
                if (failure.isPresent()) {
                    end();
                    reader.failed(failure.get());
                    return;
                }
                used = token.orElse("");
                Call made = transport.watch(endpoint, used, request, this);
                if (over) {
                    made.cancel();
                } else {
                    call = made;
                }
            });
        }

        @Override
        public void message(WatchMessage message) {
            if (over) {
                return;
            }
            if (message instanceof WatchMessage.Canceled canceled) {
                failed(canceled.why());
                return;
            }
            if (message instanceof WatchMessage.Created) {
                Objects.requireNonNull(deadline).cancel();
            }
            reader.message(message);
        }

        @Override
        public void failed(EtcdFailure failure) {
            if (over) {
                return;
            }
            // etcd 3.4 calls an unknown token of a watch a permission that is denied.
            if (isOfToken(failure) || failure.cause() == Cause.DENIED) {
                renew(used);
            }
            if (failure.cause().isOfThisMember()) {
                avoid(endpoint);
            }
            end();
            reader.failed(failure.at(endpoints.get(endpoint)));
        }

        private void end() {
            over = true;
            underWay.remove(this);
            if (deadline != null) {
                deadline.cancel();
            }
            if (call != null) {
                call.cancel();
            }
        }

        @Override
        public void cancel() {
            end();
        }
    }
}
