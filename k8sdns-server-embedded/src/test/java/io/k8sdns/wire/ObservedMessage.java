package io.k8sdns.wire;

import io.k8sdns.resolver.Client;
import java.util.ArrayList;
import java.util.List;

/**
 * The values that a {@link ResponseObserver} received for one message.
 *
 * @param response false for a message without a response; then the values of its question and response are 0 or false
 */
record ObservedMessage(
        long received,
        Client.Transport transport,
        boolean response,
        int type,
        boolean dnssecOk,
        int rcode,
        boolean truncated,
        int queryBytes,
        int responseBytes) {
    /** Records all messages; returns 1, 2, 3 and so on from {@link #received}. */
    static final class Recorder implements ResponseObserver {
        final List<ObservedMessage> messages = new ArrayList<>();
        private long receivedCount;

        @Override
        public long received() {
            return ++receivedCount;
        }

        @Override
        public void response(
                long received,
                Client.Transport transport,
                int type,
                boolean dnssecOk,
                int rcode,
                boolean truncated,
                int queryBytes,
                int responseBytes) {
            messages.add(new ObservedMessage(
                    received, transport, true, type, dnssecOk, rcode, truncated, queryBytes, responseBytes));
        }

        @Override
        public void drop(long received, Client.Transport transport, int bytes) {
            messages.add(new ObservedMessage(received, transport, false, 0, false, 0, false, bytes, 0));
        }
    }
}
