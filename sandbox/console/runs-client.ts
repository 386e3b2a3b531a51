import { z } from "zod";
import { type Asked, ask, type Line } from "./ask.ts";

const stepShape = z.object({ name: z.string(), kind: z.string(), state: z.string() });
const stepDetailShape = stepShape.extend({
  attempts: z.number(),
  dueAt: z.string().nullable(),
  waitsFor: z.string().nullable(),
  output: z.string().nullable(),
  error: z.string().nullable(),
});
const runShape = z.object({
  id: z.string(),
  functionId: z.string(),
  event: z.string(),
  status: z.string(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  steps: z.array(stepShape),
  calls: z.number(),
  attempt: z.number(),
  error: z.string().nullable(),
});
const detailShape = runShape.extend({
  steps: z.array(stepDetailShape),
  eventBody: z.string(),
  output: z.string().nullable(),
  parentRunId: z.string().nullable(),
  openCalls: z.array(z.object({ target: z.string(), attempt: z.number(), dueAt: z.string(), state: z.string() })),
});
const pageShape = z.object({ runs: z.array(runShape), nextCursor: z.string().nullable() });

export type Run = z.infer<typeof runShape>;
export type RunDetail = z.infer<typeof detailShape>;
export type StepDetail = z.infer<typeof stepDetailShape>;
export type RunPage = z.infer<typeof pageShape>;

/** The newest runs first; `query` is handed on as it is (`status`, `function`, `cursor`, `limit`). */
export function readRuns(line: Line, origin: string, query: Record<string, string>): Promise<Asked<RunPage>> {
  return ask(line, `${origin}/v1/runs?${new URLSearchParams(query)}`, pageShape);
}

/** One run with its steps. */
export function readRun(line: Line, origin: string, id: string): Promise<Asked<RunDetail>> {
  return ask(line, `${origin}/v1/runs/${encodeURIComponent(id)}`, detailShape);
}
