package io.k8sdns.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** An etcd server on loopback, with one member and without TLS and authentication. */
final class PlainEtcd implements AutoCloseable {
    private static final int MAX_TRIES = 5;

    private final Process process;
    private final String url;

    private PlainEtcd(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    /** Starts a server, and waits until it answers. */
    static PlainEtcd start(Path folder) throws IOException, InterruptedException {
        String program = RealServer.program("etcd", "etcd-server");
        for (int tries = 1; true; tries++) {
            PlainEtcd etcd = launch(program, folder, "http://127.0.0.1:" + RealServer.freePort());
            if (etcd.isHealthy()) {
                return etcd;
            }
            // Another program may have bound a port in the meantime.
            etcd.close();
            if (tries == MAX_TRIES) {
                throw new AssertionError(Files.readString(folder.resolve("etcd.log")));
            }
        }
    }

    private static PlainEtcd launch(String program, Path folder, String url) throws IOException {
        String peer = "http://127.0.0.1:" + RealServer.freePort();
        ProcessBuilder builder = new ProcessBuilder(
                        program,
                        "--name=one",
                        "--data-dir=" + Files.createTempDirectory(folder, "etcd"),
                        "--listen-client-urls=" + url,
                        "--advertise-client-urls=" + url,
                        "--listen-peer-urls=" + peer,
                        "--initial-advertise-peer-urls=" + peer,
                        "--initial-cluster=one=" + peer,
                        "--logger=zap")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("etcd.log").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("ETCD"));
        return new PlainEtcd(builder.start(), url);
    }

    /** Waits until etcd answers; returns false if the process has ended. */
    private boolean isHealthy() throws IOException, InterruptedException {
        String etcdctl = RealServer.program("etcdctl", "etcd-client");
        while (process.isAlive()) {
            ProcessBuilder builder = new ProcessBuilder(
                            etcdctl, "--endpoints=" + url, "--command-timeout=5s", "endpoint", "health")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD);
            builder.environment().keySet().removeIf(name -> name.startsWith("ETCD"));
            builder.environment().put("ETCDCTL_API", "3");
            if (builder.start().waitFor() == 0) {
                return true;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        return false;
    }

    String url() {
        return url;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new AssertionError("etcd does not end");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
