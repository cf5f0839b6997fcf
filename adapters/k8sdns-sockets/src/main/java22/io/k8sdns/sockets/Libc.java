package io.k8sdns.sockets;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The system calls of {@link BatchedUdpListener}, with the constants and structures of Linux that they need. All but the numbers
 * of the calls are the same on x86-64 and aarch64, with glibc and musl.
 *
 * <p>Every call returns the result of the system call, or the negative error number, as the kernel does.
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
    private static final int EPERM = 1;
    private static final int EACCES = 13;
    private static final int EMSGSIZE = 90;
    private static final int EAFNOSUPPORT = 97;
    private static final int EADDRNOTAVAIL = 99;
    private static final int ENETUNREACH = 101;
    private static final int ENOBUFS = 105;
    private static final int EHOSTUNREACH = 113;

    private static final long PROT_READ_WRITE = 3;
    private static final long MAP_PRIVATE_ANONYMOUS = 0x22;

    // ---- numbers of system calls: x86-64, aarch64 ----

    private static final boolean X86 = System.getProperty("os.arch").equals("amd64");
    private static final long SOCKET = X86 ? 41 : 198;
    private static final long BIND = X86 ? 49 : 200;
    private static final long SETSOCKOPT = X86 ? 54 : 208;
    private static final long GETSOCKOPT = X86 ? 55 : 209;
    private static final long RECVMMSG = X86 ? 299 : 243;
    private static final long SENDMMSG = X86 ? 307 : 269;
    private static final long SHUTDOWN = X86 ? 48 : 210;
    private static final long CLOSE = X86 ? 3 : 57;
    private static final long MMAP = X86 ? 9 : 222;
    private static final long MUNMAP = X86 ? 11 : 215;

    // ---- struct mmsghdr: a struct msghdr, and the number of bytes received ----

    static final long MSG_NAME = 0;
    static final long MSG_NAMELEN = 8;
    static final long MSG_IOV = 16;
    static final long MSG_IOVLEN = 24;
    static final long MSG_CONTROL = 32;
    static final long MSG_CONTROLLEN = 40;
    static final long MSG_LEN = 56;
    static final long MMSGHDR_BYTES = 64;

    // ---- struct iovec ----

    static final long IOV_BASE = 0;
    static final long IOV_LEN = 8;
    static final long IOVEC_BYTES = 16;

    // ---- struct sockaddr_in, sockaddr_in6 ----

    static final long SIN_FAMILY = 0;
    static final long SIN_PORT = 2;
    static final long SIN_ADDR = 4;
    static final int SOCKADDR_IN_BYTES = 16;
    static final long SIN6_ADDR = 8;
    static final long SIN6_SCOPE_ID = 24;
    static final int SOCKADDR_IN6_BYTES = 28;

    // ---- struct cmsghdr with struct in_pktinfo, in6_pktinfo ----

    static final long CMSG_DATA = 16;
    static final long IPI_IFINDEX = CMSG_DATA;
    static final long IPI6_ADDR = CMSG_DATA;
    static final long IPI6_IFINDEX = CMSG_DATA + 16;

    /** The size of the larger of the two. */
    static final int PKTINFO_BYTES = 40;

    /** The layout of {@code errno}, the first and only value. */
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();

    /**
     * The C library's function for any system call, with six arguments. The JDK generates code for each linked function, which
     * takes about 50 ms of processor time, so all calls use one.
     */
    private static final MethodHandle CALL = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().find("syscall").orElseThrow(),
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                    Linker.Option.captureCallState("errno"));

    private Libc() {}

    /** Returns memory for the error number; each thread needs its own. */
    static MemorySegment state(Arena arena) {
        return arena.allocate(STATE);
    }

    static int socket(MemorySegment state, int family, int type) {
        return (int) call(state, SOCKET, family, type, 0, 0, 0, 0);
    }

    static int bind(MemorySegment state, int socket, MemorySegment address) {
        return (int) call(state, BIND, socket, address.address(), address.byteSize(), 0, 0, 0);
    }

    static int setOption(MemorySegment state, int socket, int level, int option, MemorySegment value) {
        return (int) call(state, SETSOCKOPT, socket, level, option, value.address(), value.byteSize(), 0);
    }

    static int getOption(
            MemorySegment state, int socket, int level, int option, MemorySegment value, MemorySegment length) {
        return (int) call(state, GETSOCKOPT, socket, level, option, value.address(), length.address(), 0);
    }

    /** Waits for one datagram, and receives with it all others that have arrived. */
    static int receive(MemorySegment state, int socket, MemorySegment headers, int count) {
        return (int) call(state, RECVMMSG, socket, headers.address(), count, MSG_WAITFORONE, 0, 0);
    }

    /** Sends datagrams; returns the number sent before the first failure, or the error of the first datagram. */
    static int send(MemorySegment state, int socket, MemorySegment headers, int count) {
        return (int) call(state, SENDMMSG, socket, headers.address(), count, 0, 0, 0);
    }

    static int shutdown(MemorySegment state, int socket, int how) {
        return (int) call(state, SHUTDOWN, socket, how, 0, 0, 0, 0);
    }

    static int close(MemorySegment state, int socket) {
        return (int) call(state, CLOSE, socket, 0, 0, 0, 0, 0);
    }

    /**
     * Returns memory of which the machine provides only the pages that are written to.
     *
     * @param arena unmaps the memory when closed
     */
    static MemorySegment map(MemorySegment state, Arena arena, long bytes) {
        long mapped = call(state, MMAP, 0, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
        if (mapped < 0) {
            throw new OutOfMemoryError("no memory for datagrams: " + error((int) -mapped));
        }
        return MemorySegment.ofAddress(mapped).reinterpret(bytes, arena, Libc::unmap);
    }

    private static void unmap(MemorySegment mapped) {
        try (Arena arena = Arena.ofConfined()) {
            long unused = call(state(arena), MUNMAP, mapped.address(), mapped.byteSize(), 0, 0, 0, 0);
        }
    }

    private static long call(
            MemorySegment state, long number, long one, long two, long three, long four, long five, long six) {
        try {
            long result = (long) CALL.invokeExact(state, number, one, two, three, four, five, six);
            return result == -1 ? -state.get(JAVA_INT, 0) : result;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Returns the description of an error number. */
    static String error(int number) {
        return switch (number) {
            case EPERM -> "Operation not permitted";
            case EACCES -> "Permission denied";
            case EMSGSIZE -> "Message too long";
            case EAFNOSUPPORT -> "Address family not supported";
            case EADDRINUSE -> "Address already in use";
            case EADDRNOTAVAIL -> "Cannot assign requested address";
            case ENETUNREACH -> "Network is unreachable";
            case ENOBUFS -> "No buffer space available";
            case EHOSTUNREACH -> "No route to host";
            default -> "error " + number + " of the system";
        };
    }
}
