package io.k8sdns.zone;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.NameData;
import io.k8sdns.records.OwnerName;
import io.k8sdns.records.ZoneSettings;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.xbill.DNS.Type;

/** Everything that exists at one moment; immutable, so that one query sees one state from beginning to end. */
public final class ZoneRevision {
    private final ZoneSettings settings;
    private final Map<OwnerName, NameData> names;
    private final long serial;

    ZoneRevision(ZoneSettings settings, Map<OwnerName, NameData> names, long serial) {
        this.settings = settings;
        this.names = Map.copyOf(names);
        this.serial = serial;
    }

    /** Returns the settings that the records were made with. */
    public ZoneSettings settings() {
        return settings;
    }

    /** Returns the SOA serial of this revision, an unsigned 32-bit number. */
    public long serial() {
        return serial;
    }

    /**
     * Looks up a name below any of the forward zones.
     *
     * @param labels the labels below the zone
     * @param type the type number
     */
    public Lookup lookup(DnsLabels labels, int type) {
        NameData data = names.get(new OwnerName.Forward(labels));
        if (data == null) {
            return new Lookup.NoSuchName();
        }
        if (data.alias().isPresent()) {
            return new Lookup.Alias(data, data.alias().get());
        }
        boolean owns = switch (type) {
            case Type.A, Type.AAAA ->
                data.addresses().stream().anyMatch(address -> address.isIpv4() == (type == Type.A));
            case Type.SRV -> !data.srvs().isEmpty();
            case Type.TXT -> data.text().isPresent();
            default -> false;
        };
        return owns ? new Lookup.Found(data) : new Lookup.NoData();
    }

    /** Hands over every name with what it owns, in no particular order. */
    public void forEach(BiConsumer<OwnerName, NameData> action) {
        names.forEach(Objects.requireNonNull(action, "action"));
    }
}
