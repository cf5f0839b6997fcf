package io.k8sdns.etcd;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The range of keys of a store in an etcd cluster: all keys that begin with the prefix and a slash.
 *
 * <p>etcd keys are arbitrary bytes. Here they are strings: the UTF-8 text or, for invalid UTF-8, NUL followed by one character per
 * byte. In the store such a key is a text that cannot be the name of a shard or cluster, so that it is reported like other invalid
 * keys.
 *
 * @param prefix the prefix of the store's keys; may be empty, does not end with a slash
 */
record KeyRange(String prefix) {
    private static final String NO_UTF8 = "\0";
    private static final int MAX_ASCII = 0x7f;

    /** Returns the start of the range, inclusive. */
    String first() {
        return prefix + "/";
    }

    /** Returns the end of the range, exclusive. */
    String end() {
        return prefix + (char) ('/' + 1);
    }

    /** Converts a key of the store to a key of etcd. */
    String toEtcdKey(String key) {
        return prefix + key;
    }

    /**
     * Converts a key of etcd to a key of the store; empty if it is outside the range. In a key that is not UTF-8, bytes above 0x7f are
     * written as {@code \xff}.
     */
    Optional<String> toStoreKey(String key) {
        if (key.startsWith(NO_UTF8)) {
            String bytes = key.substring(1);
            String first = new String(utf8(first()), StandardCharsets.ISO_8859_1);
            return bytes.startsWith(first)
                    ? Optional.of(escaped(bytes.substring(first.length() - 1)))
                    : Optional.empty();
        }
        return key.startsWith(first()) ? Optional.of(key.substring(prefix.length())) : Optional.empty();
    }

    private static String escaped(String bytes) {
        StringBuilder text = new StringBuilder();
        bytes.chars().forEach(b -> {
            if (b > MAX_ASCII) {
                text.append("\\x").append(Integer.toHexString(b));
            } else {
                text.append((char) b);
            }
        });
        return text.toString();
    }

    /** Returns the next key in byte order. */
    static String after(String key) {
        return key + "\0";
    }

    static String decode(byte[] key) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(key))
                    .toString();
            return text.startsWith(NO_UTF8) ? NO_UTF8 + new String(key, StandardCharsets.ISO_8859_1) : text;
        } catch (CharacterCodingException noText) {
            return NO_UTF8 + new String(key, StandardCharsets.ISO_8859_1);
        }
    }

    static byte[] encode(String key) {
        if (key.startsWith(NO_UTF8)) {
            return key.substring(1).getBytes(StandardCharsets.ISO_8859_1);
        }
        return utf8(key);
    }

    /**
     * Encodes a text as UTF-8.
     *
     * @throws IllegalArgumentException if it contains an unpaired surrogate
     */
    static byte[] utf8(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] all = new byte[bytes.remaining()];
            bytes.get(all);
            return all;
        } catch (CharacterCodingException noText) {
            throw new IllegalArgumentException("an unpaired surrogate cannot be encoded as UTF-8", noText);
        }
    }
}
