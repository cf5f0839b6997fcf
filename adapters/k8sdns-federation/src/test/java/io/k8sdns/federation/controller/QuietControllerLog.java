package io.k8sdns.federation.controller;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Logs only warnings of controllers while the tests of a class run. */
final class QuietControllerLog implements BeforeAllCallback, AfterAllCallback {
    /** A strong reference, because an unreferenced logger is garbage-collected with its level. */
    private final Logger log = Logger.getLogger("io.k8sdns.federation.controller");

    @Override
    public void beforeAll(ExtensionContext context) {
        log.setLevel(Level.WARNING);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        log.setLevel(null);
    }
}
