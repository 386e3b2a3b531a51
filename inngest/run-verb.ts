import { jobContext } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { toAppError } from "#lib/core/errors.ts";
import { createWideEvent, type LogValue, writeEvent } from "#lib/core/log.ts";

/** Which step of which function calls, and for what; all of it goes into the wide event. */
interface StepFacts extends Record<string, LogValue> {
  job: string;
  step: string;
}

/** Calls one verb on behalf of a durable step and writes one wide event about it (EXAMPLES §16). */
export const runVerb = async <R>(facts: StepFacts, verb: (ctx: FullCtx) => Promise<R>): Promise<R> => {
  const log = createWideEvent({ at: new Date().toISOString(), ...facts });
  const startedAt = performance.now();
  try {
    return await verb(jobContext(facts.job, log));
  } catch (error) {
    const { code, cause } = toAppError(error);
    log.set({ error: code, problem: cause instanceof Error ? cause.message : null });
    throw error;
  } finally {
    log.set({ ms: Math.round(performance.now() - startedAt) });
    writeEvent(log);
  }
};
