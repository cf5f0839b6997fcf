package io.k8sdns.sockets;

import io.k8sdns.model.IpAddress;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Formats addresses as people type them: {@code 127.0.0.1:1053}, {@code [2001:db8::1]:1053}. */
final class AddressText {
    private AddressText() {}

    static String of(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        if (host == null) {
            return address.getHostString() + ":" + address.getPort();
        }
        String text = IpAddress.ofBytes(host.getAddress()).toString();
        if (!(host instanceof Inet6Address six)) {
            return text + ":" + address.getPort();
        }
        String scope = six.getScopeId() == 0 ? "" : "%" + six.getScopeId();
        return "[" + text + scope + "]:" + address.getPort();
    }
}
