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

/** The mock's objects and their watches, with what API servers do and the mock does not. */
final class MockDispatcher extends KubernetesCrudDispatcher {
    /** What the mock does at the end of watches that their clients have closed. */
    private final Queue<Runnable> ends = new ConcurrentLinkedQueue<>();

    /** The states that objects have no more, by their attributes; to be used under the mock's own lock, as its objects are. */
    private final Map<AttributeSet, GenericKubernetesResource> past = new HashMap<>();

    /** Gives the end of an object a version of its own, as etcd does; the mock deletes, or selects no more, without one. */
    @Override
    public void processEvent(
            String path,
            AttributeSet pathAttributes,
            AttributeSet oldAttributes,
            GenericKubernetesResource resource,
            @Nullable String newState) {
        // The last state is what is told of an object that goes, or that is not selected any more.
        map.computeIfPresent(oldAttributes, (any, last) -> {
            GenericKubernetesResource gone = object(last);
            gone.getMetadata()
                    .setResourceVersion(
                            newState == null
                                    ? Long.toString(requestResourceVersion())
                                    : object(newState).getMetadata().getResourceVersion());
            past.put(oldAttributes, gone);
            return Serialization.asJson(gone);
        });
        super.processEvent(path, pathAttributes, oldAttributes, resource, newState);
    }

    /**
     * Begins a watch with what has ended since, as API servers do; the mock tells of what ends while it watches, so that what
     * ends between a list and its watch would be there for ever. Puts the end of a watch off: the mock would wait for what it is
     * sending to that watch, on the one thread that serves all connections and that the sending waits for; and a request whose
     * event goes to a watch that is just ending would never be answered.
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

    /** Ends the threads of watches that their clients have closed; when no request is under way. */
    void endWatches() {
        ends.forEach(Runnable::run);
        ends.clear();
    }

    /** Returns an event for each object that a watch would have seen once, and does not see now. */
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
