package io.k8sdns.resolvconf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ResolvConfTest {
    @Test
    void listsThatAreEmptyHaveNoLine() {
        ResolvConf file = new ResolvConf(List.of("10.0.0.10", "10.0.0.11"), List.of(), List.of("ndots:2", "edns0"));

        assertThat(file.render()).isEqualTo("nameserver 10.0.0.10\nnameserver 10.0.0.11\noptions ndots:2 edns0\n");
    }
}
