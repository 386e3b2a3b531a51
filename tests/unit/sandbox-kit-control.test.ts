import { request } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { controlRoutes, openControlState } from "#sandbox/kit/control.ts";
import { applyFaults, isSimulating } from "#sandbox/kit/faults.ts";
import { createRequestLog, logRequests, openJournal } from "#sandbox/kit/journal.ts";
import { createApp, type Handle, serve } from "#sandbox/kit/serve.ts";

import { freshFolders } from "#tests/support/fresh-folders.ts";

const freshFolder = freshFolders("sandbox-control");
const scenarios = {
  busy: { match: "POST /v1/things", about: "Too busy", status: 429 },
  lost: { match: "POST /v1/things", cut: true, after: "creating" },
  odd: { match: "POST /v1/things" },
} as const;
const settings = {
  size: { type: "number", initial: 3, min: 0, max: 9, about: "How large" },
  mood: { type: "choice", initial: "calm", options: ["calm", "wild"], about: "How it feels" },
  loud: { type: "switch", initial: false, about: "Whether it is heard" },
} as const;

/** A stand-in with one route and the whole control API. */
async function start(dataDir = freshFolder()): Promise<Handle & { values(): object }> {
  const control = openControlState(dataDir, { scenarios, settings });
  const app = createApp();
  app.use("*", logRequests(control));
  app.route("/__control", controlRoutes(control, { counts: () => ({ things: 2 }), reset: () => {} }));
  app.use(
    "/v1/*",
    applyFaults(control.faults, (c) => ({ who: c.req.header("x-who") ?? "" })),
  );
  app.post("/v1/things", (c) => {
    c.set("created", "7");
    return c.json({ odd: isSimulating(c, "odd"), text: "a".repeat(200_000) }, 201);
  });
  const handle = await serve(app, { port: 0, host: "127.0.0.1" });
  const close = async () => {
    await handle.close();
    control.close();
  };
  return { ...handle, values: () => ({ ...control.settings.values }), close, [Symbol.asyncDispose]: close };
}

const control = async (url: string, method: string, path: string, body?: unknown) => {
  const answer = await fetch(`${url}/__control${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: answer.status === 204 ? {} : await answer.json() };
};
const makeThing = async (url: string) => (await fetch(`${url}/v1/things`, { method: "POST", body: "{}" })).status;

/** The status for another Host header, which fetch cannot send. */
const statusFor = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${url}/__control/state`, { headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.once("error", reject).end();
  });

test("R-SRV-10 every: the fault affects only each nth matching request", async () => {
  await using standIn = await start();
  await control(standIn.url, "POST", "/faults", { match: "POST /v1/things", status: 503, every: 3, skip: 1, times: 2 });
  const statuses = [];
  for (let n = 0; n < 8; n += 1) statuses.push(await makeThing(standIn.url));
  expect(statuses).toEqual([201, 201, 201, 503, 201, 201, 503, 201]);
});

test("R-SRV-10 a scenario is turned on for its calls, and off again", async () => {
  await using standIn = await start();
  expect((await control(standIn.url, "POST", "/scenarios/busy")).status).toBe(201);
  expect([await makeThing(standIn.url), await makeThing(standIn.url)]).toEqual([429, 429]);
  const { body } = await control(standIn.url, "GET", "/scenarios");
  expect(body.scenarios[0]).toEqual({
    name: "busy",
    about: "Too busy",
    match: "POST /v1/things",
    isOn: true,
  });
  await control(standIn.url, "DELETE", "/scenarios/busy");
  expect(await makeThing(standIn.url)).toBe(201);
  await control(standIn.url, "POST", "/scenarios/odd", { times: 1 });
  const odd = async () => (await (await fetch(`${standIn.url}/v1/things`, { method: "POST" })).json()).odd;
  expect([await odd(), await odd()]).toEqual([true, false]);
  expect((await control(standIn.url, "POST", "/scenarios/none")).status).toBe(404);
});

test("R-SRV-10 a cut response has its headers and half of its body", async () => {
  await using standIn = await start();
  await control(standIn.url, "POST", "/faults", { match: "POST /v1/things", torn: true });
  const answer = await fetch(`${standIn.url}/v1/things`, { method: "POST", body: "{}" });
  expect(answer.status).toBe(201);
  await expect(answer.text()).rejects.toThrow();
  const { requests } = (await control(standIn.url, "GET", "/log")).body;
  expect(requests).toMatchObject([{ status: 0, cut: true, acted: 201, created: "7", fault: "torn" }]);
});

test("R-SRV-10 the log contains each call's client, response, created object and fault", async () => {
  await using standIn = await start();
  await control(standIn.url, "POST", "/clock", { offsetMs: 86_400_000 });
  await fetch(`${standIn.url}/v1/things`, { method: "POST", headers: { "x-who": "ada" } });
  await control(standIn.url, "POST", "/faults", { scenario: "lost", where: { who: "ada" } });
  await expect(fetch(`${standIn.url}/v1/things`, { method: "POST", headers: { "x-who": "ada" } })).rejects.toThrow();
  await fetch(`${standIn.url}/v1/nothing`);
  const { requests } = (await control(standIn.url, "GET", "/log?match=POST /v1/things")).body;
  const first = { seq: 1, status: 201, cut: false, created: "7", labels: { who: "ada" } };
  const second = { seq: 2, status: 0, cut: true, acted: 201, created: "7", fault: "lost", labels: { who: "ada" } };
  expect(requests).toEqual([expect.objectContaining(first), expect.objectContaining(second)]);
  expect(Date.parse(requests[0].at)).toBeGreaterThan(Date.now() + 80_000_000);
  expect((await control(standIn.url, "GET", "/log?after=2")).body.requests).toHaveLength(1);
  expect((await control(standIn.url, "GET", "/log?limit=1")).body.requests).toMatchObject([{ path: "/v1/nothing" }]);
});

test("R-SRV-10 settings are validated, shown with their descriptions, and reset", async () => {
  await using standIn = await start();
  expect((await control(standIn.url, "PATCH", "/settings", { size: 5, loud: true })).status).toBe(200);
  expect(standIn.values()).toEqual({ size: 5, mood: "calm", loud: true });
  for (const wrong of [{ size: 10 }, { size: "5" }, { mood: "sad" }, { loud: 1 }, { colour: "red" }, { toString: 1 }]) {
    expect(await control(standIn.url, "PATCH", "/settings", { size: 1, ...wrong })).toMatchObject({ status: 400 });
  }
  const { settings: shown } = (await control(standIn.url, "GET", "/settings")).body;
  expect(shown[0]).toMatchObject({ name: "size", about: "How large", value: 5, initial: 3, max: 9 });
  await control(standIn.url, "POST", "/reset");
  expect(standIn.values()).toEqual({ size: 3, mood: "calm", loud: false });
});

test("R-SRV-10 faults with their counts, settings, clock and log survive a restart", async () => {
  const folder = freshFolder();
  const first = await start(folder);
  await control(first.url, "POST", "/faults", { scenario: "busy", times: 3, skip: 1 });
  await control(first.url, "POST", "/faults", { match: "GET /v1/gone", status: 500 });
  await control(first.url, "POST", "/clock", { offsetMs: 60_000 });
  await control(first.url, "PATCH", "/settings", { mood: "wild" });
  expect([await makeThing(first.url), await makeThing(first.url)]).toEqual([201, 429]);
  await fetch(`${first.url}/v1/gone`);
  await first.close();
  await using second = await start(folder);
  expect((await control(second.url, "GET", "/state")).body).toMatchObject({
    offsetMs: 60_000,
    faults: 1,
    requests: 3,
    counts: { things: 2 },
    settings: { mood: "wild" },
  });
  const statuses = [];
  for (let n = 0; n < 3; n += 1) statuses.push(await makeThing(second.url));
  expect(statuses).toEqual([429, 429, 201]);
  expect((await control(second.url, "GET", "/log")).body.requests.at(-1).seq).toBe(6);
});

test("R-SRV-10 one fault is turned off, the others stay", async () => {
  await using standIn = await start();
  const { body } = await control(standIn.url, "POST", "/faults", { scenario: "busy" });
  await control(standIn.url, "POST", "/faults", { scenario: "odd" });
  expect((await control(standIn.url, "DELETE", `/faults/${body.id}`)).status).toBe(204);
  expect((await control(standIn.url, "DELETE", `/faults/${body.id}`)).status).toBe(404);
  expect((await control(standIn.url, "GET", "/faults")).body.faults).toMatchObject([{ scenario: "odd" }]);
});

test("R-SRV-10 a growing log keeps the newest entries, in memory and on disk", () => {
  const path = join(freshFolder(), "log.jsonl");
  const journal = openJournal<Parameters<ReturnType<typeof createRequestLog>["record"]>[0] & { seq: number }>(path);
  const log = createRequestLog(journal, 3);
  const entry = { at: "", method: "GET", path: "/", status: 200, tookMs: 1, cut: false, labels: {} };
  for (let n = 0; n < 8; n += 1) log.record(entry);
  expect(log.list().map(({ seq }) => seq)).toEqual([6, 7, 8]);
  journal.close();
  const again = openJournal<{ seq: number }>(path);
  expect(again.entries.map(({ seq }) => seq)).toEqual([4, 5, 6, 7, 8]);
  again.close();
});

test("R-SRV-10 other host names and pages of other origins are rejected", async () => {
  await using standIn = await start();
  const port = standIn.port;
  const statuses = [];
  for (const host of ["evil.example", `evil.example:${port}`, `localhost:${port}`, "[::1]:9"]) {
    statuses.push(await statusFor(standIn.url, host));
  }
  expect(statuses).toEqual([421, 421, 200, 200]);
  const addFault = (origin: string) =>
    fetch(`${standIn.url}/__control/scenarios/busy`, { method: "POST", headers: { origin } });
  expect((await addFault("https://evil.example")).status).toBe(403);
  expect((await addFault("null")).status).toBe(403);
  expect((await addFault(standIn.url)).status).toBe(201);
});
