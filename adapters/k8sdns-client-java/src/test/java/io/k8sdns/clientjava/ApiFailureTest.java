package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class ApiFailureTest {
    @Test
    void messageThatIsNoneIsMadeOne() {
        assertThat(ApiFailure.words(new NoSuchFileException("/ca.crt"))).isEqualTo("no such file: /ca.crt");
        assertThat(ApiFailure.words(new EOFException("\n not found: content=7b22")))
                .isEqualTo("the answer ended in its middle");
        assertThat(ApiFailure.words(new UncheckedIOException(new IOException("refused"))))
                .isEqualTo("refused");
        assertThat(ApiFailure.words(new IOException())).isEqualTo("IOException");
    }

    @Test
    void textIsOneLine() {
        assertThat(ApiFailure.of(ApiFailure.Cause.REFUSED, "one\n  two\u0007").text())
                .isEqualTo("one; two?");
    }
}
