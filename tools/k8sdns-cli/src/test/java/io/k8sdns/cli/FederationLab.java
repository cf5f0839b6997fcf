package io.k8sdns.cli;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.sockets.DnsClient;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Flags;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Test helpers for federations: certificates, a client of the stub zone API, name servers, and queries with EDNS options. */
final class FederationLab {
    static final List<String> ORDER = List.of("10.0.3.64", "104.32.64.130", "108.120.45.12", "104.32.64.1");

    private static final HeldCertificate CA =
            new HeldCertificate.Builder().certificateAuthority(0).build();
    private static final HeldCertificate SERVER = new HeldCertificate.Builder()
            .addSubjectAlternativeName("127.0.0.1")
            .signedBy(CA)
            .build();
    private static final HeldCertificate CLIENT =
            new HeldCertificate.Builder().commonName("controller").signedBy(CA).build();
    private static final Pattern API = Pattern.compile("stub zones: (https://.*/federations)\\R");
    private static final Duration LONG = Duration.ofMinutes(2);

    private FederationLab() {}

    /** Writes certificates to a folder, and returns the options for them. */
    static List<String> apiOptions(Path folder) throws IOException {
        return List.of(
                "--stubzone-api",
                "127.0.0.1:0",
                "--stubzone-tls-cert",
                Files.writeString(folder.resolve("tls.crt"), SERVER.certificatePem())
                        .toString(),
                "--stubzone-tls-key",
                Files.writeString(folder.resolve("tls.key"), SERVER.privateKeyPkcs8Pem())
                        .toString(),
                "--stubzone-tls-client-ca",
                Files.writeString(folder.resolve("ca.crt"), CA.certificatePem()).toString(),
                "--stubzone-allow-client",
                "controller");
    }

    /** Sends a request to the API of a server. */
    static HttpResponse<String> send(RunningServer server, String method, String federation, String... nameServers)
            throws IOException, InterruptedException {
        Matcher api = API.matcher(server.err());
        if (!api.find()) {
            throw new AssertionError("no API: " + server.err());
        }
        String body = nameServers.length == 0 ? "" : "{nameservers: [\"" + String.join("\", \"", nameServers) + "\"]}";
        return HttpClient.newBuilder()
                .sslContext(new HandshakeCertificates.Builder()
                        .addTrustedCertificate(CA.certificate())
                        .heldCertificate(CLIENT)
                        .build()
                        .sslContext())
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create(api.group(1) + "/" + federation))
                                .timeout(LONG)
                                .method(method, HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    /** Returns an option in the form {@code CODE=DATA}. */
    static EDNSOption option(String text) {
        int at = text.indexOf('=');
        return new GenericEDNSOption(
                Integer.parseInt(text.substring(0, at)), text.substring(at + 1).getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Returns options in the form {@code CODE=DATA}. */
    static List<String> texts(List<EDNSOption> options) {
        return options.stream()
                .map(option -> option.getCode() + "="
                        + new String(
                                Arrays.copyOfRange(option.toWire(), 4, option.toWire().length),
                                StandardCharsets.ISO_8859_1))
                .toList();
    }

    /** Queries the IPv4 addresses of a name, with EDNS options. */
    static Message ask(String address, String name, String... options) throws IOException {
        Message query = new Message((int) (System.nanoTime() & 0xFFFF));
        query.getHeader().setFlag(Flags.RD);
        query.addRecord(Record.newRecord(Name.fromString(name), Type.A, DClass.IN), Section.QUESTION);
        List<EDNSOption> all = Arrays.stream(options).map(FederationLab::option).toList();
        query.addRecord(new OPTRecord(1232, 0, 0, 0, all), Section.ADDITIONAL);
        return exchange(address, query);
    }

    /** Queries the IPv4 addresses of a name without EDNS. */
    static Message askWithoutEdns(String address, String name) throws IOException {
        Message query = new Message(4711);
        query.addRecord(Record.newRecord(Name.fromString(name), Type.A, DClass.IN), Section.QUESTION);
        return exchange(address, query);
    }

    private static Message exchange(String address, Message query) throws IOException {
        try (DnsClient client = new DnsClient()) {
            return new Message(
                    client.exchange(query.toWire(), HostAndPort.parse(address).address(), Client.Transport.UDP, LONG));
        }
    }

    /** Returns the data of the answer's records in their order. */
    static List<String> data(Message response) {
        return response.getSection(Section.ANSWER).stream()
                .map(Record::rdataToString)
                .toList();
    }

    /** A name server of a federation that answers all A questions with the same addresses in the same order. */
    static final class NameServer implements AutoCloseable {
        private final List<Question> asked = new CopyOnWriteArrayList<>();
        private final List<Client> clients = new CopyOnWriteArrayList<>();
        private final DnsServer server;
        private volatile int rcode = Rcode.NOERROR;

        /** Starts a server at a free port of a loopback address. */
        NameServer(String host) throws IOException {
            DnsResponder responder = DnsResponder.builder((question, client) -> {
                        if (question.type().number() == Type.A) {
                            asked.add(question);
                            clients.add(client);
                        }
                        return new Resolution.Ready(answer(question));
                    })
                    .build();
            InetAddress address = InetAddress.getByAddress(
                    io.k8sdns.model.IpAddress.parse(host).bytes());
            server = DnsServer.builder(List.of(new InetSocketAddress(address, 0)), responder)
                    .start();
        }

        private Answer answer(Question question) {
            if (rcode != Rcode.NOERROR) {
                return Answer.failure(rcode);
            }
            Message message = new Message();
            for (String address : ORDER) {
                try {
                    message.addRecord(
                            Record.fromString(question.name(), Type.A, DClass.IN, 30, address, Name.root),
                            Section.ANSWER);
                } catch (IOException impossible) {
                    throw new AssertionError(impossible);
                }
            }
            return Answer.keepingOrder(message).inOrder();
        }

        /** Sets the RCODE of all further answers. */
        void rcode(int value) {
            rcode = value;
        }

        String address() {
            return HostAndPort.text(server.addresses().get(0));
        }

        /** Returns the names that were queried. */
        List<String> names() {
            return asked.stream().map(question -> question.name().toString()).toList();
        }

        /** Returns the options of the last query. */
        List<String> options() {
            return texts(clients.get(clients.size() - 1).ednsOptions());
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
