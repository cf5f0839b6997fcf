/** Other DNS servers: how a question is sent to them, and for how long their answers are kept. */
@NullMarked
package io.k8sdns.forward;

import org.jspecify.annotations.NullMarked;
