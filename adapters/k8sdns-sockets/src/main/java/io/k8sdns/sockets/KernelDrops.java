package io.k8sdns.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Reads how many datagrams Linux has dropped because a socket's receive buffer was full: the last column of
 * {@code /proc/net/udp} and {@code /proc/net/udp6}.
 */
final class KernelDrops {
    private static final List<Path> TABLES = List.of(Path.of("/proc/net/udp"), Path.of("/proc/net/udp6"));

    /** Local address and port, in hexadecimal. */
    private static final int LOCAL_ADDRESS = 1;

    private KernelDrops() {}

    /**
     * Returns the datagrams dropped by the open sockets at these addresses.
     *
     * @param addresses each with its port; a wildcard is every socket with that port
     * @return empty where the system has no such table
     */
    static OptionalLong at(Collection<InetSocketAddress> addresses) {
        if (TABLES.stream().noneMatch(Files::isReadable)) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(TABLES.stream()
                .filter(Files::isReadable)
                .mapToLong(table -> sum(table, addresses))
                .sum());
    }

    private static long sum(Path table, Collection<InetSocketAddress> addresses) {
        try (Stream<String> lines = Files.lines(table, StandardCharsets.US_ASCII)) {
            return lines.skip(1)
                    .map(line -> line.trim().split("\\s+"))
                    .filter(columns -> addresses.stream().anyMatch(address -> isAt(columns[LOCAL_ADDRESS], address)))
                    .mapToLong(columns -> Long.parseLong(columns[columns.length - 1]))
                    .sum();
        } catch (IOException unreadable) {
            return 0;
        }
    }

    private static boolean isAt(String local, InetSocketAddress address) {
        return address.getAddress().isAnyLocalAddress()
                ? local.endsWith(port(address))
                : local.equals(text(address.getAddress()) + port(address));
    }

    private static String port(InetSocketAddress address) {
        return String.format(Locale.ROOT, ":%04X", address.getPort());
    }

    /** Returns an address as the tables have it: words of four bytes in the machine's own byte order. */
    private static String text(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress()).order(ByteOrder.nativeOrder());
        StringBuilder text = new StringBuilder();
        while (bytes.hasRemaining()) {
            text.append(String.format(Locale.ROOT, "%08X", bytes.getInt()));
        }
        return text.toString();
    }
}
