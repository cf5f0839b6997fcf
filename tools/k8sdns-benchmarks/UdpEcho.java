import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** Does the same as udp-echo.c, for machines without a C compiler: {@code java UdpEcho.java PORT}. */
final class UdpEcho {
    public static void main(String[] arguments) throws Exception {
        ByteBuffer message = ByteBuffer.allocateDirect(65_535);
        try (DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET)) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 20);
            channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0])));
            while (true) {
                SocketAddress from = channel.receive(message.clear());
                message.flip();
                if (message.limit() > 3) {
                    channel.send(message.put(2, (byte) (message.get(2) | 0x80)), from);
                }
            }
        }
    }
}
