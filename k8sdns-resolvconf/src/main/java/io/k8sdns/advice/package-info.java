/**
 * Advice for the host strings of an application, which are host names as it writes them: their cost in a Pod, and cheaper spellings.
 *
 * <pre>{@code
 * NdotsAdvisor advisor = new NdotsAdvisor(dns.resolvConf().render(), Map.of(), List.of(Dialect.GLIBC));
 * HostAdvice advice =
 *         advisor.advise("api.payments.example", AnswerScript.of(Map.of("api.payments.example", "A")));
 * assertThat(advice.suggestions().get(1).text()).isEqualTo("api.payments.example."); // 2 queries instead of 8
 * }</pre>
 *
 * <p>{@link io.k8sdns.advice.NdotsAdvisor} simulates each suggestion with {@link io.k8sdns.plan.QueryPlan} before it returns
 * it in a {@link io.k8sdns.advice.HostAdvice}; {@link io.k8sdns.advice.NdotsChoice} compares values of {@code ndots} for all
 * host strings together.
 */
@NullMarked
package io.k8sdns.advice;

import org.jspecify.annotations.NullMarked;
