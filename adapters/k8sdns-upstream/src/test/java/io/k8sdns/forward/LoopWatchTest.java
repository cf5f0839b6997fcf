package io.k8sdns.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Rcode;

/** Tests when zones are probed for loops, with a clock and a probe of the test. */
class LoopWatchTest {
    private static final UpstreamServer FIRST = UpstreamServer.parse("192.0.2.1");
    private static final UpstreamServer SECOND = UpstreamServer.parse("192.0.2.2");

    private final UpstreamZone root = UpstreamZone.of(".", "192.0.2.1");
    private final UpstreamZone corp = UpstreamZone.of("corp.example", "192.0.2.2");
    private final List<UpstreamZone> probed = new ArrayList<>();
    private final List<List<UpstreamZone>> changes = new ArrayList<>();
    private boolean isLooping;
    private long now = Long.MAX_VALUE - 1;
    private final LoopWatch watch = new LoopWatch(
            () -> List.of(root, corp),
            zone -> {
                probed.add(zone);
                return CompletableFuture.completedFuture(isLooping);
            },
            changes::add,
            () -> now);

    @Test
    void onlyTheZoneWhoseServersFailIsProbed() {
        watch.answered(FIRST, Rcode.NOERROR, 1);
        watch.answered(FIRST, Rcode.NXDOMAIN, 1);
        assertThat(probed).isEmpty();
        watch.answered(FIRST, Rcode.SERVFAIL, 1);
        assertThat(probed).containsExactly(root);
        watch.markedDown(SECOND);
        assertThat(probed).containsExactly(root, corp);
    }

    @Test
    void anUnansweredZoneIsProbed() {
        watch.unanswered(corp);
        assertThat(probed).containsExactly(corp);
    }

    @Test
    void thePauseGrowsWhileNoLoopIsFound() {
        long pause = LoopWatch.FIRST_PAUSE;
        watch.unanswered(root);
        for (int i = 1; i <= 10; i++) {
            now += pause - 1;
            watch.unanswered(root);
            assertThat(probed).as("before the pause").hasSize(i);
            // The jitter is at most half of the pause.
            now += pause / 2 + 1;
            watch.unanswered(root);
            assertThat(probed).as("after the pause").hasSize(i + 1);
            pause = Math.min(2 * pause, LoopWatch.MAX_PAUSE);
        }
        assertThat(changes).isEmpty();
    }

    @Test
    void aLoopIsReportedOnceAndSoIsItsEnd() {
        isLooping = true;
        watch.unanswered(root);
        now += 2 * LoopWatch.FIRST_PAUSE;
        watch.unanswered(root);
        assertThat(probed).hasSize(2);
        assertThat(changes).containsExactly(List.of(root));

        isLooping = false;
        now += 2 * LoopWatch.FIRST_PAUSE;
        watch.answered(FIRST, Rcode.NOERROR, 1);
        assertThat(changes).containsExactly(List.of(root), List.of());
        now += 2 * LoopWatch.FIRST_PAUSE;
        watch.answered(FIRST, Rcode.NOERROR, 1);
        assertThat(probed).as("no loop and no failure").hasSize(3);
    }
}
