package io.k8sdns.clustertests;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.time.Duration;

/**
 * A cluster that tests may change, in a namespace of their own. What a controller does in a real one is a method here, and not
 * a rule in the tests.
 */
interface TestCluster extends AutoCloseable {
    /** Returns who changes it. */
    KubernetesClient client();

    /** Returns the namespace of the tests, which has the label {@code k8sdns-test} with its own name. */
    String namespace();

    /** Returns a client for whoever follows the cluster. */
    ApiClient connect() throws IOException;

    /** Creates a Service, which is given an address if it is one that has one; returns it as the API server has it. */
    Service create(Service service);

    /** Creates a Pod and returns it when it has an address. */
    Pod run(Pod pod);

    /** Returns how long anything takes at most. */
    Duration patience();

    @Override
    void close();
}
