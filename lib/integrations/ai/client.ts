import "server-only";
import OpenAI from "openai";
import { z } from "zod";
import { SECOND_MS } from "#lib/core/time.ts";
import { type ModelRole, readCopy, readProblem } from "./answers.ts";
import type { AiPort, AiProblem, CopyOutcome, DrawOutcome } from "./port.ts";
import { COPY_INSTRUCTIONS, COPY_SCHEMA, IMAGE_QUALITY, IMAGE_SIZE, toCopyMessage, toImagePrompt } from "./prompts.ts";

export interface AiOptions {
  apiKey: string;
  /** With the version, for example `https://api.openai.com/v1`. */
  baseUrl: string;
  textModel: string;
  imageModel: string;
  /** Longest time for one answer; otherwise a minute for text and four for a picture. */
  timeoutMs?: number;
}

const TEXT_TIMEOUT_MS = 60 * SECOND_MS;
const IMAGE_TIMEOUT_MS = 240 * SECOND_MS;
/** Room for a model that thinks before it writes; also what bounds the cost of one answer. */
const MAX_TEXT_TOKENS = 4_000;

/** The SDK's timeout ends with the headers; the signal also bounds the body. */
const limits = (timeoutMs: number, signal?: AbortSignal) => {
  const inTime = AbortSignal.timeout(timeoutMs + SECOND_MS);
  return { timeout: timeoutMs, signal: signal ? AbortSignal.any([inTime, signal]) : inTime };
};

const asProblem = (problem: AiProblem): { kind: "problem"; problem: AiProblem } => ({ kind: "problem", problem });

/** What a call gave, or the provider's problem. How the answer is read is no part of it: a mistake there is ours. */
const ask = async (role: ModelRole, call: () => Promise<unknown>): Promise<{ answer: unknown } | AiProblem> => {
  try {
    return { answer: await call() };
  } catch (error) {
    return readProblem(error, role);
  }
};

const writeCopy = async (
  client: OpenAI,
  options: AiOptions,
  input: Parameters<AiPort["writeCopy"]>[0],
): Promise<CopyOutcome> => {
  const asked = await ask("text", () =>
    client.chat.completions.create(
      {
        model: options.textModel,
        messages: [
          { role: "system", content: COPY_INSTRUCTIONS },
          { role: "user", content: toCopyMessage(input) },
        ],
        response_format: { type: "json_schema", json_schema: { name: "pin_copy", schema: COPY_SCHEMA, strict: true } },
        max_completion_tokens: MAX_TEXT_TOKENS,
        safety_identifier: input.safetyId,
      },
      limits(options.timeoutMs ?? TEXT_TIMEOUT_MS),
    ),
  );
  return "answer" in asked ? readCopy(asked.answer) : asProblem(asked);
};

const imagesAnswer = z.object({ data: z.tuple([z.object({ b64_json: z.string() })], z.unknown()) });

const readImage = (answer: unknown): DrawOutcome => {
  const parsed = imagesAnswer.safeParse(answer);
  const image = Buffer.from(parsed.success ? parsed.data.data[0].b64_json : "", "base64");
  if (image.byteLength > 0) return { kind: "drawn", image };
  return asProblem({ kind: "unusable", text: "The image model sent no picture.", detail: "no b64_json" });
};

const drawPin = async (
  client: OpenAI,
  options: AiOptions,
  input: Parameters<AiPort["drawPin"]>[0],
): Promise<DrawOutcome> => {
  const asked = await ask("image", () =>
    client.images.generate(
      {
        model: options.imageModel,
        prompt: toImagePrompt(input.keyword, input.take),
        n: 1,
        size: IMAGE_SIZE,
        quality: IMAGE_QUALITY[input.quality],
        output_format: "jpeg",
        user: input.safetyId,
      },
      limits(options.timeoutMs ?? IMAGE_TIMEOUT_MS, input.signal),
    ),
  );
  return "answer" in asked ? readImage(asked.answer) : asProblem(asked);
};

/** Text and pictures from OpenAI or a server that speaks its protocol. Retries are the caller's decision, not the SDK's. */
export const createAi = (options: AiOptions): AiPort => {
  const client = new OpenAI({ apiKey: options.apiKey, baseURL: options.baseUrl, maxRetries: 0 });
  return {
    writeCopy: (input) => writeCopy(client, options, input),
    drawPin: (input) => drawPin(client, options, input),
  };
};
