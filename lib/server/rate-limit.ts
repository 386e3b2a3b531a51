import "server-only";
import { hash } from "node:crypto";
import { AppError } from "#lib/core/errors.ts";
import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";

interface Limit {
  calls: number;
  windowMs: number;
}

/**
 * Published limits per caller (user or network address), scaled by RATE_LIMIT_FACTOR (R-SRV-09, docs/guides/api.md).
 * Counted in this process; decision 0003 says why that is enough.
 */
export const LIMITS = {
  default: { calls: 600, windowMs: MINUTE_MS },
  /** A wall of pins is many pictures at once, which a browser asks for once each. */
  images: { calls: 6_000, windowMs: MINUTE_MS },
  register: { calls: 10, windowMs: HOUR_MS },
  login: { calls: 50, windowMs: 15 * MINUTE_MS },
  /** Per account and address together, so that a stranger elsewhere cannot lock the owner out. */
  loginAccount: { calls: 10, windowMs: 15 * MINUTE_MS },
  reset: { calls: 10, windowMs: HOUR_MS },
  resetAccount: { calls: 5, windowMs: HOUR_MS },
  resetConfirm: { calls: 20, windowMs: HOUR_MS },
  /** Whatever asks for the password of somebody who is logged in: a found device is no place to guess it. */
  password: { calls: 10, windowMs: 15 * MINUTE_MS },
  contact: { calls: 5, windowMs: HOUR_MS },
  export: { calls: 5, windowMs: HOUR_MS },
  resend: { calls: 5, windowMs: HOUR_MS },
  connect: { calls: 30, windowMs: HOUR_MS },
  generate: { calls: 60, windowMs: HOUR_MS },
  /** Each asks the text model, and costs no credit. */
  suggest: { calls: 60, windowMs: HOUR_MS },
  /** Each may be a hundred pictures. */
  createBulk: { calls: 60, windowMs: HOUR_MS },
  /** Each looks for a hundred pictures in the storage, before a set is sent again. */
  findKept: { calls: 60, windowMs: HOUR_MS },
  /** Each draws up to eight small pictures; somebody who tries out colours asks often. */
  drawPreview: { calls: 120, windowMs: MINUTE_MS },
  /** Each draws up to twelve pictures. */
  template: { calls: 60, windowMs: MINUTE_MS },
  /** Each may be 500 videos in 4 MB. */
  saveVideos: { calls: 120, windowMs: HOUR_MS },
  logo: { calls: 30, windowMs: HOUR_MS },
  /** Each may open a page of somebody's site, and tells everybody whose pins lead there. */
  recheckLink: { calls: 30, windowMs: MINUTE_MS },
  schedule: { calls: 120, windowMs: HOUR_MS },
  /** The schedule bar asks a moment after each change; thousands of pins may be compared each time. */
  preview: { calls: 60, windowMs: MINUTE_MS },
  /** What begins or changes a payment. */
  money: { calls: 60, windowMs: HOUR_MS },
  /**
   * A browser asks nine times in half a minute while a payment is being completed. Each may be a call to the provider,
   * whose own limit all users share.
   */
  confirm: { calls: 30, windowMs: MINUTE_MS },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

interface Window {
  startedAtMs: number;
  calls: number;
}

const MAX_WINDOWS = 50_000;
// Next bundles a module once per layer; the documented login and next-auth's own must count together.
const PLACE = Symbol.for("app.rate-limits");
const everyLayer = globalThis as { [PLACE]?: Map<string, Window> };
everyLayer[PLACE] ??= new Map();
const windows = everyLayer[PLACE];

const sweep = (nowMs: number): void => {
  if (windows.size < MAX_WINDOWS) return;
  for (const [key, window] of windows) if (nowMs - window.startedAtMs > HOUR_MS) windows.delete(key);
  // Insertion order is age: the oldest tenth makes room, so that a flood does not reset everybody's windows.
  const surplus = [...windows.keys()].slice(0, Math.max(0, windows.size - MAX_WINDOWS * 0.9));
  for (const key of surplus) windows.delete(key);
};

/**
 * Counts a call against a limit.
 * @throws AppError `too_many` with the seconds until the window ends.
 */
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
