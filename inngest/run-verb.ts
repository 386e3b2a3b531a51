import { jobContext } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { framesOf, messageOf, toAppError } from "#lib/core/errors.ts";
import { createWideEvent, type WideFields, writeEvent } from "#lib/core/log.ts";

/** Which step of which function calls, and for what; all of it goes into the wide event. */
type StepFacts = WideFields & {
  job: string;
  step: string;
};

/**
 * What the durable engine may keep of a failure: a message and where it was thrown. Never the error itself, for
 * the parameters of a failed query, and all that hangs on its causes, would be stored and shown there.
 */
const toStored = (error: unknown, problem: string): Error => {
  const stored = new Error(problem);
  stored.stack = `Error: ${problem}\n${framesOf(error instanceof Error ? error : stored)}`;
  return stored;
};

/**
 * Calls one verb on behalf of a durable step and writes one wide event about it (EXAMPLES §16).
 * @throws Error with the message of whatever the verb threw, fit to be stored by the engine.
 */
export const runVerb = async <R>(facts: StepFacts, verb: (ctx: FullCtx) => Promise<R>): Promise<R> => {
  const log = createWideEvent({ at: new Date().toISOString(), ...facts });
  const startedAt = performance.now();
  try {
    return await verb(jobContext(facts.job, log));
  } catch (error) {
    const { code, message, cause } = toAppError(error);
    const problem = messageOf(cause ?? message);
    log.set({ error: code, problem });
    throw toStored(cause ?? error, problem);
  } finally {
    log.set({ ms: Math.round(performance.now() - startedAt) });
    writeEvent(log);
  }
};
