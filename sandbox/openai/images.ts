import type { Context } from "hono";
import type { StandInEnv } from "#sandbox/kit/serve.ts";
import type { Spec } from "#sandbox/kit/spec.ts";
import { estimateTokens } from "./answers.ts";
import { type ImageRequest, readImageRequest } from "./image-request.ts";
import { drawBlank, drawPoster } from "./posters.ts";
import { ApiError, assertAllowed, readBody } from "./requests.ts";
import { withLatency } from "./seed.ts";
import type { OpenAiSettings } from "./settings.ts";

type Limits = Pick<OpenAiSettings, "picturesInFlight" | "picturesPerMinute" | "imageLatencyMs">;

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const SHORTEST_WAIT_MS = 50;
/** Sums of shares of milliseconds stray by less than this. */
const ROUNDING = 1e-9;

/** Headers by which the service tells where a caller stands. */
type LimitHeaders = Record<string, string>;

/**
 * Decides whether an image call may begin: by the calls that are being answered, and by a bucket that fills evenly up
 * to a second's worth (at least one picture), so that a minute's quota cannot be had at once.
 */
export class PictureGate {
  readonly #limits: () => Limits;
  readonly #bucket: Bucket;
  #inFlight = 0;
  #mostInFlight = 0;

  /** `limits` of the moment; `now` in milliseconds, monotonic. */
  constructor(limits: () => Limits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#bucket = new Bucket(now);
  }

  /** Takes a place, and a picture of the quota; whoever came in leaves in the end. @throws ApiError 429. */
  enter(): { leave(): void } {
    const { picturesInFlight, picturesPerMinute, imageLatencyMs } = this.#limits();
    if (picturesInFlight > 0 && this.#inFlight >= picturesInFlight) {
      const text = `Too many pictures at once: limit ${picturesInFlight}.`;
      throw tooMany(text, imageLatencyMs / picturesInFlight, {});
    }
    if (picturesPerMinute > 0) this.#bucket.take(picturesPerMinute);
    this.#inFlight += 1;
    this.#mostInFlight = Math.max(this.#mostInFlight, this.#inFlight);
    let isInside = true;
    return {
      leave: () => {
        if (isInside) this.#inFlight -= 1;
        isInside = false;
      },
    };
  }

  /** What a reply says about the quota; nothing without one. */
  headers(): LimitHeaders {
    const { picturesPerMinute } = this.#limits();
    return picturesPerMinute === 0 ? {} : describe(picturesPerMinute, this.#bucket.fill(picturesPerMinute));
  }

  /** Calls being answered, and the most there were at once. */
  counts(): { picturesInFlight: number; picturesInFlightAtMost: number } {
    return { picturesInFlight: this.#inFlight, picturesInFlightAtMost: this.#mostInFlight };
  }

  /** Counts the most anew. */
  forget(): void {
    this.#mostInFlight = this.#inFlight;
  }
}

class Bucket {
  readonly #now: () => number;
  #perMinute = 0;
  #tokens = 0;
  #filledAt = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The tokens of this moment. A changed quota begins with a full bucket. */
  fill(perMinute: number): number {
    const at = this.#now();
    const most = capacityOf(perMinute);
    const gained = ((at - this.#filledAt) * perMinute) / MINUTE_MS;
    this.#tokens = this.#perMinute === perMinute ? Math.min(most, this.#tokens + gained) : most;
    this.#perMinute = perMinute;
    this.#filledAt = at;
    return this.#tokens;
  }

  /** @throws ApiError 429 with how long to wait. */
  take(perMinute: number): void {
    const tokens = this.fill(perMinute);
    if (tokens < 1 - ROUNDING) {
      const text = `Rate limit reached on images per min: limit ${perMinute}.`;
      throw tooMany(text, ((1 - tokens) * MINUTE_MS) / perMinute, describe(perMinute, tokens));
    }
    this.#tokens -= 1;
  }
}

function capacityOf(perMinute: number): number {
  return Math.max(1, Math.ceil((perMinute * SECOND_MS) / MINUTE_MS));
}

function wholeOf(tokens: number): number {
  return Math.max(0, Math.floor(tokens + ROUNDING));
}

function describe(perMinute: number, tokens: number): LimitHeaders {
  const missing = Math.max(0, capacityOf(perMinute) - tokens);
  return {
    "x-ratelimit-limit-requests": String(perMinute),
    "x-ratelimit-remaining-requests": String(wholeOf(tokens)),
    "x-ratelimit-reset-requests": `${Math.ceil((missing * MINUTE_MS) / perMinute)}ms`,
  };
}

/** A refusal with the wait in both spellings: the older header knows whole seconds only. */
function tooMany(message: string, wantedMs: number, headers: LimitHeaders): ApiError {
  const waitMs = Math.max(SHORTEST_WAIT_MS, Math.ceil(wantedMs - ROUNDING));
  const facts = { message: `${message} Please try again in ${waitMs}ms.`, type: "images", param: null };
  const retry = { "retry-after-ms": String(waitMs), "retry-after": String(Math.ceil(waitMs / SECOND_MS)) };
  return new ApiError(429, { ...facts, code: "rate_limit_exceeded" }, { ...headers, ...retry });
}

const TOKENS_PER_MEGAPIXEL = { low: 272, medium: 1056, high: 4160, xhigh: 6240, max: 8320 } as const;
const MEGAPIXEL = 1024 * 1024;

/** `POST /v1/images/generations`: a drawn poster as base64, within the limits of the moment. */
export async function generateImages(
  c: Context<StandInEnv>,
  spec: Spec,
  gate: PictureGate,
  { imageLatencyMs, latencySpread, blankPictures }: OpenAiSettings,
): Promise<Response> {
  const request = readImageRequest(spec, await readBody(c));
  const place = gate.enter();
  try {
    const picture = await withLatency(request.prompt, { ms: imageLatencyMs, spread: latencySpread }, () => {
      assertAllowed(request.prompt);
      return blankPictures ? drawBlank(request) : drawPoster(request);
    });
    return c.json(answerOf(request, picture), 200, gate.headers());
  } finally {
    place.leave();
  }
}

function answerOf({ prompt, widthPx, heightPx, format, effort }: ImageRequest, picture: Buffer): object {
  const inputTokens = estimateTokens(prompt);
  const outputTokens = Math.round((TOKENS_PER_MEGAPIXEL[effort] * widthPx * heightPx) / MEGAPIXEL);
  return {
    created: Math.floor(Date.now() / 1000),
    background: "opaque",
    output_format: format,
    quality: effort,
    size: `${widthPx}x${heightPx}`,
    data: [{ b64_json: picture.toString("base64") }],
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      input_tokens_details: { text_tokens: inputTokens, image_tokens: 0 },
    },
  };
}
