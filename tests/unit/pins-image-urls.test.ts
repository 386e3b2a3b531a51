import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { exportedImageUrl, signedImageUrl, signedSecondsLeft } from "#lib/features/pins/image-urls.ts";

const KEY = "pins/moss.jpg";
let nowMs = Date.parse("2026-11-28T12:00:00Z");
const contextWith = (tokenSecret: string) => ({ now: () => new Date(nowMs), settings: { tokenSecret } });
const ctx = contextWith("a secret of this installation");

const secondsLeft = (url: string, on = ctx): number => {
  const [, expires = "", signature = ""] = /signed\/(\d+)\/([^/]+)\//.exec(url) ?? [];
  return signedSecondsLeft(on, { key: KEY, expires: Number(expires), signature });
};

test("a signed URL is kept for half a day, and renewed before it ends", () => {
  const first = signedImageUrl(ctx, KEY);
  let changes = 0;
  for (let last = first, hours = 0; hours < 48; hours += 1, nowMs += HOUR_MS) {
    const url = signedImageUrl(ctx, KEY);
    if (url !== last) changes += 1;
    last = url;
    expect(secondsLeft(url)).toBeGreaterThanOrEqual((12 * HOUR_MS) / SECOND_MS);
  }
  expect(changes).toBe(4);
  expect(secondsLeft(first)).toBe(0);
});

test("a URL with more time, or under another secret, is another one", () => {
  const own = signedImageUrl(ctx, KEY);
  const longer = signedImageUrl(ctx, KEY, 30 * DAY_MS);
  expect(secondsLeft(longer) - secondsLeft(own)).toBe((30 * DAY_MS) / SECOND_MS);
  expect(signedImageUrl(ctx, KEY)).toBe(own);
  const other = contextWith("another secret");
  expect(secondsLeft(signedImageUrl(other, KEY))).toBe(0);
  expect(secondsLeft(signedImageUrl(other, KEY), other)).toBe(secondsLeft(own));
});

test("an exported URL of a scheduled pin works until the pin's time, so on the day of its upload, and for 30 days", () => {
  const settings = { tokenSecret: "a secret of this installation", appUrl: "https://pins.example" };
  const exporting = { now: ctx.now, settings } as Parameters<typeof exportedImageUrl>[0];
  const days = (url: string): number => Math.floor(secondsLeft(url) / (DAY_MS / SECOND_MS));
  const scheduledAt = new Date(nowMs + 300 * DAY_MS);
  const pin = { imageKey: KEY, status: "scheduled", scheduledAt };
  expect(days(exportedImageUrl(exporting, pin))).toBe(300);
  for (const past of [1, -1]) {
    const soon = { ...pin, scheduledAt: new Date(nowMs + past * DAY_MS) };
    expect(days(exportedImageUrl(exporting, soon))).toBe(30);
  }
  expect(days(exportedImageUrl(exporting, { ...pin, status: "draft" }))).toBe(30);
  const exported = exportedImageUrl(exporting, pin);
  nowMs = scheduledAt.getTime();
  expect(secondsLeft(exported)).toBeGreaterThan(0);
  expect(exportedImageUrl(exporting, { ...pin, status: "published" })).toBe(`https://pins.example/api/images/${KEY}`);
});
