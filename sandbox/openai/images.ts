import type { Context } from "hono";
import type { StandInEnv } from "#sandbox/kit/serve.ts";
import type { Spec } from "#sandbox/kit/spec.ts";
import { assertAllowed } from "./blocked.ts";
import { readImageRequest } from "./image-request.ts";
import { withLatency } from "./latency.ts";
import { composePoster } from "./posters/compose.ts";
import type { PicturePool } from "./posters/pool.ts";
import { readBody } from "./request-check.ts";
import { estimateTokens, type UsageBook } from "./usage.ts";

export type ImageOptions = { spec: Spec; usage: UsageBook; pool: PicturePool; latencyMs: number };

const TOKENS_PER_MEGAPIXEL = { low: 272, medium: 1056, high: 4160, xhigh: 6240, max: 8320 } as const;
const MEGAPIXEL = 1024 * 1024;

/** `POST /v1/images/generations`: one to ten drawn posters as base64. */
export async function generateImages(c: Context<StandInEnv>, options: ImageOptions): Promise<Response> {
  const request = readImageRequest(options.spec, await readBody(c));
  const { prompt, count, widthPx, heightPx, format, model } = request;
  const pictures = await withLatency(prompt, options.latencyMs, () => {
    assertAllowed(prompt);
    const variants = Array.from({ length: count }, (_, variant) => composePoster({ ...request, variant }));
    return Promise.all(variants.map((spec) => options.pool.draw(spec)));
  });
  const inputTokens = estimateTokens(prompt);
  const perPicture = (TOKENS_PER_MEGAPIXEL[request.effort] * widthPx * heightPx) / MEGAPIXEL;
  const outputTokens = Math.round(perPicture) * count;
  options.usage.record({ kind: "image", model, images: count, inputTokens, outputTokens });
  return c.json({
    created: Math.floor(Date.now() / 1000),
    background: "opaque",
    output_format: format,
    quality: request.effort,
    size: `${widthPx}x${heightPx}`,
    data: pictures.map((base64) => ({ b64_json: base64 })),
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      input_tokens_details: { text_tokens: inputTokens, image_tokens: 0 },
    },
  });
}
