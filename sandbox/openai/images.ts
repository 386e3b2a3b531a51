import type { Context } from "hono";
import type { StandInEnv } from "#sandbox/kit/serve.ts";
import type { Spec } from "#sandbox/kit/spec.ts";
import type { JsonObject } from "#sandbox/kit/values.ts";
import { estimateTokens } from "./chat.ts";
import { drawBlank, drawPoster, type ImageFormat } from "./posters.ts";
import {
  ApiError,
  assertAllowed,
  assertModel,
  assertOfficial,
  assertSupported,
  invalidRequest,
  readBody,
} from "./requests.ts";
import { withLatency } from "./seed.ts";
import type { OpenAiSettings } from "./settings.ts";

type Limits = Pick<OpenAiSettings, "imagesInFlight" | "imagesPerMinute" | "imageLatencyMs">;

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const MIN_WAIT_MS = 50;
/** Tolerance for sums of fractional milliseconds. */
const ROUNDING = 1e-9;

type LimitHeaders = Record<string, string>;

/** Limits image calls in flight, and per minute by a token bucket that holds one second's worth, at least one. */
export class ImageLimiter {
  readonly #limits: () => Limits;
  readonly #now: () => number;
  #inFlight = 0;
  #peakInFlight = 0;
  #bucket = { perMinute: 0, tokens: 0, filledAt: 0 };

  /** @param now monotonic milliseconds */
  constructor(limits: () => Limits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Takes a slot and an image of the quota. The caller must release the slot. @throws ApiError 429. */
  acquire(): { release(): void } {
    const { imagesInFlight, imagesPerMinute, imageLatencyMs } = this.#limits();
    if (imagesInFlight > 0 && this.#inFlight >= imagesInFlight) {
      const text = `Too many images at once: limit ${imagesInFlight}.`;
      throw rateLimitError(text, imageLatencyMs / imagesInFlight, {});
    }
    if (imagesPerMinute > 0) this.#take(imagesPerMinute);
    this.#inFlight += 1;
    this.#peakInFlight = Math.max(this.#peakInFlight, this.#inFlight);
    let isHeld = true;
    return {
      release: () => {
        if (isHeld) this.#inFlight -= 1;
        isHeld = false;
      },
    };
  }

  /** The headers of a response; empty without a quota. */
  headers(): LimitHeaders {
    const { imagesPerMinute } = this.#limits();
    return imagesPerMinute === 0 ? {} : limitHeaders(imagesPerMinute, this.#fill(imagesPerMinute));
  }

  /** Calls in flight, and the highest number so far. */
  counts(): { imagesInFlight: number; imagesInFlightAtMost: number } {
    return { imagesInFlight: this.#inFlight, imagesInFlightAtMost: this.#peakInFlight };
  }

  resetPeak(): void {
    this.#peakInFlight = this.#inFlight;
  }

  /** The tokens available now. A changed quota starts with a full bucket. */
  #fill(perMinute: number): number {
    const before = this.#bucket;
    const filledAt = this.#now();
    const most = capacityOf(perMinute);
    const gained = ((filledAt - before.filledAt) * perMinute) / MINUTE_MS;
    const tokens = before.perMinute === perMinute ? Math.min(most, before.tokens + gained) : most;
    this.#bucket = { perMinute, tokens, filledAt };
    return tokens;
  }

  /** @throws ApiError 429 with the time to wait. */
  #take(perMinute: number): void {
    const tokens = this.#fill(perMinute);
    if (tokens < 1 - ROUNDING) {
      const text = `Rate limit reached on images per min: limit ${perMinute}.`;
      throw rateLimitError(text, ((1 - tokens) * MINUTE_MS) / perMinute, limitHeaders(perMinute, tokens));
    }
    this.#bucket.tokens -= 1;
  }
}

function capacityOf(perMinute: number): number {
  return Math.max(1, Math.ceil((perMinute * SECOND_MS) / MINUTE_MS));
}

function limitHeaders(perMinute: number, tokens: number): LimitHeaders {
  const missing = Math.max(0, capacityOf(perMinute) - tokens);
  return {
    "x-ratelimit-limit-requests": String(perMinute),
    "x-ratelimit-remaining-requests": String(Math.max(0, Math.floor(tokens + ROUNDING))),
    "x-ratelimit-reset-requests": `${Math.ceil((missing * MINUTE_MS) / perMinute)}ms`,
  };
}

/** Sends the wait in both headers: the older one only has whole seconds. */
function rateLimitError(message: string, requestedMs: number, headers: LimitHeaders): ApiError {
  const waitMs = Math.max(MIN_WAIT_MS, Math.ceil(requestedMs - ROUNDING));
  const details = { message: `${message} Please try again in ${waitMs}ms.`, type: "images", param: null };
  const retry = { "retry-after-ms": String(waitMs), "retry-after": String(Math.ceil(waitMs / SECOND_MS)) };
  return new ApiError(429, { ...details, code: "rate_limit_exceeded" }, { ...headers, ...retry });
}

/** `POST /v1/images/generations`: a poster as base64, within the current limits. */
export async function generateImages(
  c: Context<StandInEnv>,
  spec: Spec,
  limiter: ImageLimiter,
  { imageLatencyMs, latencySpread, blankImages }: OpenAiSettings,
): Promise<Response> {
  const request = readImageRequest(spec, await readBody(c));
  const slot = limiter.acquire();
  try {
    const image = await withLatency(request.prompt, { ms: imageLatencyMs, spread: latencySpread }, () => {
      assertAllowed(request.prompt);
      return blankImages ? drawBlank(request) : drawPoster(request);
    });
    return c.json(toImageResponse(request, image), 200, limiter.headers());
  } finally {
    slot.release();
  }
}

function toImageResponse({ prompt, widthPx, heightPx, format, effort }: ImageRequest, image: Buffer): object {
  const inputTokens = estimateTokens(prompt);
  const outputTokens = Math.round((TOKENS_PER_MEGAPIXEL[effort] * widthPx * heightPx) / MEGAPIXEL);
  return {
    created: Math.floor(Date.now() / 1000),
    background: "opaque",
    output_format: format,
    quality: effort,
    size: `${widthPx}x${heightPx}`,
    data: [{ b64_json: image.toString("base64") }],
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      input_tokens_details: { text_tokens: inputTokens, image_tokens: 0 },
    },
  };
}

const STANDARD = ["1024x1024", "1536x1024", "1024x1536"];
const FREE_SIZES = /^(gpt-image-2|chatgpt-image-)/;
const STEP_PX = 16;
const MAX_PX = 3840 * 2160;

type ImageSize = { widthPx: number; heightPx: number };

/** The size of an image; without one or with `auto`, the portrait format. @throws ApiError 400 `invalid_value`. */
function readSize(size: unknown, model: string): ImageSize {
  const requested = typeof size !== "string" || size === "auto" ? "1024x1536" : size;
  const [, width = "", height = ""] = /^(\d{2,4})x(\d{2,4})$/.exec(requested) ?? [];
  const [widthPx, heightPx] = [Number(width), Number(height)];
  if (STANDARD.includes(requested)) return { widthPx, heightPx };
  if (width === "" || !FREE_SIZES.test(model)) {
    throw invalidSize(requested, `Supported values are ${STANDARD.join(", ")} and auto.`);
  }
  if (widthPx % STEP_PX !== 0 || heightPx % STEP_PX !== 0) {
    throw invalidSize(requested, "Width and height must both be divisible by 16.");
  }
  const ratio = widthPx / heightPx;
  if (ratio < 1 / 3 || ratio > 3) throw invalidSize(requested, "The aspect ratio must be between 1:3 and 3:1.");
  if (widthPx * heightPx > MAX_PX) throw invalidSize(requested, `An image has at most ${MAX_PX} pixels.`);
  return { widthPx, heightPx };
}

function invalidSize(size: string, reason: string) {
  return invalidRequest(`Invalid size '${size}'. ${reason}`, "size", "invalid_value");
}

const TOKENS_PER_MEGAPIXEL = { low: 272, medium: 1056, high: 4160 } as const;
type Effort = keyof typeof TOKENS_PER_MEGAPIXEL;
const EFFORTS: readonly Effort[] = ["low", "medium", "high"];
const MEGAPIXEL = 1024 * 1024;

type ImageRequest = ImageSize & { prompt: string; format: ImageFormat; effort: Effort };

const PROMPT_CHARS = 32_000;
/** The fields that the product uses. */
const SUPPORTED_FIELDS = ["model", "prompt", "n", "size", "quality", "output_format", "user"];

/** Validates the body of an image request. @throws ApiError as the service would. */
function readImageRequest(spec: Spec, body: JsonObject): ImageRequest {
  const { prompt, model, output_format, size } = body;
  if (typeof model !== "string") {
    throw invalidRequest("Missing required parameter: 'model'.", "model", "missing_required_parameter");
  }
  assertModel(model, "image");
  const { quality, ...described } = body;
  // The published description lags behind the service in this field.
  const effort = readEffort(quality);
  assertOfficial(spec, "/images/generations", described);
  if (typeof prompt !== "string" || prompt.trim() === "" || prompt.length > PROMPT_CHARS) {
    throw invalidRequest(`The prompt must have 1 to ${PROMPT_CHARS} characters.`, "prompt", "invalid_value");
  }
  assertSupported(body, SUPPORTED_FIELDS);
  if ((body.n ?? 1) !== 1) throw invalidRequest("This stand-in creates one image at a time.", "n");
  const format = output_format === "jpeg" || output_format === "webp" ? output_format : "png";
  return { prompt, effort, format, ...readSize(size, model) };
}

function readEffort(quality: unknown): Effort {
  const requested = (quality ?? "auto") === "auto" ? "high" : quality;
  const effort = EFFORTS.find((item) => item === requested);
  if (effort !== undefined) return effort;
  const message = `Invalid value: '${String(quality)}'. Supported values are: ${EFFORTS.join(", ")} and auto.`;
  throw invalidRequest(message, "quality", "invalid_value");
}
