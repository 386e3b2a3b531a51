import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { controlRoutes, openControlState } from "#sandbox/kit/control.ts";
import type { FaultRule } from "#sandbox/kit/faults.ts";
import { applyFaults } from "#sandbox/kit/faults.ts";
import { logRequests, openJournal } from "#sandbox/kit/journal.ts";
import { createApp, type Handle, serve } from "#sandbox/kit/serve.ts";
import { createSpec } from "#sandbox/kit/spec.ts";
import { freshFolders } from "#tests/support/fresh-folders.ts";
import { until } from "#tests/support/poll.ts";

const freshFolder = freshFolders("sandbox-kit");
const freshPath = () => join(freshFolder(), "journal.jsonl");

/** A stand-in with one route that counts its calls. */
async function startCounter(): Promise<{
  handle: Handle;
  count: () => number;
  addFault(rule: FaultRule): Promise<Response>;
}> {
  let acted = 0;
  const scenarios = { busy: { status: 429, body: { code: 8 }, headers: { "retry-after": "7" } } };
  const control = openControlState(freshFolder(), { scenarios, settings: {} });
  const reset = () => {
    acted = 0;
  };
  const app = createApp();
  app.use("*", logRequests(control));
  app.route("/__control", controlRoutes(control, { counts: () => ({}), reset }));
  app.use(
    "/v1/*",
    applyFaults(control.faults, (c) => ({ who: c.req.header("x-who") ?? "" })),
  );
  app.post("/v1/things", (c) => {
    acted += 1;
    return c.json({ number: acted }, 201);
  });
  const handle = await serve(app, { port: 0, host: "127.0.0.1" });
  const addFault = (rule: FaultRule) =>
    fetch(`${handle.url}/__control/faults`, { method: "POST", body: JSON.stringify(rule) });
  return { handle, count: () => acted, addFault };
}

const createThing = (url: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${url}/v1/things`, { method: "POST", body: "{}", headers, ...(signal && { signal }) });

describe("journal", () => {
  test("R-SRV-10 state is restored after a restart", () => {
    const path = freshPath();
    const first = openJournal<{ n: number }>(path);
    first.append({ n: 1 });
    first.append({ n: 2 });
    first.close();
    const again = openJournal<{ n: number }>(path);
    expect(again.entries).toEqual([{ n: 1 }, { n: 2 }]);
    again.close();
  });

  test("R-SRV-10 a line cut off by a crash is dropped, and the next line starts cleanly", () => {
    const path = freshPath();
    writeFileSync(path, '{"n":1}\n');
    appendFileSync(path, '{"n":2,"te');
    const journal = openJournal<{ n: number }>(path);
    expect(journal.entries).toEqual([{ n: 1 }]);
    journal.append({ n: 3 });
    journal.close();
    expect(readFileSync(path, "utf8")).toBe('{"n":1}\n{"n":3}\n');
  });

  test("R-SRV-10 a damaged line in the middle is an error, not skipped", () => {
    const path = freshPath();
    writeFileSync(path, '{"n":1}\n{"n":\n{"n":3}\n');
    expect(() => openJournal(path)).toThrow(/Line 2 of .* is damaged/);
  });
});

describe("faults", () => {
  test("R-SRV-10 a fault affects as many calls as configured, and only matching ones", async () => {
    const { handle, addFault } = await startCounter();
    await using _ = handle;
    await addFault({ match: "POST /v1/:kind", scenario: "busy", times: 2, where: { who: "ada*" } });
    expect((await createThing(handle.url, { "x-who": "bob" })).status).toBe(201);
    const refused = await createThing(handle.url, { "x-who": "ada.l" });
    expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([429, "7", { code: 8 }]);
    expect((await createThing(handle.url, { "x-who": "ada.l" })).status).toBe(429);
    expect((await createThing(handle.url, { "x-who": "ada.l" })).status).toBe(201);
  });

  test("R-SRV-10 before: nothing is done; creating: the call is done and its response lost", async () => {
    const { handle, count, addFault } = await startCounter();
    await using _ = handle;
    await addFault({ match: "POST /v1/things", cut: true });
    await expect(createThing(handle.url)).rejects.toThrow();
    expect(count()).toBe(0);
    await addFault({ match: "* /v1/*", cut: true, after: "creating", skip: 1 });
    expect((await createThing(handle.url)).status).toBe(201);
    await expect(createThing(handle.url)).rejects.toThrow();
    expect(count()).toBe(2);
    const { requests } = await (await fetch(`${handle.url}/__control/log`)).json();
    expect(requests.map((entry: { status: number }) => entry.status)).toEqual([0, 201, 0]);
    expect(requests.at(-1).fault).toBe("cut");
  });

  test("R-SRV-10 hang lasts until the client disconnects; malformed and slow responses work", async () => {
    const { handle, count, addFault } = await startCounter();
    await using _ = handle;
    await addFault({ match: "POST /v1/things", hang: true });
    const leaving = new AbortController();
    const hanging = createThing(handle.url, {}, leaving.signal);
    const faultsLeft = async () => (await fetch(`${handle.url}/__control/faults`)).text();
    await until(async () => (await faultsLeft()) === '{"faults":[]}', { what: "the fault to occur" });
    leaving.abort();
    await expect(hanging).rejects.toThrow(/abort/i);
    expect(count()).toBe(0);
    await addFault({ match: "POST /v1/things", malformed: true });
    const broken = await createThing(handle.url);
    expect(broken.status).toBe(200);
    await expect(broken.json()).rejects.toThrow(SyntaxError);
    await addFault({ match: "POST /v1/things", delayMs: 60 });
    const startedAt = performance.now();
    expect((await createThing(handle.url)).status).toBe(201);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(59);
    expect(count()).toBe(1);
  });

  test.each([
    [{ match: "things", status: 500 }, /match/],
    [{ match: "POST /v1/things", scenario: "no such" }, /there is no scenario/],
    [{ match: "POST /v1/things", status: 500, cut: true }, /only one/],
    [{ match: "POST /v1/things", status: 500, times: 0 }, /times/],
    [{ match: "POST /v1/things", status: "500" }, /expected number.*status/s],
    [{ match: "POST /v1/things", statis: 500 }, /Unrecognized key: "statis"/],
  ])("R-SRV-10 an unusable fault is rejected: %j", async (rule, message) => {
    const { handle } = await startCounter();
    await using _ = handle;
    const answer = await fetch(`${handle.url}/__control/faults`, { method: "POST", body: JSON.stringify(rule) });
    expect(answer.status).toBe(400);
    expect((await answer.json()).error).toMatch(message);
  });

  test("R-SRV-10 reset clears faults, log and data", async () => {
    const { handle, count, addFault } = await startCounter();
    await using _ = handle;
    await createThing(handle.url);
    await addFault({ match: "POST /v1/things", status: 500 });
    await fetch(`${handle.url}/__control/reset`, { method: "POST" });
    expect(count()).toBe(0);
    expect((await createThing(handle.url)).status).toBe(201);
  });
});

describe("spec", () => {
  const spec = createSpec("pinterest-v5");
  const pin = {
    board_id: "123",
    media_source: { source_type: "image_base64", content_type: "image/jpeg", data: "AAAA" },
  };

  test("R-SRV-10 valid requests pass", () => {
    expect(spec.check("POST", "/pins", { body: { ...pin, title: null, alt_text: "A" } })).toEqual({ ok: true });
    expect(spec.check("GET", "/boards", { query: { page_size: "250", privacy: "SECRET" } })).toEqual({ ok: true });
  });

  test.each([
    [{ ...pin, board_id: "x1" }, "board_id: 'x1' does not match '^\\d+$'"],
    [{ ...pin, title: "a".repeat(101) }, "title must NOT have more than 100 characters"],
    [{ ...pin, colour: "red" }, "body has an unknown field 'colour'"],
    [{ ...pin, media_source: { ...pin.media_source, url: "x" } }, "media_source has an unknown field 'url'"],
    [
      { ...pin, media_source: { ...pin.media_source, content_type: "image/webp" } },
      expect.stringMatching(/content_type: must be one of/),
    ],
    [{ ...pin, media_source: { source_type: "zip" } }, expect.stringMatching(/source_type: must be one of/)],
    ["pin", "body must be object"],
  ])("R-SRV-10 invalid requests are rejected with the field's name: %#", (body, message) => {
    expect(spec.check("POST", "/pins", { body })).toEqual({ ok: false, errors: [message] });
  });

  test("R-SRV-10 query values and unknown operations", () => {
    expect(spec.check("GET", "/boards", { query: { page_size: "251" } })).toMatchObject({ ok: false });
    expect(spec.check("GET", "/boards", { query: { size: "2" } })).toMatchObject({ ok: false });
    expect(() => spec.check("GET", "/bords", {})).toThrow(/no paths > \/bords/);
  });
});
