/** The command {@code k8sdns}: arguments and output only. Start with {@link io.k8sdns.cli.Main}. */
@NullMarked
package io.k8sdns.cli;

import org.jspecify.annotations.NullMarked;
