package io.k8sdns.sockets;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import org.xbill.DNS.Message;

/** A TCP client that can violate the protocol. Waits for at most a minute, which only a hanging test reaches. */
final class RawTcp implements AutoCloseable {
    private static final int PATIENCE_MILLIS = (int) TestZone.PATIENCE.toMillis();

    private final Socket socket = new Socket();

    RawTcp(InetSocketAddress server) throws IOException {
        this(server, 0);
    }

    /** Connects with a small receive buffer, of these bytes, unless 0. */
    RawTcp(InetSocketAddress server, int receiveBuffer) throws IOException {
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.setTcpNoDelay(true);
        socket.connect(server, PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
    }

    void ask(int id, String name) throws IOException {
        send(Messages.framed(ByteBuffer.wrap(TestZone.query(id, name))).array());
    }

    void send(byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    Message receive() throws IOException {
        byte[] length = exactly(Messages.LENGTH_BYTES);
        return TestZone.parsed(exactly((length[0] & 0xFF) << 8 | length[1] & 0xFF));
    }

    Message exchange(int id, String name) throws IOException {
        ask(id, name);
        return receive();
    }

    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** Returns whether the server ends the connection within this time; false if it does not, or if there are bytes to read. */
    boolean endsWithin(int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException open) {
            return false;
        } catch (IOException reset) {
            return true;
        } finally {
            socket.setSoTimeout(PATIENCE_MILLIS);
        }
    }

    boolean ends() throws IOException {
        return endsWithin(PATIENCE_MILLIS);
    }

    /** Reads until the server ends the connection; returns the number of bytes. */
    long drain() {
        long count = 0;
        byte[] buffer = new byte[65_536];
        try {
            int read;
            while ((read = socket.getInputStream().read(buffer)) >= 0) {
                count += read;
            }
            return count;
        } catch (SocketTimeoutException open) {
            throw new AssertionError("the connection is still open", open);
        } catch (IOException reset) {
            return count;
        }
    }

    private byte[] exactly(int bytes) throws IOException {
        byte[] read = socket.getInputStream().readNBytes(bytes);
        if (read.length < bytes) {
            throw new EOFException("the connection ended");
        }
        return read;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
