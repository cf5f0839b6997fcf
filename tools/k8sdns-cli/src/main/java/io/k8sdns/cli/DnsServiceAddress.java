package io.k8sdns.cli;

/**
 * The DNS server of a cluster.
 *
 * @param service the namespace and name of its Service
 * @param server the cluster IP and the port of its Service
 */
record DnsServiceAddress(String service, HostAndPort server) {}
