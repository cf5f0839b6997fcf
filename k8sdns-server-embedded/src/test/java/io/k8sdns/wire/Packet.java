package io.k8sdns.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/** A builder of queries, including malformed ones. */
final class Packet {
    static final int RD = 0x0100;
    static final int CD = 0x0010;
    static final int DO = 0x8000;

    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private int id = 0x1234;
    private int flags;
    private final int[] counts = new int[4];

    static Packet query(String name, int type) {
        return new Packet().question(name, type, 1);
    }

    Packet id(int value) {
        id = value;
        return this;
    }

    Packet flags(int value) {
        flags |= value;
        return this;
    }

    Packet opcode(int value) {
        return flags(value << 11);
    }

    Packet count(int section, int value) {
        counts[section] = value;
        return this;
    }

    Packet question(String name, int type, int dnsClass) {
        counts[0]++;
        return name(name).number(type).number(dnsClass);
    }

    /** A record of any section but the first, with a root owner. */
    Packet record(int section, int type, int dnsClass, long ttl, int... data) {
        counts[section]++;
        return raw(0).number(type)
                .number(dnsClass)
                .number((int) (ttl >>> 16))
                .number((int) (ttl & 0xFFFF))
                .number(data.length)
                .raw(data);
    }

    Packet opt(int payload, int version, int flags, int... options) {
        return record(3, Type.OPT, payload, (long) version << 16 | flags, options);
    }

    Packet name(String name) {
        body.writeBytes(Name.fromConstantString(name).toWire());
        return this;
    }

    Packet number(int value) {
        return raw(value >>> 8, value & 0xFF);
    }

    Packet raw(int... values) {
        for (int value : values) {
            body.write(value);
        }
        return this;
    }

    Packet raw(byte[] values) {
        body.writeBytes(values);
        return this;
    }

    byte[] bytes() {
        byte[] records = body.toByteArray();
        ByteBuffer whole = ByteBuffer.allocate(12 + records.length);
        whole.putShort((short) id).putShort((short) flags);
        for (int count : counts) {
            whole.putShort((short) count);
        }
        return whole.put(records).array();
    }
}
