package io.k8sdns.cli;

import io.k8sdns.cluster.Visibility;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.DnsNames;
import io.k8sdns.records.OwnerName;
import io.k8sdns.records.RecordRules;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.zone.ClusterZone;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "records", description = "Prints the records of Kubernetes manifests.", mixinStandardHelpOptions = true)
final class Records implements Callable<Integer> {
    @Parameters(paramLabel = "MANIFEST", arity = "1..*", description = "Files and directories of manifests.")
    private List<Path> manifests;

    @Override
    public Integer call() throws Exception {
        ClusterZone zone = ClusterZone.of(
                Manifests.read(manifests.stream().map(ManifestInput::path).toList(), ManifestOptions.DEFAULTS)
                        .snapshot(),
                new RecordRules(ZoneSettings.DEFAULTS),
                Visibility.ALL);
        DnsLabels origin = ZoneSettings.DEFAULTS.zones().get(0);
        List<Record> records = new ArrayList<>();
        zone.current().forEach((owner, data) -> {
            if (owner instanceof OwnerName.Forward forward) {
                data.recordSets(DnsNames.absolute(forward.labels(), origin), origin, ZoneSettings.DEFAULTS.ttlSeconds())
                        .forEach(set -> records.addAll(set.records()));
            }
        });
        records.stream()
                .sorted()
                .forEach(one -> System.out.println(one.getName() + " " + one.getTTL() + " "
                        + DClass.string(one.getDClass()) + " " + Type.string(one.getType()) + " "
                        + one.rdataToString()));
        return 0;
    }
}
