package io.k8sdns.sockets;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The system calls of {@link BatchedUdpListener}, and the numbers and structures of Linux that they take, which are the
 * same on x86-64 and aarch64, with glibc and musl.
 *
 * <p>Every call returns what the system call does, or the error's number made negative, as the kernel itself has it.
 */
@SuppressWarnings("restricted")
final class Libc {
    // ---- numbers ----

    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int SOCK_DGRAM = 2;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int SOL_SOCKET = 1;
    static final int SO_RCVBUF = 8;
    static final int SO_REUSEPORT = 15;
    static final int SO_RCVTIMEO = 20;
    static final int IPPROTO_IP = 0;
    static final int IP_PKTINFO = 8;
    static final int IPPROTO_IPV6 = 41;
    static final int IPV6_V6ONLY = 26;
    static final int IPV6_RECVPKTINFO = 49;
    static final int MSG_WAITFORONE = 0x10000;
    static final int SHUT_RD = 0;
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int EADDRINUSE = 98;

    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;

    // ---- struct mmsghdr: a struct msghdr, and the octets that were received ----

    static final long MSG_NAME = 0;
    static final long MSG_NAMELEN = 8;
    static final long MSG_IOV = 16;
    static final long MSG_IOVLEN = 24;
    static final long MSG_CONTROL = 32;
    static final long MSG_CONTROLLEN = 40;
    static final long MSG_LEN = 56;
    static final long MMSGHDR_OCTETS = 64;

    // ---- struct iovec ----

    static final long IOV_BASE = 0;
    static final long IOV_LEN = 8;
    static final long IOVEC_OCTETS = 16;

    // ---- struct sockaddr_in, sockaddr_in6 ----

    static final long SIN_FAMILY = 0;
    static final long SIN_PORT = 2;
    static final long SIN_ADDR = 4;
    static final int SOCKADDR_IN_OCTETS = 16;
    static final long SIN6_ADDR = 8;
    static final long SIN6_SCOPE_ID = 24;
    static final int SOCKADDR_IN6_OCTETS = 28;

    // ---- struct cmsghdr with struct in_pktinfo, in6_pktinfo ----

    static final long CMSG_DATA = 16;
    static final long IPI_IFINDEX = CMSG_DATA;
    static final long IPI6_ADDR = CMSG_DATA;
    static final long IPI6_IFINDEX = CMSG_DATA + 16;

    /** What the larger of the two takes. */
    static final int PKTINFO_OCTETS = 40;

    private static final Linker LINKER = Linker.nativeLinker();

    /** Has the error's number at its beginning, and nothing else. */
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();

    private static final MethodHandle SOCKET = call("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle BIND = call("bind", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle SETSOCKOPT =
            call("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle GETSOCKOPT =
            call("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle RECVMMSG =
            call("recvmmsg", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
    private static final MethodHandle SENDMMSG = call("sendmmsg", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    private static final MethodHandle SHUTDOWN = call("shutdown", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle CLOSE = call("close", JAVA_INT, JAVA_INT);
    private static final MethodHandle MMAP =
            call("mmap", ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle MUNMAP = call("munmap", JAVA_INT, ADDRESS, JAVA_LONG);
    private static final MethodHandle STRERROR = LINKER.downcallHandle(
            LINKER.defaultLookup().find("strerror").orElseThrow(), FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private Libc() {}

    private static MethodHandle call(String name, MemoryLayout result, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().find(name).orElseThrow(() -> new UnsupportedOperationException(name)),
                FunctionDescriptor.of(result, arguments),
                Linker.Option.captureCallState("errno"));
    }

    /** Returns room for the error's number, which each thread needs of its own. */
    static MemorySegment state(Arena arena) {
        return arena.allocate(STATE);
    }

    static int socket(MemorySegment state, int family, int type) {
        try {
            return result((int) SOCKET.invokeExact(state, family, type, 0), state);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    static int bind(MemorySegment state, int socket, MemorySegment address) {
        try {
            return result((int) BIND.invokeExact(state, socket, address, (int) address.byteSize()), state);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    static int setOption(MemorySegment state, int socket, int level, int option, MemorySegment value) {
        try {
            return result(
                    (int) SETSOCKOPT.invokeExact(state, socket, level, option, value, (int) value.byteSize()), state);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    static int getOption(
            MemorySegment state, int socket, int level, int option, MemorySegment value, MemorySegment length) {
        try {
            return result((int) GETSOCKOPT.invokeExact(state, socket, level, option, value, length), state);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Receives at least one datagram, and all that are there without waiting further. */
    static int receive(MemorySegment state, int socket, MemorySegment headers, int count) {
        try {
            return result(
                    (int) RECVMMSG.invokeExact(state, socket, headers, count, MSG_WAITFORONE, MemorySegment.NULL),
                    state);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Sends datagrams; returns how many before the first that failed, or why the first one did. */
    static int send(MemorySegment state, int socket, MemorySegment headers, int count) {
        try {
            return result((int) SENDMMSG.invokeExact(state, socket, headers, count, 0), state);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    static int shutdown(MemorySegment state, int socket, int how) {
        try {
            return result((int) SHUTDOWN.invokeExact(state, socket, how), state);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    static int close(MemorySegment state, int socket) {
        try {
            return result((int) CLOSE.invokeExact(state, socket), state);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Returns memory that takes no more of the machine's than is written to.
     *
     * @param arena gives it back when closed
     */
    static MemorySegment map(MemorySegment state, Arena arena, long octets) {
        MemorySegment mapped;
        try {
            mapped = (MemorySegment)
                    MMAP.invokeExact(state, MemorySegment.NULL, octets, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0L);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
        if (mapped.address() == -1) {
            throw new OutOfMemoryError("no memory for datagrams: " + error(errno(state)));
        }
        return mapped.reinterpret(octets, arena, Libc::unmap);
    }

    private static void unmap(MemorySegment mapped) {
        try (Arena arena = Arena.ofConfined()) {
            int unused = (int) MUNMAP.invokeExact(state(arena), mapped, mapped.byteSize());
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Returns the system's words for an error. */
    static String error(int number) {
        try {
            return ((MemorySegment) STRERROR.invokeExact(number))
                    .reinterpret(256)
                    .getString(0);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static int result(int returned, MemorySegment state) {
        return returned >= 0 ? returned : -errno(state);
    }

    private static int errno(MemorySegment state) {
        return state.get(JAVA_INT, 0);
    }
}
