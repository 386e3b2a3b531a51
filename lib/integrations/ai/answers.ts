import { APIError } from "openai";
import { z } from "zod";
import { withoutDirections } from "#lib/core/text.ts";
import { HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import type { AiProblem, CopyOutcome } from "./port.ts";
import { COPY_LIMITS } from "./prompts.ts";

const REFUSED = "Our AI can't make a pin about this. Try another keyword.";
const NOT_SET_UP = "Pin generation isn't set up correctly on our end. Please contact support.";
const MIN_WAIT_MS = 50;
const MAX_WAIT_MS = HOUR_MS;
const MODERATION_CODES = new Set(["moderation_blocked", "content_policy_violation", "content_filter"]);

/** Bounded milliseconds from `retry-after-ms` or `retry-after` (seconds or a date); undefined without either. */
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

const fromApiError = (error: APIError): AiProblem => {
  const { status } = error;
  const detail = `${status ?? "no answer"} ${error.code ?? error.type ?? error.name}`.slice(0, 120);
  if (status === 400 && isModeration(error)) {
    return { kind: "refused", text: REFUSED, detail };
  }
  if (status === 429 && isOutOfQuota(error)) return { kind: "misconfigured", text: NOT_SET_UP, detail };
  if (status === 429)
    return toLater(error, "Our AI is very busy right now. Please try again in a few minutes.", detail);
  if (status === undefined) return toLater(error, "The AI didn't respond in time. Please try again.", detail);
  if (status >= 500 || status === 408 || status === 409) {
    return toLater(error, "Our AI isn't available right now. Please try again in a few minutes.", detail);
  }
  return { kind: "misconfigured", text: NOT_SET_UP, detail };
};

/** Errors of undici while it reads the body. Other TypeErrors are bugs. */
const isBrokenConnection = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (/^(AbortError|TimeoutError)$/.test(thrown.name) ||
    (thrown instanceof TypeError && /^(terminated|fetch failed)$/.test(thrown.message)));

/** @throws the same error when neither the provider nor the network caused it */
export const readProblem = (thrown: unknown): AiProblem => {
  if (thrown instanceof APIError) return fromApiError(thrown);
  if (thrown instanceof SyntaxError) {
    return {
      kind: "unusable",
      text: "The AI returned something we couldn't use. Please try again.",
      detail: "broken JSON",
    };
  }
  if (isBrokenConnection(thrown)) {
    return { kind: "later", text: "We lost the connection to our AI. Please try again.", detail: "connection broken" };
  }
  throw thrown;
};

const answer = z.object({ title: z.string(), description: z.string(), alt_text: z.string() });

/** Lenient, because compatible servers may omit what OpenAI guarantees. */
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

/** Texts up to this much over a limit are cut; longer ones are unusable. */
const SLIGHTLY_OVER = 1.2;

const problem = (kind: "refused" | "unusable", text: string, detail: string): CopyOutcome => {
  const found: AiProblem = { kind, text, detail };
  return { kind: "problem", problem: found };
};

const UNUSABLE_TEXT = "The AI returned text we couldn't use. Please try again.";

export const toOneLine = (text: string): string =>
  withoutDirections(text.toWellFormed())
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/\s+/g, " ")
    .normalize("NFC")
    .trim();

const lengthOf = (text: string): number => [...text].length;

/** In code points; cut after a word when it is slightly over. Null when it is empty or far too long. */
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

export const readCopy = (completion: unknown): CopyOutcome => {
  const parsed = completionAnswer.safeParse(completion);
  if (!parsed.success) return problem("unusable", UNUSABLE_TEXT, "no choice in the answer");
  const [choice] = parsed.data.choices;
  if (choice.message.refusal) return problem("refused", REFUSED, "refusal");
  switch (choice.finish_reason) {
    case "content_filter":
      return problem("refused", REFUSED, "finish_reason content_filter");
    case "length":
      return problem("unusable", "The AI didn't finish the text. Please try again.", "finish_reason length");
    default:
      return readContent(choice.message.content ?? "");
  }
};
