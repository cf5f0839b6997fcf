package io.k8sdns.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** An API server that answers, for each test, and kubeconfigs for it. */
abstract class LiveTestBase {
    static final String TOKEN = "{token: secret}";

    @TempDir
    Path folder;

    StubApi api;

    @BeforeEach
    void startApi() throws IOException {
        api = StubApi.answering();
    }

    @AfterEach
    void endApi() {
        api.close();
    }

    /** Writes a kubeconfig for the server with these credentials, and returns its path. */
    String kubeconfig(String user) throws IOException {
        return api.kubeconfig(folder, user).toString();
    }
}
