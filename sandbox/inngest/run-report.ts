/**
 * What the executor tells about its runs, for its own page, the sandbox console and tests. Times are ISO 8601 in UTC.
 *
 *   GET /v1/runs?status=&function=&limit=&cursor=   → RunPage, the newest first
 *   GET /v1/runs/:id                                → RunDetail, or 404 {error}
 *
 * `status` is one of RUN_STATUSES, `function` a whole function id ("app-publish-pin"), `limit` 1 to 500 (100),
 * `cursor` the `nextCursor` of the page before. Anything else is 400 {error}.
 */

/** How a run can stand. */
export const RUN_STATUSES = ["running", "completed", "failed", "cancelled"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** `run` runs code of the app; the others wait for time, for an event, for another function. */
export type StepKind = "run" | "sleep" | "wait" | "invoke";
export type StepState = "pending" | "done" | "failed";

/** One step of a run in a list. */
export interface StepReport {
  name: string;
  kind: StepKind;
  state: StepState;
}

/** A run in a list. */
export interface RunReport {
  id: string;
  functionId: string;
  /** Name of the event that started it. */
  event: string;
  status: RunStatus;
  startedAt: string;
  endedAt: string | null;
  /** Completed ones in the order of their completion, then the pending ones. */
  steps: readonly StepReport[];
  /** Calls made or planned so far. */
  calls: number;
  /** The highest attempt among the calls that are owed an answer, from 1; 0 when there is none. */
  attempt: number;
  /** What holds it up, or why it failed; name and message only. */
  error: string | null;
}

/** One page of runs. */
export interface RunPage {
  runs: readonly RunReport[];
  /** Give it as `cursor` to read on; null on the last page. */
  nextCursor: string | null;
}

/** One step of one run, with what is known of it. */
export interface StepDetail extends StepReport {
  id: string;
  /** How often it was tried so far; 0 when it has no code of the app, or was not tried yet. */
  attempts: number;
  /** When a sleep or a wait ends by itself. */
  dueAt: string | null;
  /** What a pending step waits for, in words; null when it is done. */
  waitsFor: string | null;
  /** Its result as JSON text, cut after OUTPUT_CHARACTERS. */
  output: string | null;
  /** The error it ended with, or the one of its last attempt. */
  error: string | null;
}

/** An answer that the app owes. */
export interface CallReport {
  /** "step" for a call that lets the function go on, otherwise the id of the step to run. */
  target: string;
  /** From 1. */
  attempt: number;
  dueAt: string;
  state: "scheduled" | "due" | "in flight";
}

/** Everything about one run. */
export interface RunDetail extends Omit<RunReport, "steps"> {
  eventId: string;
  /** The whole event as JSON text, cut after OUTPUT_CHARACTERS. */
  eventBody: string;
  /** What the function returned, as JSON text, cut likewise. */
  output: string | null;
  steps: readonly StepDetail[];
  openCalls: readonly CallReport[];
  /** The run that invoked this one. */
  parentRunId: string | null;
}

/** Longer JSON texts are cut and end in "…". */
export const OUTPUT_CHARACTERS = 4_000;
