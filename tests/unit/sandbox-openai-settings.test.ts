import { describe, expect, test } from "vitest";
import type { Call } from "#sandbox/openai/control.ts";
import { PictureGate } from "#sandbox/openai/images.ts";
import { latencyOf } from "#sandbox/openai/seed.ts";
import type { OpenAiSettings } from "#sandbox/openai/settings.ts";
import { until } from "#tests/support/poll.ts";
import { askAndWait, askPicture, askText, bytesOf, start, stateOf, strike } from "./sandbox-openai-client.ts";

const SMALL = { size: "256x384" };

const set = (url: string, settings: Partial<OpenAiSettings> | object | null) =>
  fetch(`${url}/__control/settings`, { method: "POST", body: JSON.stringify(settings) });
const callsOf = async (url: string, query = ""): Promise<Call[]> =>
  (await (await fetch(`${url}/__control/calls${query}`)).json()).calls;

/** A gate whose time stands still until it is moved. */
const gateAt = (limits: Partial<OpenAiSettings>) => {
  const clock = { ms: 0 };
  const all = { picturesInFlight: null, picturesPerMinute: null, imageLatencyMs: 400, ...limits };
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
    await using openai = await start({ settings: { picturesInFlight: 7 } });
    const changed = await (await set(openai.url, { textLatencyMs: 5, latencySpread: 0, blankPictures: true })).json();
    expect(changed).toMatchObject({ textLatencyMs: 5, latencySpread: 0, blankPictures: true, picturesInFlight: 7 });
    for (const wrong of [{ textLatencyMs: -1 }, { picturesInFlight: 0 }, { nonsense: 1 }, { latencySpread: 2 }, null]) {
      const answer = await set(openai.url, wrong);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: expect.any(String) });
    }
    expect((await stateOf(openai.url)).settings).toEqual(changed);
    await fetch(`${openai.url}/__control/reset`, { method: "POST" });
    expect((await stateOf(openai.url)).settings).toMatchObject({ textLatencyMs: 0, picturesInFlight: 7 });
  });

  test("R-SRV-10 without a spread every latency is the same", () => {
    const latencies = Array.from({ length: 50 }, (_, index) => latencyOf(`prompt ${index}`, { ms: 300, spread: 0 }));
    expect(new Set(latencies)).toEqual(new Set([300]));
  });

  test("R-SRV-10 blank pictures are real ones of the asked size, and all the same", async () => {
    await using openai = await start({ settings: { blankPictures: true } });
    const [one, other] = [await askPicture(openai.url, "tea"), await askPicture(openai.url, "a red door")];
    expect(one.body.size).toBe("1024x1536");
    expect(bytesOf(one).subarray(0, 3).toString("hex")).toBe("ffd8ff");
    expect(bytesOf(one).equals(bytesOf(other))).toBe(true);
  });
});

describe("limits for pictures", () => {
  test("R-SRV-10 one call more than the limit is refused with 429, and let in when there is a place", async () => {
    await using openai = await start({
      imageLatencyMs: 600_000,
      settings: { picturesInFlight: 2, blankPictures: true },
    });
    const held = ["one", "two"].map((keyword) => askPicture(openai.url, keyword, SMALL));
    const cut = Promise.allSettled(held);
    await until(async () => (await stateOf(openai.url)).limits.inFlight === 2, { deadlineMs: 30_000 });
    await set(openai.url, { imageLatencyMs: 0 });
    const third = await askPicture(openai.url, "three", SMALL);
    expect(third.status).toBe(429);
    expect(third.body.error.code).toBe("rate_limit_exceeded");
    expect(Number(third.headers.get("retry-after-ms"))).toBeGreaterThan(0);
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0);
    await set(openai.url, { picturesInFlight: 3 });
    expect((await askPicture(openai.url, "three", SMALL)).status).toBe(200);
    expect((await stateOf(openai.url)).image).toMatchObject({ calls: 4, answered: 1, refused: 1, inFlight: 2 });
    await openai.close();
    expect((await cut).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  test("R-SRV-10 a place is free again when its call is over, once", () => {
    const { gate } = gateAt({ picturesInFlight: 1 });
    const place = gate.enter(1);
    expect(() => gate.enter(1)).toThrow("Too many pictures at once: limit 1");
    place.leave();
    place.leave();
    gate.enter(1);
    expect(() => gate.enter(1)).toThrow("Too many pictures at once");
  });

  test("R-SRV-10 a quota per minute fills evenly and says how long to wait", () => {
    const { clock, gate } = gateAt({ picturesPerMinute: 120 });
    gate.enter(1);
    gate.enter(1);
    expect(() => gate.enter(1)).toThrow(expect.objectContaining({ status: 429 }));
    expect(gate.headers()).toMatchObject({
      "x-ratelimit-limit-requests": "120",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "1000ms",
    });
    clock.ms += 500;
    expect(gate.standing()).toEqual({ inFlight: 2, available: 1 });
    gate.enter(1);
    clock.ms += 60_000;
    expect(gate.standing().available).toBe(2);
  });

  test("R-SRV-10 over a long time no more begin than the quota allows, however often they ask", () => {
    const { clock, gate } = gateAt({ picturesPerMinute: 300 });
    let begun = 0;
    for (; clock.ms < 60_000; clock.ms += 7) {
      try {
        gate.enter(1).leave();
        begun += 1;
      } catch (error) {
        // Refused: asks again a moment later.
        expect(error).toMatchObject({ status: 429 });
      }
    }
    expect(begun).toBeGreaterThanOrEqual(299);
    expect(begun).toBeLessThanOrEqual(305);
  });

  test("R-SRV-10 a large order on a small quota waits for a full bucket and leaves a debt", () => {
    const { clock, gate } = gateAt({ picturesPerMinute: 60 });
    gate.enter(4);
    clock.ms += 3_000;
    expect(() => gate.enter(1)).toThrow("try again in 1000ms");
    clock.ms += 1_000;
    gate.enter(1);
  });

  test("R-SRV-10 the quota stands on every picture's reply, refusals too", async () => {
    await using openai = await start({ settings: { picturesPerMinute: 1, blankPictures: true } });
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

describe("the book of calls", () => {
  test("R-SRV-04 each call says whose it was, about what, when and how it ended", async () => {
    await using openai = await start({ settings: { blankPictures: true } });
    await askText(openai.url, "small balcony garden", { safety_identifier: "user-1" });
    await askPicture(openai.url, "oat biscuits", { ...SMALL, user: "user-2" });
    await askPicture(openai.url, "a forbidden subject", SMALL);
    await strike(openai.url, { match: "POST /v1/images/*", cut: true, after: "creating", where: { user: "user-3" } });
    await askPicture(openai.url, "not struck", SMALL);
    await expect(askPicture(openai.url, "lost reply", { ...SMALL, user: "user-3" })).rejects.toThrow("fetch failed");
    await strike(openai.url, { match: "POST /v1/*", scenario: "hang" });
    await (await askAndWait(openai.url, "gone")).leave();
    const calls = await callsOf(openai.url);
    expect(
      calls.map(({ kind, keyword, user, end, status, isMade }) => [kind, keyword, user, end, status, isMade]),
    ).toEqual([
      ["text", "small balcony garden", "user-1", "answered", 200, true],
      ["image", "oat biscuits", "user-2", "answered", 200, true],
      ["image", "a forbidden subject", null, "refused", 400, false],
      ["image", "not struck", null, "answered", 200, true],
      ["image", "lost reply", "user-3", "cut", 0, true],
      ["text", "gone", null, "cut", 0, false],
    ]);
    expect(calls.map(({ note }) => note)).toEqual(["", "", "moderation_blocked", "", "fault: cut", "fault: hang"]);
    for (const { at, endedAt } of calls) expect(Date.parse(at)).toBeLessThanOrEqual(Date.parse(endedAt ?? ""));
    expect(await callsOf(openai.url, "?kind=image")).toHaveLength(4);
    expect((await stateOf(openai.url)).image).toMatchObject({ calls: 4, mostInFlight: 1, refused: 1, cut: 1 });
  });

  test("R-SRV-04 a caller that leaves is told from a reply that was cut", async () => {
    await using openai = await start({ textLatencyMs: 600_000 });
    await (await askAndWait(openai.url, "impatient")).leave();
    expect(await callsOf(openai.url)).toMatchObject([{ keyword: "impatient", end: "abandoned", status: 0 }]);
  });
});
