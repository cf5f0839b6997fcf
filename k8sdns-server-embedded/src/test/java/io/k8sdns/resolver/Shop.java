package io.k8sdns.resolver;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A small cluster with an object of each kind. */
public final class Shop {
    private Shop() {}

    /** Returns the zone of this cluster. */
    public static ClusterZone zone(ZoneSettings settings) {
        return ClusterZone.of(ClusterSnapshot.of(objects()), new RecordRules(settings), Visibility.ALL);
    }

    /** Returns the objects of this cluster. */
    public static List<ClusterObject> objects() {
        List<ClusterObject> objects = new ArrayList<>(List.of(
                Namespace.of("shop"),
                Namespace.of("bare"),
                ClusterIpService.of(
                        "shop",
                        "cart",
                        List.of(IpAddress.parse("10.96.0.10"), IpAddress.parse("fd00:10:96::10")),
                        List.of(ServicePort.of("http", Protocol.TCP, 80), ServicePort.of("dns", Protocol.UDP, 53))),
                ClusterIpService.of(
                        "shop",
                        "ads",
                        List.of(IpAddress.parse("10.96.0.11")),
                        List.of(ServicePort.unnamed(Protocol.TCP, 8080))),
                HeadlessService.of("shop", "db", ServicePort.of("sql", Protocol.TCP, 5432)),
                slice("db", "db-4", "sql", 5432, endpoint("10.244.1.5", "db-0"), endpoint("10.244.1.6", "db-1")),
                slice("db", "db-6", "sql", 5432, endpoint("fd00:10:244::5", "db-0")),
                HeadlessService.of("shop", "idle", ServicePort.of("sql", Protocol.TCP, 5432)),
                external("outside", "db.example.com"),
                external("upper", "DB.Example.Com"),
                external("inside", "cart.shop.svc.cluster.local"),
                external("twice", "inside.shop.svc.cluster.local"),
                external("dead", "nobody.shop.svc.cluster.local"),
                external("corp", "cart.shop.svc.corp.test"),
                external("self", "self.shop.svc.cluster.local"),
                external("ring-1", "ring-2.shop.svc.cluster.local"),
                external("ring-2", "ring-3.shop.svc.cluster.local"),
                external("ring-3", "ring-1.shop.svc.cluster.local"),
                Pod.running("shop", "visitor", "10.244.1.9")));
        for (int i = 0; i < 12; i++) {
            objects.add(external("step-" + i, (i == 11 ? "cart" : "step-" + (i + 1)) + ".shop.svc.cluster.local"));
        }
        return objects;
    }

    private static ExternalNameService external(String name, String target) {
        return ExternalNameService.of("shop", name, target);
    }

    private static Endpoint endpoint(String address, String hostname) {
        return Endpoint.of(address).withHostname(hostname);
    }

    private static EndpointSlice slice(String service, String name, String port, int number, Endpoint... endpoints) {
        return EndpointSlice.builder("shop", name)
                .service(service)
                .endpoints(endpoints)
                .ports(EndpointPort.of(port, Protocol.TCP, number))
                .build();
    }

    /** Returns an answer as text: the RCODE with flags and extended error, then a line for each record with its section. */
    public static List<String> lines(Answer answer) {
        String head = org.xbill.DNS.Rcode.string(answer.rcode())
                + (answer.authoritative() ? " aa" : "")
                + (answer.recursionAvailable() ? " ra" : "")
                + answer.extendedError().map(error -> " ede " + error.code()).orElse("");
        return Stream.of(
                        Stream.of(head),
                        answer.answer().stream().flatMap(set -> set.lines()),
                        answer.authority().stream().flatMap(set -> set.lines()).map("authority: "::concat),
                        answer.additional().stream().flatMap(set -> set.lines()).map("additional: "::concat))
                .flatMap(lines -> lines)
                .toList();
    }
}
