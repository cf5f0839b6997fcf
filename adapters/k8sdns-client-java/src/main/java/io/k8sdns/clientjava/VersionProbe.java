package io.k8sdns.clientjava;

/** The request for the version that a list would have now. */
final class VersionProbe extends PendingRequest implements KindApi.VersionReceiver {
    private final ListWatch owner;
    private final KindApi api;

    VersionProbe(ListWatch owner, KindApi api, Timers timers) {
        super(owner, timers);
        this.owner = owner;
        this.api = api;
    }

    @Override
    KindApi.Call send() {
        return api.probe(this);
    }

    @Override
    public void version(String now) {
        if (isCurrent()) {
            received();
            owner.probed(now);
        }
    }

    @Override
    void fail(ApiFailure failure) {
        owner.probeFailed(failure);
    }
}
