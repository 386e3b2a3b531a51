import type { Context } from "hono";
import type { StandInEnv } from "#sandbox/kit/serve.ts";
import type { Spec } from "#sandbox/kit/spec.ts";
import { assertAllowed } from "./blocked.ts";
import { markMade } from "./call-book.ts";
import { type ImageRequest, readImageRequest } from "./image-request.ts";
import { type Latency, withLatency } from "./latency.ts";
import type { PictureGate } from "./picture-gate.ts";
import { drawBlank } from "./posters/blank.ts";
import { composePoster } from "./posters/compose.ts";
import type { PicturePool } from "./posters/pool.ts";
import { readBody } from "./request-check.ts";
import { estimateTokens, type UsageBook } from "./usage.ts";

export type ImageOptions = {
  spec: Spec;
  usage: UsageBook;
  pool: PicturePool;
  gate: PictureGate;
  latency: Latency;
  isBlank: boolean;
};

const TOKENS_PER_MEGAPIXEL = { low: 272, medium: 1056, high: 4160, xhigh: 6240, max: 8320 } as const;
const MEGAPIXEL = 1024 * 1024;

/** `POST /v1/images/generations`: one to ten drawn posters as base64, within the limits of the moment. */
export async function generateImages(c: Context<StandInEnv>, options: ImageOptions): Promise<Response> {
  const request = readImageRequest(options.spec, await readBody(c));
  const place = options.gate.enter(request.count);
  try {
    const pictures = await withLatency(request.prompt, options.latency, () => {
      assertAllowed(request.prompt);
      return drawAll(request, options);
    });
    markMade(c);
    return c.json(answerOf(request, pictures, options.usage), 200, options.gate.headers());
  } finally {
    place.leave();
  }
}

function drawAll(request: ImageRequest, { isBlank, pool }: ImageOptions): Promise<string[]> {
  const variants = Array.from({ length: request.count }, (_, variant) => variant);
  if (isBlank) return Promise.all(variants.map(() => drawBlank(request)));
  return Promise.all(variants.map((variant) => pool.draw(composePoster({ ...request, variant }))));
}

function answerOf(request: ImageRequest, pictures: string[], usage: UsageBook): object {
  const { prompt, count, widthPx, heightPx, format, model, effort } = request;
  const inputTokens = estimateTokens(prompt);
  const outputTokens = Math.round((TOKENS_PER_MEGAPIXEL[effort] * widthPx * heightPx) / MEGAPIXEL) * count;
  usage.record({ kind: "image", model, images: count, inputTokens, outputTokens });
  return {
    created: Math.floor(Date.now() / 1000),
    background: "opaque",
    output_format: format,
    quality: effort,
    size: `${widthPx}x${heightPx}`,
    data: pictures.map((base64) => ({ b64_json: base64 })),
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      input_tokens_details: { text_tokens: inputTokens, image_tokens: 0 },
    },
  };
}
