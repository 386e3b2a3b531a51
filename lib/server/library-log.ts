import "server-only";
import { format, stripVTControlCharacters } from "node:util";
import type { LoggerInstance } from "next-auth";
import { framesOf, messageOf } from "#lib/core/errors.ts";
import { createWideEvent, type WideFields, writeEvent } from "#lib/core/log.ts";

const TEXT_MAX = 2_000;

const write = (fields: WideFields): void => writeEvent(createWideEvent({ at: new Date().toISOString(), ...fields }));

const errorOf = (value: unknown): Error | undefined => {
  if (value instanceof Error) return value;
  const inner: unknown = Object(value).error;
  return inner instanceof Error ? inner : undefined;
};

const reportSignIn = (code: string, details?: unknown): void => {
  const error = errorOf(details);
  // Its message repeats what the visitor sent.
  const isTheirs = code === "INVALID_CALLBACK_URL_ERROR" || !error;
  write({
    sign_in_problem: code,
    ...(!isTheirs && { problem: messageOf(error).slice(0, TEXT_MAX) }),
    ...(error && { stack: framesOf(error) }),
  });
};

/** Instead of next-auth's own, which prints what visitors send, line breaks included. */
export const authLogger: LoggerInstance = {
  error: (code, details) => reportSignIn(code, details),
  warn: (code) => reportSignIn(code),
  debug: () => {},
};

const LEVELS = ["debug", "log", "info", "warn", "error"] as const;

/** From now on, what libraries print becomes one line of the log each, so that nothing in it can look like another. */
export const logConsole = (to: Pick<Console, (typeof LEVELS)[number]> = console): void => {
  for (const printed of LEVELS) {
    to[printed] = (...values: unknown[]) => {
      const error = values.map(errorOf).find((one) => one !== undefined);
      const texts = values.map((value) => (value instanceof Error ? messageOf(value) : value));
      const problem = messageOf(stripVTControlCharacters(format(...texts))).trim();
      if (problem === "") return;
      write({ printed, problem: problem.slice(0, TEXT_MAX), ...(error && { stack: framesOf(error) }) });
    };
  }
};
