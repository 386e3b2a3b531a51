import { APIError } from "openai";
import { z } from "zod";
import { HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import type { AiProblem, CopyOutcome } from "./port.ts";
import { COPY_LIMITS } from "./prompts.ts";

/** Which model did not answer, for texts. */
export type ModelRole = "text" | "image";

const NOT_SET_UP = "Making pins is not set up correctly on our side. Please contact support.";
const MIN_WAIT_MS = 50;
const MAX_WAIT_MS = HOUR_MS;
const MODERATION_CODES = new Set(["moderation_blocked", "content_policy_violation", "content_filter"]);

/**
 * Milliseconds to wait from `retry-after-ms` or `retry-after` (seconds or a date), within bounds; undefined when the
 * provider names none.
 */
export const readRetryAfter = (headers: Headers | undefined, now: Date): number | undefined => {
  const ms = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms)) return clampWait(ms);
  const text = headers?.get("retry-after");
  if (!text) return undefined;
  const waitMs = Number.isFinite(Number(text)) ? Number(text) * SECOND_MS : Date.parse(text) - now.getTime();
  return Number.isFinite(waitMs) ? clampWait(waitMs) : undefined;
};

const clampWait = (ms: number): number => Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, Math.ceil(ms)));

const isModeration = (error: APIError): boolean =>
  MODERATION_CODES.has(error.code ?? "") || error.type === "image_generation_user_error";

const isOutOfQuota = (error: APIError): boolean =>
  error.code === "insufficient_quota" || error.type === "insufficient_quota";

const toLater = (error: APIError, text: string, detail: string): AiProblem => {
  const retryAfterMs = readRetryAfter(error.headers, new Date());
  if (retryAfterMs === undefined) return { kind: "later", text, detail };
  if (error.status === 429) return { kind: "busy", text, detail, retryAfterMs };
  return { kind: "later", text, detail, retryAfterSeconds: Math.ceil(retryAfterMs / SECOND_MS) };
};

const fromApiError = (error: APIError, role: ModelRole): AiProblem => {
  const { status } = error;
  const detail = `${status ?? "no answer"} ${error.code ?? error.type ?? error.name}`.slice(0, 120);
  if (status === 400 && isModeration(error)) {
    return { kind: "refused", text: `The ${role} model refused this subject. Try another keyword.`, detail };
  }
  if (status === 429 && isOutOfQuota(error)) return { kind: "misconfigured", text: NOT_SET_UP, detail };
  if (status === 429) return toLater(error, `The ${role} model is very busy.`, detail);
  if (status === undefined) return toLater(error, `The ${role} model did not answer in time.`, detail);
  if (status >= 500 || status === 408 || status === 409) {
    return toLater(error, `The ${role} model is not available at the moment.`, detail);
  }
  return { kind: "misconfigured", text: NOT_SET_UP, detail };
};

/** What undici throws when the connection breaks or the time is up while the body is read. Other TypeErrors are bugs. */
const isBrokenConnection = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (/^(AbortError|TimeoutError)$/.test(thrown.name) ||
    (thrown instanceof TypeError && /^(terminated|fetch failed)$/.test(thrown.message)));

/**
 * What the SDK threw, told in our words (BRIEF §6).
 * @throws the same again when it is nothing that a provider or the network does.
 */
export const readProblem = (thrown: unknown, role: ModelRole): AiProblem => {
  if (thrown instanceof APIError) return fromApiError(thrown, role);
  if (thrown instanceof SyntaxError) {
    return { kind: "unusable", text: `The ${role} model gave an answer we could not use.`, detail: "broken JSON" };
  }
  if (isBrokenConnection(thrown)) {
    return { kind: "later", text: `The connection to the ${role} model broke.`, detail: "connection broken" };
  }
  throw thrown;
};

const answer = z.object({ title: z.string(), description: z.string(), alt_text: z.string() });

/** Of a completion, what is read. Compatible servers may leave out what OpenAI promises. */
const completionAnswer = z.object({
  choices: z.tuple(
    [
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    ],
    z.unknown(),
  ),
});

/** Up to this much over a limit is cut; beyond it the model has not understood, and the answer is not usable. */
const SLIGHTLY_OVER = 1.2;

const problem = (kind: "refused" | "unusable", text: string, detail: string): CopyOutcome => {
  const found: AiProblem = { kind, text, detail };
  return { kind: "problem", problem: found };
};

const UNUSABLE_TEXT = "The text model gave an answer we could not use.";
const TEXT_REFUSED = "The text model refused this subject. Try another keyword.";

/** One line of well-formed text: no control characters, single spaces, composed letters. */
export const toOneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/\s+/g, " ")
    .normalize("NFC")
    .trim();

const lengthOf = (text: string): number => [...text].length;

/**
 * A text within a limit (in characters): as it is, or cut after a word when it is slightly over.
 * Null when it is empty or far too long.
 */
export const fitText = (text: string, limit: number): string | null => {
  if (text === "" || lengthOf(text) > limit * SLIGHTLY_OVER) return null;
  if (lengthOf(text) <= limit) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)) {
    if (lengthOf(kept + segment) > limit) break;
    kept += segment;
  }
  return kept.replace(/[\s,;:\p{Pd}(]+$/u, "") || null;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const readContent = (content: string): CopyOutcome => {
  const parsed = answer.safeParse(parseJson(content));
  if (!parsed.success) return problem("unusable", UNUSABLE_TEXT, "not the agreed JSON");
  const title = fitText(toOneLine(parsed.data.title), COPY_LIMITS.title);
  const description = fitText(toOneLine(parsed.data.description), COPY_LIMITS.description);
  const altText = fitText(toOneLine(parsed.data.alt_text), COPY_LIMITS.altText);
  if (title === null || description === null || altText === null) {
    return problem("unusable", UNUSABLE_TEXT, "a text is empty or far too long");
  }
  return { kind: "written", copy: { title, description, altText } };
};

/** The pin's words from a completion, validated and cut to Pinterest's limits; or why there are none. */
export const readCopy = (completion: unknown): CopyOutcome => {
  const parsed = completionAnswer.safeParse(completion);
  if (!parsed.success) return problem("unusable", UNUSABLE_TEXT, "no choice in the answer");
  const [choice] = parsed.data.choices;
  if (choice.message.refusal) return problem("refused", TEXT_REFUSED, "refusal");
  switch (choice.finish_reason) {
    case "content_filter":
      return problem("refused", TEXT_REFUSED, "finish_reason content_filter");
    case "length":
      return problem("unusable", "The text model's answer was cut off.", "finish_reason length");
    default:
      return readContent(choice.message.content ?? "");
  }
};
