import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { createMCPClient } from "@ai-sdk/mcp";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, inject, test } from "vitest";
import type { Scope } from "#lib/features/api-keys/constants.ts";
import { TOOLS } from "#lib/server/mcp/tools.ts";
import { inRepository } from "#scripts/root.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { type Fixtures, fixturesOf } from "#tests/support/fixtures/product.ts";
import { until } from "#tests/support/poll.ts";

let fixtures: Fixtures;
beforeAll(() => {
  fixtures = fixturesOf(inject("app"));
  return () => fixtures.close();
});

/** A user with an account, a draft, and credits; and an assistant that is connected with a key. */
const openAssistant = async ({
  dailyCredits = 10,
  scopes,
}: {
  scopes?: readonly Scope[];
  dailyCredits?: number | null;
} = {}) => {
  const user = await fixtures.user({ isVerified: true, plan: "pro" });
  await fixtures.credits(user, 20);
  const account = await fixtures.account(user, { boards: 1 });
  const [draftId = ""] = await fixtures.pins(account, [{ title: `Draft ${randomBytes(4).toString("hex")}` }]);
  const limits = { ...(dailyCredits !== null && { dailyCredits }), ...(scopes && { scopes }) };
  const { secret } = await fixtures.apiKey(user, limits);
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(`${inject("app").baseUrl}/api/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${secret}` } },
  });
  await client.connect(transport);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: args });
    const [first] = content as { text: string }[];
    const text = first?.text ?? "";
    return { isError, text, json: isError ? null : JSON.parse(text) };
  };
  return { client, call, secret, accountId: account.id, boardId: account.boards[0]?.id ?? "", draftId };
};

test("an assistant finds its way: accounts, boards, costs, drafts, progress, edits, and a plan to confirm", async () => {
  const { client, call, accountId, boardId } = await openAssistant();
  expect(client.getInstructions()).toContain("can't schedule or publish");
  expect((await call("list_accounts")).json.data).toMatchObject([{ id: accountId }]);
  expect((await call("list_boards", { account_id: accountId })).json.data).toMatchObject([{ id: boardId }]);
  expect((await call("get_costs")).json).toMatchObject({ credits_per_pin: { standard: 1, high: 2 }, left_today: 10 });
  const rows = {
    account_id: accountId,
    board_id: boardId,
    quality: "standard",
    keywords: [{ keyword: "moss garden" }],
  };
  const request = { ...rows, max_credits: 1, request_id: "request-1" };
  const started = await call("draft_pins", request);
  expect(started.json).toMatchObject({ pins: 1, warning: null });
  expect((await call("draft_pins", request)).json.id).toBe(started.json.id);
  expect((await call("get_costs")).json).toMatchObject({ available_credits: 19, left_today: 9 });
  await until(async () => (await call("get_generation", { generation_id: started.json.id })).json.is_finished);
  const found = await call("search_pins", { account_id: accountId, status: "draft", search: "moss" });
  const [{ id }] = found.json.data;
  const edited = await call("edit_draft", { pin_id: id, title: "A garden of moss" });
  expect(edited.json).toMatchObject({ id, title: "A garden of moss", status: "draft" });
  const start = new Date(Date.now() + 86_400_000).toISOString();
  const plan = await call("propose_plan", { pin_ids: [id], start, interval_minutes: 60 });
  expect(plan.json).toMatchObject({ is_scheduled: false, pins: [{ pin_id: id, proposed_at: start }] });
  expect(plan.json.confirm_url).toContain(`/app/generated-posts?account=${accountId}&plan=${id}`);
  expect((await call("get_pin", { pin_id: id })).json.pin).toMatchObject({ status: "draft", scheduled_at: null });
});

test("no tool schedules, publishes, deletes, or reaches payments", async () => {
  const { client } = await openAssistant();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
  expect(TOOLS.filter(({ scope }) => scope === "schedule:write")).toEqual([]);
  const overwriting = tools.filter(({ annotations }) => annotations?.destructiveHint !== false).map(({ name }) => name);
  expect(overwriting).toEqual(["edit_draft"]);
  expect(tools.filter(({ name }) => /schedule|publish|delete|pay|buy/.test(name))).toEqual([]);
});

test("a client library of another vendor finds and runs the tools", async () => {
  const { secret, accountId } = await openAssistant();
  const url = `${inject("app").baseUrl}/api/mcp`;
  const client = await createMCPClient({
    transport: { type: "http", url, headers: { authorization: `Bearer ${secret}` } },
  });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
  const { content } = await client.callTool({ name: "list_accounts", arguments: {} });
  expect(JSON.stringify(content)).toContain(accountId);
  await client.close();
});

/** What the protocol's conformance suite can test: the others need tools, resources, and prompts made for the suite. */
const SCENARIOS = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];

test("the conformance suite of the protocol passes", async () => {
  const { secret } = await openAssistant();
  const { baseUrl } = inject("app");
  // The suite can't send a key.
  const proxy = createServer(async (request, response) => {
    const body = await buffer(request);
    const headers = new Headers({ authorization: `Bearer ${secret}` });
    for (const name of ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"]) {
      const value = request.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const { origin } = request.headers;
    if (origin) headers.set("origin", origin === `http://${own}` ? new URL(baseUrl).origin : origin);
    const isRead = request.method === "GET";
    const answer = await fetch(`${baseUrl}/api/mcp`, {
      method: request.method ?? "GET",
      headers,
      ...(!isRead && { body }),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const own = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const command = inRepository("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");
  for (const scenario of SCENARIOS) {
    const args = [command, "server", "--url", `http://${own}/api/mcp`, "--scenario", scenario];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: tmpdir() });
    expect([scenario, stdout]).toEqual([scenario, expect.stringMatching(/Passed: ([1-9]\d*)\/\1, 0 failed/)]);
  }
  proxy.close();
}, 120_000);

const WITHOUT_IDS = ["list_accounts", "get_costs"];

describe("what is refused", () => {
  test("a generation above the agreed or the daily limit costs nothing", async () => {
    const { call, accountId, boardId } = await openAssistant({ dailyCredits: 1 });
    const rows = { account_id: accountId, board_id: boardId, quality: "high", keywords: [{ keyword: "moss" }] };
    const above = await call("draft_pins", { ...rows, max_credits: 1, request_id: "request-1" });
    expect([above.isError, above.text]).toEqual([true, expect.stringContaining("This costs 2 credits")]);
    const daily = await call("draft_pins", { ...rows, max_credits: 2, request_id: "request-2" });
    expect([daily.isError, daily.text]).toEqual([true, expect.stringMatching(/^key_limit: .*1 credit a day/)]);
    const without = await call("draft_pins", rows);
    expect(without.isError).toBe(true);
    expect((await call("get_costs")).json).toMatchObject({ available_credits: 20, daily_limit: 1, left_today: 1 });
    const unlimited = await openAssistant({ dailyCredits: null });
    const own = { account_id: unlimited.accountId, board_id: unlimited.boardId, quality: "standard", max_credits: 1 };
    const refused = await unlimited.call("draft_pins", {
      ...own,
      keywords: [{ keyword: "moss" }],
      request_id: "request-1",
    });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining("no daily credit limit")]);
  });

  test("a key sees and uses only the tools of its scopes", async () => {
    const { client, accountId } = await openAssistant({ scopes: ["accounts:read"] });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["list_accounts", "list_boards"]);
    const result = client.callTool({ name: "search_pins", arguments: { account_id: accountId } });
    await expect(result).rejects.toThrow(/search_pins/);
  });

  test("other people's ids look unknown, and bad arguments are named", async () => {
    const [owner, stranger] = [await openAssistant(), await openAssistant()];
    const { accountId: account_id, boardId: board_id } = owner;
    const order = { account_id, board_id, quality: "standard", keywords: [{ keyword: "moss" }], max_credits: 1 };
    const started = await owner.call("draft_pins", { ...order, request_id: "request-1" });
    const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
    const calls: [string, Record<string, unknown>][] = [
      ["draft_pins", { ...order, request_id: "request-2" }],
      ["get_generation", { generation_id: started.json.id }],
      ["get_results", { account_id, start_date: day, end_date: day }],
      ["get_keyword_trends", { account_id }],
      ["search_pins", { account_id: owner.accountId }],
      ["list_boards", { account_id: owner.accountId }],
      ["get_pin", { pin_id: owner.draftId }],
      ["edit_draft", { pin_id: owner.draftId, title: "Mine" }],
      ["propose_plan", { pin_ids: [owner.draftId], start: "2027-01-01T00:00:00Z", interval_minutes: 60 }],
    ];
    for (const [name, args] of calls) {
      const { isError, text } = await stranger.call(name, args);
      expect([name, isError, text]).toEqual([name, true, expect.stringMatching(/^not_found: /)]);
    }
    const named = calls.map(([name]) => name);
    expect(TOOLS.filter(({ name }) => !named.includes(name)).map(({ name }) => name)).toEqual(WITHOUT_IDS);
    expect((await stranger.call("get_costs")).json).toMatchObject({ available_credits: 20, left_today: 10 });
    expect((await owner.call("get_costs")).json).toMatchObject({ left_today: 9 });
    expect((await owner.call("get_pin", { pin_id: owner.draftId })).json.pin.title).toMatch(/^Draft /);
    const wrong = await owner.call("search_pins", { account_id: owner.accountId, colour: "green" });
    expect(wrong.isError).toBe(true);
    expect((await owner.call("edit_draft", { pin_id: owner.draftId, title: "" })).isError).toBe(true);
  });

  test("a missing, unknown, or revoked key, and a login's token, are 401", async () => {
    const user = await fixtures.user();
    const { token } = await fixtures.login(user);
    const { secret } = await fixtures.apiKey(user, { revokedAt: new Date(0) });
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    for (const authorization of [undefined, "Bearer x", `Bearer ${token}`, `Bearer ${secret}`]) {
      const headers = { accept: "application/json, text/event-stream", ...(authorization && { authorization }) };
      const { status, headers: sent } = await callApp("/api/mcp", { method: "POST", body, headers });
      expect([authorization, status, sent.get("www-authenticate")]).toEqual([
        authorization,
        401,
        expect.stringMatching(
          /^Bearer .*resource_metadata="http.*\/\.well-known\/oauth-protected-resource\/api\/mcp"$/,
        ),
      ]);
    }
  });

  test("broken messages, batches, and streams are refused", async () => {
    const { secret } = await openAssistant();
    const headers = { authorization: `Bearer ${secret}`, accept: "application/json, text/event-stream" };
    for (const body of ["{", "[]", "{}", { jsonrpc: "1.0" }, { jsonrpc: "2.0", id: 1, method: "nothing/here" }]) {
      const { status, text } = await callApp("/api/mcp", { method: "POST", body, headers });
      expect([body, status < 500, /"(error|code)":/.test(text)]).toEqual([body, true, true]);
    }
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen" };
    for (const body of [[list, list], listen]) {
      expect((await callApp("/api/mcp", { method: "POST", body, headers })).status).toBe(400);
    }
    const read = await callApp("/api/mcp", { headers });
    expect([read.status, read.headers.get("allow")]).toEqual([405, "POST"]);
    const foreign = { ...headers, origin: "https://evil.example" };
    expect((await callApp("/api/mcp", { method: "POST", body: list, headers: foreign })).status).toBe(403);
    const large = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { x: "x".repeat(1_100_000) } };
    expect((await callApp("/api/mcp", { method: "POST", body: large, headers })).status).toBe(413);
  });
});
