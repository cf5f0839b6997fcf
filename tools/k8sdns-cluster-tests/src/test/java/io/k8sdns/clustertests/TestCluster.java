package io.k8sdns.clustertests;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.time.Duration;

/**
 * A cluster with a namespace that tests may change. Methods simulate the controllers of a real cluster, so that tests do not depend on
 * the kind of cluster.
 */
interface TestCluster extends AutoCloseable {
    /** Returns the client that changes the cluster. */
    KubernetesClient client();

    /** Returns the namespace of the tests, which has the label {@code k8sdns-test} with its own name. */
    String namespace();

    /** Returns a client for a source that follows the cluster. */
    ApiClient connect() throws IOException;

    /** Creates a Service, with a cluster IP if its type has one; returns it as stored by the API server. */
    Service create(Service service);

    /** Creates a Pod; returns it once it has an address. */
    Pod run(Pod pod);

    /** Returns the timeout of any operation. */
    Duration patience();

    @Override
    void close();
}
