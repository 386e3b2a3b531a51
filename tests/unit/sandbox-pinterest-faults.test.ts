import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import { until } from "#tests/support/poll.ts";
import {
  control,
  createPin,
  decide,
  freshFolder,
  get,
  type Json,
  ownAccount,
  pinBody,
  REDIRECT,
  start,
  token,
} from "./sandbox-pinterest-client.ts";

let shared: Handle;
beforeAll(async () => {
  shared = await start(freshFolder());
});
afterAll(() => shared.close());

describe("faults and restarts", () => {
  const addFault = (rule: Json) => control(shared.url, "POST", "/faults", rule);

  test("R-SRV-04 a response lost after creating leaves exactly one pin", async () => {
    const { username, boards, access } = await ownAccount(shared.url);
    await addFault({ match: "POST /v5/pins", scenario: "reply-lost-after-creating", where: { account: username } });
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
    await addFault({ match: "POST /v5/pins", scenario, where: { account: username, title: "*month*" } });
    const response = await createPin(shared.url, access, pinBody(boards[0]?.id));
    expect([response.status, response.body.code]).toEqual([status, code]);
    expect(response.headers.get("retry-after")).toBe(scenario === "rate-limited-retry-after" ? "2" : null);
    expect((await createPin(shared.url, access, pinBody(boards[0]?.id))).status).toBe(201);
  });

  test("R-SRV-05 a fault can affect the token call of one account", async () => {
    const { username, refresh } = await ownAccount(shared.url);
    await addFault({
      match: "POST /v5/oauth/token",
      scenario: "server-error-after-creating",
      where: { account: username },
    });
    const form = { grant_type: "refresh_token", refresh_token: refresh };
    expect((await token(shared.url, form)).status).toBe(500);
    expect((await token(shared.url, form)).status).toBe(401);
  });

  test("R-SRV-10 tokens, codes, pins and created accounts survive a restart and an incomplete last line", async () => {
    const folder = freshFolder();
    const first = await start(folder);
    const { username, boards, access, refresh } = await ownAccount(first.url);
    const code = (await decide(first.url, { username })).searchParams.get("code") ?? "";
    const pin = await createPin(first.url, access, pinBody(boards[1]?.id));
    await first.close();
    appendFileSync(join(folder, "pinterest.jsonl"), '{"kind":"pin","pin":{"id":"81');
    await using second = await start(folder);
    expect((await get(second.url, `/boards/${boards[1]?.id}/pins`, access)).body.items[0]?.title).toBe(pin.body.title);
    expect((await fetch(`${second.url}/media/${pin.body.id}.jpg`)).status).toBe(200);
    const exchange = { grant_type: "authorization_code", code, redirect_uri: REDIRECT };
    expect((await token(second.url, exchange)).status).toBe(200);
    expect((await token(second.url, { grant_type: "refresh_token", refresh_token: refresh })).status).toBe(200);
    expect((await createPin(second.url, access, pinBody(boards[1]?.id))).status).toBe(201);
    expect((await control(second.url, "GET", `/pins?account=${username}`)).body.pins).toHaveLength(2);
  });

  test("R-SRV-10 a slow response whose client disconnected ends with the stand-in and is logged", async () => {
    const folder = freshFolder();
    const first = await start(folder);
    const { username, boards, access } = await ownAccount(first.url);
    const slow = { match: "POST /v5/pins", delayMs: 3_600_000, where: { account: username } };
    await control(first.url, "POST", "/faults", slow);
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${access}`, "content-type": "application/json" };
    const call = fetch(`${first.url}/v5/pins`, {
      method: "POST",
      headers,
      body: JSON.stringify(pinBody(boards[0]?.id)),
      signal: leaving.signal,
    });
    const faultsLeft = async () => (await control(first.url, "GET", "/faults")).body.faults;
    await until(async () => JSON.stringify(await faultsLeft()) === "[]", { what: "the fault to occur" });
    leaving.abort();
    await expect(call).rejects.toThrow();
    await first.close();
    await using second = await start(folder);
    expect((await control(second.url, "GET", "/log")).body.requests).toContainEqual(
      expect.objectContaining({ path: "/v5/pins", status: 0, cut: true }),
    );
    expect((await control(second.url, "GET", `/pins?account=${username}`)).body.pins).toEqual([]);
  });
});
