package io.k8sdns.clustertests;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.mockwebserver.crud.AttributeSet;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.Response;
import io.fabric8.mockwebserver.http.WebSocket;
import io.fabric8.mockwebserver.http.WebSocketListener;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Corrects the events and watches of the mock, so that they are like those of an API server. */
final class MockDispatcher extends KubernetesCrudDispatcher {
    /** Tasks that end watches in the mock after their clients have closed them. */
    private final Queue<Runnable> ends = new ConcurrentLinkedQueue<>();

    /** The last states of removed objects, by their attributes; guarded by the mock's lock, like its objects. */
    private final Map<AttributeSet, GenericKubernetesResource> past = new HashMap<>();

    /** Assigns a new version to the removal of an object, as etcd does and the mock does not. */
    @Override
    public void processEvent(
            String path,
            AttributeSet pathAttributes,
            AttributeSet oldAttributes,
            GenericKubernetesResource resource,
            @Nullable String newState) {
        // The event of an object that is removed, or is no longer selected, contains its last state.
        map.computeIfPresent(oldAttributes, (any, last) -> {
            GenericKubernetesResource removed = object(last);
            removed.getMetadata()
                    .setResourceVersion(
                            newState == null
                                    ? Long.toString(requestResourceVersion())
                                    : object(newState).getMetadata().getResourceVersion());
            past.put(oldAttributes, removed);
            return Serialization.asJson(removed);
        });
        super.processEvent(path, pathAttributes, oldAttributes, resource, newState);
    }

    /**
     * Starts a watch with the removals since the requested version, as API servers do. The mock reports only removals during the watch,
     * so that an object removed between a list and its watch would never be reported. Also delays the end of a watch: otherwise the
     * mock's only connection thread waits for events that are sent to that watch, while the sender waits for that thread; and a request
     * whose event is sent to an ending watch would never be answered.
     */
    @Override
    public MockResponse handleWatch(String path) {
        List<String> ended = ended(getKey(path));
        MockResponse response = super.handleWatch(path);
        WebSocketListener watch = response.getWebSocketListener();
        return response.withWebSocketUpgrade(new WebSocketListener() {
            @Override
            public void onOpen(WebSocket socket, Response upgraded) {
                ended.forEach(socket::send);
                watch.onOpen(socket, upgraded);
            }

            @Override
            public void onClosing(WebSocket socket, int code, String reason) {
                watch.onClosing(socket, code, reason);
            }

            @Override
            public void onClosed(WebSocket socket, int code, String reason) {
                ends.add(() -> watch.onClosed(socket, code, reason));
            }

            @Override
            public void onFailure(WebSocket socket, Throwable why, Response upgraded) {
                ends.add(() -> watch.onFailure(socket, why, upgraded));
            }
        });
    }

    /** Ends the threads of closed watches; call it while no request is running. */
    void endWatches() {
        ends.forEach(Runnable::run);
        ends.clear();
    }

    /** Returns an event for each object that a watch selected before and does not select now. */
    private List<String> ended(AttributeSet watched) {
        Set<String> seen = map.entrySet().stream()
                .filter(now -> now.getKey().matches(watched))
                .map(now -> object(now.getValue()).getMetadata().getUid())
                .collect(Collectors.toSet());
        return past.entrySet().stream()
                .filter(was -> was.getKey().matches(watched))
                .map(Map.Entry::getValue)
                .filter(was -> !seen.contains(was.getMetadata().getUid()))
                .map(was -> Serialization.asJson(new WatchEvent(was, "DELETED")))
                .toList();
    }

    private static GenericKubernetesResource object(String json) {
        return Serialization.unmarshal(json, GenericKubernetesResource.class);
    }
}
