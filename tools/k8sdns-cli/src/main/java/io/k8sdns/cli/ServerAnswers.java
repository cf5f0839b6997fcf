package io.k8sdns.cli;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import io.k8sdns.sockets.DnsClient;
import io.k8sdns.sockets.parallel.ParallelQuestions;
import io.k8sdns.sockets.parallel.ParallelQuestions.QuestionClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Asks a DNS server many questions, several at the same time. */
final class ServerAnswers {
    /** How many questions are sent at the same time. */
    static final int CONCURRENCY = 16;

    private ServerAnswers() {}

    /**
     * Returns the answers in the order of the questions.
     *
     * @param timeout the time for one answer
     * @throws IOException if a question gets no answer, or if the thread is interrupted; its interrupt status remains set
     */
    static List<Answer> to(List<Question> questions, InetSocketAddress server, Duration timeout) throws IOException {
        List<Answer> answers = new ArrayList<>();
        ParallelQuestions.ask(questions, CONCURRENCY, "k8sdns-diff", () -> client(server, timeout), answers::add);
        return answers;
    }

    private static QuestionClient<Question, Answer> client(InetSocketAddress server, Duration timeout) {
        DnsClient client = new DnsClient();
        return new QuestionClient<>() {
            @Override
            public Answer ask(Question question) throws IOException {
                return client.ask(question, server, timeout);
            }

            @Override
            public void close() throws IOException {
                client.close();
            }
        };
    }
}
