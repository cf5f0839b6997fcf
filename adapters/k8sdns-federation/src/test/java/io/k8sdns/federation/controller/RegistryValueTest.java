package io.k8sdns.federation.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.controller.RegistryValue.Claim;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegistryValueTest {
    private static final Claim MINE = new Claim("me", 8);

    private static RegistryValue value(String text) {
        return RegistryValue.parse(Optional.of(text));
    }

    /** A controller of another federation, and other programs, write to the same value. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"region\":7,\"custom\":\"keep\"}|{\"region\":7,\"custom\":\"keep\",\"controllers\":{\"prod\":MINE}}",
                "{\"zones\":\"a\",\"controllers\":{\"test\":{\"id\":\"x\",\"renewed\":3}}}"
                        + "|{\"zones\":\"a\",\"controllers\":{\"test\":{\"id\":\"x\",\"renewed\":3},\"prod\":MINE}}",
                "{\"controllers\":{\"junk\":1,\"test\":{\"id\":\"x\",\"renewed\":3,\"more\":[1]}}}"
                        + "|{\"controllers\":{\"junk\":1,\"test\":{\"id\":\"x\",\"renewed\":3,\"more\":[1]},\"prod\":MINE}}",
                "{\"controllers\":{\"prod\":7,\"junk\":null}}|{\"controllers\":{\"prod\":MINE,\"junk\":null}}",
                "{\"controllers\":[1],\"custom\":null}|{\"controllers\":{\"prod\":MINE},\"custom\":null}",
                "{\"custom\":1E+400}|{\"custom\":1E+400,\"controllers\":{\"prod\":MINE}}",
                "{\"custom\":0.12345678901234567890}"
                        + "|{\"custom\":0.12345678901234567890,\"controllers\":{\"prod\":MINE}}",
                "no JSON|{\"controllers\":{\"prod\":MINE}}"
            })
    void everyMemberButTheOwnClaimIsKept(String present, String claimed) {
        assertThat(value(present).withClaim("prod", MINE).text())
                .isEqualTo(claimed.replace("MINE", "{\"id\":\"me\",\"renewed\":8}"));
    }

    @Test
    void aMalformedClaimIsNotAClaim() {
        RegistryValue value = value("{\"controllers\":{\"junk\":1,\"a\":{\"id\":1,\"renewed\":1},\"b\":{\"id\":\"x\"},"
                + "\"test\":{\"id\":\"x\",\"renewed\":3}},\"region\":7}");
        assertThat(value.claims()).isEqualTo(Map.of("test", new Claim("x", 3)));
        assertThat(value.withoutClaim("test").hasClaims())
                .as("other programs may accept the malformed claims")
                .isTrue();
        assertThat(value("{\"controllers\":{\"prod\":7}}").withoutClaim("prod").text())
                .isEqualTo("{}");
        assertThat(value("{\"controllers\":7}").hasClaims()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{\"region\":7,\"zone\":\"a\",\"custom\":1}", "{\"region\":\"eu\",\"zones\":7,\"custom\":1}"})
    void aLocationThatCannotBeReadIsUnknownAndReplaced(String text) {
        ClusterLocation eu = ClusterLocation.UNKNOWN.withRegion("eu").withZones(List.of("eu-a"));
        assertThat(value(text).location()).isEqualTo(ClusterLocation.UNKNOWN);
        assertThat(value(text).withLocation(eu).text())
                .isEqualTo("{\"custom\":1,\"region\":\"eu\",\"zones\":[\"eu-a\"]}");
    }
}
