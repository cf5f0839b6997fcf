package io.k8sdns.arguments;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubernetesNamesTest {
    @ParameterizedTest
    @ValueSource(strings = {"a", "0", "1kubernetes", "a-b", "a--b", "1-2-3-4"})
    void dnsLabels(String text) {
        assertThat(KubernetesNames.isDnsLabel(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "a-", "A", "a.b", "a_b", "ä", "a b"})
    void notDnsLabels(String text) {
        assertThat(KubernetesNames.isDnsLabel(text)).isFalse();
    }

    @Test
    void dnsLabelsHaveAtMost63Characters() {
        assertThat(KubernetesNames.isDnsLabel("a".repeat(63))).isTrue();
        assertThat(KubernetesNames.isDnsLabel("a".repeat(64))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a.b", "0.1-2.c", "www.example.com"})
    void dnsSubdomains(String text) {
        assertThat(KubernetesNames.isDnsSubdomain(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "a.", ".a", "a..b", "a-.b", "a.-b", "A.b"})
    void notDnsSubdomains(String text) {
        assertThat(KubernetesNames.isDnsSubdomain(text)).isFalse();
    }

    @Test
    void dnsSubdomainsHaveAtMost253CharactersHoweverLongTheirLabels() {
        assertThat(KubernetesNames.isDnsSubdomain("a".repeat(253))).isTrue();
        assertThat(KubernetesNames.isDnsSubdomain("a".repeat(254))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "p2p", "a", "0-a", "fifteen-letters"})
    void ianaServiceNames(String text) {
        assertThat(KubernetesNames.isIanaServiceName(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "80", "-a", "a-", "a--b", "Http", "sixteen-letters-"})
    void notIanaServiceNames(String text) {
        assertThat(KubernetesNames.isIanaServiceName(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"app", "App_1.x", "a", "app.kubernetes.io/name", "example.com/a_b"})
    void qualifiedNames(String text) {
        assertThat(KubernetesNames.isQualifiedName(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "a/", "/a", "a/b/c", "Example.com/a", "_a", "a.", "a b", "a=b"})
    void notQualifiedNames(String text) {
        assertThat(KubernetesNames.isQualifiedName(text)).isFalse();
    }

    @Test
    void labelKeysHaveAtMost63CharactersAfterTheSlash() {
        assertThat(KubernetesNames.isQualifiedName("example.com/" + "a".repeat(63)))
                .isTrue();
        assertThat(KubernetesNames.isQualifiedName("example.com/" + "a".repeat(64)))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "1.2.3", "A_b-c"})
    void labelValues(String text) {
        assertThat(KubernetesNames.isLabelValue(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-", "a-", "_a", "a/b", " "})
    void notLabelValues(String text) {
        assertThat(KubernetesNames.isLabelValue(text)).isFalse();
    }
}
