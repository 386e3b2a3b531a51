import { appendFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import { createSpec } from "#sandbox/kit/spec.ts";
import { SANDBOX_CLIENT, startPinterest } from "#sandbox/pinterest/server.ts";

const SCOPES = "boards:read,boards:write,pins:read,pins:write,user_accounts:read";
const REDIRECT = "http://127.0.0.1:3000/api/users/pinterest/callback/";
const BASIC = `Basic ${Buffer.from(`${SANDBOX_CLIENT.id}:${SANDBOX_CLIENT.secret}`).toString("base64")}`;
const spec = createSpec("pinterest-v5");

const freshFolder = () => mkdtempSync(join(tmpdir(), "sandbox-pinterest-"));
const start = (dataDir: string, more = {}) => startPinterest({ port: 0, host: "127.0.0.1", dataDir, ...more });
const jpeg = (width = 600, height = 900) => createCanvas(width, height).toBuffer("image/jpeg").toString("base64");

let shared: Handle;
beforeAll(async () => {
  shared = await start(freshFolder());
});
afterAll(() => shared.close());

type Json = Record<string, unknown>;

/** Fields of the answers that the tests look into; each answer has some of them. */
interface Body extends Json {
  access_token: string;
  refresh_token: string;
  refresh_token_expires_at: number;
  id: string;
  username: string;
  title: string;
  created_at: string;
  media: { images: Record<string, { url: string } | undefined> };
  boards: { id: string; privacy: string }[];
  pins: Json[];
  items: Json[];
  bookmark: string | null;
  code: number;
  message: string;
}

interface Answer {
  status: number;
  body: Body;
  headers: Headers;
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text || "{}"), headers: response.headers };
}

async function decide(url: string, fields: Record<string, string>): Promise<URL> {
  const body = new URLSearchParams({
    client_id: SANDBOX_CLIENT.id,
    redirect_uri: REDIRECT,
    scope: SCOPES,
    state: "s-1",
    decision: "approve",
    ...fields,
  });
  const answer = await fetch(`${url}/oauth/decision`, { method: "POST", body, redirect: "manual" });
  expect(answer.status).toBe(302);
  return new URL(answer.headers.get("location") ?? "");
}

async function token(url: string, form: Record<string, string>, basic = BASIC): Promise<Answer> {
  const body = new URLSearchParams(form);
  return read(await fetch(`${url}/v5/oauth/token`, { method: "POST", body, headers: { authorization: basic } }));
}

/** Goes through consent and exchange; returns the access and refresh token. */
async function connect(url: string, username: string, scope = SCOPES): Promise<{ access: string; refresh: string }> {
  const code = (await decide(url, { username, scope })).searchParams.get("code") ?? "";
  const { body } = await token(url, { grant_type: "authorization_code", code, redirect_uri: REDIRECT });
  return { access: body.access_token, refresh: body.refresh_token };
}

const get = async (url: string, path: string, access: string) =>
  read(await fetch(`${url}/v5${path}`, { headers: { authorization: `Bearer ${access}` } }));

const control = async (url: string, method: string, path: string, body?: Json) =>
  read(await fetch(`${url}/__control${path}`, { method, ...(body && { body: JSON.stringify(body) }) }));

/** An account of the test's own with three boards, connected. */
async function ownAccount(url: string, boards = 3, scope = SCOPES) {
  const username = `t.${crypto.randomUUID().slice(0, 8)}`;
  const { body } = await control(url, "POST", "/accounts", { username, boards });
  return {
    username,
    boards: body.boards as { id: string; privacy: string }[],
    ...(await connect(url, username, scope)),
  };
}

function pinBody(boardId: string | undefined, more: Json = {}): Json {
  return {
    board_id: boardId,
    title: "Wreaths for every month",
    description: "Twelve of them.",
    link: "https://juniper.example/wreaths",
    alt_text: "A wreath",
    media_source: { source_type: "image_base64", content_type: "image/jpeg", data: jpeg() },
    ...more,
  };
}

async function createPin(url: string, access: string, body: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${access}`, "content-type": "application/json" };
  return read(await fetch(`${url}/v5/pins`, { method: "POST", body: JSON.stringify(body), headers }));
}

describe("consent and tokens", () => {
  test("R-ACC-07 the page lists accounts and asks in words", async () => {
    const query = new URLSearchParams({
      client_id: SANDBOX_CLIENT.id,
      redirect_uri: REDIRECT,
      response_type: "code",
      scope: SCOPES,
      state: '"><b>',
    });
    const page = await fetch(`${shared.url}/oauth/?${query}`);
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).toContain("Pinterest sandbox");
    expect(text).toMatch(/value="juniper\.studio" aria-label="juniper\.studio"[^>]* checked/);
    expect(text).toContain("Create, change and delete your public pins");
    expect(text).toContain("&quot;&gt;&lt;b&gt;");
  });

  test.each([
    ["client_id", "other", "client_id"],
    ["redirect_uri", "javascript:alert(1)", "redirect_uri"],
    ["response_type", "token", "response_type"],
    ["scope", "pins:eat", "pins:eat"],
    ["scope", "", "scope"],
  ])("R-ACC-07 a request with a wrong %s is shown as a problem, not sent on", async (name, value, problem) => {
    const query = new URLSearchParams({
      client_id: SANDBOX_CLIENT.id,
      redirect_uri: REDIRECT,
      response_type: "code",
      scope: SCOPES,
      [name]: value,
    });
    const page = await fetch(`${shared.url}/oauth/?${query}`, { redirect: "manual" });
    expect(page.status).toBe(400);
    expect(await page.text()).toContain(problem);
  });

  test("R-ACC-07 a registered redirect address must match exactly", async () => {
    await using handle = await start(freshFolder(), { client: { ...SANDBOX_CLIENT, redirectUris: [REDIRECT] } });
    const query = (redirect_uri: string) =>
      new URLSearchParams({ client_id: SANDBOX_CLIENT.id, redirect_uri, response_type: "code", scope: SCOPES });
    expect((await fetch(`${handle.url}/oauth/?${query(REDIRECT)}`)).status).toBe(200);
    expect((await fetch(`${handle.url}/oauth/?${query(`${REDIRECT}x`)}`)).status).toBe(400);
  });

  test("A-86 denial returns with error and state", async () => {
    const back = await decide(shared.url, { decision: "deny", state: "s-9" });
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: "access_denied", state: "s-9" });
  });

  test("A-86 a code is exchanged once, for its own redirect address, within ten minutes", async () => {
    await using handle = await start(freshFolder());
    const back = await decide(handle.url, { username: "juniper.studio" });
    expect(back.searchParams.get("state")).toBe("s-1");
    const form = {
      grant_type: "authorization_code",
      code: back.searchParams.get("code") ?? "",
      redirect_uri: REDIRECT,
      continuous_refresh: "true",
    };
    expect(await token(handle.url, { ...form, redirect_uri: `${REDIRECT}x` })).toMatchObject({ status: 400 });
    const first = await token(handle.url, form);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      access_token: expect.stringMatching(/^pina_/),
      refresh_token: expect.stringMatching(/^pinr_/),
      response_type: "authorization_code",
      token_type: "bearer",
      expires_in: 2_592_000,
      refresh_token_expires_in: 5_184_000,
      scope: SCOPES.replaceAll(",", " "),
    });
    expect(spec.checkReply("POST", "/oauth/token", 200, first.body)).toEqual({ ok: true });
    expect(await token(handle.url, form)).toMatchObject({ status: 400, body: { code: 283 } });
    const late = (await decide(handle.url, { username: "juniper.studio" })).searchParams.get("code") ?? "";
    await control(handle.url, "POST", "/clock", { offsetMs: 10 * 60_000 });
    expect(await token(handle.url, { ...form, code: late })).toMatchObject({ status: 400, body: { code: 283 } });
  });

  test("R-ACC-07 a wrong client secret is refused with 401/2", async () => {
    const form = { grant_type: "refresh_token", refresh_token: "pinr_x" };
    const refused = await token(shared.url, form, `Basic ${Buffer.from(`${SANDBOX_CLIENT.id}:no`).toString("base64")}`);
    expect([refused.status, refused.body]).toEqual([401, { code: 2, message: "Authentication failed." }]);
  });

  test("R-SRV-05 refresh tokens rotate: the used one is dead, the new one works", async () => {
    const { username, access, refresh } = await ownAccount(shared.url);
    const renewed = await token(shared.url, { grant_type: "refresh_token", refresh_token: refresh });
    expect(renewed.body).toMatchObject({ response_type: "refresh_token", refresh_token_expires_in: 5_184_000 });
    expect(renewed.body.refresh_token_expires_at).toBeGreaterThan(Date.now() / 1000 + 5_000_000);
    expect(await token(shared.url, { grant_type: "refresh_token", refresh_token: refresh })).toMatchObject({
      status: 401,
      body: { code: 2 },
    });
    expect((await get(shared.url, "/user_account", renewed.body.access_token)).body.username).toBe(username);
    expect((await get(shared.url, "/user_account", access)).status).toBe(200);
  });

  test("R-SRV-05 access tokens expire and can be revoked", async () => {
    await using handle = await start(freshFolder(), { accessTokenSeconds: 60 });
    const { access } = await connect(handle.url, "juniper.studio");
    await control(handle.url, "POST", "/clock", { offsetMs: 60_001 });
    expect(await get(handle.url, "/user_account", access)).toMatchObject({ status: 401, body: { code: 2 } });
    const second = await connect(handle.url, "juniper.studio");
    expect((await get(handle.url, "/user_account", second.access)).status).toBe(200);
    await control(handle.url, "POST", "/accounts/juniper.studio/revoke");
    expect(await get(handle.url, "/user_account", second.access)).toMatchObject({ status: 401 });
    expect(await token(handle.url, { grant_type: "refresh_token", refresh_token: second.refresh })).toMatchObject({
      status: 401,
    });
  });

  test("R-ACC-07 a missing scope is named", async () => {
    const { boards, access } = await ownAccount(shared.url, 1, "boards:read,pins:read,user_accounts:read,boards:write");
    const refused = await createPin(shared.url, access, pinBody(boards[0]?.id));
    expect(refused.status).toBe(403);
    expect(refused.body.message).toMatch(/Missing: \['pins:write'\]$/);
  });
});

describe("account and boards", () => {
  test("R-ACC-02 an account has its counts; one has no monthly views", async () => {
    const { access } = await connect(shared.url, "quiet.bicycle");
    const { body, headers } = await get(shared.url, "/user_account", access);
    expect(body).toMatchObject({ username: "quiet.bicycle", board_count: 2, monthly_views: null });
    expect(body.id).toMatch(/^\d+$/);
    expect(spec.checkReply("GET", "/user_account", 200, body)).toEqual({ ok: true });
    expect(headers.get("x-ratelimit-limit")).toMatch(/^1000, 100;w=1;name="[^"]+", 1000;w=60;name="org_read/);
    expect(Number(headers.get("x-ratelimit-remaining"))).toBeLessThan(1000);
  });

  test("R-BRD-07 over 250 boards come in pages that may be short; secret ones only with their scope", async () => {
    const collect = async (scope: string) => {
      const { access } = await connect(shared.url, "atlas.of.small.rooms", scope);
      const pages: Json[][] = [];
      let bookmark: string | null = "";
      while (bookmark !== null) {
        const { body } = await get(shared.url, `/boards?page_size=250&bookmark=${bookmark}`, access);
        pages.push(body.items);
        bookmark = body.bookmark;
      }
      return pages;
    };
    const open = await collect(SCOPES);
    expect(open).toHaveLength(2);
    expect(open[0]?.length).toBeLessThan(250);
    expect(open.flat().some((board) => board.privacy === "SECRET")).toBe(false);
    expect(open.flat().some((board) => board.privacy === "PROTECTED")).toBe(true);
    expect(open.flat().some((board) => board.description === null)).toBe(true);
    const all = (await collect(`${SCOPES},boards:read_secret`)).flat();
    expect(all).toHaveLength(268);
    expect(new Set(all.map((board) => board.id)).size).toBe(268);
    expect(new Set(all.map((board) => board.name)).size).toBe(268);
  });

  test("R-BRD-02 privacy filter, single board, foreign and unknown boards", async () => {
    const { access } = await connect(shared.url, "moss.and.thread", `${SCOPES},boards:read_secret`);
    const secret = await get(shared.url, "/boards?privacy=SECRET", access);
    expect(secret.body.items.map((board: Json) => board.name)).toEqual(["Book proposal", "Gifts for Ada"]);
    const other = await ownAccount(shared.url);
    expect((await get(shared.url, "/boards?privacy=SECRET", other.access)).body.code).toBe(29);
    expect((await get(shared.url, `/boards/${other.boards[0]?.id}`, other.access)).status).toBe(200);
    expect((await get(shared.url, `/boards/${other.boards[0]?.id}`, access)).body.code).toBe(29);
    expect(await get(shared.url, "/boards/12345", access)).toMatchObject({ status: 404, body: { code: 40 } });
    expect((await get(shared.url, "/boards?page_size=251", access)).status).toBe(400);
    expect((await get(shared.url, "/boards?bookmark=nonsense", access)).status).toBe(400);
  });
});

describe("pins", () => {
  test("R-SRV-04 a pin is created, found on its board newest first, and seen on its pages", async () => {
    const { username, boards, access } = await ownAccount(shared.url);
    const boardId = boards[0]?.id;
    const disclosures = { ai_disclosures: { values: ["AI_MODIFIED"] } };
    const first = await createPin(shared.url, access, pinBody(boardId, { title: "First <b>" }));
    const second = await createPin(shared.url, access, pinBody(boardId, { title: "Second", ...disclosures }));
    expect(second.status).toBe(201);
    expect(second.body).toMatchObject({ board_id: boardId, title: "Second", ...disclosures });
    const zoned = { ...second.body, created_at: `${second.body.created_at}Z` };
    expect(spec.checkReply("POST", "/pins", 201, zoned)).toEqual({ ok: true });
    expect(second.body.media.images["1200x"]).toMatchObject({ width: 1200, height: 1800 });

    const page = await get(shared.url, `/boards/${boardId}/pins?page_size=1`, access);
    expect(page.body.items.map((pin: Json) => pin.id)).toEqual([second.body.id]);
    const rest = await get(shared.url, `/boards/${boardId}/pins?bookmark=${page.body.bookmark}`, access);
    expect(rest.body).toMatchObject({ items: [{ id: first.body.id }], bookmark: null });
    expect((await get(shared.url, `/pins/${first.body.id}`, access)).body.title).toBe("First <b>");

    const pinPage = await (await fetch(`${shared.url}/pin/${first.body.id}/`)).text();
    expect(pinPage).toContain("First &lt;b&gt;");
    expect(pinPage).toContain("Published through the API at");
    expect(await (await fetch(`${shared.url}/${username}/`)).text()).toContain(`/pin/${second.body.id}/`);
    const picture = await fetch(second.body.media.images["600x"]?.url ?? "");
    expect(picture.headers.get("content-type")).toBe("image/jpeg");
    expect(Buffer.from(await picture.arrayBuffer()).toString("base64")).toBe(jpeg());
    const { body } = await control(shared.url, "GET", `/pins?account=${username}`);
    expect(body.pins.map((pin: Json) => [pin.title, pin.ai_disclosures])).toEqual([
      ["First <b>", null],
      ["Second", disclosures.ai_disclosures],
    ]);
  });

  test.each<[string, Json, number, number]>([
    ["a board id that is no number", { board_id: "b1" }, 400, 1],
    ["no board", { board_id: undefined }, 400, 1],
    ["an unknown board", { board_id: "404" }, 404, 40],
    ["a title over 100", { title: "a".repeat(101) }, 400, 1],
    ["a description over 800", { description: "a".repeat(801) }, 400, 1],
    ["an unknown field", { publish_at: "2026-11-21" }, 400, 1],
    ["a link that is no web address", { link: "ftp://x.example/" }, 400, 1],
    ["no picture", { media_source: undefined }, 400, 1],
    ["a picture too small", { media_source: source(jpeg(199, 600)) }, 403, 233],
    [
      "bytes that are no picture",
      { media_source: source(Buffer.from("not a picture at all").toString("base64")) },
      403,
      235,
    ],
    ["a picture cut off", { media_source: source(jpeg().slice(0, 800)) }, 403, 235],
    [
      "a PNG called JPEG",
      { media_source: source(createCanvas(600, 900).toBuffer("image/png").toString("base64")) },
      403,
      235,
    ],
    ["a WebP", { media_source: { ...source(jpeg()), content_type: "image/webp" } }, 400, 1],
    ["an empty AI label", { ai_disclosures: { values: [] } }, 400, 1],
  ])("R-SRV-04 %s is refused and creates nothing", async (_, change, status, code) => {
    const { username, boards, access } = await ownAccount(shared.url, 1);
    const refused = await createPin(shared.url, access, pinBody(boards[0]?.id, change));
    expect([refused.status, refused.body.code]).toEqual([status, code]);
    expect((await control(shared.url, "GET", `/pins?account=${username}`)).body.pins).toEqual([]);
  });

  test("R-SRV-04 foreign and secret boards are refused with 403/29, a removed one with 404/40", async () => {
    const mine = await ownAccount(shared.url, 23);
    const other = await ownAccount(shared.url, 1);
    const secret = mine.boards.find((board) => board.privacy === "SECRET");
    const gone = mine.boards[0]?.id;
    await control(shared.url, "DELETE", `/boards/${gone}`);
    const codes = [];
    for (const id of [other.boards[0]?.id, secret?.id, gone]) {
      codes.push((await createPin(shared.url, mine.access, pinBody(id))).body.code);
    }
    expect(codes).toEqual([29, 29, 40]);
  });

  test("R-SRV-04 the published limit of writes per minute holds, and passes with the minute", async () => {
    await using handle = await start(freshFolder(), { callsPerMinute: { org_write: 2 } });
    const { boards, access } = await ownAccount(handle.url);
    const statuses = [];
    for (let count = 0; count < 3; count += 1) {
      statuses.push((await createPin(handle.url, access, pinBody(boards[0]?.id))).status);
    }
    expect(statuses).toEqual([201, 201, 429]);
    await control(handle.url, "POST", "/clock", { offsetMs: 60_000 });
    expect((await createPin(handle.url, access, pinBody(boards[0]?.id))).status).toBe(201);
  });
});

describe("faults and restarts", () => {
  const strike = (rule: Json) => control(shared.url, "POST", "/faults", rule);

  test("R-SRV-04 a reply lost after creating leaves exactly one pin", async () => {
    const { username, boards, access } = await ownAccount(shared.url);
    await strike({ match: "POST /v5/pins", scenario: "reply-lost-after-creating", where: { account: username } });
    await expect(createPin(shared.url, access, pinBody(boards[0]?.id))).rejects.toThrow();
    const { body } = await control(shared.url, "GET", `/pins?account=${username}`);
    expect(body.pins).toHaveLength(1);
  });

  test.each([
    ["rate-limited", 429, 8],
    ["rate-limited-retry-after", 429, 8],
    ["server-error", 500, 500],
    ["unavailable", 503, 503],
    ["token-dead", 401, 2],
    ["trial-access", 403, 29],
    ["spam-block", 403, 29],
    ["ai-disclosures-unknown", 400, 1],
  ])("R-SRV-04 prepared fault %s", async (scenario, status, code) => {
    const { username, boards, access } = await ownAccount(shared.url);
    await strike({ match: "POST /v5/pins", scenario, where: { account: username, title: "*month*" } });
    const struck = await createPin(shared.url, access, pinBody(boards[0]?.id));
    expect([struck.status, struck.body.code]).toEqual([status, code]);
    expect(struck.headers.get("retry-after")).toBe(scenario === "rate-limited-retry-after" ? "2" : null);
    expect((await createPin(shared.url, access, pinBody(boards[0]?.id))).status).toBe(201);
  });

  test("R-SRV-05 the token call can be struck for one account", async () => {
    const { username, refresh } = await ownAccount(shared.url);
    await strike({
      match: "POST /v5/oauth/token",
      scenario: "server-error-after-creating",
      where: { account: username },
    });
    const form = { grant_type: "refresh_token", refresh_token: refresh };
    expect((await token(shared.url, form)).status).toBe(500);
    expect((await token(shared.url, form)).status).toBe(401);
  });

  test("R-SRV-10 tokens, codes, pins and made accounts outlive a restart and a torn last line", async () => {
    const folder = freshFolder();
    const first = await start(folder);
    const { username, boards, access, refresh } = await ownAccount(first.url);
    const code = (await decide(first.url, { username })).searchParams.get("code") ?? "";
    const pin = await createPin(first.url, access, pinBody(boards[1]?.id));
    await first.close();
    appendFileSync(join(folder, "pinterest.jsonl"), '{"kind":"pin","pin":{"id":"81');
    await using second = await start(folder);
    expect((await get(second.url, `/pins/${pin.body.id}`, access)).body.title).toBe(pin.body.title);
    expect((await fetch(`${second.url}/media/${pin.body.id}.jpg`)).status).toBe(200);
    const exchange = { grant_type: "authorization_code", code, redirect_uri: REDIRECT };
    expect((await token(second.url, exchange)).status).toBe(200);
    expect((await token(second.url, { grant_type: "refresh_token", refresh_token: refresh })).status).toBe(200);
    expect((await createPin(second.url, access, pinBody(boards[1]?.id))).status).toBe(201);
    expect((await control(second.url, "GET", `/pins?account=${username}`)).body.pins).toHaveLength(2);
  });

  test("R-SRV-10 unknown calls are refused, not ignored", async () => {
    expect((await get(shared.url, "/ad_accounts", "pina_x")).status).toBe(404);
  });
});

function source(data: string): Json {
  return { source_type: "image_base64", content_type: "image/jpeg", data };
}
