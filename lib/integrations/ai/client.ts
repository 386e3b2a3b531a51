import "server-only";
import OpenAI from "openai";
import { SECOND_MS } from "#lib/core/time.ts";
import type { AiPort, AiProblem, CopyOutcome, DrawOutcome } from "./port.ts";
import { COPY_INSTRUCTIONS, COPY_SCHEMA, IMAGE_QUALITY, IMAGE_SIZE, toCopyMessage, toImagePrompt } from "./prompts.ts";
import { readCopy } from "./read-copy.ts";
import { readProblem } from "./read-problem.ts";
import { createSlots, type Slots } from "./slots.ts";

export interface AiOptions {
  apiKey: string;
  /** With the version, for example `https://api.openai.com/v1`. */
  baseUrl: string;
  textModel: string;
  imageModel: string;
  /** Pictures drawn at the same time by this process. */
  imageConcurrency: number;
  /** Longest time for one answer; otherwise a minute for text and four for a picture. */
  timeoutMs?: number;
  /** Longest wait for a free place to draw before the caller is asked to come again. */
  queueWaitMs?: number;
}

const TEXT_TIMEOUT_MS = 60 * SECOND_MS;
const IMAGE_TIMEOUT_MS = 240 * SECOND_MS;
const QUEUE_WAIT_MS = 240 * SECOND_MS;
const QUEUE_RETRY_SECONDS = 5;
/** Room for a model that thinks before it writes; also what bounds the cost of one answer. */
const MAX_TEXT_TOKENS = 4_000;

/** The SDK's timeout ends with the headers; the signal also bounds the body. */
const limits = (timeoutMs: number) => ({ timeout: timeoutMs, signal: AbortSignal.timeout(timeoutMs + SECOND_MS) });

const asProblem = (problem: AiProblem): { kind: "problem"; problem: AiProblem } => ({ kind: "problem", problem });

const writeCopy = async (
  client: OpenAI,
  options: AiOptions,
  input: Parameters<AiPort["writeCopy"]>[0],
): Promise<CopyOutcome> => {
  try {
    const completion = await client.chat.completions.create(
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
    );
    return readCopy(completion);
  } catch (error) {
    return asProblem(readProblem(error, "text"));
  }
};

const readImage = (response: OpenAI.ImagesResponse): DrawOutcome => {
  const image = Buffer.from(response.data?.at(0)?.b64_json ?? "", "base64");
  if (image.byteLength > 0) return { kind: "drawn", image };
  return asProblem({ kind: "unusable", text: "The image model sent no picture.", detail: "no b64_json" });
};

const drawPin = async (
  client: OpenAI,
  options: AiOptions,
  input: Parameters<AiPort["drawPin"]>[0],
): Promise<DrawOutcome> => {
  try {
    const response = await client.images.generate(
      {
        model: options.imageModel,
        prompt: toImagePrompt(input.keyword),
        n: 1,
        size: IMAGE_SIZE,
        quality: IMAGE_QUALITY[input.quality],
        output_format: "jpeg",
        user: input.safetyId,
      },
      limits(options.timeoutMs ?? IMAGE_TIMEOUT_MS),
    );
    return readImage(response);
  } catch (error) {
    return asProblem(readProblem(error, "image"));
  }
};

const inSlot = async (slots: Slots, waitMs: number, draw: () => Promise<DrawOutcome>): Promise<DrawOutcome> => {
  if (!(await slots.acquire(waitMs))) {
    const text = "Many pictures are being made at the moment.";
    return asProblem({ kind: "later", text, retryAfterSeconds: QUEUE_RETRY_SECONDS, detail: "no free place" });
  }
  try {
    return await draw();
  } finally {
    slots.release();
  }
};

/** Text and pictures from OpenAI or a server that speaks its protocol. Retries are the caller's decision, not the SDK's. */
export const createAi = (options: AiOptions): AiPort => {
  const client = new OpenAI({ apiKey: options.apiKey, baseURL: options.baseUrl, maxRetries: 0 });
  const slots = createSlots(options.imageConcurrency);
  return {
    writeCopy: (input) => writeCopy(client, options, input),
    drawPin: (input) => inSlot(slots, options.queueWaitMs ?? QUEUE_WAIT_MS, () => drawPin(client, options, input)),
  };
};
