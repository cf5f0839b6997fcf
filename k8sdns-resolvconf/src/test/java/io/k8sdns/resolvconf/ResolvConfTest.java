package io.k8sdns.resolvconf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.k8sdns.model.DnsConfig;
import io.k8sdns.resolvconf.ResolvConf.FileOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResolvConfTest {
    @Test
    void listsThatAreEmptyHaveNoLine() {
        ResolvConf file = new ResolvConf(List.of("10.0.0.10", "10.0.0.11"), List.of(), List.of("ndots:2", "edns0"));

        assertThat(file.render()).isEqualTo("nameserver 10.0.0.10\nnameserver 10.0.0.11\noptions ndots:2 edns0\n");
    }

    @Test
    void anEmptyFileHasNothingToRender() {
        assertThat(ResolvConf.EMPTY.render()).isEmpty();
        assertThat(ResolvConf.parse("").isEmpty()).isTrue();
    }

    @Test
    void containerdWritesTheSearchLineFirst() {
        ResolvConf file = new ResolvConf(List.of("10.0.0.10"), List.of("a.example"), List.of("ndots:5"));

        assertThat(file.render(FileOrder.CONTAINERD))
                .isEqualTo("search a.example\nnameserver 10.0.0.10\noptions ndots:5\n");
    }

    @Test
    void whiteSpaceIsDefinedAsInGo() {
        // NEL, no-break space and ideographic space separate words; a byte order mark does not.
        assertThat(ResolvConf.parse("search\u00A0a\u0085b\u3000c"))
                .isEqualTo(new ResolvConf(List.of(), List.of("a", "b", "c"), List.of()));
        assertThat(ResolvConf.parse("\uFEFFsearch a")).isEqualTo(ResolvConf.EMPTY);
    }

    @Test
    void theFirstInvalidLineIsReportedWithTheKubeletsMessage() {
        assertThatExceptionOfType(MalformedResolvConfException.class)
                .isThrownBy(() -> ResolvConf.parse("nameserver 192.0.2.1\n\n nameserver\nnameserver\n"))
                .withMessage("line 3: nameserver list is empty ")
                .satisfies(malformed -> {
                    assertThat(malformed.line()).isEqualTo(3);
                    assertThat(malformed.problem()).isEqualTo("nameserver list is empty ");
                });
    }

    @Test
    void tenMebibytesExceedTheLimitOfAKubelet() {
        String most = "#" + "x".repeat(10 * 1024 * 1024 - 2);
        assertThat(ResolvConf.parse(most)).isEqualTo(ResolvConf.EMPTY);

        assertThatExceptionOfType(MalformedResolvConfException.class)
                .isThrownBy(() -> ResolvConf.parse(most + "x"))
                .withMessage("the read limit is reached (10 MiB)")
                .satisfies(malformed -> assertThat(malformed.line()).isZero());
    }

    @Test
    void theReadLimitCountsBytesOfUtf8() {
        String text = "#" + "\u20AC".repeat(10 * 1024 * 1024 / 3);

        assertThatExceptionOfType(MalformedResolvConfException.class).isThrownBy(() -> ResolvConf.parse(text));
    }

    @Test
    void mergingAnEmptyConfigRemovesDuplicatesAndEmptyValues() {
        ResolvConf file =
                new ResolvConf(List.of("a", "a"), List.of("x", "y", "x"), List.of("ndots:", "edns0", "ndots:2"));

        assertThat(file.merged(DnsConfig.EMPTY))
                .isEqualTo(new ResolvConf(List.of("a"), List.of("x", "y"), List.of("ndots:2", "edns0")));
    }

    @Test
    void anOptionOfTheEmptyValueIsTheBareName() {
        DnsConfig own = new DnsConfig(
                List.of(), List.of(), List.of(DnsConfig.Option.of("ndots", ""), DnsConfig.Option.of("edns0")));

        assertThat(new ResolvConf(List.of(), List.of(), List.of("ndots:5"))
                        .merged(own)
                        .options())
                .containsExactly("ndots", "edns0");
    }
}
