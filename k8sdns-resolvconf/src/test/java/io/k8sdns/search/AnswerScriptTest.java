package io.k8sdns.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.model.IpAddress;
import io.k8sdns.search.PlannedQuery.Transport;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnswerScriptTest {
    @Test
    void theMostSpecificKeyDecides() {
        AnswerScript script = AnswerScript.of(
                Map.of("*", "SERVFAIL", "*|AAAA", "REFUSED", "db.example.", "NODATA", "db.example.|A", "A"));

        assertThat(kind(script, "db.example.", QueryType.A)).isEqualTo(Reply.Kind.DATA);
        assertThat(kind(script, "db.example.", QueryType.AAAA)).isEqualTo(Reply.Kind.NODATA);
        assertThat(kind(script, "other.example.", QueryType.AAAA)).isEqualTo(Reply.Kind.REFUSED);
        assertThat(kind(script, "other.example.", QueryType.A)).isEqualTo(Reply.Kind.SERVFAIL);
    }

    @Test
    void theWordAIsAnAddressOfTheTypeOfTheQuery() {
        AnswerScript both = AnswerScript.of(Map.of("db.example.", "A"));
        assertThat(both.answer(query("db.example.", QueryType.A, "::1", Transport.UDP))
                        .addresses())
                .containsExactly(IpAddress.parse("10.1.2.3"));
        assertThat(both.answer(query("db.example.", QueryType.AAAA, "::1", Transport.UDP))
                        .addresses())
                .containsExactly(IpAddress.parse("fd00::123"));
        AnswerScript ipv4Alone = AnswerScript.of(Map.of("db.example.|A", "A", "db.example.|AAAA", "NODATA"));
        assertThat(kind(ipv4Alone, "db.example.", QueryType.A)).isEqualTo(Reply.Kind.DATA);
        assertThat(kind(ipv4Alone, "db.example.", QueryType.AAAA)).isEqualTo(Reply.Kind.NODATA);
    }

    @Test
    void aNameWithoutAKeyDoesNotExist() {
        assertThat(kind(AnswerScript.nothing(), "db.example.", QueryType.A)).isEqualTo(Reply.Kind.NXDOMAIN);
    }

    @Test
    void namesAreReadWithoutRegardToCaseAndTrailingDot() {
        assertThat(kind(AnswerScript.of(Map.of("DB.example", "a")), "db.Example.", QueryType.A))
                .isEqualTo(Reply.Kind.DATA);
    }

    @Test
    void aServerMayHaveItsOwnAnswer() {
        AnswerScript script = AnswerScript.builder()
                .add("db.example.", "127.0.0.1", "SERVFAIL")
                .add("db.example.", "*", "NODATA")
                .add("db.example.|AAAA", "127.0.0.1", "DROP")
                .build();

        assertThat(script.answer(query("db.example.", QueryType.A, "127.0.0.1", Transport.UDP))
                        .kind())
                .isEqualTo(Reply.Kind.SERVFAIL);
        assertThat(script.answer(query("db.example.", QueryType.A, "127.0.0.2", Transport.UDP))
                        .kind())
                .isEqualTo(Reply.Kind.NODATA);
        assertThat(script.answer(query("db.example.", QueryType.AAAA, "127.0.0.2", Transport.UDP))
                        .kind())
                .isEqualTo(Reply.Kind.NODATA);
    }

    @Test
    void anAnswerTruncatedOverUdpIsCompleteOverTcp() {
        AnswerScript script = AnswerScript.of(Map.of("*", "TC"));

        assertThat(script.answer(query("db.", QueryType.AAAA, "::1", Transport.UDP)))
                .isEqualTo(Reply.of(Reply.Kind.TRUNCATED));
        assertThat(script.answer(query("db.", QueryType.AAAA, "::1", Transport.TCP))
                        .addresses())
                .containsExactly(IpAddress.parse("fd00::123"));
    }

    @Test
    void anUnknownWordIsReported() {
        assertThatThrownBy(() -> AnswerScript.of(Map.of("db.", "NXRRSET")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("answers[\"db.\"]: not one of A, NODATA, NXDOMAIN, SERVFAIL, REFUSED, NOTIMP, FORMERR, TC, "
                        + "DROP: NXRRSET");
    }

    @Test
    void anUnknownTypeIsReported() {
        assertThatThrownBy(() -> AnswerScript.of(Map.of("db.|MX", "A")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("answers[\"db.|MX\"]: the type is A or AAAA, not MX");
    }

    private static Reply.Kind kind(AnswerSource answers, String name, QueryType type) {
        return answers.answer(query(name, type, "127.0.0.1", Transport.UDP)).kind();
    }

    private static PlannedQuery query(String name, QueryType type, String server, Transport transport) {
        return new PlannedQuery(name, type, server, transport, 0, 0, PlannedQuery.Reason.FIRST);
    }
}
