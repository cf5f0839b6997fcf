package io.k8sdns.rfc2136;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.name.DnsLabels;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TsigKeyTest {
    private static final String SECRET = "c2VjcmV0";

    @TempDir
    private Path folder;

    private static byte[] secret() {
        return "secret".getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void aFileOfTsigKeygenIsRead() throws IOException {
        Path file = Files.writeString(folder.resolve("tsig.key"), """
                key "tsig-key" {
                \talgorithm hmac-sha256;
                \tsecret "c2VjcmV0";
                };
                """);
        TsigKey key = TsigKey.read(file);
        assertThat(key).isEqualTo(TsigKey.of(DnsLabels.parse("tsig-key"), "hmac-sha256", secret()));
        assertThat(key.name()).isEqualTo(DnsLabels.parse("tsig-key"));
        assertThat(key.algorithm()).isEqualTo("hmac-sha256");
    }

    @Test
    void commentsQuotesAndCaseAreParsedAsInBind() {
        TsigKey key = TsigKey.parse("""
                # written by hand
                key k8sdns.example.org. { // no quotes
                  /* the other
                     order */ secret c2VjcmV0;
                  algorithm HMAC-SHA512; };
                """);
        assertThat(key).isEqualTo(TsigKey.of(DnsLabels.parse("k8sdns.example.org"), "hmac-sha512", secret()));
    }

    /** Slashes in Base64 do not start a comment. */
    @Test
    void aSecretMayHaveSlashes() {
        byte[] secret = Base64.getDecoder().decode("//8//+//");
        assertThat(TsigKey.parse("key \"a\" { algorithm hmac-sha256; secret \"//8//+//\"; };"))
                .isEqualTo(TsigKey.of(DnsLabels.parse("a"), "hmac-sha256", secret));
    }

    @Test
    void weakAlgorithmsAreRefused() {
        for (String algorithm : List.of("hmac-md5", "hmac-sha1", "hmac-sha224", "HMAC-MD5.SIG-ALG.REG.INT")) {
            assertThatThrownBy(() ->
                            TsigKey.parse("key \"a\" { algorithm " + algorithm + "; secret \"" + SECRET + "\"; };"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("hmac-sha256")
                    .hasMessageNotContaining(SECRET);
        }
    }

    @Test
    void invalidTextsAreRejectedWithoutTheSecretInTheMessage() {
        for (String text : List.of(
                "",
                SECRET,
                "key \"a\" { algorithm hmac-sha256; secret \"" + SECRET + "\"; }",
                "key \"a\" { algorithm hmac-sha256; secret \"" + SECRET + "\" };",
                "key \"a\" { secret \"" + SECRET + "\"; };",
                "key \"a\" { algorithm hmac-sha256; };",
                "key \"a\" { algorithm hmac-sha256; secret \"" + SECRET + "\"; secret \"" + SECRET + "\"; };",
                "key \"a\" { algorithm hmac-sha256; secret \"" + SECRET + "=====\"; };",
                "key \"\" { algorithm hmac-sha256; secret \"" + SECRET + "\"; };",
                "key \"a..b\" { algorithm hmac-sha256; secret \"" + SECRET + "\"; };",
                ("key \"a\" { algorithm hmac-sha256; secret \"" + SECRET + "\"; };").repeat(2))) {
            assertThatThrownBy(() -> TsigKey.parse(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageNotContaining(SECRET);
        }
    }

    @Test
    void anInvalidFileIsReported() throws IOException {
        Path file = Files.writeString(folder.resolve("tsig.key"), "nothing");
        assertThatThrownBy(() -> TsigKey.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tsig.key");
        Path large = Files.write(folder.resolve("large.key"), new byte[100_000]);
        assertThatThrownBy(() -> TsigKey.read(large))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("large.key");
    }

    @Test
    void toStringOmitsTheSecret() {
        assertThat(TsigKey.of(DnsLabels.parse("a"), "hmac-sha384", secret())).hasToString("a (hmac-sha384)");
    }
}
