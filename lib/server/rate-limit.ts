import "server-only";
import { hash } from "node:crypto";
import { AppError } from "#lib/core/errors.ts";
import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";

interface Limit {
  calls: number;
  windowMs: number;
}

/** Per caller and process (decision 0003), scaled by RATE_LIMIT_FACTOR and published in docs/guides/api.md. */
export const LIMITS = {
  default: { calls: 600, windowMs: MINUTE_MS },
  /** A pin grid loads many images at once. */
  images: { calls: 6_000, windowMs: MINUTE_MS },
  /** Calls of the durable engine's entry point without a valid signature. */
  engine: { calls: 60, windowMs: MINUTE_MS },
  register: { calls: 10, windowMs: HOUR_MS },
  login: { calls: 50, windowMs: 15 * MINUTE_MS },
  /** Per account and address together, so that a stranger cannot lock the owner out. */
  loginAccount: { calls: 10, windowMs: 15 * MINUTE_MS },
  reset: { calls: 10, windowMs: HOUR_MS },
  resetAccount: { calls: 5, windowMs: HOUR_MS },
  resetConfirm: { calls: 20, windowMs: HOUR_MS },
  /** So that an unattended device cannot be used to guess it. */
  password: { calls: 10, windowMs: 15 * MINUTE_MS },
  contact: { calls: 5, windowMs: HOUR_MS },
  export: { calls: 5, windowMs: HOUR_MS },
  resend: { calls: 5, windowMs: HOUR_MS },
  connect: { calls: 30, windowMs: HOUR_MS },
  generate: { calls: 60, windowMs: HOUR_MS },
  /** Each calls the text model and costs no credits. */
  suggest: { calls: 60, windowMs: HOUR_MS },
  /** Each may contain a hundred images. */
  createBulk: { calls: 60, windowMs: HOUR_MS },
  findSavedUploads: { calls: 60, windowMs: HOUR_MS },
  /** Each draws up to eight images; trying out colors causes many calls. */
  drawPreview: { calls: 120, windowMs: MINUTE_MS },
  template: { calls: 60, windowMs: MINUTE_MS },
  /** Each may contain 500 videos in 4 MB. */
  saveVideos: { calls: 120, windowMs: HOUR_MS },
  logo: { calls: 30, windowMs: HOUR_MS },
  /** Each may request a page of a third-party site. */
  recheckLink: { calls: 30, windowMs: MINUTE_MS },
  schedule: { calls: 120, windowMs: HOUR_MS },
  /** May compare thousands of pins. */
  preview: { calls: 60, windowMs: MINUTE_MS },
  money: { calls: 60, windowMs: HOUR_MS },
  /** Browsers poll nine times in half a minute after a payment; each may call the provider, whose limit is shared. */
  confirm: { calls: 30, windowMs: MINUTE_MS },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

interface Window {
  startedAtMs: number;
  calls: number;
}

const MAX_WINDOWS = 50_000;
// Next bundles modules once per layer; a global makes the documented login and next-auth's share their counts.
const GLOBAL_KEY = Symbol.for("app.rate-limits");
const globalStore = globalThis as { [GLOBAL_KEY]?: Map<string, Window> };
globalStore[GLOBAL_KEY] ??= new Map();
const windows = globalStore[GLOBAL_KEY];

const sweep = (nowMs: number): void => {
  if (windows.size < MAX_WINDOWS) return;
  for (const [key, window] of windows) if (nowMs - window.startedAtMs > HOUR_MS) windows.delete(key);
  // Only the oldest tenth (by insertion order), so that a flood does not reset all windows.
  const surplus = [...windows.keys()].slice(0, Math.max(0, windows.size - MAX_WINDOWS * 0.9));
  for (const key of surplus) windows.delete(key);
};

/** @throws AppError `too_many` with the seconds until the window ends */
export const countCall = (name: LimitName, subject: string, factor: number, now: Date): void => {
  const limit = LIMITS[name];
  const nowMs = now.getTime();
  sweep(nowMs);
  const key = `${name}:${hash("sha256", subject, "base64url")}`;
  const open = windows.get(key);
  const age = open ? nowMs - open.startedAtMs : Number.POSITIVE_INFINITY;
  const window = open && age >= 0 && age < limit.windowMs ? open : { startedAtMs: nowMs, calls: 0 };
  window.calls += 1;
  windows.set(key, window);
  if (window.calls > limit.calls * factor) {
    const waitMs = window.startedAtMs + limit.windowMs - nowMs;
    throw new AppError("too_many", { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
  }
};
