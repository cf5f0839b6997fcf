package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class ApiFailureTest {
    @Test
    void unclearMessagesAreReplaced() {
        assertThat(ApiFailure.describe(new NoSuchFileException("/ca.crt"))).isEqualTo("no such file: /ca.crt");
        assertThat(ApiFailure.describe(new UncheckedIOException(new IOException("refused"))))
                .isEqualTo("refused");
        assertThat(ApiFailure.describe(new UnknownHostException("api.invalid: Name or service not known")))
                .isEqualTo("unknown host: api.invalid: Name or service not known");
        assertThat(ApiFailure.describe(new IOException())).isEqualTo("IOException");
    }

    @Test
    void connectionEndedByTheServerIsDescribed() {
        assertThat(ApiFailure.describe(new IOException("stream was reset: CANCEL")))
                .isEqualTo("the API server ended the connection (HTTP/2 error CANCEL)");
        assertThat(ApiFailure.describe(new IOException("unexpected end of stream on https://127.0.0.1:6443/...")))
                .isEqualTo("the API server ended the connection before it answered");
        assertThat(ApiFailure.describe(new EOFException("\\n not found: limit=8192 content=7b22")))
                .isEqualTo("the API server ended the connection in the middle of an answer");
        assertThat(ApiFailure.describe(new ProtocolException("unexpected end of stream")))
                .isEqualTo("the API server ended the connection in the middle of an answer");
        assertThat(ApiFailure.describe(new SocketException("Connection reset")))
                .isEqualTo("the API server ended the connection (Connection reset)");
        assertThat(ApiFailure.describe(new ConnectException("Failed to connect to /127.0.0.1:6443")))
                .isEqualTo("Failed to connect to /127.0.0.1:6443");
    }

    @Test
    void textIsOneLine() {
        assertThat(ApiFailure.of(ApiFailure.Cause.REFUSED, "one\n  two\u0007").text())
                .isEqualTo("one; two?");
    }
}
