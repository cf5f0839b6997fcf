/**
 * What a Pod finds in {@code /etc/resolv.conf}, and what it is called: the kubelet's rules as functions.
 *
 * <p>Start with {@link io.k8sdns.resolvconf.ResolvConf}, the file.
 *
 * <p>Nothing here reads a file of the machine it runs on. What a program makes of the file is the matter of
 * {@link io.k8sdns.search}.
 */
@NullMarked
package io.k8sdns.resolvconf;

import org.jspecify.annotations.NullMarked;
