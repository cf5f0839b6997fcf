package io.k8sdns.autopath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SearchPathsTest {
    private static final SearchPaths NS1 =
            new SearchPaths.PathList(labels("ns1.svc.cluster.local", "svc.cluster.local", "cluster.local"));
    private static final SearchPaths NS1_VERSION =
            new SearchPaths.OfNamespace(new ClusterSearches("ns1", "cluster.local"));

    @Test
    void textFormOnTheWire() {
        assertThat(HexFormat.of()
                        .formatHex(NS1.toOption(SearchPaths.OPTION_CODE).toWire()))
                .isEqualTo("ff990035"
                        + "6e73312e7376632e636c75737465722e6c6f63616c" + "2c"
                        + "7376632e636c75737465722e6c6f63616c" + "2c"
                        + "636c75737465722e6c6f63616c");
        assertThat(SearchPaths.parse(NS1.toWire())).contains(NS1);
    }

    @Test
    void versionFormOnTheWire() {
        assertThat(HexFormat.of()
                        .formatHex(NS1_VERSION.toOption(SearchPaths.OPTION_CODE).toWire()))
                .isEqualTo("ff990014" + "01" + "036e7331" + "07636c7573746572" + "056c6f63616c" + "00");
        assertThat(SearchPaths.parse(NS1_VERSION.toWire())).contains(NS1_VERSION);
    }

    @Test
    void serverAddsItsHostSearchesToTheVersionFormAlone() {
        List<DnsLabels> host = labels("example.com");

        assertThat(NS1.paths(host)).hasSize(3).isEqualTo(NS1_VERSION.paths(List.of()));
        assertThat(NS1_VERSION.paths(host)).hasSize(4).endsWith(DnsLabels.parse("example.com"));
    }

    @Test
    void spacesAndDotsAtTheEndAreAllowed() {
        assertThat(parse(" a.test. ,b.test,_tcp.c-1.test "))
                .isEqualTo(new SearchPaths.PathList(labels("a.test", "b.test", "_tcp.c-1.test")));
    }

    @Test
    void emptyDataIsAnEmptyList() {
        assertThat(parse("")).isEqualTo(new SearchPaths.PathList(List.of()));
        assertThat(new SearchPaths.PathList(List.of()).toWire()).isEmpty();
    }

    @Test
    void firstByteBelowASpaceIsAVersionAndVersionsOtherThan1AreEmpty() {
        for (byte version = 0; version < ' '; version++) {
            byte[] text = {version, 'a', '.', 'b'};
            if (version == 1) {
                assertThatThrownBy(() -> SearchPaths.parse(text)).isInstanceOf(InvalidNameException.class);
            } else {
                assertThat(SearchPaths.parse(text)).isEmpty();
            }
        }
    }

    @Test
    void controlCharacterAfterTheFirstByteIsRejected() {
        for (byte character = 0; character < ' '; character++) {
            for (byte[] text : new byte[][] {{'a', character}, {' ', character, 'a'}, {'a', ',', character, 'b'}}) {
                assertThatThrownBy(() -> SearchPaths.parse(text)).isInstanceOf(InvalidNameException.class);
            }
        }
        assertThatThrownBy(() -> parse("\u007fa")).isInstanceOf(InvalidNameException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ",",
                "a,",
                ",a",
                "a,,b",
                " ",
                ".",
                "a..b",
                ".a",
                "a b",
                "a\tb",
                "a\u007f",
                "\u00e9",
                "a\\046b",
                "a,\u0001",
                "(",
                "*"
            })
    void textThatIsNotAListIsRejected(String text) {
        assertThatThrownBy(() -> parse(text)).isInstanceOf(InvalidNameException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "01",
                "0100",
                "01036e7331",
                "01036e733100",
                "01036e733100ff",
                "01c00c00",
                "01402d00",
                "01012a016100",
                "0101610162",
                "01016101620000"
            })
    void versionFormThatIsNotANameIsRejected(String hex) {
        byte[] data = HexFormat.of().parseHex(hex);
        assertThatThrownBy(() -> SearchPaths.parse(data)).isInstanceOf(InvalidNameException.class);
    }

    @Test
    void limitsAreTheSameAsInAPod() {
        assertThat(parse(String.join(",", Collections.nCopies(32, "a")))).isInstanceOf(SearchPaths.PathList.class);
        assertThatThrownBy(() -> parse(String.join(",", Collections.nCopies(33, "a"))))
                .isInstanceOf(InvalidNameException.class);
        String longest = "a".repeat(63) + "." + "b".repeat(63) + "." + "c".repeat(63) + "." + "d".repeat(60);
        String eight = String.join(",", Collections.nCopies(8, longest));
        String rest = "e".repeat(SearchPaths.MAX_CHARACTERS - eight.length() - 1);
        assertThat(eight.length() + 1 + rest.length()).isEqualTo(SearchPaths.MAX_CHARACTERS);
        assertThat(parse(eight + "," + rest).toWire()).hasSize(SearchPaths.MAX_CHARACTERS);
        assertThatThrownBy(() -> parse(eight + "," + rest + "e")).isInstanceOf(InvalidNameException.class);
        assertThatThrownBy(() -> parse(" " + eight + "," + rest)).isInstanceOf(InvalidNameException.class);
    }

    private static SearchPaths parse(String text) {
        return SearchPaths.parse(text.getBytes(StandardCharsets.ISO_8859_1)).orElseThrow();
    }

    private static List<DnsLabels> labels(String... texts) {
        return Stream.of(texts).map(DnsLabels::parse).toList();
    }
}
