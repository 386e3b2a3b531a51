import { ApiError } from "./api-error.ts";
import type { OpenAiSettings } from "./settings.ts";

type Limits = Pick<OpenAiSettings, "picturesInFlight" | "picturesPerMinute" | "imageLatencyMs">;

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** Headers by which the service tells where a caller stands. */
export type LimitHeaders = Record<string, string>;

/**
 * Decides whether an image call may begin: by the calls that are being answered, and by a bucket that fills evenly up
 * to a second's worth (at least one picture), so that a minute's quota cannot be had at once.
 */
export interface PictureGate {
  /** Takes a place and `count` pictures of the quota. The caller gives the place back. @throws ApiError 429. */
  enter(count: number): { leave(): void };
  /** Null without a quota. */
  headers(): LimitHeaders | null;
  /** Calls being answered, and pictures that could begin now (null without a quota). */
  standing(): { inFlight: number; available: number | null };
}

/** A gate for the limits of the moment; `now` in milliseconds, monotonic. */
export function createPictureGate(limits: () => Limits, now: () => number = () => performance.now()): PictureGate {
  let inFlight = 0;
  let bucket: { perMinute: number; tokens: number; at: number } | undefined;

  const fill = (perMinute: number) => {
    const most = capacityOf(perMinute);
    const at = now();
    const known = bucket?.perMinute === perMinute ? bucket : { perMinute, tokens: most, at };
    bucket = { perMinute, tokens: Math.min(most, known.tokens + ((at - known.at) * perMinute) / MINUTE_MS), at };
    return bucket;
  };

  const takePlace = ({ picturesInFlight, imageLatencyMs }: Limits) => {
    if (picturesInFlight === null || inFlight < picturesInFlight) return;
    const text = `Too many pictures at once: limit ${picturesInFlight}.`;
    throw tooMany(text, Math.max(50, imageLatencyMs / picturesInFlight), {});
  };

  const takeQuota = ({ picturesPerMinute }: Limits, count: number) => {
    if (picturesPerMinute === null) return;
    const filled = fill(picturesPerMinute);
    const needed = Math.min(count, capacityOf(picturesPerMinute));
    // A larger order than the bucket holds waits for a full one and leaves a debt.
    if (filled.tokens < needed - 1e-9) {
      const waitMs = ((needed - filled.tokens) * MINUTE_MS) / picturesPerMinute;
      const text = `Rate limit reached on images per min: limit ${picturesPerMinute}.`;
      throw tooMany(text, waitMs, describe(picturesPerMinute, filled.tokens));
    }
    filled.tokens -= count;
  };

  return {
    enter(count) {
      takePlace(limits());
      takeQuota(limits(), count);
      inFlight += 1;
      let isInside = true;
      return {
        leave() {
          if (isInside) inFlight -= 1;
          isInside = false;
        },
      };
    },
    headers() {
      const { picturesPerMinute } = limits();
      return picturesPerMinute === null ? null : describe(picturesPerMinute, fill(picturesPerMinute).tokens);
    },
    standing() {
      const { picturesPerMinute } = limits();
      const available = picturesPerMinute === null ? null : Math.floor(fill(picturesPerMinute).tokens + 1e-9);
      return { inFlight, available };
    },
  };
}

function capacityOf(perMinute: number): number {
  return Math.max(1, Math.ceil((perMinute * SECOND_MS) / MINUTE_MS));
}

function describe(perMinute: number, tokens: number): LimitHeaders {
  const missing = Math.max(0, capacityOf(perMinute) - tokens);
  return {
    "x-ratelimit-limit-requests": String(perMinute),
    "x-ratelimit-remaining-requests": String(Math.max(0, Math.floor(tokens + 1e-9))),
    "x-ratelimit-reset-requests": `${Math.ceil((missing * MINUTE_MS) / perMinute)}ms`,
  };
}

/** A refusal with the wait in both spellings: the older header knows whole seconds only. */
function tooMany(message: string, waitMs: number, headers: LimitHeaders): ApiError {
  const facts = { message: `${message} Please try again in ${Math.ceil(waitMs)}ms.`, type: "images", param: null };
  return new ApiError(
    429,
    { ...facts, code: "rate_limit_exceeded" },
    {
      ...headers,
      "retry-after-ms": String(Math.ceil(waitMs)),
      "retry-after": String(Math.max(1, Math.ceil(waitMs / SECOND_MS))),
    },
  );
}
