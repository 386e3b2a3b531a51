import { jobContext } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { framesOf, messageOf, toAppError } from "#lib/core/errors.ts";
import { createWideEvent, type WideFields, writeEvent } from "#lib/core/log.ts";

type StepFacts = WideFields & {
  job: string;
  step: string;
};

/** The engine stores and shows errors, so it gets only a message and a stack, never query parameters or causes. */
const toStored = (error: unknown, problem: string): Error => {
  const stored = new Error(problem);
  stored.stack = `Error: ${problem}\n${framesOf(error instanceof Error ? error : stored)}`;
  return stored;
};

/** Runs a use case for a durable step and writes one wide event. @throws Error that is safe for the engine to store. */
export const runUseCase = async <R>(facts: StepFacts, work: (ctx: FullCtx) => Promise<R>): Promise<R> => {
  const log = createWideEvent({ at: new Date().toISOString(), ...facts });
  const startedAt = performance.now();
  try {
    return await work(jobContext(facts.job, log));
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
