package io.k8sdns.resolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Rcode;

/** Tests {@link Resolution#map} with ready, pending and failed answers. */
class ResolutionTest {
    private static final Answer REFUSED = Answer.failure(Rcode.REFUSED);

    @Test
    void aReadyAnswerIsMappedImmediately() {
        Resolution changed = new Resolution.Ready(REFUSED).map(answer -> answer.withRecursionAvailable(true));

        assertThat(changed).isEqualTo(new Resolution.Ready(REFUSED.withRecursionAvailable(true)));
    }

    @Test
    void aPendingAnswerIsMappedOnCompletion() {
        CompletableFuture<Answer> later = new CompletableFuture<>();
        List<Answer> delivered = new ArrayList<>();
        new Resolution.Pending(later)
                .map(answer -> answer.withRecursionAvailable(true))
                .deliver(delivered::add);

        assertThat(delivered).isEmpty();
        later.complete(REFUSED);
        assertThat(delivered).containsExactly(REFUSED.withRecursionAvailable(true));
    }

    @Test
    void aStageThatCompletesWithNullIsAFailure() {
        List<Throwable> failures = new ArrayList<>();
        List<Answer> delivered = new ArrayList<>();
        new Resolution.Pending(CompletableFuture.completedFuture(null))
                .map(answer -> answer.withRecursionAvailable(true))
                .deliver(delivered::add, failures::add);

        assertThat(delivered).containsExactly(Answer.FAILED);
        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure)
                        .isInstanceOf(NullPointerException.class)
                        .hasMessage("the stage completed with null instead of an answer"));
    }

    @Test
    void anExceptionOfTheFunctionIsThrownOrFailsTheStage() {
        IllegalStateException thrown = new IllegalStateException("changed its mind");
        List<Throwable> failures = new ArrayList<>();
        new Resolution.Pending(CompletableFuture.completedFuture(REFUSED))
                .map(answer -> {
                    throw thrown;
                })
                .deliver(answer -> {}, failures::add);

        assertThat(failures).containsExactly(thrown);
        assertThatThrownBy(() -> new Resolution.Ready(REFUSED).map(answer -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
    }
}
