package io.k8sdns.etcd;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The keys of a store among those of an etcd cluster: all that begin with a prefix and a slash.
 *
 * <p>A key of etcd is any bytes. Here it is a string: its UTF-8 text or, if it is no UTF-8, NUL and one character for each byte. In the
 * store such a key is a text that is the name of no shard or cluster, so that it is reported as any other key of another form.
 *
 * @param prefix what stands in front of a store's keys; may be empty, does not end with a slash
 */
record KeyRange(String prefix) {
    private static final String NO_UTF8 = "\0";
    private static final int MAX_ASCII = 0x7f;

    /** Returns the first key that can be in the range. */
    String first() {
        return prefix + "/";
    }

    /** Returns the key behind all that are in the range. */
    String end() {
        return prefix + (char) ('/' + 1);
    }

    /** Returns the key in etcd of a store's key. */
    String inEtcd(String key) {
        return prefix + key;
    }

    /**
     * Returns the store's key of a key in etcd; empty if it is not one of the store's. Of a key that is no UTF-8 the bytes above 0x7f are
     * written as {@code \xff}.
     */
    Optional<String> inStore(String key) {
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

    /** Returns the key that follows another one in the order of bytes. */
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
     * Returns the UTF-8 form of a text.
     *
     * @throws IllegalArgumentException if it has none
     */
    static byte[] utf8(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] all = new byte[bytes.remaining()];
            bytes.get(all);
            return all;
        } catch (CharacterCodingException noText) {
            throw new IllegalArgumentException("half a surrogate pair has no UTF-8 form", noText);
        }
    }
}
