import "server-only";
import { AppError } from "#lib/core/errors.ts";
import { addMs } from "#lib/core/time.ts";
import { START_MAX_AHEAD_MS, START_PASSED_MS, TEXTS } from "./constants.ts";

/**
 * When the first pin of a batch goes out: at once, or at the time that was asked for. One that has just passed,
 * while somebody pressed the button, means at once.
 * @throws AppError `invalid` when it passed longer ago, or lies more than a year ahead.
 */
export const planStart = (asked: Date | null, now: Date): Date => {
  if (!asked) return now;
  if (asked < addMs(now, -START_PASSED_MS)) throw new AppError("invalid", { text: TEXTS.timePassed });
  if (asked > addMs(now, START_MAX_AHEAD_MS)) throw new AppError("invalid", { text: TEXTS.startInvalid });
  return asked < now ? now : asked;
};
