import { afterAll, beforeAll, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import { control, createPin, freshFolder, get, ownAccount, pinBody, spec, start } from "./sandbox-pinterest-client.ts";

const DAY_MS = 86_400_000;

/** Twenty days after its pins were created. */
let later: Handle;
let mine: Awaited<ReturnType<typeof ownAccount>>;
let pins: string[];
/** Moves the stand-in's clock to noon, so that midnight does not fall into a test. */
const toNoonMs = DAY_MS / 2 - (Date.now() % DAY_MS);
const offsetMs = 20 * DAY_MS + toNoonMs;
const daysAgo = (days: number) => new Date(Date.now() + offsetMs - days * DAY_MS).toISOString().slice(0, 10);
const range = (from: number, to: number) => `start_date=${daysAgo(from)}&end_date=${daysAgo(to)}`;

beforeAll(async () => {
  later = await start(freshFolder());
  await control(later.url, "POST", "/clock", { offsetMs: toNoonMs });
  mine = await ownAccount(later.url, 1);
  const made = [1, 2, 3].map((n) =>
    createPin(later.url, mine.access, pinBody(mine.boards[0]?.id, { title: `P ${n}` })),
  );
  pins = (await Promise.all(made)).map(({ body }) => body.id);
  await control(later.url, "POST", "/clock", { offsetMs });
});
afterAll(() => later.close());

test("R-SRV-10 a pin's metrics are stable and start on its first day, and the last days are not ready", async () => {
  const path = `/pins/${pins[0]}/analytics?${range(30, 0)}&metric_types=IMPRESSION,SAVE`;
  const { status, body } = await get(later.url, path, mine.access);
  expect(status).toBe(200);
  expect(spec.checkReply("GET", "/pins/{pin_id}/analytics", 200, body)).toEqual({ ok: true });
  expect((await get(later.url, path, mine.access)).body).toEqual(body);
  const { daily_metrics: days, summary_metrics: sums, lifetime_metrics: lifetime } = body.all;
  expect(days).toHaveLength(31);
  expect(days.slice(0, 9).map(({ data_status }) => data_status)).toEqual(Array(9).fill("BEFORE_PIN_CREATED"));
  expect(days.slice(-2).map(({ data_status }) => data_status)).toEqual(["PROCESSING", "PROCESSING"]);
  const ready = days.filter(({ data_status }) => data_status === "READY");
  expect(ready.length).toBeGreaterThanOrEqual(17);
  const total = ready.reduce((sum, { metrics }) => sum + (metrics.IMPRESSION ?? 0), 0);
  expect(total).toBeGreaterThan(0);
  expect(sums.IMPRESSION).toBe(total);
  expect(lifetime).toEqual({ IMPRESSION: total, SAVE: sums.SAVE });
});

test("R-SRV-10 many pins in one call, the best pins, and the account", async () => {
  const many = `/pins/analytics?pin_ids=${pins.join(",")}&${range(10, 3)}&metric_types=IMPRESSION,PIN_CLICK`;
  const bulk = await get(later.url, many, mine.access);
  expect(Object.keys(bulk.body).sort()).toEqual([...pins].sort());
  expect(spec.checkReply("GET", "/pins/analytics", 200, bulk.body)).toEqual({ ok: true });
  const top = await get(
    later.url,
    `/user_account/analytics/top_pins?${range(10, 3)}&sort_by=IMPRESSION&num_of_pins=2`,
    mine.access,
  );
  expect(spec.checkReply("GET", "/user_account/analytics/top_pins", 200, top.body)).toEqual({ ok: true });
  const seen = top.body.pins.map(({ metrics }) => Object(metrics).IMPRESSION);
  expect(seen).toEqual([...seen].sort((a, b) => b - a));
  expect(seen).toHaveLength(2);
  const account = await get(later.url, `/user_account/analytics?${range(89, 0)}`, mine.access);
  expect(spec.checkReply("GET", "/user_account/analytics", 200, account.body)).toEqual({ ok: true });
  expect(account.body.all.daily_metrics).toHaveLength(90);
  expect(account.body.all.summary_metrics.IMPRESSION).toBeGreaterThan(1_000);
  expect(account.headers.get("x-ratelimit-limit")).toMatch(
    /^60, 100;w=1;.*60;w=60;name="org_analytics_app_id_user_id"$/,
  );
});

test.each([
  ["the wrong way round", () => range(3, 10), 400],
  ["more than 90 days back", () => range(91, 3), 400],
  ["in the future", () => range(3, -2), 400],
  ["no date", () => "start_date=soon&end_date=later", 1],
])("R-SRV-10 dates %s are rejected", async (_, dates, code) => {
  const refused = await get(later.url, `/user_account/analytics?${dates()}`, mine.access);
  expect([refused.status, refused.body.code]).toEqual([400, code]);
});

test("R-SRV-10 unknown metrics, foreign and missing pins, the beta error, and no analytics in the sandbox", async () => {
  const of = (id: string | undefined, metric = "SAVE") =>
    `/pins/${id}/analytics?${range(10, 3)}&metric_types=${metric}`;
  const bulk = (id: string | undefined) => `/pins/analytics?pin_ids=${id}&${range(10, 3)}&metric_types=SAVE`;
  const other = await ownAccount(later.url, 1);
  const answer = async (path: string, access = mine.access) => {
    const { status, body } = await get(later.url, path, access);
    return [status, body.code];
  };
  expect(await answer(of(pins[0], "LUCK"))).toEqual([400, 1]);
  expect(await answer(of(pins[0], "SAVE_RATE"))).toEqual([400, 1]);
  expect(await answer(of("404"))).toEqual([404, 50]);
  expect(await answer(of(pins[0]), other.access)).toEqual([403, 29]);
  expect(await answer(bulk(pins[0]), other.access)).toEqual([401, 7]);
  expect(await answer(bulk("404"))).toEqual([404, 50]);
  await control(later.url, "POST", "/faults", { scenario: "analytics-processing" });
  const waiting = (await get(later.url, of(pins[0]), mine.access)).body.all;
  expect(new Set(waiting.daily_metrics.map(({ data_status }) => data_status))).toEqual(new Set(["PROCESSING"]));
  await control(later.url, "PATCH", "/settings", { bulkAnalytics: false });
  expect(await answer(bulk(pins[0]))).toEqual([401, 3]);
  await control(later.url, "PATCH", "/settings", { bulkAnalytics: true, environment: "sandbox" });
  expect(await answer(of(pins[0]))).toEqual([403, 29]);
  await control(later.url, "PATCH", "/settings", { environment: "production" });
});
