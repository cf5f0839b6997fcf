package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

@Timeout(300)
class NodeCacheListenersTest {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final BlockingQueue<InetSocketAddress> listening = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> waiting = new LinkedBlockingQueue<>();
    private final List<SetupError> errors = new CopyOnWriteArrayList<>();
    private final AtomicReference<@Nullable String> problem = new AtomicReference<>();

    private final NodeCacheListeners.Events events = new NodeCacheListeners.Events() {
        @Override
        public void listening(InetSocketAddress address) {
            listening.add(address);
        }

        @Override
        public void waiting(String why) {
            waiting.add(why);
        }

        @Override
        public void setupError(SetupError kind) {
            errors.add(kind);
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

    private NodeCacheListeners listeners() {
        return new NodeCacheListeners(this::bind, Duration.ofMillis(10), events);
    }

    @Test
    void anAddressIsBoundAsSoonAsItExists() throws Exception {
        problem.set("Cannot assign requested address");
        try (NodeCacheListeners listeners = listeners()) {
            listeners.bind(List.of(ADDRESS));
            listeners.answer();
            assertThat(waiting.take())
                    .isEqualTo("169.254.20.10:53: Cannot assign requested address; it is bound as soon as it exists");
            assertThat(listeners.addresses()).isEmpty();
            problem.set("Permission denied");
            assertThat(waiting.take()).isEqualTo("169.254.20.10:53: Permission denied; it is tried again");
            problem.set(null);
            try (Asker asker = new Asker(listening.take())) {
                assertThat(asker.ask(Name.fromString("a.test."), Type.A, Transport.UDP)
                                .getRcode())
                        .isEqualTo(Rcode.REFUSED);
            }
            assertThat(listeners.addresses()).hasSize(1);
            assertThat(waiting).as("each reason is reported once").isEmpty();
            assertThat(errors).containsExactly(SetupError.BIND, SetupError.BIND);
        }
    }

    @Test
    void anAddressThatIsInUseIsAFailure() {
        problem.set("Address already in use");
        try (NodeCacheListeners listeners = listeners()) {
            assertThatThrownBy(() -> listeners.bind(List.of(ADDRESS))).isInstanceOf(BindException.class);
        }
        assertThat(waiting).isEmpty();
    }
}
