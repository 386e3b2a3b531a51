import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { apiWrites } from "#db/schema/api-keys.ts";
import { pins } from "#db/schema/pins.ts";
import type { PinId } from "#lib/core/ids.ts";
import { call, client, fixtures, insertClient, newKey, problem, v1ForFile } from "./v1-harness.ts";

v1ForFile();

describe("a key for repeated writes", () => {
  const generation = () => ({
    ...{ account_id: client().accountId, board_id: client().boardId, quality: "standard" },
    keywords: [{ keyword: `moss ${newKey()}` }],
  });
  /** Reserved credits would not do: they become fewer while earlier generations finish. */
  const balance = async (): Promise<number> => Object((await call("/credits")).json).available;
  const ofUser = ({ userId }: { userId: typeof apiWrites.$inferSelect.userId }) => eq(apiWrites.userId, userId);

  test("does the write once, and repeats its answer", async () => {
    const [body, headers] = [generation(), { "idempotency-key": newKey() }];
    const first = await call("/generations", { method: "POST", body, headers });
    const again = await call("/generations", { method: "POST", body, headers });
    expect([first.status, Object(first.json).pins, again.status, again.text]).toEqual([202, 1, 202, first.text]);
    expect([first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed")]).toEqual([
      null,
      "true",
    ]);
    const other = await call("/generations", { method: "POST", body: generation(), headers });
    expect([other.status, other.json]).toEqual([422, problem("key_reused", 422)]);
    const elsewhere = await call("/keyword-lists", { method: "POST", body: { name: "x", keywords: ["y"] }, headers });
    expect(elsewhere.status).toBe(422);
  });

  test("ten at once start one generation", async () => {
    const [body, headers] = [generation(), { "idempotency-key": newKey() }];
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call("/generations", { method: "POST", body, headers })),
    );
    const ids = answers.filter(({ status }) => status === 202).map(({ json }) => Object(json).id);
    expect([new Set(ids).size, typeof ids[0], answers.every(({ status }) => [202, 409].includes(status))]).toEqual([
      1,
      "string",
      true,
    ]);
  });

  test("a write whose process died runs again, and starts nothing twice", async () => {
    const other = await insertClient();
    const key = newKey();
    const [body, headers] = [
      { ...generation(), account_id: other.accountId, board_id: other.boardId },
      { "idempotency-key": key },
    ];
    const options = { method: "POST", body, headers, secret: other.secret };
    const first = await call("/generations", options);
    // As if the process had died after the work and before its answer was kept.
    await fixtures()
      .db.update(apiWrites)
      .set({ status: null, bodySealed: null, leasedUntil: new Date(0) })
      .where(ofUser(other));
    const again = await call("/generations", options);
    expect([again.status, Object(again.json).id]).toEqual([202, Object(first.json).id]);
    const { json } = await call("/credits/history", { secret: other.secret });
    expect(
      Object(json).data.filter(({ kind }: { kind: string }) => kind === "reserved" || kind === "spent"),
    ).toHaveLength(1);
  });

  test("a repeated creation of a webhook, or of its secret, returns the same one", async () => {
    const other = await insertClient();
    const body = { url: "https://shop.example/hook", events: ["pin.failed"] };
    const options = { method: "POST", body, headers: { "idempotency-key": newKey() }, secret: other.secret };
    const first = await call("/webhooks", options);
    await fixtures()
      .db.update(apiWrites)
      .set({ status: null, bodySealed: null, leasedUntil: new Date(0) })
      .where(ofUser(other));
    const again = await call("/webhooks", options);
    expect([first.status, again.status, again.json]).toEqual([201, 201, first.json]);
    expect(Object((await call("/webhooks", { secret: other.secret })).json).data).toHaveLength(1);
    const rotation = { method: "POST", headers: { "idempotency-key": newKey() }, secret: other.secret };
    const path = `/webhooks/${Object(first.json).id}/rotate`;
    const pattern = "/webhooks/{webhook_id}/rotate";
    const rotated = await call(path, rotation, pattern);
    await fixtures()
      .db.update(apiWrites)
      .set({ status: null, bodySealed: null, leasedUntil: new Date(0) })
      .where(ofUser(other));
    expect([rotated.status, Object((await call(path, rotation, pattern)).json).secret]).toEqual([
      200,
      Object(rotated.json).secret,
    ]);
  });

  test("a repeated request to publish doesn't try a pin again that failed meanwhile; a new one does", async () => {
    const other = await insertClient();
    const failed = { status: "failed" as const, reason: "The board was deleted on Pinterest." };
    const [pinId = ""] = await fixtures().pins(other.account, [{ title: "Moss" }]);
    const [path, pattern] = [`/pins/${pinId}/publish`, "/pins/{pin_id}/publish"];
    // So that nothing is published by itself.
    const isAccount = eq(pinterestAccounts.id, other.accountId);
    await fixtures().db.update(pinterestAccounts).set({ status: "reconnect_needed" }).where(isAccount);
    const options = { method: "POST", headers: { "idempotency-key": newKey() }, secret: other.secret };
    const publish = async (headers = options.headers) => {
      const { status, json } = await call(path, { ...options, headers }, pattern);
      return [status, Object(json).status];
    };
    expect(await publish()).toEqual([202, "scheduled"]);
    const isPin = eq(pins.id, pinId as PinId);
    await fixtures()
      .db.update(pins)
      .set({ ...failed, scheduledAt: null })
      .where(isPin);
    await fixtures()
      .db.update(apiWrites)
      .set({ status: null, bodySealed: null, leasedUntil: new Date(0) })
      .where(ofUser(other));
    expect(await publish()).toEqual([409, 409]);
    expect(await publish({ "idempotency-key": newKey() })).toEqual([202, "scheduled"]);
  });

  test("while it runs, and for a bad key", async () => {
    const key = newKey();
    const body = generation();
    await call("/generations", { method: "POST", body, headers: { "idempotency-key": key } });
    await fixtures()
      .db.update(apiWrites)
      .set({ status: null, leasedUntil: new Date(Date.now() + 60_000) })
      .where(ofUser(client()));
    const running = await call("/generations", { method: "POST", body, headers: { "idempotency-key": key } });
    expect([running.status, running.json, running.headers.get("retry-after")]).toEqual([
      409,
      problem("write_in_progress", 409),
      "2",
    ]);
    const before = await balance();
    for (const bad of ["", "x".repeat(101), "a b"]) {
      const answer = await call("/generations", { method: "POST", body, headers: { "idempotency-key": bad } });
      expect([bad, answer.status]).toEqual([bad, 400]);
    }
    expect(await balance()).toBe(before);
  });

  test("an error is not kept: the corrected request may use the same key", async () => {
    const headers = { "idempotency-key": newKey() };
    const wrong = await call("/keyword-lists", { method: "POST", body: { name: "", keywords: ["rye"] }, headers });
    const right = await call("/keyword-lists", {
      method: "POST",
      body: { name: newKey(), keywords: ["rye"] },
      headers,
    });
    expect([wrong.status, right.status]).toEqual([400, 200]);
  });
});

test("a key spends no more than its credits of a day, however many requests there are at once", async () => {
  const user = await fixtures().user({ isVerified: true, plan: "pro" });
  await fixtures().credits(user, 50);
  const account = await fixtures().account(user, { boards: 1 });
  const { secret } = await fixtures().apiKey(user, { dailyCredits: 3 });
  const boardId = account.boards[0]?.id ?? "";
  const generate = (keywords: number) =>
    call("/generations", {
      ...{ method: "POST", secret },
      body: {
        ...{ account_id: account.id, board_id: boardId, quality: "standard" },
        keywords: Array.from({ length: keywords }, () => ({ keyword: `moss ${newKey()}` })),
      },
    });
  expect((await generate(2)).status).toBe(202);
  const refused = await generate(2);
  expect([refused.status, refused.json]).toEqual([403, problem("key_limit", 403)]);
  expect(Object(refused.json).detail).toContain("3 credits a day (UTC) and has 1 left today");
  const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await generate(1)).status));
  expect(statuses.toSorted()).toEqual([202, 403, 403, 403, 403]);
  const { json } = await call("/credits/history", { secret });
  const used = Object(json).data.filter(({ credits }: { credits: number }) => credits < 0);
  expect(used).toHaveLength(3);
});

test("without credits nothing starts, and the same key works once there are some", async () => {
  const user = await fixtures().user({ isVerified: true, plan: "pro" });
  const account = await fixtures().account(user, { boards: 1 });
  const { secret } = await fixtures().apiKey(user);
  const body = {
    ...{ account_id: account.id, board_id: account.boards[0]?.id, quality: "standard" },
    keywords: [{ keyword: "moss" }],
  };
  const options = { method: "POST", secret, body, headers: { "idempotency-key": newKey() } };
  const refused = await call("/generations", options);
  expect([refused.status, refused.json]).toEqual([403, problem("no_credits", 403)]);
  await fixtures().credits(user, 5);
  expect((await call("/generations", options)).status).toBe(202);
});
