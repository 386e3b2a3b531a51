import type { z } from "zod";

/** What came of asking another process: its answer, or in words why there is none. */
export type Asked<T> = { ok: true; value: T } | { ok: false; problem: string };

/** Talks to other processes; each is given so long before it counts as silent. */
export interface Line {
  deadlineMs: number;
}

/** Reads JSON of a known shape. A process that is down, slow or of another version gives a problem, never an error. */
export async function ask<T>({ deadlineMs }: Line, url: string, shape: z.ZodType<T>): Promise<Asked<T>> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs) });
    if (!response.ok) {
      await response.body?.cancel();
      return { ok: false, problem: `It answered ${response.status}.` };
    }
    const parsed = shape.safeParse(await response.json());
    return parsed.success ? { ok: true, value: parsed.data } : { ok: false, problem: "Its answer has another shape." };
  } catch {
    // Refused, reset, silent or no JSON: for the reader of the page it is the same.
    return { ok: false, problem: "It does not answer." };
  }
}

/** Tells a stand-in something. Its refusal comes back in its own words. */
export async function tell(
  { deadlineMs }: Line,
  url: string,
  method: string,
  body?: unknown,
): Promise<Asked<undefined>> {
  try {
    const response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(deadlineMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return response.ok ? { ok: true, value: undefined } : { ok: false, problem: problemIn(text, response.status) };
  } catch {
    return { ok: false, problem: "The stand-in does not answer." };
  }
}

function problemIn(text: string, status: number): string {
  try {
    const { error } = Object(JSON.parse(text));
    return typeof error === "string" ? error : `The stand-in answered ${status}.`;
  } catch {
    return `The stand-in answered ${status}.`;
  }
}
