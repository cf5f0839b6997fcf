package io.k8sdns.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

@Timeout(300)
class DnsListenersTest {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final BlockingQueue<InetSocketAddress> listening = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> waiting = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> failed = new LinkedBlockingQueue<>();
    private final AtomicReference<@Nullable String> problem = new AtomicReference<>();

    private final ListenersObserver observer = new ListenersObserver() {
        @Override
        public void listening(InetSocketAddress address) {
            listening.add(address);
        }

        @Override
        public void waiting(InetSocketAddress address, IOException why) {
            waiting.add(String.valueOf(why.getMessage()));
        }

        @Override
        public void failed(InetSocketAddress address, IOException why) {
            failed.add(String.valueOf(why.getMessage()));
        }
    };

    private DnsServer bind(InetSocketAddress address) throws IOException {
        String text = problem.get();
        if (text != null) {
            throw new BindException("169.254.20.10:53: " + text);
        }
        DnsResponder responder = DnsResponder.builder(
                        (question, client) -> new Resolution.Ready(Answer.failure(Rcode.REFUSED)))
                .build();
        return DnsServer.builder(List.of(address), responder).bind();
    }

    private static int rcode(InetSocketAddress server) throws IOException {
        Message query = Message.newQuery(Record.newRecord(Name.fromString("a.test."), Type.A, DClass.IN));
        try (DnsClient client = new DnsClient()) {
            return new Message(client.exchange(query.toWire(), server, Transport.UDP, Duration.ofMinutes(2)))
                    .getRcode();
        }
    }

    @Test
    void anAddressIsBoundAsSoonAsItExists() throws Exception {
        problem.set("Cannot assign requested address");
        try (DnsListeners listeners =
                DnsListeners.bind(List.of(ADDRESS), this::bind, observer, Duration.ofMillis(10))) {
            listeners.answer();
            assertThat(waiting.take()).isEqualTo("169.254.20.10:53: Cannot assign requested address");
            assertThat(listeners.addresses()).isEmpty();
            problem.set("Permission denied");
            assertThat(failed.take()).isEqualTo("169.254.20.10:53: Permission denied");
            problem.set(null);
            assertThat(rcode(listening.take())).isEqualTo(Rcode.REFUSED);
            assertThat(listeners.addresses()).hasSize(1);
            assertThat(listeners.unbound()).isEmpty();
            assertThat(waiting).isEmpty();
            assertThat(failed).as("each reason is reported once").isEmpty();
        }
    }

    @Test
    void unboundAddressesHaveTheReasonOfTheLastAttempt() throws Exception {
        AtomicReference<String> reason = new AtomicReference<>(": Cannot assign requested address");
        DnsListeners.Binder binder = address -> {
            if (address.getPort() == 0) {
                return bind(address);
            }
            throw new BindException("169.254.20.10:53" + reason.get());
        };
        List<InetSocketAddress> addresses = List.of(new InetSocketAddress("169.254.20.10", 53), ADDRESS);
        try (DnsListeners listeners = DnsListeners.bind(addresses, binder, observer, Duration.ofMillis(10))) {
            assertThat(listeners.unbound()).containsExactly("169.254.20.10:53 does not exist yet");
            listeners.answer();
            reason.set(" is in use");
            assertThat(failed.take()).isEqualTo("169.254.20.10:53 is in use");
            assertThat(listeners.unbound()).containsExactly("169.254.20.10:53 is in use");
        }
    }

    @Test
    void aReasonIsReportedOnceForEachAddress() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        CountDownLatch tenRounds = new CountDownLatch(20);
        DnsListeners.Binder binder = address -> {
            if (tries.getAndIncrement() < 2) {
                throw new BindException("Cannot assign requested address");
            }
            tenRounds.countDown();
            throw new BindException(address.getPort() + ": Address already in use");
        };
        List<InetSocketAddress> two =
                List.of(new InetSocketAddress(ADDRESS.getAddress(), 1), new InetSocketAddress(ADDRESS.getAddress(), 2));
        try (DnsListeners listeners = DnsListeners.bind(two, binder, observer, Duration.ofMillis(1))) {
            listeners.answer();
            tenRounds.await();
        }
        assertThat(failed).containsExactly("1: Address already in use", "2: Address already in use");
    }

    @Test
    void anAddressInUseIsAFailureAndAllAddressesAreReleased() throws Exception {
        List<DnsServer> bound = new ArrayList<>();
        DnsListeners.Binder binder = address -> {
            DnsServer server = bind(address);
            bound.add(server);
            problem.set("Address already in use");
            return server;
        };
        assertThatThrownBy(() -> DnsListeners.bind(List.of(ADDRESS, ADDRESS), binder, observer))
                .isInstanceOf(BindException.class);
        assertThat(waiting).isEmpty();
        assertThatThrownBy(() -> bound.get(0).answer()).isInstanceOf(IllegalStateException.class);
    }
}
