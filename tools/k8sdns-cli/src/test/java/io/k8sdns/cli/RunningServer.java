package io.k8sdns.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs {@code k8sdns serve} in a thread of this process, at a free port of 127.0.0.1. */
final class RunningServer implements AutoCloseable {
    private final CommandThread command;
    private final HostAndPort address;

    private RunningServer(List<String> arguments) throws InterruptedException {
        command = new CommandThread("serve", arguments);
        address = command.nextAddress();
    }

    /** Starts a server; returns when it answers. */
    static RunningServer with(String... arguments) throws InterruptedException {
        return new RunningServer(List.of(arguments));
    }

    /** Starts a server with these options at a free port; returns when it answers. */
    static RunningServer atFreePort(List<String> options, String... rest) throws InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("--listen", "127.0.0.1:0"));
        arguments.addAll(options);
        arguments.addAll(List.of(rest));
        return new RunningServer(arguments);
    }

    /** Waits for the next printed address of the server. */
    String nextAddress() throws InterruptedException {
        return command.nextAddress().toString();
    }

    /** Returns the address that was printed first. */
    String address() {
        return address.toString();
    }

    /** Returns what was printed to stderr so far. */
    String err() {
        return command.err();
    }

    /** Waits until a text was printed to stderr. */
    void awaitErr(String text) throws InterruptedException {
        command.awaitErr(text);
    }

    /** Returns a client of the address that was printed first. */
    TestClient client() throws IOException {
        return new TestClient(address.address());
    }

    /** Waits until the server has ended by itself, and returns its exit code. */
    int awaitEnd() throws InterruptedException {
        return command.await();
    }

    /** Stops the server like a signal, and returns its exit code. */
    int stop() throws InterruptedException {
        return command.stop();
    }

    @Override
    public void close() {
        command.close();
    }
}
