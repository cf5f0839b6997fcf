package io.k8sdns.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ServedManifestsTest {
    private static ServedManifests api;

    @BeforeAll
    static void start() throws IOException {
        api = new ServedManifests(new SampleManifests(3, 1), 0);
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static BufferedReader get(String path) throws IOException {
        return new BufferedReader(new InputStreamReader(
                URI.create("http://127.0.0.1:" + api.port() + path).toURL().openStream(), StandardCharsets.UTF_8));
    }

    @Test
    void listHasAllObjectsOfAKind() throws IOException {
        try (BufferedReader list = get("/api/v1/services?limit=500&resourceVersion=0")) {
            assertThat(list.lines().collect(Collectors.joining()))
                    .startsWith("{\"apiVersion\": \"v1\", \"kind\": \"ServiceList\"")
                    .contains("service-0", "service-2", "headless-0");
        }
    }

    @Test
    void watchWithInitialEventsStartsWithAllObjects() throws IOException {
        try (BufferedReader events =
                get("/apis/discovery.k8s.io/v1/endpointslices?watch=true&sendInitialEvents=true")) {
            assertThat(events.readLine()).startsWith("{\"type\": \"ADDED\"").contains("headless-0-x");
            assertThat(events.readLine()).startsWith("{\"type\": \"BOOKMARK\"").contains("initial-events-end");
        }
    }
}
