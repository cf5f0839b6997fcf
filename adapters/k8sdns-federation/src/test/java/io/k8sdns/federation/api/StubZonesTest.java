package io.k8sdns.federation.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StubZonesTest {
    @TempDir
    private Path folder;

    private static StubZone zone(String federation, String... servers) {
        return StubZone.parse(federation, List.of(servers));
    }

    private Path file() {
        return folder.resolve("stub-zones.json");
    }

    @Test
    void stubZonesSurviveARestart() throws IOException {
        StubZones zones = StubZones.builder().file(file()).open();
        assertThat(zones.put(zone("b", "192.0.2.1"))).isTrue();
        assertThat(zones.put(zone("b", "192.0.2.2", "[2001:db8::1]:54"))).isFalse();
        assertThat(zones.put(zone("a", "192.0.2.3"))).isTrue();
        assertThat(zones.put(zone("c", "192.0.2.4"))).isTrue();
        assertThat(zones.remove("c")).isTrue();
        assertThat(zones.remove("c")).isFalse();

        List<Map<String, StubZone>> heard = new ArrayList<>();
        StubZones again = StubZones.builder().file(file()).listener(heard::add).open();
        assertThat(again.all()).isEqualTo(zones.all());
        assertThat(again.all().values())
                .containsExactly(zone("a", "192.0.2.3"), zone("b", "192.0.2.2", "[2001:db8::1]:54"));
        assertThat(heard).containsExactly(zones.all());
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file());
        }
    }

    @Test
    void aChangeIsKnownToTheListenerBeforeTheMethodReturns() throws IOException {
        List<Map<String, StubZone>> heard = new ArrayList<>();
        StubZones zones = StubZones.builder().listener(heard::add).open();
        boolean unused = zones.put(zone("a", "192.0.2.1"));
        unused = zones.put(zone("a", "192.0.2.1"));
        unused = zones.remove("a");
        assertThat(heard).containsExactly(Map.of(), Map.of("a", zone("a", "192.0.2.1")), Map.of());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{",
                "{\"a\": {}}",
                "{\"A\": {\"nameservers\": [\"192.0.2.1\"]}}",
                "{\"a\": {\"nameservers\": [\"x\"]}}",
                "{} {}"
            })
    void aBrokenFileIsAnErrorThatNamesIt(String content) throws IOException {
        Files.writeString(file(), content);
        assertThatThrownBy(() -> StubZones.builder().file(file()).open())
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(file().toString())
                .hasMessageContaining("correct the file, or delete it");
        assertThat(file()).hasContent(content);
    }

    @Test
    void aMissingDirectoryIsAnErrorAtTheStart() {
        Path missing = folder.resolve("no/stub-zones.json");
        assertThatThrownBy(() -> StubZones.builder().file(missing).open())
                .isInstanceOf(IOException.class)
                .hasMessage(missing + ": its directory does not exist");
    }

    @Test
    void aZoneThatCannotBeWrittenIsNotUsed() throws IOException {
        Path lost = Files.createDirectory(folder.resolve("lost"));
        List<Map<String, StubZone>> heard = new ArrayList<>();
        StubZones zones = StubZones.builder()
                .file(lost.resolve("stub-zones.json"))
                .listener(heard::add)
                .open();
        Files.delete(lost);
        assertThatThrownBy(() -> zones.put(zone("a", "192.0.2.1"))).isInstanceOf(IOException.class);
        assertThat(zones.all()).isEmpty();
        assertThat(heard).hasSize(1);
    }

    @Test
    void thereIsAMostOfFederations() throws IOException {
        StubZones zones = StubZones.builder().open();
        for (int i = 0; i < StubZones.MAX_FEDERATIONS; i++) {
            assertThat(zones.put(zone("f" + i, "192.0.2.1"))).isTrue();
        }
        assertThatThrownBy(() -> zones.put(zone("more", "192.0.2.1"))).isInstanceOf(InvalidStubZoneException.class);
        assertThat(zones.put(zone("f1", "192.0.2.2"))).isFalse();
        assertThat(zones.get("more")).isEmpty();
    }
}
