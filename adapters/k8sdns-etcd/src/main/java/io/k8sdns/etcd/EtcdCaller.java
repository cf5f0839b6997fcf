package io.k8sdns.etcd;

import io.k8sdns.etcd.EtcdFailure.Cause;
import io.k8sdns.etcd.EtcdTransport.Call;
import io.k8sdns.etcd.EtcdTransport.ResponseHandler;
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
 * Calls an etcd cluster: chooses the member, retries at the next member after a failure, obtains and renews the token, and limits each
 * call by a deadline. Uses no clock, thread or socket itself, so that it can be simulated.
 *
 * <p>A write is sent to another member only if the first one certainly has not received it. Otherwise a compare-and-swap could be
 * applied twice, and the second attempt would fail because of the first.
 */
final class EtcdCaller {
    private final EtcdTransport transport;
    private final EtcdTimers timers;
    private final List<String> endpoints;
    private final Optional<EtcdRequest.Authenticate> user;
    private final Duration timeout;
    private final List<Consumer<Optional<EtcdFailure>>> waitingForToken = new ArrayList<>();
    private final Set<Call> inFlight = new HashSet<>();
    private int preferred;

    /** Absent until a token is obtained; the empty string if the server does not use authentication. */
    private Optional<String> token = Optional.empty();

    /**
     * Creates a caller.
     *
     * @param endpoints the names of the members in messages; at least one
     * @param user empty without authentication
     * @param timeout the longest duration of a call, and of opening a watch
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

    /** Returns the index of the member that receives new requests. */
    int preferred() {
        return preferred;
    }

    /** Prefers the next member if this one is the preferred one. */
    void avoid(int endpoint) {
        if (preferred == endpoint) {
            preferred = (endpoint + 1) % endpoints.size();
        }
    }

    /** Cancels all calls and watches, without replies. */
    void close() {
        List.copyOf(inFlight).forEach(Call::cancel);
    }

    /** Calls any member. */
    <R> Call call(EtcdRequest<R> request, ResponseHandler<R> handler) {
        Exchange<R> exchange = new Exchange<>(request, handler, Math.max(2, endpoints.size()), preferred);
        exchange.start();
        return exchange;
    }

    /** Calls one member. */
    <R> Call callAt(int endpoint, EtcdRequest<R> request, ResponseHandler<R> handler) {
        Exchange<R> exchange = new Exchange<>(request, handler, 1, endpoint);
        exchange.start();
        return exchange;
    }

    /** Opens a watch at one member; fails if it is not open within the timeout. */
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
            call(user.get(), new ResponseHandler<String>() {
                @Override
                public void received(String response) {
                    token = Optional.of(response);
                    completeWaiting(Optional.empty());
                }

                @Override
                public void failed(EtcdFailure failure) {
                    if (failure.cause() == Cause.WITHOUT_AUTHENTICATION) {
                        token = Optional.of("");
                        completeWaiting(Optional.empty());
                    } else {
                        completeWaiting(Optional.of(failure));
                    }
                }
            });
        }
    }

    private void completeWaiting(Optional<EtcdFailure> failure) {
        List<Consumer<Optional<EtcdFailure>>> all = List.copyOf(waitingForToken);
        waitingForToken.clear();
        all.forEach(one -> one.accept(failure));
    }

    /** Discards a rejected token, so that the next request obtains a new one. Does nothing if the token was renewed in the meantime. */
    private void discardToken(String used) {
        if (token.equals(Optional.of(used))) {
            token = Optional.empty();
        }
    }

    private static boolean isTokenFailure(EtcdFailure failure) {
        return failure.cause() == Cause.UNAUTHENTICATED;
    }

    // ---- a call ----

    /** One call: its consecutive requests, and its deadline. */
    private final class Exchange<R> implements Call {
        private final EtcdRequest<R> request;
        private final ResponseHandler<R> handler;
        private final Duration perRequest;
        private int remaining;
        private int endpoint;
        private boolean renewed;
        private boolean isDone;
        private int number;
        private @Nullable Call call;
        private EtcdTimers.@Nullable Timer deadline;
        private EtcdTimers.@Nullable Timer limit;
        private String lastFailure = "";

        Exchange(EtcdRequest<R> request, ResponseHandler<R> handler, int requests, int endpoint) {
            this.request = request;
            this.handler = handler;
            this.remaining = requests;
            this.endpoint = endpoint;
            this.perRequest = requests > 1 && endpoints.size() > 1 ? timeout.dividedBy(endpoints.size()) : timeout;
        }

        void start() {
            inFlight.add(this);
            deadline = timers.after(
                    timeout,
                    () -> fail(EtcdFailure.of(
                            Cause.TIMEOUT,
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
                    if (isDone) {
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
                            EtcdFailure.of(Cause.TIMEOUT, "no answer within " + perRequest.toMillis() + " ms")));
            Call created = transport.send(endpoint, used, request, new ResponseHandler<R>() {
                @Override
                public void received(R response) {
                    if (!isDone && number == current) {
                        end();
                        handler.received(response);
                    }
                }

                @Override
                public void failed(EtcdFailure failure) {
                    Exchange.this.failed(current, used, failure);
                }
            });
            if (!isDone && number == current) {
                call = created;
            } else {
                created.cancel();
            }
        }

        private void failed(int requestNumber, String used, EtcdFailure failure) {
            if (isDone || number != requestNumber) {
                return;
            }
            stopRequest();
            // Ignores later replies of this request.
            number++;
            lastFailure = endpoints.get(endpoint) + ": " + failure.text();
            if (isTokenFailure(failure) && user.isPresent() && !(request instanceof EtcdRequest.Authenticate)) {
                discardToken(used);
                if (!renewed) {
                    renewed = true;
                    remaining++;
                    authenticated();
                    return;
                }
            }
            if (failure.cause().isMemberFailure()) {
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
            if (!isDone) {
                end();
                handler.failed(failure);
            }
        }

        private void end() {
            isDone = true;
            inFlight.remove(this);
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

    /** One watch, and the deadline for opening it. */
    private final class Watch implements Call, EtcdTransport.WatchReader {
        private final int endpoint;
        private final WatchRequest request;
        private final EtcdTransport.WatchReader reader;
        private String used = "";
        private boolean isDone;
        private @Nullable Call call;
        private EtcdTimers.@Nullable Timer deadline;

        Watch(int endpoint, WatchRequest request, EtcdTransport.WatchReader reader) {
            this.endpoint = endpoint;
            this.request = request;
            this.reader = reader;
        }

        void start() {
            inFlight.add(this);
            deadline = timers.after(
                    timeout,
                    () -> failed(EtcdFailure.of(Cause.TIMEOUT, "no watch within " + timeout.toMillis() + " ms")));
            withToken(failure -> {
                if (isDone) {
                    return;
                }
                if (failure.isPresent()) {
                    end();
                    reader.failed(failure.get());
                    return;
                }
                used = token.orElse("");
                Call created = transport.watch(endpoint, used, request, this);
                if (isDone) {
                    created.cancel();
                } else {
                    call = created;
                }
            });
        }

        @Override
        public void message(WatchMessage message) {
            if (isDone) {
                return;
            }
            if (message instanceof WatchMessage.Canceled canceled) {
                failed(canceled.failure());
                return;
            }
            if (message instanceof WatchMessage.Created) {
                Objects.requireNonNull(deadline).cancel();
            }
            reader.message(message);
        }

        @Override
        public void failed(EtcdFailure failure) {
            if (isDone) {
                return;
            }
            // etcd 3.4 reports an unknown token of a watch as "permission denied".
            if (isTokenFailure(failure) || failure.cause() == Cause.DENIED) {
                discardToken(used);
            }
            if (failure.cause().isMemberFailure()) {
                avoid(endpoint);
            }
            end();
            reader.failed(failure.at(endpoints.get(endpoint)));
        }

        private void end() {
            isDone = true;
            inFlight.remove(this);
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
