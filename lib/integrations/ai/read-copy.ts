import { z } from "zod";
import type { AiProblem, CopyOutcome } from "./port.ts";
import { COPY_LIMITS } from "./prompts.ts";

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
export const TEXT_REFUSED = "The text model refused this subject. Try another keyword.";

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
