import "server-only";
import OpenAI from "openai";
import { z } from "zod";
import { SECOND_MS } from "#lib/core/time.ts";
import { readCopy, readProblem } from "./answers.ts";
import type { AiPort, AiProblem, CopyOutcome, ImageOutcome } from "./port.ts";
import { COPY_INSTRUCTIONS, COPY_SCHEMA, IMAGE_QUALITY, IMAGE_SIZE, toCopyMessage, toImagePrompt } from "./prompts.ts";

interface AiOptions {
  apiKey: string;
  /** Includes the version, for example `https://api.openai.com/v1`. */
  baseUrl: string;
  textModel: string;
  imageModel: string;
  timeoutMs?: number;
}

const TEXT_TIMEOUT_MS = 60 * SECOND_MS;
const IMAGE_TIMEOUT_MS = 240 * SECOND_MS;
/** Leaves room for reasoning tokens, and bounds the cost of one answer. */
const MAX_TEXT_TOKENS = 4_000;

/** The SDK's timeout covers only the headers; the signal also covers the body. */
const limits = (timeoutMs: number, signal?: AbortSignal) => {
  const inTime = AbortSignal.timeout(timeoutMs + SECOND_MS);
  return { timeout: timeoutMs, signal: signal ? AbortSignal.any([inTime, signal]) : inTime };
};

const asProblem = (problem: AiProblem): { kind: "problem"; problem: AiProblem } => ({ kind: "problem", problem });

/** Returns the raw answer or the provider's problem. Parsing happens outside, so that our own bugs are not caught here. */
const callModel = async (call: () => Promise<unknown>): Promise<{ answer: unknown } | AiProblem> => {
  try {
    return { answer: await call() };
  } catch (error) {
    return readProblem(error);
  }
};

const writeCopy = async (
  client: OpenAI,
  options: AiOptions,
  input: Parameters<AiPort["writeCopy"]>[0],
): Promise<CopyOutcome> => {
  const result = await callModel(() =>
    client.chat.completions.create(
      {
        model: options.textModel,
        messages: [
          { role: "system", content: COPY_INSTRUCTIONS },
          { role: "user", content: toCopyMessage(input) },
          ...(input.fix === undefined ? [] : [{ role: "system" as const, content: input.fix }]),
        ],
        response_format: { type: "json_schema", json_schema: { name: "pin_copy", schema: COPY_SCHEMA, strict: true } },
        max_completion_tokens: MAX_TEXT_TOKENS,
        safety_identifier: input.safetyId,
      },
      limits(options.timeoutMs ?? TEXT_TIMEOUT_MS),
    ),
  );
  return "answer" in result ? readCopy(result.answer) : asProblem(result);
};

const imagesAnswer = z.object({ data: z.tuple([z.object({ b64_json: z.string() })], z.unknown()) });

const readImage = (answer: unknown): ImageOutcome => {
  const parsed = imagesAnswer.safeParse(answer);
  const image = Buffer.from(parsed.success ? parsed.data.data[0].b64_json : "", "base64");
  if (image.byteLength > 0) return { kind: "generated", image };
  return asProblem({
    kind: "unusable",
    text: "The AI didn't return an image. Please try again.",
    detail: "no b64_json",
  });
};

const generateImage = async (
  client: OpenAI,
  options: AiOptions,
  input: Parameters<AiPort["generateImage"]>[0],
): Promise<ImageOutcome> => {
  const result = await callModel(() =>
    client.images.generate(
      {
        model: options.imageModel,
        prompt: toImagePrompt(input),
        n: 1,
        size: IMAGE_SIZE,
        quality: IMAGE_QUALITY[input.quality],
        output_format: "jpeg",
        user: input.safetyId,
      },
      limits(options.timeoutMs ?? IMAGE_TIMEOUT_MS, input.signal),
    ),
  );
  return "answer" in result ? readImage(result.answer) : asProblem(result);
};

/** Works with OpenAI and compatible servers. The SDK never retries; the caller decides. */
export const createAi = (options: AiOptions): AiPort => {
  const client = new OpenAI({ apiKey: options.apiKey, baseURL: options.baseUrl, maxRetries: 0 });
  return {
    writeCopy: (input) => writeCopy(client, options, input),
    generateImage: (input) => generateImage(client, options, input),
  };
};
