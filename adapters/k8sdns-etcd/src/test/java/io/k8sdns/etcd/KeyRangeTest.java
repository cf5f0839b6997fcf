package io.k8sdns.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class KeyRangeTest {
    private static String key(String latin1) {
        byte[] bytes = latin1.getBytes(StandardCharsets.ISO_8859_1);
        String key = KeyRange.decode(bytes);
        assertThat(KeyRange.encode(key)).isEqualTo(bytes);
        return key;
    }

    @Test
    void aKeyThatIsNotUtf8IsEscapedInTheStore() {
        KeyRange all = new KeyRange("");
        assertThat(all.toStoreKey(key("/prod/shop/c\u00ff\u0080t/foo"))).contains("/prod/shop/c\\xff\\x80t/foo");
        assertThat(all.toStoreKey(key("/prod/shop/c\u00c3\u00a9t/foo")))
                .as("UTF-8")
                .contains("/prod/shop/c\u00e9t/foo");
        assertThat(all.toStoreKey(key("\u00ff/prod"))).isEmpty();
        assertThat(all.toStoreKey(key("\0/prod"))).isEmpty();
    }

    @Test
    void aKeyThatIsNotUtf8BelongsToTheStoreOnlyBelowThePrefix() {
        KeyRange below = new KeyRange("/\u00e9");
        assertThat(below.toStoreKey(key("/\u00c3\u00a9/a\u00ff"))).contains("/a\\xff");
        assertThat(below.toStoreKey(key("/e/a\u00ff"))).isEmpty();
        assertThat(below.toStoreKey(key("/\u00c3\u00a9\u00ff"))).isEmpty();
        assertThat(below.toStoreKey("/\u00e9/a")).contains("/a");
    }
}
