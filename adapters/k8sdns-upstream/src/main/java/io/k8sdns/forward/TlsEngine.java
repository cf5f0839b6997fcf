package io.k8sdns.forward;

import io.k8sdns.model.IpAddress;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;

/** TLS over a non-blocking channel. The server's certificate must contain the configured name (RFC 8310, strict profile). */
final class TlsEngine {
    /** The types of subject alternative names (RFC 5280, 4.2.1.6). */
    private static final int DNS_NAME = 2;

    private static final int IP_ADDRESS = 7;

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final SSLEngine engine;
    private ByteBuffer encryptedIn;
    private ByteBuffer encryptedOut;
    private ByteBuffer plainIn;
    private boolean isNameChecked;

    TlsEngine(SSLContext context, String name, int port) throws IOException {
        this.engine = context.createSSLEngine(name, port);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
        engine.setSSLParameters(parameters);
        // Explicit, because the status is NOT_HANDSHAKING both before and after the handshake.
        engine.beginHandshake();
        int packet = engine.getSession().getPacketBufferSize();
        this.encryptedIn = ByteBuffer.allocate(packet).flip();
        this.encryptedOut = ByteBuffer.allocate(packet).flip();
        this.plainIn = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize())
                .flip();
    }

    /** Returns whether encrypted bytes are unsent. */
    boolean hasUnsent() {
        return encryptedOut.hasRemaining();
    }

    /** Continues the handshake; returns whether it is complete and all its bytes are sent. */
    boolean advance(SocketChannel channel) throws IOException {
        while (true) {
            if (hasUnsent() && !sent(channel)) {
                return false;
            }
            HandshakeStatus status = engine.getHandshakeStatus();
            switch (status) {
                case NOT_HANDSHAKING, FINISHED -> {
                    if (!isNameChecked) {
                        requireAlternativeName();
                        isNameChecked = true;
                    }
                    return true;
                }
                case NEED_TASK -> runTasks();
                case NEED_WRAP -> wrap(EMPTY);
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    if (!unwrapNext(channel)) {
                        return false;
                    }
                }
                default -> throw new AssertionError(status);
            }
        }
    }

    /**
     * Requires a subject alternative name of the type that is verified, a DNS name or an IP address. Without one the JDK accepts the
     * common name, which RFC 8310, 8.1 forbids.
     */
    private void requireAlternativeName() throws SSLPeerUnverifiedException {
        Certificate own = engine.getSession().getPeerCertificates()[0];
        try {
            int type = IpAddress.tryParse(engine.getPeerHost()).isPresent() ? IP_ADDRESS : DNS_NAME;
            if (!(own instanceof X509Certificate x509)
                    || x509.getSubjectAlternativeNames() == null
                    || x509.getSubjectAlternativeNames().stream()
                            .noneMatch(name -> name.get(0).equals(type))) {
                throw new SSLPeerUnverifiedException("the certificate has no subject alternative name of type "
                        + (type == DNS_NAME ? "dNSName" : "iPAddress") + " (RFC 8310, 8.1)");
            }
        } catch (CertificateParsingException malformed) {
            throw (SSLPeerUnverifiedException)
                    new SSLPeerUnverifiedException("the certificate's names cannot be read").initCause(malformed);
        }
    }

    /** Runs the handshake's computations on this thread; they take some milliseconds once per connection. */
    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    private boolean sent(SocketChannel channel) throws IOException {
        channel.write(encryptedOut);
        return !encryptedOut.hasRemaining();
    }

    private void wrap(ByteBuffer plain) throws IOException {
        encryptedOut.compact();
        SSLEngineResult result = engine.wrap(plain, encryptedOut);
        while (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
            encryptedOut = ByteBuffer.allocate(
                            encryptedOut.position() + engine.getSession().getPacketBufferSize())
                    .put(encryptedOut.flip());
            result = engine.wrap(plain, encryptedOut);
        }
        encryptedOut.flip();
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            throw new EOFException("the TLS connection is closed");
        }
    }

    /** Encrypts and sends as much as the channel accepts; nothing during a handshake. */
    void write(SocketChannel channel, ByteBuffer plain) throws IOException {
        while (plain.hasRemaining() && advance(channel)) {
            wrap(plain);
        }
        if (hasUnsent()) {
            channel.write(encryptedOut);
        }
    }

    /** Reads from the channel and decrypts; returns the number of bytes added to the target, -1 at the end of the stream. */
    int read(SocketChannel channel, ByteBuffer target) throws IOException {
        if (!advance(channel)) {
            return 0;
        }
        while (!plainIn.hasRemaining()) {
            if (!unwrapNext(channel)) {
                return 0;
            }
            if (!advance(channel)) {
                return 0;
            }
        }
        int count = Math.min(plainIn.remaining(), target.remaining());
        target.put(plainIn.slice(plainIn.position(), count));
        plainIn.position(plainIn.position() + count);
        return count;
    }

    /** Decrypts one record; returns false if the channel has no complete record yet. */
    private boolean unwrapNext(SocketChannel channel) throws IOException {
        while (true) {
            plainIn.compact();
            SSLEngineResult result = engine.unwrap(encryptedIn, plainIn);
            plainIn.flip();
            switch (result.getStatus()) {
                case OK -> {
                    return true;
                }
                case CLOSED -> throw new EOFException("the server closed the TLS connection");
                case BUFFER_OVERFLOW ->
                    plainIn = ByteBuffer.allocate(
                                    plainIn.remaining() + engine.getSession().getApplicationBufferSize())
                            .put(plainIn)
                            .flip();
                case BUFFER_UNDERFLOW -> {
                    if (!receive(channel)) {
                        return false;
                    }
                }
                default -> throw new AssertionError(result);
            }
        }
    }

    private boolean receive(SocketChannel channel) throws IOException {
        if (encryptedIn.remaining() == encryptedIn.capacity()) {
            encryptedIn = ByteBuffer.allocate(
                            encryptedIn.capacity() + engine.getSession().getPacketBufferSize())
                    .put(encryptedIn)
                    .flip();
        }
        encryptedIn.compact();
        int count = channel.read(encryptedIn);
        encryptedIn.flip();
        if (count < 0) {
            throw new EOFException("the server closed the connection");
        }
        return count > 0;
    }
}
