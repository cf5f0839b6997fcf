package io.k8sdns.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Questions that a real zone answers on the fast path. */
@Timeout(300)
class OrdinaryQuestionsTest {
    private static final int MISSING = Rcode.NXDOMAIN;

    private final DnsResponder responder = DnsResponder.builder(
                    ResolverChain.of(ClusterZone.of(ClusterSnapshot.of(List.of()), ZoneSettings.DEFAULTS)))
            .build();

    @Test
    void ordinaryQuestionsTakeTheFastPathOverUdpAndTcp() throws IOException {
        try (DnsServer server = DnsServer.start(List.of(TestZone.loopback(0)), responder, TestZone.PATIENT);
                DnsClient client = new DnsClient()) {
            for (Transport transport : Transport.values()) {
                byte[] response =
                        client.exchange(query(7, Type.A), server.addresses().get(0), transport, TestZone.PATIENCE);
                assertThat(TestZone.parsed(response).getRcode()).isEqualTo(MISSING);
            }
            assertThat(responder.slowPathCount()).isZero();
        }
    }

    @Test
    void questionsOfManyClientsOnBothPathsAreAnsweredToTheRightClient() throws IOException {
        List<DatagramSocket> clients = new ArrayList<>();
        try (DnsServer server = DnsServer.builder(List.of(TestZone.loopback(0)), responder)
                .udpThreads(3)
                .start()) {
            InetSocketAddress address = server.addresses().get(0);
            for (int i = 0; i < 40; i++) {
                clients.add(new DatagramSocket(TestZone.loopback(0)));
                clients.get(i).setSoTimeout((int) TestZone.PATIENCE.toMillis());
            }
            for (int id = 0; id < 400; id++) {
                byte[] query = query(id, id % 3 == 0 ? Type.SOA : Type.A);
                clients.get(id % 40).send(new DatagramPacket(query, query.length, address));
            }
            for (int id = 0; id < 400; id++) {
                DatagramPacket response = new DatagramPacket(new byte[512], 512);
                clients.get(id % 40).receive(response);
                assertThat(TestZone.parsed(response.getData()).getHeader().getID())
                        .isEqualTo(id);
            }
        } finally {
            clients.forEach(DatagramSocket::close);
        }
    }

    private static byte[] query(int id, int type) {
        Message query = Message.newQuery(Record.newRecord(TestZone.name("missing.cluster.local."), type, DClass.IN));
        query.getHeader().setID(id);
        return query.toWire();
    }
}
