package io.k8sdns.clientjava;

import io.k8sdns.json.ApiReader;
import java.util.Optional;

/** The request for one page of a list. */
final class ListPage extends PendingRequest implements KindApi.ListReceiver {
    private final ListWatch owner;
    private final KindApi api;
    private final Optional<String> continuation;

    /**
     * Creates the request.
     *
     * @param continuation the token of the page before; empty for the first page
     */
    ListPage(ListWatch owner, KindApi api, Timers timers, Optional<String> continuation) {
        super(owner, timers);
        this.owner = owner;
        this.api = api;
        this.continuation = continuation;
    }

    @Override
    KindApi.Call send() {
        return api.list(continuation, this);
    }

    @Override
    public void object(ApiReader.Item object) {
        if (isCurrent()) {
            received();
            owner.objectListed(object);
        }
    }

    @Override
    public void end(String version, Optional<String> next) {
        if (isCurrent()) {
            owner.pageEnded(version, next);
        }
    }

    @Override
    void fail(ApiFailure failure) {
        owner.pageFailed(continuation, failure);
    }
}
