package io.k8sdns.resolver;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.ObjectRef;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.EDNSOption;

/**
 * The client of a query, as the host describes it. Nothing is derived from the client's address. An immutable value.
 *
 * <p>Resolvers can choose answers by client, for example {@link DnsResolver#byClient}. For resolvers that do not, {@link #udp} and
 * {@link #tcp} are enough.
 */
public final class Client {
    /** The largest size of a message, in bytes. */
    private static final int LARGEST_MESSAGE = 65_535;

    /** The smallest response limit, in bytes: every client accepts datagrams of this size (RFC 1035, 4.2.1). */
    public static final int MIN_RESPONSE_LIMIT = 512;

    /** A caller in the same process. */
    public static final Client IN_PROCESS = builder(Transport.TCP).build();

    private final Transport transport;
    private final int responseLimit;
    private final @Nullable InetSocketAddress address;
    private final @Nullable Principal principal;
    private final List<X509Certificate> tlsCertificates;
    private final @Nullable String namespace;
    private final @Nullable ObjectRef pod;
    private final boolean edns;
    private final List<EDNSOption> ednsOptions;
    private final boolean dnssecOk;
    private final boolean checkingDisabled;

    private Client(Builder builder) {
        this.transport = builder.transport;
        this.responseLimit = builder.responseLimit;
        this.address = builder.address;
        this.principal = builder.principal;
        this.tlsCertificates = builder.tlsCertificates;
        this.namespace = builder.namespace;
        this.pod = builder.pod;
        this.edns = builder.edns;
        this.ednsOptions = builder.ednsOptions;
        this.dnssecOk = builder.dnssecOk;
        this.checkingDisabled = builder.checkingDisabled;
    }

    /** Returns a client that sent a datagram. */
    public static Client udp(InetSocketAddress address) {
        return builder(Transport.UDP).address(address).build();
    }

    /** Returns a client with a TCP connection. */
    public static Client tcp(InetSocketAddress address) {
        return builder(Transport.TCP).address(address).build();
    }

    /** Returns a builder of a client with a transport and no other property. */
    public static Builder builder(Transport transport) {
        return new Builder(Objects.requireNonNull(transport, "transport"));
    }

    /** Returns the transport of the query. */
    public Transport transport() {
        return transport;
    }

    /**
     * Returns the size of the largest response that the client can receive, 512 to 65535 bytes. A resolver may omit additional
     * records that do not fit.
     */
    public int responseLimit() {
        return responseLimit;
    }

    /** Returns the client's address and port if known. */
    public Optional<InetSocketAddress> address() {
        return Optional.ofNullable(address);
    }

    /** Returns the identity if the host has authenticated the client, otherwise empty. */
    public Optional<Principal> principal() {
        return Optional.ofNullable(principal);
    }

    /** Returns the verified TLS certificates of the client, its own first; empty without TLS or without a client certificate. */
    public List<X509Certificate> tlsCertificates() {
        return tlsCertificates;
    }

    /** Returns the client's namespace if known; by default that of {@link #pod()}. */
    public Optional<String> namespace() {
        return namespace != null ? Optional.of(namespace) : pod().flatMap(ObjectRef::namespace);
    }

    /** Returns the Pod of the client if known. */
    public Optional<ObjectRef> pod() {
        return Optional.ofNullable(pod);
    }

    /** Returns whether the client's query has EDNS, so that an extended error can be sent (RFC 6891). */
    public boolean hasEdns() {
        return edns;
    }

    /** Returns the EDNS options of the client's query (RFC 6891, 6.1.2), in their order. */
    public List<EDNSOption> ednsOptions() {
        return ednsOptions;
    }

    /** Returns whether the client's query has the DO bit: the client accepts DNSSEC records (RFC 3225). */
    public boolean dnssecOk() {
        return dnssecOk;
    }

    /** Returns whether the client's query has the CD bit: the client accepts data that is not validated (RFC 4035, 3.2.2). */
    public boolean checkingDisabled() {
        return checkingDisabled;
    }

    /**
     * Returns the same client with another response limit.
     *
     * @param bytes 512 to 65535
     * @throws IllegalArgumentException if it is out of that range
     */
    public Client withResponseLimit(int bytes) {
        return bytes == responseLimit ? this : toBuilder().responseLimit(bytes).build();
    }

    /** Returns a builder with the properties of this client. */
    public Builder toBuilder() {
        Builder builder = new Builder(transport);
        builder.responseLimit = responseLimit;
        builder.address = address;
        builder.principal = principal;
        builder.tlsCertificates = tlsCertificates;
        builder.namespace = namespace;
        builder.pod = pod;
        builder.edns = edns;
        builder.ednsOptions = ednsOptions;
        builder.dnssecOk = dnssecOk;
        builder.checkingDisabled = checkingDisabled;
        return builder;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Client that
                && transport == that.transport
                && responseLimit == that.responseLimit
                && Objects.equals(address, that.address)
                && Objects.equals(principal, that.principal)
                && tlsCertificates.equals(that.tlsCertificates)
                && Objects.equals(namespace, that.namespace)
                && Objects.equals(pod, that.pod)
                && edns == that.edns
                && ednsOptions.equals(that.ednsOptions)
                && dnssecOk == that.dnssecOk
                && checkingDisabled == that.checkingDisabled;
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                transport,
                responseLimit,
                address,
                principal,
                tlsCertificates,
                namespace,
                pod,
                edns,
                ednsOptions,
                dnssecOk,
                checkingDisabled);
    }

    /** Returns the known properties of the client, for logs. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(transport.toString());
        address().ifPresent(one -> text.append(' ').append(one));
        principal().ifPresent(one -> text.append(' ').append(one.getName()));
        tlsCertificates.stream().limit(1).forEach(own -> text.append(' ').append(own.getSubjectX500Principal()));
        pod().ifPresent(one -> text.append(' ').append(one));
        namespace().ifPresent(one -> text.append(" in ").append(one));
        return text.toString();
    }

    /** The kinds of transports. */
    public enum Transport {
        /** Datagrams, whose size is limited. */
        UDP,
        /** A stream, or any other transport that carries messages of 65,535 bytes. */
        TCP
    }

    /** Collects the properties of a client. */
    public static final class Builder {
        private final Transport transport;
        private int responseLimit = LARGEST_MESSAGE;
        private @Nullable InetSocketAddress address;
        private @Nullable Principal principal;
        private List<X509Certificate> tlsCertificates = List.of();
        private @Nullable String namespace;
        private @Nullable ObjectRef pod;
        private boolean edns;
        private List<EDNSOption> ednsOptions = List.of();
        private boolean dnssecOk;
        private boolean checkingDisabled;

        private Builder(Transport transport) {
            this.transport = transport;
        }

        /**
         * Sets the size of the largest response that the client can receive; 65535 bytes by default.
         *
         * @throws IllegalArgumentException if it is below 512 or above 65535
         */
        public Builder responseLimit(int bytes) {
            if (bytes < MIN_RESPONSE_LIMIT || bytes > LARGEST_MESSAGE) {
                throw new IllegalArgumentException("not a size of responses (512 to 65535): " + bytes);
            }
            responseLimit = bytes;
            return this;
        }

        /** Sets the client's address and port; unknown by default. */
        public Builder address(InetSocketAddress value) {
            address = Objects.requireNonNull(value, "address");
            return this;
        }

        /** Sets the identity that the host has authenticated; unknown by default. */
        public Builder principal(Principal value) {
            principal = Objects.requireNonNull(value, "principal");
            return this;
        }

        /**
         * Sets the TLS certificates of the client; none by default.
         *
         * @param value the chain that the host's TLS engine has verified, the client's own certificate first
         */
        public Builder tlsCertificates(List<X509Certificate> value) {
            tlsCertificates = Copies.list("tlsCertificates", value);
            return this;
        }

        /** Sets the client's namespace; by default that of its Pod. Do not call it if the namespace is unknown. */
        public Builder namespace(String value) {
            namespace = Objects.requireNonNull(value, "namespace");
            return this;
        }

        /** Sets the Pod of the client; unknown by default. */
        public Builder pod(ObjectRef value) {
            pod = Objects.requireNonNull(value, "pod");
            return this;
        }

        /** Sets whether the client's query has EDNS; false by default. {@link io.k8sdns.wire.DnsResponder} sets it from the message. */
        public Builder edns(boolean value) {
            edns = value;
            return this;
        }

        /** Sets the EDNS options of the client's query; none by default. {@link io.k8sdns.wire.DnsResponder} sets those of the message. */
        public Builder ednsOptions(List<EDNSOption> value) {
            ednsOptions = Copies.list("ednsOptions", value);
            return this;
        }

        /** Sets the DO bit of the client's query; clear by default. {@link io.k8sdns.wire.DnsResponder} sets that of the message. */
        public Builder dnssecOk(boolean value) {
            dnssecOk = value;
            return this;
        }

        /** Sets the CD bit of the client's query; clear by default. {@link io.k8sdns.wire.DnsResponder} sets that of the message. */
        public Builder checkingDisabled(boolean value) {
            checkingDisabled = value;
            return this;
        }

        /** Returns the client. */
        public Client build() {
            return new Client(this);
        }
    }
}
