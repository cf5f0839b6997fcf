package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.sockets.DnsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Rcode;

class ServerAnswersTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** Rcodes tell the answers apart. */
    private static final int[] RCODES = {Rcode.NOERROR, Rcode.NXDOMAIN, Rcode.REFUSED, Rcode.NOTIMP, Rcode.NOTAUTH};

    private static final List<Question> QUESTIONS = IntStream.range(0, 3 * ServerAnswers.CONCURRENCY)
            .mapToObj(i -> Question.of("n" + i + ".example", RecordType.A))
            .toList();

    private static Answer answer(Question question) {
        return Answer.builder(RCODES[QUESTIONS.indexOf(question) % RCODES.length])
                .build();
    }

    /** Answers only when as many questions wait as may be sent at the same time, the last one first. */
    private static final class Groups implements DnsResolver {
        private final Map<Question, CompletableFuture<Answer>> waiting = new LinkedHashMap<>();
        private final Set<Question> answered = new HashSet<>();

        @Override
        public synchronized Resolution resolve(Question question, Client client) {
            if (answered.contains(question)) {
                // Sent again.
                return new Resolution.Ready(answer(question));
            }
            CompletableFuture<Answer> one = waiting.computeIfAbsent(question, any -> new CompletableFuture<>());
            if (waiting.size() == ServerAnswers.CONCURRENCY) {
                List<Map.Entry<Question, CompletableFuture<Answer>>> group = new ArrayList<>(waiting.entrySet());
                Collections.reverse(group);
                group.forEach(asked -> asked.getValue().complete(answer(asked.getKey())));
                answered.addAll(waiting.keySet());
                waiting.clear();
            }
            return new Resolution.Pending(one);
        }
    }

    @Test
    void severalQuestionsWaitAtTheSameTimeAndTheAnswersKeepTheirOrder() throws IOException {
        try (DnsServer server = DnsServer.start(new Groups(), 0)) {
            InetSocketAddress address = server.addresses().get(0);
            assertThat(ServerAnswers.to(QUESTIONS, address, TIMEOUT))
                    .extracting(Answer::rcode)
                    .containsExactlyElementsOf(QUESTIONS.stream()
                            .map(question -> answer(question).rcode())
                            .toList());
            assertThat(ServerAnswers.to(List.of(), address, TIMEOUT)).isEmpty();
        }
    }

    @Test
    void aQuestionWithoutAnswerFails() throws IOException {
        CompletableFuture<Answer> late = new CompletableFuture<>();
        DnsResolver mostly = (question, client) -> question.equals(QUESTIONS.get(20))
                ? new Resolution.Pending(late)
                : new Resolution.Ready(answer(question));
        try (DnsServer server = DnsServer.start(mostly, 0)) {
            InetSocketAddress address = server.addresses().get(0);
            assertThatThrownBy(() -> ServerAnswers.to(QUESTIONS, address, Duration.ofMillis(500)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(HostAndPort.text(address));
            // The server waits for pending answers when it is closed.
            late.complete(answer(QUESTIONS.get(20)));
        }
    }
}
