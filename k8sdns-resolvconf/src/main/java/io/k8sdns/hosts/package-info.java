/**
 * Internal, not exported: host names as programs pass them to a resolver, and the names that resolvers answer without a
 * query.
 *
 * <p>{@code NameText} converts texts to names, {@code NumericAddress} recognizes addresses, {@code HostsFile} is the {@code
 * /etc/hosts} of a Pod, {@code FatalSearchList} recognizes the search lists that end a program on glibc.
 */
@NullMarked
package io.k8sdns.hosts;

import org.jspecify.annotations.NullMarked;
