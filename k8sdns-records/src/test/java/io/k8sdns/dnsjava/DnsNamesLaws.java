package io.k8sdns.dnsjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.name.DnsLabels;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.xbill.DNS.Name;

class DnsNamesLaws {
    /** At most 252 bytes of any value, in more labels than dnsjava stores the offsets of. */
    @Property(tries = 300)
    void nameIsItsLabelsAndItsWireFormDnsjavas(@ForAll @Size(max = 12) List<@Size(min = 1, max = 20) byte[]> values) {
        DnsLabels labels = DnsLabels.EMPTY;
        for (byte[] label : values) {
            labels = labels.prepend(new String(label, StandardCharsets.ISO_8859_1));
        }
        Name name = DnsNames.absolute(labels);
        assertThat(DnsNames.wire(name)).isEqualTo(name.toWire());
        assertThat(DnsNames.labels(name).toWire()).isEqualTo(labels.toWire());
    }

    @Example
    void relativeNameHasNoWireForm() {
        Name relative = Name.fromConstantString("web.prod");
        assertThatThrownBy(() -> DnsNames.wire(relative)).isInstanceOf(IllegalArgumentException.class);
    }
}
