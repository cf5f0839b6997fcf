/**
 * Internal: tasks on the executors of hosts. The package is exported to modules of k8sdns only and may change in any release.
 *
 * <p>{@code DelayedTask} runs once after a delay, unless it is cancelled or its executor is shut down.
 */
@NullMarked
package io.k8sdns.timers;

import org.jspecify.annotations.NullMarked;
