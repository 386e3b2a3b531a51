import type { ErrorCode } from "../core/errors.ts";

/** What a server action answers (lib/server/action.ts), as the browser sees it. */
export type ActionAnswer<T> =
  | { ok: true; value: T }
  | { ok: false; code: ErrorCode; text: string; fields?: Record<string, string[]> };

const UNREACHABLE: ActionAnswer<never> = {
  ok: false,
  code: "provider_unavailable",
  text: "The server could not be reached. Please try again.",
};

/** Waits for a server action. A broken connection, which rejects, becomes an answer like any other refusal. */
export const callAction = async <T>(call: Promise<ActionAnswer<T>>): Promise<ActionAnswer<T>> => {
  try {
    return await call;
  } catch (error) {
    console.warn("A server action got no answer", error);
    return UNREACHABLE;
  }
};
