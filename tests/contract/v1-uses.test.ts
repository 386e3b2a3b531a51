import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { apiKeys, apiKeyUses } from "#db/schema/api-keys.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { call, client, fixtures, newKey, v1ForFile } from "./v1-harness.ts";

v1ForFile();

const newClient = async (options?: Parameters<ReturnType<typeof fixtures>["apiKey"]>[1]) => {
  const user = await fixtures().user({ isVerified: true, plan: "pro" });
  const account = await fixtures().account(user);
  const [draftId = ""] = await fixtures().pins(account, [{ title: "Moss" }]);
  return { ...(await fixtures().apiKey(user, options)), draftId };
};

/** What the log has right now; reads may be missing for a second. */
const usesOf = async (id: typeof apiKeys.$inferSelect.id) => {
  const { call: path, status, calls } = apiKeyUses;
  return fixtures().db.select({ call: path, status, calls }).from(apiKeyUses).where(eq(apiKeyUses.keyId, id));
};

test("a write is in the key's log before its answer", async () => {
  const { id, secret } = await newClient();
  const body = { name: newKey(), keywords: ["rye"] };
  expect((await call("/keyword-lists", { method: "POST", body, secret })).status).toBe(200);
  expect(await usesOf(id)).toEqual([{ call: "POST /api/v1/keyword-lists", status: 200, calls: 1 }]);
  const [key] = await fixtures().db.select().from(apiKeys).where(eq(apiKeys.id, id));
  expect(Math.abs(Date.now() - (key?.lastUsedAt?.getTime() ?? 0))).toBeLessThan(60_000);
});

test("refusals are in the log before their answers: a missing scope, an unknown pin, and a revoked key", async () => {
  const { id, secret } = await newClient({ scopes: ["pins:read"] });
  expect((await call("/credits", { secret })).status).toBe(403);
  expect(await usesOf(id)).toEqual([{ call: "GET /api/v1/credits", status: 403, calls: 1 }]);
  expect((await call(`/pins/${newKey()}`, { secret }, "/pins/{pin_id}")).status).toBe(404);
  await fixtures().db.update(apiKeys).set({ revokedAt: new Date() }).where(eq(apiKeys.id, id));
  expect((await call("/accounts", { secret })).status).toBe(401);
  expect((await usesOf(id)).toSorted((a, b) => b.status - a.status)).toEqual([
    { call: "GET /api/v1/pins/{pin_id}", status: 404, calls: 1 },
    { call: "GET /api/v1/credits", status: 403, calls: 1 },
    { call: "GET /api/v1/accounts", status: 401, calls: 1 },
  ]);
});

test("an assistant's changes and refused tools are in the log before their answers", async () => {
  const { id, secret, draftId } = await newClient();
  const headers = { authorization: `Bearer ${secret}`, accept: "application/json, text/event-stream" };
  const use = (name: string, args: object) => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    return callApp("/api/mcp", { method: "POST", body, headers });
  };
  expect((await use("edit_draft", { pin_id: draftId, title: "Fern" })).text).toContain("Fern");
  const log = async () => (await usesOf(id)).filter((one) => one.call.startsWith("MCP "));
  expect(await log()).toEqual([{ call: "MCP edit_draft", status: 200, calls: 1 }]);
  expect((await use("get_pin", { pin_id: client().boardId })).text).toContain("not_found");
  expect(await log()).toContainEqual({ call: "MCP get_pin", status: 404, calls: 1 });
});
