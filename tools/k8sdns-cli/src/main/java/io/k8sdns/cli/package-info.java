/** The command: arguments and printing only. Start with {@link io.k8sdns.cli.Main}. */
@NullMarked
package io.k8sdns.cli;

import org.jspecify.annotations.NullMarked;
