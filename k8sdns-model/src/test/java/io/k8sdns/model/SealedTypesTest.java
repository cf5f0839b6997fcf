package io.k8sdns.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that folds handle every permitted subclass, with one instance of each. */
class SealedTypesTest {
    private static final List<Service> SERVICES = List.of(
            ClusterIpService.of("prod", "web", List.of(IpAddress.parse("10.3.0.1")), List.of()),
            HeadlessService.of("prod", "db"),
            ExternalNameService.of("prod", "ext", "www.example.com"));

    private static final List<TargetPort> TARGETS =
            List.of(new TargetPort.Numbered(80), new TargetPort.Named("http"), new TargetPort.Unknown());

    private static final List<ClusterObject> OTHERS = List.of(
            Namespace.of("prod"),
            Node.of("n1"),
            Pod.running("prod", "web-0"),
            EndpointSlice.builder("prod", "web-1").service("web").build(),
            ServiceExport.of("prod", "web"));

    @Test
    void foldTakesEveryService() {
        assertThat(classes(SERVICES)).isEqualTo(permitted(Service.class));
        assertThat(SERVICES.stream()
                        .map(service -> service.<Object>fold(
                                clusterIp -> clusterIp, headless -> headless, external -> external)))
                .isEqualTo(SERVICES);
    }

    @Test
    void foldTakesEveryTargetPort() {
        assertThat(classes(TARGETS)).isEqualTo(permitted(TargetPort.class));
        assertThat(TARGETS.stream()
                        .map(target -> target.<Object>fold(numbered -> numbered, named -> named, unknown -> unknown)))
                .isEqualTo(TARGETS);
    }

    @Test
    void everyObjectHasItsKind() {
        List<ClusterObject> objects =
                Stream.concat(SERVICES.stream(), OTHERS.stream()).toList();
        assertThat(classes(objects)).isEqualTo(permitted(ClusterObject.class));
        assertThat(objects.stream().map(object -> object.ref().kind()).distinct())
                .containsExactly("Service", "Namespace", "Node", "Pod", "EndpointSlice", "ServiceExport");
    }

    @Test
    void anExternalNameHasNoPorts() {
        assertThat(SERVICES.get(2).ports()).isEmpty();
        assertThat(SERVICES.get(2).publishNotReadyAddresses()).isFalse();
    }

    private static Set<Class<?>> classes(List<?> instances) {
        return instances.stream().map(Object::getClass).collect(Collectors.toSet());
    }

    /** Returns the concrete classes of a sealed type. */
    private static Set<Class<?>> permitted(Class<?> type) {
        return type.isSealed()
                ? Stream.of(type.getPermittedSubclasses())
                        .flatMap(subclass -> permitted(subclass).stream())
                        .collect(Collectors.toSet())
                : Set.of(type);
    }
}
