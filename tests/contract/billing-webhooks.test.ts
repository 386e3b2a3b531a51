import { request } from "node:http";
import { describe, expect, inject, test } from "vitest";
import { addMs, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { type Buyer, providerId, saleOf } from "#tests/support/billing.ts";
import { callApp, signUp } from "#tests/support/contract-client.ts";
import { eventBody, signed } from "#tests/support/payments.ts";
import { until } from "#tests/support/poll.ts";
import { databaseAt } from "./wire-database.ts";

const PATH = "/api/webhooks/paddle/";
const database = databaseAt(() => inject("app").databaseUrl);

const secret = (): string => (inject("app").env.PADDLE_WEBHOOK_SECRET ?? "").split(",")[0] ?? "";

/** A webhook of the given type about an unknown object, with its own id. */
const unknownEvent = (type = "customer.updated", data: unknown = { id: "ctm_1" }) => {
  const eventId = providerId("evt");
  return { eventId, body: eventBody(type, data, { event_id: eventId, occurred_at: new Date().toISOString() }) };
};

const post = (body: Uint8Array, signature: string | null, path = PATH, headers: Record<string, string> = {}) =>
  fetch(`${inject("app").baseUrl}${path}`, {
    method: "POST",
    body: Buffer.from(body),
    headers: {
      "content-type": "application/json",
      ...(signature !== null && { "paddle-signature": signature }),
      ...headers,
    },
  });

const rowsOf = (eventId: string) =>
  database()<{ event_type: string; applied_at: Date | null; fact: unknown; source: string }[]>`
    select event_type, applied_at, fact, source from payment_events where event_id = ${eventId}`;

/** Sends a body in chunks without a length. */
const postInPieces = (body: Uint8Array, signature: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const url = new URL(PATH, inject("app").baseUrl);
    const outgoing = request(url, { method: "POST", headers: { "paddle-signature": signature } }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
    });
    outgoing.on("error", reject);
    for (let at = 0; at < body.length; at += 7) outgoing.write(body.subarray(at, at + 7));
    outgoing.end();
  });

describe("authentication (R-PAY-03)", () => {
  test("R-PAY-03: a signed event is stored once, with and without the slash, however often it arrives", async () => {
    const { eventId, body } = unknownEvent();
    for (const path of [PATH, PATH.slice(0, -1), PATH]) {
      const answer = await post(body, signed(body, secret()), path);
      expect([answer.status, await answer.json()]).toEqual([200, { received: true }]);
    }
    const rows = await rowsOf(eventId);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ event_type: "customer.updated", fact: null, source: "webhook" });
    expect(rows[0]?.applied_at).not.toBeNull();
  });

  test("an unsigned, tampered, stale, future or foreign one is 401 and leaves nothing behind", async () => {
    const { eventId, body } = unknownEvent("transaction.completed", {});
    const tampered = Buffer.from(
      Buffer.from(body).toString().replace("transaction.completed", "transaction.Completed"),
    );
    const good = signed(body, secret());
    const cases: [Uint8Array, string | null][] = [
      [body, null],
      [body, ""],
      [body, "ts=1;h1=00"],
      [tampered, good],
      [Buffer.concat([body, Buffer.from(" ")]), good],
      [body, signed(body, secret(), addMs(new Date(), -10 * MINUTE_MS))],
      [body, signed(body, secret(), addMs(new Date(), 10 * MINUTE_MS))],
      [body, signed(body, "pdl_ntfset_somebody_elses")],
      [body, good.replace(/h1=/, "h2=")],
    ];
    for (const [sent, signature] of cases) {
      const answer = await post(sent, signature);
      expect([answer.status, (await answer.json()).code]).toEqual([401, "unauthenticated"]);
    }
    expect(await rowsOf(eventId)).toHaveLength(0);
  });

  test("while a secret is replaced, any matching hash in the header counts", async () => {
    const { eventId, body } = unknownEvent();
    const [timestamp, hash] = signed(body, secret()).split(";");
    const answer = await post(body, `${timestamp};h1=${"0".repeat(64)};${hash}`);
    expect(answer.status).toBe(200);
    expect(await rowsOf(eventId)).toHaveLength(1);
  });

  test("a login, a cookie or a foreign origin change nothing, and no other page may read the answer", async () => {
    const { body } = unknownEvent();
    const headers = { cookie: "csrftoken=x", origin: "https://elsewhere.example.com" };
    const answer = await post(body, signed(body, secret()), PATH, headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    expect(answer.headers.get("set-cookie")).toBeNull();
    const unsigned = await post(body, null, PATH, { authorization: "Bearer something" });
    expect(unsigned.status).toBe(401);
  });
});

describe("the body", () => {
  test("is verified byte by byte: odd spaces, escapes, other scripts, chunks without a length", async () => {
    const eventId = providerId("evt");
    const text = `\r\n{ "event_id" :"${eventId}",\t"event_type": "customer\\u002eupdated",  "occurred_at":"${new Date().toISOString()}",
      "data":{"name":"Zoë 🌲 \\ud83c\\udf32","big":1.0e2,"big":100}, "unknown":null }\n\n`;
    const body = Buffer.from(text);
    expect(await postInPieces(body, signed(body, secret()))).toBe(200);
    expect((await post(body, signed(body, secret()), PATH, { origin: inject("app").baseUrl })).status).toBe(200);
    expect(await rowsOf(eventId)).toHaveLength(1);
  });

  test("without an event it is 400, too large 413; neither is stored", async () => {
    for (const text of ["", "{}", "[]", "null", "not json", '{"event_id":"evt_1"}']) {
      const body = Buffer.from(text);
      expect((await post(body, signed(body, secret()))).status, text).toBe(400);
    }
    const large = Buffer.alloc(1_100_000, 0x20);
    expect((await post(large, signed(large, secret()))).status).toBe(413);
  });

  test("an event of an unknown kind is stored", async () => {
    const { eventId, body } = unknownEvent("api_key_exposure.created", { anything: [1, 2] });
    expect((await post(body, signed(body, secret()))).status).toBe(200);
    expect(await rowsOf(eventId)).toMatchObject([{ fact: null }]);
  });

  test("unreadable data of a known kind is kept for the operator", async () => {
    const { eventId, body } = unknownEvent("transaction.completed", { id: 7 });
    expect((await post(body, signed(body, secret()))).status).toBe(200);
    const [row] = await database()`select problem, fact from payment_events where event_id = ${eventId}`;
    expect(row).toMatchObject({ fact: null, problem: expect.stringContaining("id") });
  });

  test("only POST is accepted", async () => {
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      expect(await callApp(PATH, { method })).toMatchObject({ status: 405, json: { code: "method_not_allowed" } });
    }
  });
});

test("R-PAY-03 R-BUY-19: the durable engine applies a webhook once, and the credits show it", async () => {
  const user = await signUp();
  const [row] = await database()<{ id: string }[]>`select id from users where email = ${user.email}`;
  // An event only needs the buyer's customer and custom data.
  const buyer = { customerId: providerId("ctm"), hints: { user_id: row?.id } } as unknown as Buyer;
  const sale = saleOf(buyer, { items: [["pack:free:300", 1]], at: addMs(new Date(), -HOUR_MS) });
  const bodies = ["transaction.completed", "transaction.updated"].map((type) =>
    eventBody(type, sale.data, { event_id: providerId("evt"), occurred_at: sale.at.toISOString() }),
  );
  for (const body of [...bodies, ...bodies]) expect((await post(body, signed(body, secret()))).status).toBe(200);
  const credits = async () => Object((await user.call("/api/users/credits/")).json).available_credits;
  await until(async () => (await credits()) === 305, { what: "the purchased credits", deadlineMs: 60_000 });
  const grants = await database()`select 1 from credit_transfers where cause = ${`purchase:${sale.data.id}`}`;
  expect(grants).toHaveLength(1);
});
