package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KindStatesTest {
    private static final Map<Class<?>, Object> ARGUMENTS = Map.of(
            String.class, "Pod",
            SyncState.class, SyncState.STALE,
            int.class, 1,
            Duration.class, Duration.ofSeconds(1),
            ClusterObserver.Event.class, ClusterObserver.Event.PUT,
            ClusterObserver.ServiceKind.class, ClusterObserver.ServiceKind.CLUSTER_IP,
            ClusterObserver.Since.class, ClusterObserver.Since.RECEIPT);

    @Test
    void everyEventIsPassedOnUnchanged() throws Exception {
        List<String> received = new ArrayList<>();
        List<String> states = new ArrayList<>();
        ClusterObserver next = (ClusterObserver) Proxy.newProxyInstance(
                ClusterObserver.class.getClassLoader(),
                new Class<?>[] {ClusterObserver.class},
                (proxy, method, arguments) -> {
                    received.add(method.getName() + List.of(arguments));
                    return null;
                });
        KindStates observer = new KindStates(next, (kind, state) -> states.add(kind + " " + state));
        List<String> sent = new ArrayList<>();
        for (Method method : ClusterObserver.class.getMethods()) {
            Object[] arguments =
                    Stream.of(method.getParameterTypes()).map(ARGUMENTS::get).toArray();
            method.invoke(observer, arguments);
            sent.add(method.getName() + List.of(arguments));
        }
        assertThat(received).isEqualTo(sent).isNotEmpty();
        assertThat(states).containsExactly("Pod STALE");
    }
}
