import { describe, expect, test } from "vitest";
import type { LoggedRequest } from "#sandbox/kit/journal.ts";
import { ImageLimiter } from "#sandbox/openai/images.ts";
import { latencyOf } from "#sandbox/openai/seed.ts";
import type { OpenAiSettings } from "#sandbox/openai/settings.ts";
import { until } from "#tests/support/poll.ts";
import { addFault, bytesOf, requestImage, requestText, set, start, stateOf } from "./sandbox-openai-client.ts";

const SMALL = { size: "256x384" };

const callsOf = async (url: string): Promise<LoggedRequest[]> =>
  (await (await fetch(`${url}/__control/log`)).json()).requests;

/** A limiter whose clock is set by the test. */
const limiterWith = (limits: Partial<OpenAiSettings>) => {
  const clock = { ms: 0 };
  const all = { imagesInFlight: 0, imagesPerMinute: 0, imageLatencyMs: 400, ...limits };
  return {
    clock,
    limiter: new ImageLimiter(
      () => all,
      () => clock.ms,
    ),
  };
};

describe("settings", () => {
  test("R-SRV-10 settings apply immediately, invalid ones change nothing, and a reset restores the initial ones", async () => {
    await using openai = await start({ textLatencyMs: 9 });
    const changed = { textLatencyMs: 5, latencySpread: 0, blankImages: true, imagesInFlight: 7 };
    expect((await set(openai.url, changed)).status).toBe(200);
    for (const wrong of [{ textLatencyMs: -1 }, { imagesInFlight: -1 }, { nonsense: 1 }, { latencySpread: 2 }, null]) {
      const answer = await set(openai.url, wrong);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: expect.any(String) });
    }
    expect((await stateOf(openai.url)).settings).toMatchObject(changed);
    await fetch(`${openai.url}/__control/reset`, { method: "POST" });
    expect((await stateOf(openai.url)).settings).toMatchObject({ textLatencyMs: 9, imagesInFlight: 0 });
  });

  test("R-SRV-10 without a spread, every latency is the same", () => {
    const latencies = Array.from({ length: 50 }, (_, index) => latencyOf(`prompt ${index}`, { ms: 300, spread: 0 }));
    expect(new Set(latencies)).toEqual(new Set([300]));
  });

  test("R-SRV-10 blank images are valid, have the requested size, and are identical", async () => {
    await using openai = await start();
    await set(openai.url, { blankImages: true });
    const [item, other] = [await requestImage(openai.url, "tea"), await requestImage(openai.url, "a red door")];
    expect(item.body.size).toBe("1024x1536");
    expect(bytesOf(item).subarray(0, 3).toString("hex")).toBe("ffd8ff");
    expect(bytesOf(item).equals(bytesOf(other))).toBe(true);
  });
});

describe("limits for images", () => {
  test("R-SRV-10 one call above the limit gets 429, and is accepted once another has finished", async () => {
    await using openai = await start({ imageLatencyMs: 600_000 });
    await set(openai.url, { imagesInFlight: 2, blankImages: true });
    const held = ["one", "two"].map((keyword) => requestImage(openai.url, keyword, SMALL));
    const cut = Promise.allSettled(held);
    const counts = async () => (await stateOf(openai.url)).counts;
    await until(async () => (await counts()).imagesInFlight === 2, { deadlineMs: 30_000 });
    await set(openai.url, { imageLatencyMs: 0 });
    const third = await requestImage(openai.url, "three", SMALL);
    expect(third.status).toBe(429);
    expect(third.body.error.code).toBe("rate_limit_exceeded");
    expect(Number(third.headers.get("retry-after-ms"))).toBeGreaterThan(0);
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0);
    await set(openai.url, { imagesInFlight: 3 });
    expect((await requestImage(openai.url, "three", SMALL)).status).toBe(200);
    expect(await counts()).toMatchObject({
      images: 1,
      imagesRefused: 1,
      imagesInFlight: 2,
      imagesInFlightAtMost: 3,
    });
    await openai.close();
    expect((await cut).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  test("R-SRV-10 a call frees its slot once", () => {
    const { limiter } = limiterWith({ imagesInFlight: 1 });
    const slot = limiter.acquire();
    expect(() => limiter.acquire()).toThrow("Too many images at once: limit 1");
    slot.release();
    slot.release();
    limiter.acquire();
    expect(() => limiter.acquire()).toThrow("Too many images at once");
  });

  test("R-SRV-10 a quota per minute refills evenly, and the response says how long to wait", () => {
    const { clock, limiter } = limiterWith({ imagesPerMinute: 120 });
    limiter.acquire();
    limiter.acquire();
    expect(() => limiter.acquire()).toThrow(expect.objectContaining({ status: 429 }));
    expect(limiter.headers()).toMatchObject({
      "x-ratelimit-limit-requests": "120",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "1000ms",
    });
    clock.ms += 500;
    expect(limiter.headers()).toMatchObject({ "x-ratelimit-remaining-requests": "1" });
    limiter.acquire();
    clock.ms += 60_000;
    expect(limiter.headers()).toMatchObject({ "x-ratelimit-remaining-requests": "2" });
  });

  test("R-SRV-10 over a long time no more calls start than the quota allows", () => {
    const { clock, limiter } = limiterWith({ imagesPerMinute: 300 });
    let begun = 0;
    for (; clock.ms < 60_000; clock.ms += 7) {
      try {
        limiter.acquire().release();
        begun += 1;
      } catch (error) {
        // Rejected: tries again later.
        expect(error).toMatchObject({ status: 429 });
      }
    }
    expect(begun).toBeGreaterThanOrEqual(299);
    expect(begun).toBeLessThanOrEqual(305);
  });

  test("R-SRV-10 every image response has the quota's headers, errors too", async () => {
    await using openai = await start();
    await set(openai.url, { imagesPerMinute: 1, blankImages: true });
    const [first, second] = [await requestImage(openai.url, "a", SMALL), await requestImage(openai.url, "b", SMALL)];
    expect([first.status, second.status]).toEqual([200, 429]);
    for (const { headers } of [first, second]) {
      expect(headers.get("x-ratelimit-limit-requests")).toBe("1");
      expect(headers.get("x-ratelimit-remaining-requests")).toBe("0");
    }
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(1);
    expect((await requestText(openai.url, "a")).status).toBe(200);
  });
});

describe("the log of calls", () => {
  test("R-SRV-04 each entry has the key, keyword, result, and whether the work was done", async () => {
    await using openai = await start();
    await set(openai.url, { blankImages: true });
    await requestText(openai.url, "small balcony garden", { safety_identifier: "user-1" });
    await requestImage(openai.url, "oat biscuits", { ...SMALL, user: "user-2" });
    await requestImage(openai.url, "a forbidden subject", SMALL);
    await addFault(openai.url, { match: "POST /v1/images/*", cut: true, after: "creating", where: { user: "user-3" } });
    await requestImage(openai.url, "unaffected", SMALL);
    await expect(requestImage(openai.url, "lost reply", { ...SMALL, user: "user-3" })).rejects.toThrow("fetch failed");
    await addFault(openai.url, { match: "POST /v1/*", scenario: "cut" });
    await expect(requestText(openai.url, "gone")).rejects.toThrow("fetch failed");
    const calls = await callsOf(openai.url);
    expect(calls.map(({ path, labels, status, fault, acted }) => [path, labels, status, fault, acted])).toMatchObject([
      ["/v1/chat/completions", { keyword: "small balcony garden", user: "user-1" }, 200, undefined, undefined],
      ["/v1/images/generations", { keyword: "oat biscuits", user: "user-2" }, 200, undefined, undefined],
      ["/v1/images/generations", { keyword: "a forbidden subject", user: "" }, 400, undefined, undefined],
      ["/v1/images/generations", { keyword: "unaffected" }, 200, undefined, undefined],
      ["/v1/images/generations", { keyword: "lost reply", user: "user-3" }, 0, "cut", 200],
      ["/v1/chat/completions", { keyword: "gone" }, 0, "cut", undefined],
    ]);
    const { counts } = await stateOf(openai.url);
    expect(counts).toMatchObject({ texts: 1, images: 2, imagesRefused: 1, imagesInFlightAtMost: 1 });
  });
});
