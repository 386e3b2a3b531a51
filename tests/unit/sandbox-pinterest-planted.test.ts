import { afterAll, beforeAll, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import { control, freshFolder, get, ownAccount, start } from "./sandbox-pinterest-client.ts";

const DAY_MS = 86_400_000;

let sandbox: Handle;
let mine: Awaited<ReturnType<typeof ownAccount>>;
const folder = freshFolder();
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
const range = `start_date=${daysAgo(89).slice(0, 10)}&end_date=${daysAgo(1).slice(0, 10)}`;

beforeAll(async () => {
  sandbox = await start(folder);
  mine = await ownAccount(sandbox.url, 1);
});
afterAll(() => sandbox.close());

const seed = async (titles: string[], days = 80): Promise<string[]> => {
  const pins = titles.map((title) => ({ board_id: mine.boards[0]?.id, title, created_at: daysAgo(days) }));
  const { status, body } = await control(sandbox.url, "POST", "/pins", { account: mine.username, pins });
  expect(status).toBe(201);
  return body.ids as string[];
};
const sumsOf = async (ids: string[]) => {
  const path = `/pins/analytics?pin_ids=${ids.join(",")}&${range}&metric_types=IMPRESSION,OUTBOUND_CLICK`;
  const reports: { all: { summary_metrics: Record<string, number> } }[] = Object.values(
    (await get(sandbox.url, path, mine.access)).body as object,
  );
  const sum = (name: string) => reports.reduce((all, report) => all + (report.all.summary_metrics[name] ?? 0), 0);
  return { seen: sum("IMPRESSION"), rate: sum("OUTBOUND_CLICK") / sum("IMPRESSION") };
};
const titled = (title: string) => Array.from({ length: 60 }, (_, n) => `${title} ${n}`);

test("A-83 a click factor changes the click rate of pins that contain its words, and survives a restart", async () => {
  const [pinsOnBoard, usual] = [await seed(titled("Clay lamps")), await seed(titled("Oak rugs"))];
  const before = await sumsOf(pinsOnBoard);
  expect((await control(sandbox.url, "POST", "/planted", { words: "LAMPS clay", factor: 3 })).status).toBe(201);
  await sandbox.close();
  sandbox = await start(folder);
  const after = await sumsOf(pinsOnBoard);
  expect(after.seen).toBe(before.seen);
  expect(after.rate / before.rate).toBeGreaterThan(2.7);
  expect(after.rate).toBeGreaterThan(2 * (await sumsOf(usual)).rate);
  await control(sandbox.url, "DELETE", "/planted");
  expect(await sumsOf(pinsOnBoard)).toEqual(before);
});

test("A-83 seeded pins are on their boards with the given time, have an image, and can be deleted", async () => {
  const [id = ""] = await seed(["A shelf"], 12);
  const listed = async () => {
    const { body } = await get(sandbox.url, `/boards/${mine.boards[0]?.id}/pins`, mine.access);
    return body.items.filter((pin) => pin.id === id);
  };
  expect(String((await listed())[0]?.created_at).slice(0, 10)).toBe(daysAgo(12).slice(0, 10));
  const image = await fetch(`${sandbox.url}/media/${id}.png`);
  expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);
  await control(sandbox.url, "DELETE", `/pins/${id}`);
  expect(await listed()).toEqual([]);
});

test("A-83 a new pin has metrics immediately when the setting starts them earlier", async () => {
  const ids = await seed(["Just made"], 0);
  expect((await sumsOf(ids)).seen).toBe(0);
  await control(sandbox.url, "PATCH", "/settings", { analyticsHeadStartDays: 30 });
  expect((await sumsOf(ids)).seen).toBeGreaterThan(100);
  await control(sandbox.url, "PATCH", "/settings", { analyticsHeadStartDays: 0 });
});

test("A-83 invalid control calls are rejected with a message and change nothing", async () => {
  const order = (more: object) => control(sandbox.url, "POST", "/pins", { account: mine.username, pins: [], ...more });
  const stray = [{ board_id: "404", title: "x" }];
  expect((await order({ pins: stray })).body).toMatchObject({ error: "The account has no board 404" });
  expect((await order({ account: "nobody" })).status).toBe(404);
  expect((await order({ pins: "many" })).status).toBe(400);
  expect((await control(sandbox.url, "POST", "/planted", { words: " ", factor: 3 })).status).toBe(400);
  expect((await control(sandbox.url, "DELETE", "/pins/404")).status).toBe(404);
});
