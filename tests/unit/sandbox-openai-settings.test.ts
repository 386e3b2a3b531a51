import { describe, expect, test } from "vitest";
import type { LoggedRequest } from "#sandbox/kit/journal.ts";
import { PictureGate } from "#sandbox/openai/images.ts";
import { latencyOf } from "#sandbox/openai/seed.ts";
import type { OpenAiSettings } from "#sandbox/openai/settings.ts";
import { until } from "#tests/support/poll.ts";
import { askPicture, askText, bytesOf, set, start, stateOf, strike } from "./sandbox-openai-client.ts";

const SMALL = { size: "256x384" };

const callsOf = async (url: string): Promise<LoggedRequest[]> =>
  (await (await fetch(`${url}/__control/log`)).json()).requests;

/** A gate whose time stands still until it is moved. */
const gateAt = (limits: Partial<OpenAiSettings>) => {
  const clock = { ms: 0 };
  const all = { picturesInFlight: 0, picturesPerMinute: 0, imageLatencyMs: 400, ...limits };
  return {
    clock,
    gate: new PictureGate(
      () => all,
      () => clock.ms,
    ),
  };
};

describe("settings", () => {
  test("R-SRV-10 settings change at once, unusable ones change nothing, a reset brings the first ones back", async () => {
    await using openai = await start({ textLatencyMs: 9 });
    const changed = { textLatencyMs: 5, latencySpread: 0, blankPictures: true, picturesInFlight: 7 };
    expect((await set(openai.url, changed)).status).toBe(200);
    for (const wrong of [
      { textLatencyMs: -1 },
      { picturesInFlight: -1 },
      { nonsense: 1 },
      { latencySpread: 2 },
      null,
    ]) {
      const answer = await set(openai.url, wrong);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: expect.any(String) });
    }
    expect((await stateOf(openai.url)).settings).toMatchObject(changed);
    await fetch(`${openai.url}/__control/reset`, { method: "POST" });
    expect((await stateOf(openai.url)).settings).toMatchObject({ textLatencyMs: 9, picturesInFlight: 0 });
  });

  test("R-SRV-10 without a spread every latency is the same", () => {
    const latencies = Array.from({ length: 50 }, (_, index) => latencyOf(`prompt ${index}`, { ms: 300, spread: 0 }));
    expect(new Set(latencies)).toEqual(new Set([300]));
  });

  test("R-SRV-10 blank pictures are real ones of the asked size, and all the same", async () => {
    await using openai = await start();
    await set(openai.url, { blankPictures: true });
    const [one, other] = [await askPicture(openai.url, "tea"), await askPicture(openai.url, "a red door")];
    expect(one.body.size).toBe("1024x1536");
    expect(bytesOf(one).subarray(0, 3).toString("hex")).toBe("ffd8ff");
    expect(bytesOf(one).equals(bytesOf(other))).toBe(true);
  });
});

describe("limits for pictures", () => {
  test("R-SRV-10 one call more than the limit is refused with 429, and let in when there is a place", async () => {
    await using openai = await start({ imageLatencyMs: 600_000 });
    await set(openai.url, { picturesInFlight: 2, blankPictures: true });
    const held = ["one", "two"].map((keyword) => askPicture(openai.url, keyword, SMALL));
    const cut = Promise.allSettled(held);
    const counts = async () => (await stateOf(openai.url)).counts;
    await until(async () => (await counts()).picturesInFlight === 2, { deadlineMs: 30_000 });
    await set(openai.url, { imageLatencyMs: 0 });
    const third = await askPicture(openai.url, "three", SMALL);
    expect(third.status).toBe(429);
    expect(third.body.error.code).toBe("rate_limit_exceeded");
    expect(Number(third.headers.get("retry-after-ms"))).toBeGreaterThan(0);
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0);
    await set(openai.url, { picturesInFlight: 3 });
    expect((await askPicture(openai.url, "three", SMALL)).status).toBe(200);
    expect(await counts()).toMatchObject({
      pictures: 1,
      picturesRefused: 1,
      picturesInFlight: 2,
      picturesInFlightAtMost: 3,
    });
    await openai.close();
    expect((await cut).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  test("R-SRV-10 a place is free again when its call is over, once", () => {
    const { gate } = gateAt({ picturesInFlight: 1 });
    const place = gate.enter();
    expect(() => gate.enter()).toThrow("Too many pictures at once: limit 1");
    place.leave();
    place.leave();
    gate.enter();
    expect(() => gate.enter()).toThrow("Too many pictures at once");
  });

  test("R-SRV-10 a quota per minute fills evenly and says how long to wait", () => {
    const { clock, gate } = gateAt({ picturesPerMinute: 120 });
    gate.enter();
    gate.enter();
    expect(() => gate.enter()).toThrow(expect.objectContaining({ status: 429 }));
    expect(gate.headers()).toMatchObject({
      "x-ratelimit-limit-requests": "120",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "1000ms",
    });
    clock.ms += 500;
    expect(gate.headers()).toMatchObject({ "x-ratelimit-remaining-requests": "1" });
    gate.enter();
    clock.ms += 60_000;
    expect(gate.headers()).toMatchObject({ "x-ratelimit-remaining-requests": "2" });
  });

  test("R-SRV-10 over a long time no more begin than the quota allows, however often they ask", () => {
    const { clock, gate } = gateAt({ picturesPerMinute: 300 });
    let begun = 0;
    for (; clock.ms < 60_000; clock.ms += 7) {
      try {
        gate.enter().leave();
        begun += 1;
      } catch (error) {
        // Refused: asks again a moment later.
        expect(error).toMatchObject({ status: 429 });
      }
    }
    expect(begun).toBeGreaterThanOrEqual(299);
    expect(begun).toBeLessThanOrEqual(305);
  });

  test("R-SRV-10 the quota stands on every picture's reply, refusals too", async () => {
    await using openai = await start();
    await set(openai.url, { picturesPerMinute: 1, blankPictures: true });
    const [first, second] = [await askPicture(openai.url, "a", SMALL), await askPicture(openai.url, "b", SMALL)];
    expect([first.status, second.status]).toEqual([200, 429]);
    for (const { headers } of [first, second]) {
      expect(headers.get("x-ratelimit-limit-requests")).toBe("1");
      expect(headers.get("x-ratelimit-remaining-requests")).toBe("0");
    }
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(1);
    expect((await askText(openai.url, "a")).status).toBe(200);
  });
});

describe("the log of calls", () => {
  test("R-SRV-04 each call says whose it was, about what, how it ended, and whether the work was done", async () => {
    await using openai = await start();
    await set(openai.url, { blankPictures: true });
    await askText(openai.url, "small balcony garden", { safety_identifier: "user-1" });
    await askPicture(openai.url, "oat biscuits", { ...SMALL, user: "user-2" });
    await askPicture(openai.url, "a forbidden subject", SMALL);
    await strike(openai.url, { match: "POST /v1/images/*", cut: true, after: "creating", where: { user: "user-3" } });
    await askPicture(openai.url, "not struck", SMALL);
    await expect(askPicture(openai.url, "lost reply", { ...SMALL, user: "user-3" })).rejects.toThrow("fetch failed");
    await strike(openai.url, { match: "POST /v1/*", scenario: "cut" });
    await expect(askText(openai.url, "gone")).rejects.toThrow("fetch failed");
    const calls = await callsOf(openai.url);
    expect(calls.map(({ path, labels, status, fault, acted }) => [path, labels, status, fault, acted])).toMatchObject([
      ["/v1/chat/completions", { keyword: "small balcony garden", user: "user-1" }, 200, undefined, undefined],
      ["/v1/images/generations", { keyword: "oat biscuits", user: "user-2" }, 200, undefined, undefined],
      ["/v1/images/generations", { keyword: "a forbidden subject", user: "" }, 400, undefined, undefined],
      ["/v1/images/generations", { keyword: "not struck" }, 200, undefined, undefined],
      ["/v1/images/generations", { keyword: "lost reply", user: "user-3" }, 0, "cut", 200],
      ["/v1/chat/completions", { keyword: "gone" }, 0, "cut", undefined],
    ]);
    const { counts } = await stateOf(openai.url);
    expect(counts).toMatchObject({ texts: 1, pictures: 2, picturesRefused: 1, picturesInFlightAtMost: 1 });
  });
});
