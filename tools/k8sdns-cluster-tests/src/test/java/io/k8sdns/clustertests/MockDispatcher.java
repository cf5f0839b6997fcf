package io.k8sdns.clustertests;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.mockwebserver.crud.AttributeSet;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.Response;
import io.fabric8.mockwebserver.http.WebSocket;
import io.fabric8.mockwebserver.http.WebSocketListener;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The mock's objects and their watches, with what API servers do and the mock does not. */
final class MockDispatcher extends KubernetesCrudDispatcher {
    private final Executor ends;

    /** Creates one without objects; the executor is who waits for watches that end. */
    MockDispatcher(Executor ends) {
        this.ends = ends;
    }

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
            GenericKubernetesResource gone = Serialization.unmarshal(last, GenericKubernetesResource.class);
            gone.getMetadata()
                    .setResourceVersion(
                            newState == null
                                    ? Long.toString(requestResourceVersion())
                                    : Serialization.unmarshal(newState, GenericKubernetesResource.class)
                                            .getMetadata()
                                            .getResourceVersion());
            return Serialization.asJson(gone);
        });
        super.processEvent(path, pathAttributes, oldAttributes, resource, newState);
    }

    /**
     * Sees to the end of a watch beside the one thread that serves all connections: the mock waits for what it is sending to
     * that watch, which waits for that thread in turn, so that nobody would be answered for up to a minute.
     */
    @Override
    public MockResponse handleWatch(String path) {
        MockResponse response = super.handleWatch(path);
        WebSocketListener watch = response.getWebSocketListener();
        return response.withWebSocketUpgrade(new WebSocketListener() {
            @Override
            public void onOpen(WebSocket socket, Response upgraded) {
                watch.onOpen(socket, upgraded);
            }

            @Override
            public void onClosing(WebSocket socket, int code, String reason) {
                watch.onClosing(socket, code, reason);
            }

            @Override
            public void onClosed(WebSocket socket, int code, String reason) {
                ends.execute(() -> watch.onClosed(socket, code, reason));
            }

            @Override
            public void onFailure(WebSocket socket, Throwable why, Response upgraded) {
                ends.execute(() -> watch.onFailure(socket, why, upgraded));
            }
        });
    }
}
