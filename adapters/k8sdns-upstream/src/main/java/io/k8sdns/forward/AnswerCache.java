package io.k8sdns.forward;

/** Keeps the answers of a forwarder for as long as their TTLs allow. */
public final class AnswerCache {
    private AnswerCache() {}
}
