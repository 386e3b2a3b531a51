import type { PostAnswer } from "#lib/integrations/links/port.ts";
import { JITTER, RETRY_PAUSES_MS, TEST_EVENT, TIMEOUT_MS } from "./constants.ts";

/** `offline`: our own server's connection, which is no attempt. `gone`: the endpoint wants nothing more. */
export type AttemptResult = { kind: "delivered" | "offline" } | { kind: "failed" | "gone"; problem: string };

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

const statusProblem = (status: number): string =>
  isRedirect(status)
    ? `The URL redirects (status ${status}). Use the final URL.`
    : `Your server responded with status ${status}.`;

const PROBLEMS: Record<Exclude<PostAnswer["kind"], "answered" | "offline">, string> = {
  timeout: `Your server didn't respond within ${TIMEOUT_MS / 1_000} seconds.`,
  no_answer: "The connection failed.",
  no_route: "The site can't be reached from our server.",
  no_host: "There's no site at this URL. Check it for typos.",
  untrusted: "The site's certificate isn't valid.",
  refused: "The URL points to a private address. Use a public one.",
  insecure: "The URL must start with https://.",
};

export const readAnswer = (answer: PostAnswer): AttemptResult => {
  if (answer.kind === "offline") return { kind: "offline" };
  if (answer.kind !== "answered") return { kind: "failed", problem: PROBLEMS[answer.kind] };
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (status === 410)
    return { kind: "gone", problem: "Your server responded with status 410, so we turned the webhook off." };
  return { kind: "failed", problem: statusProblem(status) };
};

/** How long to wait after this many failures, null to give up. @param share from 0 to 1, for the jitter */
export const pauseAfter = (type: string, failures: number, share: number): number | null => {
  const pauseMs = type === TEST_EVENT ? undefined : RETRY_PAUSES_MS[failures - 1];
  return pauseMs === undefined ? null : Math.round(pauseMs * (1 + JITTER * share));
};
