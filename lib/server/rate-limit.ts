import "server-only";
import { hash } from "node:crypto";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { env } from "#lib/env.ts";
import { countShared } from "#lib/features/limits/shared-counts.ts";

interface Limit {
  calls: number;
  windowMs: number;
  /** Whether all processes count together (decision 0029). Frequent reads don't: each would cost a write. */
  isShared?: true;
}

/** Per caller, scaled by RATE_LIMIT_FACTOR and published in docs/guides/api.md. */
export const LIMITS = {
  default: { calls: 600, windowMs: MINUTE_MS },
  /** A pin grid loads many images at once. */
  images: { calls: 6_000, windowMs: MINUTE_MS },
  /** Calls with an API key, per address: each is looked up. */
  apiKeys: { calls: 6_000, windowMs: MINUTE_MS },
  /** Calls of the durable engine's entry point without a valid signature. */
  engine: { calls: 60, windowMs: MINUTE_MS },
  /** Anyone may register an app, which stays for months. */
  registerApp: { calls: 30, windowMs: HOUR_MS, isShared: true },
  register: { calls: 10, windowMs: HOUR_MS, isShared: true },
  login: { calls: 50, windowMs: 15 * MINUTE_MS, isShared: true },
  /** Per account and address together, so that a stranger cannot lock the owner out. */
  loginAccount: { calls: 10, windowMs: 15 * MINUTE_MS, isShared: true },
  /** Both redirects of a sign-in with Google. */
  google: { calls: 60, windowMs: 15 * MINUTE_MS, isShared: true },
  /** Each page with the sign-in form may start one. */
  passkey: { calls: 100, windowMs: 15 * MINUTE_MS, isShared: true },
  reset: { calls: 10, windowMs: HOUR_MS, isShared: true },
  resetAccount: { calls: 5, windowMs: HOUR_MS, isShared: true },
  resetConfirm: { calls: 20, windowMs: HOUR_MS, isShared: true },
  /** So that an unattended device cannot be used to guess it. */
  password: { calls: 10, windowMs: 15 * MINUTE_MS, isShared: true },
  contact: { calls: 5, windowMs: HOUR_MS, isShared: true },
  export: { calls: 5, windowMs: HOUR_MS, isShared: true },
  resend: { calls: 5, windowMs: HOUR_MS, isShared: true },
  connect: { calls: 30, windowMs: HOUR_MS, isShared: true },
  generate: { calls: 60, windowMs: HOUR_MS, isShared: true },
  /** Each calls the text model and costs no credits. */
  suggest: { calls: 60, windowMs: HOUR_MS, isShared: true },
  /** Each may contain a hundred images. */
  createBulk: { calls: 60, windowMs: HOUR_MS, isShared: true },
  /** Drafts of images that were uploaded with an API key; not calls, which hold up to a hundred. */
  createPins: { calls: 6_000, windowMs: HOUR_MS, isShared: true },
  /** Each is one image for a draft. */
  uploadImage: { calls: 600, windowMs: HOUR_MS, isShared: true },
  /** Each may store 900 MB. */
  createVideo: { calls: 30, windowMs: HOUR_MS, isShared: true },
  /** Each may name 5,000 images on other sites. */
  imports: { calls: 60, windowMs: HOUR_MS, isShared: true },
  /** Each may store a gigabyte of images until it is replaced or discarded. */
  importZips: { calls: 10, windowMs: HOUR_MS, isShared: true },
  createBoard: { calls: 60, windowMs: HOUR_MS, isShared: true },
  exportPins: { calls: 60, windowMs: HOUR_MS, isShared: true },
  findSavedUploads: { calls: 60, windowMs: HOUR_MS, isShared: true },
  /** Each draws up to eight images; trying out colors causes many calls. */
  drawPreview: { calls: 120, windowMs: MINUTE_MS },
  template: { calls: 60, windowMs: MINUTE_MS },
  /** Each may contain 500 videos in 4 MB. */
  saveVideos: { calls: 120, windowMs: HOUR_MS, isShared: true },
  logo: { calls: 30, windowMs: HOUR_MS, isShared: true },
  /** Each may request a page of a third-party site. */
  recheckLink: { calls: 30, windowMs: MINUTE_MS },
  /** Each may make twenty requests to a third-party site. */
  readSite: { calls: 60, windowMs: HOUR_MS, isShared: true },
  /** Each may send a request to a third-party site. */
  sendWebhook: { calls: 60, windowMs: HOUR_MS, isShared: true },
  schedule: { calls: 600, windowMs: HOUR_MS, isShared: true },
  /** Each drag in the calendar is a call, and so is its undo. */
  movePins: { calls: 1_200, windowMs: HOUR_MS, isShared: true },
  /** May compare thousands of pins. */
  preview: { calls: 60, windowMs: MINUTE_MS },
  checkTimes: { calls: 60, windowMs: MINUTE_MS },
  money: { calls: 60, windowMs: HOUR_MS, isShared: true },
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

const keyOf = (name: LimitName, subject: string): string => `${name}:${hash("sha256", subject, "base64url")}`;

const tooMany = (waitMs: number): AppError =>
  new AppError("too_many", { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND_MS)) });

export const rateLimitFactor = (): number => env().RATE_LIMIT_FACTOR;

export interface Quota {
  limit: number;
  remaining: number;
  endsInMs: number;
}

const quotaAfter = (limit: number, calls: number, endsInMs: number): Quota => ({
  ...{ limit: Math.floor(limit), endsInMs },
  remaining: Math.max(0, Math.floor(limit) - calls),
});

export const spentQuota = (name: LimitName, factor: number, { retryAfterSeconds }: AppError): Quota => {
  const limit = LIMITS[name].calls * factor;
  return quotaAfter(limit, limit, (retryAfterSeconds ?? 0) * SECOND_MS);
};

/** Counts in this process only. @throws AppError `too_many` with the seconds until the window ends */
export const countCall = (name: LimitName, subject: string, factor: number, now: Date, weight = 1): Quota => {
  const limit = LIMITS[name];
  const nowMs = now.getTime();
  sweep(nowMs);
  const key = keyOf(name, subject);
  const open = windows.get(key);
  const age = open ? nowMs - open.startedAtMs : Number.POSITIVE_INFINITY;
  const window = open && age >= 0 && age < limit.windowMs ? open : { startedAtMs: nowMs, calls: 0 };
  window.calls += weight;
  windows.set(key, window);
  const endsInMs = window.startedAtMs + limit.windowMs - nowMs;
  if (window.calls > limit.calls * factor) throw tooMany(endsInMs);
  return quotaAfter(limit.calls * factor, window.calls, endsInMs);
};

/**
 * Counts in this process first, so that what it refuses never reaches the database, then over all processes.
 * @param weight how many calls it counts as
 * @throws AppError `too_many` with the seconds until the window ends
 */
export const limitCall = async (
  ctx: Ctx,
  name: LimitName,
  subject: string,
  factor: number,
  weight = 1,
): Promise<Quota> => {
  const quota = countCall(name, subject, factor, ctx.now(), weight);
  const limit: Limit = LIMITS[name];
  if (!limit.isShared) return quota;
  const { calls, endsInMs } = await countShared(ctx, { name, subject, windowMs: limit.windowMs, weight });
  if (calls <= limit.calls * factor) return quotaAfter(limit.calls * factor, calls, endsInMs);
  // Until the shared window ends, this process refuses on its own.
  const startedAtMs = ctx.now().getTime() + endsInMs - limit.windowMs;
  windows.set(keyOf(name, subject), { startedAtMs, calls: limit.calls * factor });
  throw tooMany(endsInMs);
};
