package io.k8sdns.resolvconf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.k8sdns.model.DnsConfig;
import io.k8sdns.resolvconf.ResolvConf.FileOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.domains.Domain;

@Domain(PodsAndNodes.class)
class ResolvConfLaws {
    @Property
    void renderedFilesParseToEqualFiles(@ForAll ResolvConf any, @ForAll FileOrder order) {
        // A kubelet removes trailing dots of the host's domains, and identifies options by their names.
        ResolvConf file = new ResolvConf(
                any.nameservers(),
                any.searches().stream().filter(search -> !search.endsWith(".")).toList(),
                any.merged(DnsConfig.EMPTY).options());
        assertThat(ResolvConf.parse(file.render(order))).isEqualTo(file);
    }

    @Property
    void bothOrdersGiveTheSameResult(@ForAll ResolvConf file) {
        assertThat(ResolvConf.parse(file.render(FileOrder.CONTAINERD)))
                .isEqualTo(ResolvConf.parse(file.render(FileOrder.KUBELET)));
    }

    @Property
    void mergingTwiceIsMergingOnce(@ForAll ResolvConf file, @ForAll DnsConfig own) {
        ResolvConf once = file.merged(own);
        assertThat(once.merged(own)).isEqualTo(once);
        assertThat(once.merged(DnsConfig.EMPTY)).isEqualTo(once);
    }

    @Property
    void optionsAreInTheOrderInWhichTheirNamesFirstAppear(@ForAll ResolvConf file, @ForAll DnsConfig own) {
        List<String> names =
                new ArrayList<>(file.options().stream().map(OptionWord::name).toList());
        own.options().forEach(option -> names.add(option.name()));
        assertThat(file.merged(own).options().stream().map(OptionWord::name))
                .containsExactlyElementsOf(new LinkedHashSet<>(names));
    }

    @Property
    void theLastValueOfAnOptionIsKept(@ForAll ResolvConf file, @ForAll DnsConfig own) {
        Assume.that(!own.options().isEmpty());
        DnsConfig.Option last = own.options().get(own.options().size() - 1);
        assertThat(file.merged(own).options()).contains(last.toString());
    }

    @Property
    void nothingIsLostByMerging(@ForAll ResolvConf file, @ForAll DnsConfig own) {
        ResolvConf merged = file.merged(own);
        assertThat(merged.searches())
                .doesNotHaveDuplicates()
                .containsAll(file.searches())
                .containsAll(own.searches());
        assertThat(merged.nameservers())
                .doesNotHaveDuplicates()
                .containsAll(file.nameservers())
                .containsAll(own.nameservers());
    }

    @Property
    void aFileIsReadLineByLine(@ForAll("texts") String text) {
        List<List<String>> lines = Arrays.stream(text.split("\n", -1))
                .map(line -> Arrays.stream(line.split("[ \t\r]+"))
                        .filter(word -> !word.isEmpty())
                        .toList())
                .toList();
        int malformed = lines.indexOf(List.of("nameserver"));
        if (malformed >= 0) {
            assertThatExceptionOfType(MalformedResolvConfException.class)
                    .isThrownBy(() -> ResolvConf.parse(text))
                    .satisfies(error -> assertThat(error.line()).isEqualTo(malformed + 1));
            return;
        }
        ResolvConf file = ResolvConf.parse(text);
        assertThat(file.nameservers())
                .isEqualTo(of("nameserver", lines).map(line -> line.get(1)).toList());
        assertThat(file.searches())
                .isEqualTo(of("search", lines).reduce((earlier, later) -> later).orElse(List.of("search")).stream()
                        .skip(1)
                        .toList());
        assertThat(file.options())
                .hasSameElementsAs(of("options", lines)
                        .flatMap(line -> line.stream().skip(1))
                        .collect(Collectors.toMap(OptionWord::name, word -> word, (earlier, later) -> later))
                        .values());
    }

    @Property
    void ignoredLinesAreCountedAndTheFirstThreeReported(
            @ForAll("texts") String text, @ForAll("kubelets") KubeletDialect kubelet) {
        String[] lines = text.replaceAll("(?m)^[ \t\r]*nameserver[ \t\r]*$", "nameserver a")
                .split("\n", -1);
        List<String> notices = new ArrayList<>();
        Map<String, Integer> before = new HashMap<>();
        for (int line = 1; line <= lines.length; line++) {
            String keyword = lines[line - 1].strip().split("[ \t\r]+", 2)[0];
            boolean replaces = keyword.equals("search") || keyword.equals("options") && !kubelet.optionsAccumulate();
            Integer replaced = replaces ? before.put(keyword, line) : null;
            if (replaced != null) {
                notices.add("line " + replaced + ": of several " + keyword + " lines only the last one is used"
                        + (keyword.equals("options") ? " by this kubelet" : ""));
            } else if (!Set.of("", "nameserver", "search", "options").contains(keyword)
                    && "#;".indexOf(keyword.charAt(0)) < 0) {
                notices.add("line " + line + ": " + Quoted.of(keyword) + " is not a keyword of the kubelet");
            }
        }
        HostFile file = HostFile.read(String.join("\n", lines), kubelet);
        assertThat(file.ignored()).isEqualTo(notices.subList(0, Math.min(3, notices.size())));
        assertThat(file.ignoredLines()).isEqualTo(notices.size());
    }

    @Provide
    Arbitrary<KubeletDialect> kubelets() {
        return Arbitraries.of("1.25", "1.26").map(version -> KubeletDialect.of(KubeletVersion.parse(version)));
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.of(
                        "nameserver",
                        "search",
                        "options",
                        "domain",
                        "#",
                        ";",
                        "nameserver a",
                        "\nnameserver b",
                        "\nsearch a",
                        "\noptions ndots:1",
                        "\n",
                        "\n",
                        " ",
                        "\t",
                        "\r",
                        "a",
                        "b",
                        "a:1",
                        "a:2",
                        "c",
                        "\u0000")
                .list()
                .ofMaxSize(30)
                .map(parts -> String.join("", parts));
    }

    private static Stream<List<String>> of(String keyword, List<List<String>> lines) {
        return lines.stream().filter(line -> !line.isEmpty() && line.get(0).equals(keyword));
    }
}
