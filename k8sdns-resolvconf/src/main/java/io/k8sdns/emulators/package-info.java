/**
 * Internal, not exported: how each resolver reads its resolv.conf, which names it tries, and which queries it sends.
 *
 * <p>Start with {@code Emulator}; {@code Emulators} lists one for each dialect. A class with the name of a resolver
 * ({@code Glibc}, {@code Musl}, {@code Go}, {@code CAres}, {@code Netty}, {@code Dnsjava}) has its rules for files and
 * names; its {@code Exchange} has the queries for one name: servers, retries, TCP. They share {@code SettingsDraft} and
 * {@code Lines} to read a file, {@code SearchWalk} to try the names in order, {@code TypeRun} for A and AAAA in parallel,
 * and {@code QueryLog}, which records the queries and passes the replies.
 */
@NullMarked
package io.k8sdns.emulators;

import org.jspecify.annotations.NullMarked;
