package io.k8sdns.wire;

import io.k8sdns.resolver.Client;
import java.util.ArrayList;
import java.util.List;

/**
 * What an observer was told of one message.
 *
 * @param response empty of a silence's values
 */
record Told(
        long received,
        Client.Transport transport,
        boolean response,
        int type,
        boolean dnssecOk,
        int rcode,
        boolean cut,
        int queryOctets,
        int responseOctets) {
    /** Keeps all that it is told; its marks are 1, 2, 3 and so on. */
    static final class Listener implements ResponseObserver {
        final List<Told> told = new ArrayList<>();
        private long marks;

        @Override
        public long received() {
            return ++marks;
        }

        @Override
        public void response(
                long received,
                Client.Transport transport,
                int type,
                boolean dnssecOk,
                int rcode,
                boolean cut,
                int queryOctets,
                int responseOctets) {
            told.add(new Told(received, transport, true, type, dnssecOk, rcode, cut, queryOctets, responseOctets));
        }

        @Override
        public void silence(long received, Client.Transport transport, int octets) {
            told.add(new Told(received, transport, false, 0, false, 0, false, octets, 0));
        }
    }
}
