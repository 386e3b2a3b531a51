import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { describe, expect, inject, test } from "vitest";
import { SPOOL_PREFIX } from "#lib/server/upload-files.ts";
import { inRepository } from "#scripts/root.ts";
import type { AppResponse } from "#tests/support/app-client.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { until } from "#tests/support/poll.ts";
import { png } from "#tests/support/sample-images.ts";
import { specification, undocumented } from "#tests/support/v1-spec.ts";
import { call, client, newKey, problem, v1ForFile } from "./v1-harness.ts";

v1ForFile();

const upload = async (bytes: Uint8Array<ArrayBuffer>): Promise<AppResponse> => {
  const body = new FormData();
  body.set("image", new Blob([bytes]), "pin.png");
  const headers = { authorization: `Bearer ${client().secret}` };
  const response = await fetch(`${inject("app").baseUrl}/api/v1/uploads`, { method: "POST", headers, body });
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, text, json: JSON.parse(text) as unknown };
  expect(undocumented("POST", "/uploads", answer)).toBeNull();
  return answer;
};

const image = async (): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await png(400 + (randomBytes(1)[0] ?? 0), 600));

/** A draft made from an upload; returns its id. */
const createDraft = async (title = "Moss on a wall"): Promise<string> => {
  const uploaded = await upload(await image());
  const pins = [{ board_id: client().boardId, title, upload_id: Object(uploaded.json).id }];
  const answer = await call("/pins", { method: "POST", body: { account_id: client().accountId, pins } });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return Object(answer.json).data[0].id;
};

describe("pins from an image to a schedule", () => {
  test("upload, draft, edit, schedule, move, unschedule, publish, delete", async () => {
    const id = await createDraft();
    const path = `/pins/${id}`;
    const edited = await call(
      path,
      { method: "PATCH", body: { title: "Moss", link: "https://example.com/a" } },
      "/pins/{pin_id}",
    );
    expect(edited.json).toMatchObject({
      id,
      title: "Moss",
      link: "https://example.com/a",
      status: "draft",
      source: "manual",
    });
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = await call(`${path}/schedule`, { method: "POST", body: { at } }, "/pins/{pin_id}/schedule");
    expect(scheduled.json).toMatchObject({ status: "scheduled", scheduled_at: at });
    const later = new Date(Date.now() + 7_200_000).toISOString();
    const moved = await call(`${path}/schedule`, { method: "POST", body: { at: later } }, "/pins/{pin_id}/schedule");
    expect(moved.json).toMatchObject({ status: "scheduled", scheduled_at: later });
    const deleted = await call(path, { method: "DELETE" }, "/pins/{pin_id}");
    expect([deleted.status, deleted.json]).toEqual([409, problem("wrong_state", 409)]);
    const back = await call(`${path}/unschedule`, { method: "POST" }, "/pins/{pin_id}/unschedule");
    expect(back.json).toMatchObject({ status: "draft" });
    expect((await call(path, { method: "DELETE" }, "/pins/{pin_id}")).status).toBe(204);
    expect((await call(path, {}, "/pins/{pin_id}")).status).toBe(404);
  });

  test("a schedule at an interval is all or nothing, and a published pin has its attempt", async () => {
    const [first, second] = [await createDraft("One"), await createDraft("Two")];
    const unknown = `pin_${"0".repeat(26)}`;
    const start = new Date(Date.now() + 86_400_000).toISOString();
    const wrong = { pin_ids: [first, unknown], interval_minutes: 60, start };
    expect((await call("/schedules", { method: "POST", body: wrong })).status).toBe(404);
    const body = { pin_ids: [first, second], interval_minutes: 60, start };
    const { status, json } = await call("/schedules", { method: "POST", body });
    const times = Object(json).data.map((pin: { scheduled_at: string }) => Date.parse(pin.scheduled_at));
    expect([status, times[1] - times[0]]).toEqual([201, 3_600_000]);
    const published = await call(`/pins/${first}/publish`, { method: "POST" }, "/pins/{pin_id}/publish");
    expect([published.status, Object(published.json).id]).toEqual([202, first]);
  });

  test("uploads that aren't images, and images that weren't uploaded, are named", async () => {
    const text = await upload(new Uint8Array(Buffer.from("This is not an image.")));
    expect([text.status, text.json]).toEqual([
      400,
      problem("invalid", 400, { errors: [{ field: "image", detail: expect.any(String) }] }),
    ]);
    const known = Object((await upload(await image())).json).id;
    const pin = (upload_id: string) => ({ board_id: client().boardId, title: "Moss", upload_id });
    const pins = [pin(known), pin("0".repeat(64))];
    const answer = await call("/pins", { method: "POST", body: { account_id: client().accountId, pins } });
    expect([answer.status, Object(answer.json).errors]).toEqual([
      400,
      [{ field: "pins.1", detail: expect.any(String) }],
    ]);
  });
});

test("an upload without an image, or with a part that is not known, leaves no space taken", async () => {
  const spools = () => readdirSync(tmpdir()).filter((name) => name.startsWith(SPOOL_PREFIX));
  const before = new Set(spools());
  const headers = { authorization: `Bearer ${client().secret}` };
  const fieldsOf = async (parts: Record<string, string | Blob>) => {
    const body = new FormData();
    for (const [name, part] of Object.entries(parts)) body.set(name, part);
    const response = await fetch(`${inject("app").baseUrl}/api/v1/uploads`, { method: "POST", headers, body });
    expect(response.status).toBe(400);
    return Object(await response.json()).errors.map(({ field }: { field: string }) => field);
  };
  const note = "x".repeat(100_000);
  expect(await fieldsOf({ note })).toContain("image");
  expect(await fieldsOf({ image: new Blob([new Uint8Array(await png(360, 560))]), note })).toEqual(["note"]);
  const left = spools().filter((name) => !before.has(name));
  await until(async () => spools().every((name) => !left.includes(name)));
});

describe("reads", () => {
  test("have an ETag that answers 304 until something changes", async () => {
    const path = `/pins?account_id=${client().accountId}&status=failed`;
    const first = await call(path);
    const etag = first.headers.get("etag") ?? "";
    expect([etag, first.headers.get("cache-control")]).toEqual([
      expect.stringMatching(/^"[\w-]{27}"$/),
      "private, no-cache",
    ]);
    const same = await call(path, { headers: { "if-none-match": `W/"x", ${etag}` } });
    expect([same.status, same.text]).toEqual([304, ""]);
    expect((await call(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  test("come in pages without gaps or repetitions, in the body and as a link", async () => {
    const ids = [await createDraft("A"), await createDraft("B"), await createDraft("C")];
    const seen: string[] = [];
    let path = `/pins?account_id=${client().accountId}&status=draft&limit=2`;
    for (let page = 0; page < 20 && path; page++) {
      const { json, headers } = await call(path);
      seen.push(...Object(json).data.map(({ id }: { id: string }) => id));
      const next = Object(json).next_cursor;
      const link = /<\/api\/v1([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? "";
      expect(link.includes(`cursor=${encodeURIComponent(next ?? "")}`)).toBe(next !== null);
      path = link;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(ids.every((id) => seen.includes(id))).toBe(true);
    const past = await call(`/pins?account_id=${client().accountId}&cursor=nothing`);
    expect([past.status, past.json]).toEqual([400, problem("invalid", 400)]);
  });

  test("say how many calls are left", async () => {
    const [first, second] = [await call("/credits"), await call("/credits")];
    const left = ({ headers }: AppResponse) => Number(headers.get("ratelimit-remaining"));
    expect(left(second)).toBeLessThan(left(first));
    expect(Number(first.headers.get("ratelimit-limit"))).toBeGreaterThan(0);
    expect(Number(first.headers.get("ratelimit-reset"))).toBeGreaterThan(0);
  });
});

describe("bad input", () => {
  test("a length that can't be compared, and a body where none belongs, are refused", async () => {
    const videos = { length: { toString: 1 } };
    expect(await call("/videos", { method: "POST", body: { videos } })).toMatchObject({ status: 400 });
    const large = "x".repeat(1_100_000);
    const answer = await call(
      `/pins/${"p".repeat(9)}/publish`,
      { method: "POST", body: large },
      "/pins/{pin_id}/publish",
    );
    expect(answer.json).toEqual(problem("too_large", 413));
  });

  const fieldsOf = ({ json }: AppResponse): string[] =>
    (Object(json).errors ?? []).map(({ field }: { field: string }) => field);

  test("unknown fields and parameters are named", async () => {
    const id = await createDraft();
    const body = { title: "Moss", colour: "green", nested: {} };
    const edited = await call(`/pins/${id}`, { method: "PATCH", body }, "/pins/{pin_id}");
    expect([edited.status, fieldsOf(edited)]).toEqual([400, ["colour", "nested"]]);
    const query = await call("/credits?verbose=1");
    expect([query.status, fieldsOf(query)]).toEqual([400, ["verbose"]]);
    const twice = await call(`/pins?account_id=${client().accountId}&status=draft&status=all`, {}, "/pins");
    expect([twice.status, fieldsOf(twice)]).toEqual([400, ["status"]]);
    const rows = {
      account_id: client().accountId,
      board_id: "1",
      quality: "x",
      keywords: [{ keyword: "a" }, { url: "b" }],
    };
    const generated = await call("/generations", { method: "POST", body: rows });
    expect([generated.status, fieldsOf(generated)]).toEqual([400, ["quality", "keywords.1.keyword"]]);
    const badUrl = {
      ...rows,
      quality: "high",
      board_id: client().boardId,
      keywords: [{ keyword: "a", url: "ftp://x" }],
    };
    expect(fieldsOf(await call("/generations", { method: "POST", body: badUrl }))).toEqual(["keywords.0.url"]);
    const blank = { ...badUrl, keywords: [{ keyword: "a" }, { keyword: " \u200b", url: "https://example.com/" }] };
    expect(fieldsOf(await call("/generations", { method: "POST", body: blank }))).toEqual(["keywords.1.keyword"]);
  });

  test.each([
    ["broken JSON", "{", { "content-type": "application/json" }],
    ["a list", "[]", { "content-type": "application/json" }],
    ["a form", "name=x", { "content-type": "application/x-www-form-urlencoded" }],
    ["invalid UTF-8", '{"name": "\ud800"}', { "content-type": "application/json" }],
  ])("%s is 400", async (_, body, headers) => {
    const answer = await call("/keyword-lists", { method: "POST", body, headers });
    expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ code: "invalid" })]);
  });

  test("a body over the limit is 413, and NUL characters are removed", async () => {
    const large = await call("/keyword-lists", {
      method: "POST",
      body: { name: "x".repeat(1_100_000), keywords: ["a"] },
    });
    expect([large.status, large.json]).toEqual([413, problem("too_large", 413)]);
    const id = await createDraft();
    const body = { title: "Moss\u0000 garden" };
    const nul = await call(`/pins/${id}`, { method: "PATCH", body }, "/pins/{pin_id}");
    expect([nul.status, Object(nul.json).title]).toEqual([200, "Moss garden"]);
  });

  test("times without an offset, in the past, and in two years are refused", async () => {
    const id = await createDraft();
    for (const at of ["2027-01-01T00:00:00", "yesterday", new Date(0).toISOString(), "2029-01-01T00:00:00Z"]) {
      const answer = await call(`/pins/${id}/schedule`, { method: "POST", body: { at } }, "/pins/{pin_id}/schedule");
      expect([at, answer.status]).toEqual([at, 400]);
    }
    const ahead = new Date(Date.now() + 5 * 3_600_000);
    const local = `${new Date(ahead.getTime() + 2 * 3_600_000).toISOString().slice(0, 19)}+02:00`;
    const right = await call(
      `/pins/${id}/schedule`,
      { method: "POST", body: { at: local } },
      "/pins/{pin_id}/schedule",
    );
    expect(Math.abs(Date.parse(Object(right.json).scheduled_at) - ahead.getTime())).toBeLessThan(1_000);
  });

  test("unknown calls are 404, other methods 405 with those that work", async () => {
    const headers = { authorization: `Bearer ${client().secret}` };
    const unknown = await callApp("/api/v1/nothing", { headers });
    expect([unknown.status, unknown.json]).toEqual([404, problem("not_found", 404)]);
    const other = await callApp("/api/v1/pins", { method: "PUT", headers });
    expect([other.status, other.headers.get("allow"), other.json]).toEqual([
      405,
      "GET, POST",
      problem("method_not_allowed", 405),
    ]);
    const head = await callApp("/api/v1/credits", { method: "HEAD", headers });
    expect([head.status, head.text]).toEqual([200, ""]);
  });
});

test("the specification that is served is the one that answers are compared with", async () => {
  const { json, headers } = await callApp("/api/openapi.json");
  expect(headers.get("content-type")).toMatch(/^application\/json/);
  expect(Object(json).openapi).toMatch(/^3\.1\./);
  expect(Object(json).paths).toEqual(specification.paths);
});

test("the specification sends apps to the authorization server that our metadata name, with its scopes", async () => {
  const { json } = await callApp("/api/openapi.json");
  const { components, servers } = Object(json);
  const { flows } = components.securitySchemes.oauth2;
  const resource = Object((await callApp("/.well-known/oauth-protected-resource/api/v1")).json);
  const server = Object((await callApp("/.well-known/oauth-authorization-server")).json);
  expect(servers).toEqual([{ url: resource.resource }]);
  expect(flows).toEqual({
    authorizationCode: {
      authorizationUrl: server.authorization_endpoint,
      tokenUrl: server.token_endpoint,
      refreshUrl: server.token_endpoint,
      scopes: expect.any(Object),
    },
  });
  expect(Object.keys(flows.authorizationCode.scopes)).toEqual(resource.scopes_supported);
});

const run = promisify(execFile);

describe("the quick start", () => {
  const programs = [
    ["TypeScript", process.execPath, "quick-start.ts"],
    ["Python", "python3", "quick-start.py"],
  ] as const;

  test("curl generates a draft, in the account and on the board that its first responses name", async () => {
    const env = {
      ...{ ...process.env, API_URL: `${inject("app").baseUrl}/api/v1`, API_KEY: client().secret },
      ...{ ACCOUNT_ID: client().accountId, BOARD_ID: client().boardId },
    };
    const { stdout } = await run("bash", [inRepository("content", "developers", "quick-start.sh")], { env });
    const [accounts, boards, generation, drafts] = stdout
      .replaceAll(/(?<=\})(?=\{"(?:data|id)":)/g, "\n")
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(accounts.data).toMatchObject([{ id: client().accountId }]);
    expect(boards.data).toContainEqual(expect.objectContaining({ id: client().boardId }));
    expect(generation).toMatchObject({ id: expect.any(String), pins: 1 });
    expect(drafts.data).toEqual(expect.any(Array));
  });

  test.each(programs)("%s generates a draft", async (_, command, file) => {
    const keyword = `fern ${newKey()}`;
    const env = {
      ...process.env,
      API_URL: `${inject("app").baseUrl}/api/v1`,
      API_KEY: client().secret,
      KEYWORD: keyword,
    };
    const { stdout } = await run(command, [inRepository("content", "developers", file)], { env, timeout: 90_000 });
    expect(stdout).toMatch(/^SUCCESS .+\n$/);
    const { json } = await call(
      `/pins?account_id=${client().accountId}&status=draft&search=${encodeURIComponent(keyword)}`,
    );
    expect(Object(json).data).toHaveLength(1);
  });
});
