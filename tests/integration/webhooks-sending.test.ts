import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { emailOutbox } from "#db/schema/email.ts";
import { webhookDeliveries } from "#db/schema/webhooks.ts";
import { type FullCtx, inTransaction } from "#lib/context.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { RETRY_PAUSES_MS, SENDING_LEASE_MS, type WebhookEvent } from "#lib/features/webhooks/constants.ts";
import { listDeliveries, readDelivery, replayDelivery, sendTestEvent } from "#lib/features/webhooks/deliveries.ts";
import { listEndpoints, rotateSecret, updateEndpoint } from "#lib/features/webhooks/endpoints.ts";
import { recordWebhookEvent } from "#lib/features/webhooks/recording.ts";
import { requestDeliveriesOf, sendNext, sweepWebhooks } from "#lib/features/webhooks/sending.ts";
import { createLinks } from "#lib/integrations/links/client.ts";
import { createUser } from "#tests/support/context.ts";
import { until } from "#tests/support/poll.ts";
import { publishingSetup } from "./publishing-harness.ts";
import { hangUp, type Received, receiverSetup, sendDue, type TestEndpoint, verified } from "./webhooks-harness.ts";

const receiver = receiverSetup();
const setup = publishingSetup(receiver.links);

interface Own extends TestEndpoint {
  ctx: FullCtx;
}

/** A user with an endpoint. */
const withEndpoint = async (events?: WebhookEvent[]): Promise<Own> => {
  const { ctx } = await createUser(setup.harness);
  return { ctx, ...(await receiver.endpoint(ctx, events)) };
};

let links = 0;

/** Something that happened to a user's link; `times` happened to the same one. */
const happens = async ({ ctx }: Own, times = 1): Promise<string> => {
  links += 1;
  const subject = `link-${links}`;
  for (let n = 1; n <= times; n += 1) await happensAgain(ctx, subject, n);
  return subject;
};

const happensAgain = (ctx: FullCtx, subject: string, n: number) => {
  const userId = ctx.actor.kind === "user" ? ctx.actor.userId : null;
  if (userId === null) throw new Error("Only a user has events.");
  const data = () => ({ link: `https://example.com/${subject}`, reason: String(n) });
  const event = { userId, type: "link.dead", subject, occasion: n, data } as const;
  return inTransaction(ctx, (tx) => recordWebhookEvent(tx, event));
};

const listed = async ({ ctx, endpointId }: Own) => (await listDeliveries(ctx, { endpointId, limit: 100 })).deliveries;
const rowOf = async ({ ctx, endpointId }: Own) => {
  const isOwn = eq(webhookDeliveries.endpointId, endpointId);
  return (await ctx.db.select().from(webhookDeliveries).where(isOwn))[0];
};
const stateOf = async (own: Own) => (await listed(own)).map(({ state }) => state);
const idsOf = (requests: readonly Received[]) => requests.map(({ headers }) => headers["webhook-id"]);
const reasonsOf = (own: Own) =>
  receiver.received.map((request) => Object(verified(request, own.secret).data).reason as string);
/** How many runs a sweep starts for an endpoint. */
const sweptFor = async ({ endpointId }: Own): Promise<number> => {
  const before = setup.harness.sentEvents.length;
  await sweepWebhooks(setup.job());
  return setup.harness.sentEvents.slice(before).filter(({ data }) => Object(data).endpointId === endpointId).length;
};
const send = (own: Own) => sendDue(setup.job(), own);
/** Moves the clock past all attempts of a message. */
const exhaust = async (own: Own) => {
  for (const pauseMs of [0, ...RETRY_PAUSES_MS]) {
    await setup.moveClock(pauseMs * 1.1 + SECOND_MS);
    await send(own);
  }
};
const attemptsOf = async (own: Own) => {
  const [delivery] = await listed(own);
  return (await readDelivery(own.ctx, { deliveryId: delivery?.id ?? "" })).attempt_log;
};

const toSent = ({ "webhook-id": id, "webhook-signature": signature }: Received["headers"]) => ({
  "webhook-id": id,
  "webhook-signature": signature,
});

test("a published pin reaches the endpoint, signed, and is listed with its request and answer", async () => {
  const creator = await setup.insertCreator();
  const own = { ctx: creator.ctx, ...(await receiver.endpoint(creator.ctx)) };
  const scheduled = await setup.scheduled(creator, { title: "Ferns" });
  await setup.drive(scheduled);
  await requestDeliveriesOf(setup.job(), scheduled.pinId);
  expect(setup.harness.sentEvents.at(-1)).toMatchObject({ data: { endpointId: own.endpointId } });
  await send(own);
  expect(receiver.received.map(({ path }) => path)).toEqual([own.path]);
  const [request] = receiver.received;
  if (!request) throw new Error("Nothing was received.");
  expect(verified(request, own.secret)).toMatchObject({
    type: "pin.published",
    data: { pin_id: scheduled.pinId, title: "Ferns" },
  });
  const [delivery] = await listed(own);
  expect(delivery).toMatchObject({ type: "pin.published", state: "delivered", attempts: 1, next_attempt_at: null });
  expect(await readDelivery(own.ctx, { deliveryId: delivery?.id ?? "" })).toMatchObject({
    request_body: request.body,
    attempt_log: [{ status: 204, problem: null, request_headers: toSent(request.headers) }],
  });
});

describe("an endpoint that fails", () => {
  test("with status 500 gets the message again after growing pauses, with the same id and a new timestamp", async () => {
    const own = await withEndpoint();
    await happens(own);
    receiver.answerWith(500, 503);
    expect(await send(own)).toMatchObject({ kind: "wait" });
    await send(own);
    expect(receiver.received).toHaveLength(1);
    await setup.moveClock(6 * SECOND_MS);
    await send(own);
    expect(await sweptFor(own)).toBe(0);
    await setup.moveClock(2 * MINUTE_MS);
    expect(await sweptFor(own)).toBe(1);
    await send(own);
    expect(receiver.received).toHaveLength(3);
    expect(new Set(idsOf(receiver.received)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(3);
    expect(await stateOf(own)).toEqual(["delivered"]);
    expect(await attemptsOf(own)).toMatchObject([
      { number: 1, status: 500, response_excerpt: "No, thanks.", problem: "Your server responded with status 500." },
      { number: 2, status: 503 },
      { number: 3, status: 204, problem: null },
    ]);
  });

  test("with a redirect, which isn't followed", async () => {
    const own = await withEndpoint();
    await happens(own);
    receiver.answerWith((_request, response) => void response.writeHead(302, { location: "/elsewhere" }).end());
    await send(own);
    expect(receiver.received.map(({ path }) => path)).toEqual([own.path]);
    expect((await attemptsOf(own))[0]?.problem).toBe("The URL redirects (status 302). Use the final URL.");
  });

  test("because it is down or slow, says so", async () => {
    const own = await withEndpoint();
    await happens(own);
    const patient = setup.harness.ports.links;
    const post: typeof patient.post = (url, request) => patient.post(url, { ...request, timeoutMs: 300 });
    const outside = createLinks({ userAgent: "test", ...receiver.links(), allowedHosts: [] });
    receiver.answerWith(hangUp, () => {});
    for (const [n, links] of [patient, { ...patient, post }, outside].entries()) {
      setup.harness.ports.links = links;
      await send(own);
      await setup.moveClock((RETRY_PAUSES_MS[n] ?? 0) + MINUTE_MS);
    }
    setup.harness.ports.links = patient;
    expect((await attemptsOf(own)).map(({ problem }) => problem)).toEqual([
      "The connection failed.",
      "Your server didn't respond within 10 seconds.",
      "The URL points to a private address. Use a public one.",
    ]);
    await send(own);
    expect(await stateOf(own)).toEqual(["delivered"]);
  });

  test("while our own server is offline loses no attempt", async () => {
    const own = await withEndpoint();
    await happens(own);
    const online = setup.harness.ports.links;
    setup.harness.ports.links = { ...online, post: async () => ({ kind: "offline" }) };
    for (let n = 0; n < 20; n += 1) {
      await send(own);
      await setup.moveClock(MINUTE_MS + SECOND_MS);
    }
    setup.harness.ports.links = online;
    await send(own);
    expect(await stateOf(own)).toEqual(["delivered"]);
    expect((await listEndpoints(own.ctx)).webhooks[0]?.failing_since).toBeNull();
  });

  test("for a day is given up for this message, and is turned off after three days, with an email", async () => {
    const own = await withEndpoint();
    receiver.answerWith(...Array.from({ length: 100 }, () => 500));
    const emails = async () => {
      const rows = await own.ctx.db.select().from(emailOutbox);
      return rows.map(({ content }) => content).filter((content) => Object(content).kind === "webhook_disabled");
    };
    await happens(own);
    await exhaust(own);
    expect(receiver.received).toHaveLength(RETRY_PAUSES_MS.length + 1);
    expect([await stateOf(own), await emails()]).toEqual([["failed"], []]);
    await setup.moveClock(DAY_MS);
    await happens(own);
    await happens(own);
    await exhaust(own);
    expect((await listEndpoints(own.ctx)).webhooks).toMatchObject([{ enabled: false, disabled_for: "failing" }]);
    expect((await stateOf(own)).toSorted()).toEqual(["canceled", "failed", "failed"]);
    expect(await emails()).toMatchObject([{ reason: "failing", url: receiver.urlOf(own.path) }]);
    await happens(own);
    expect(await listed(own)).toHaveLength(3);
    await updateEndpoint(own.ctx, { endpointId: own.endpointId, enabled: true });
    receiver.answerWith();
    await happens(own);
    await send(own);
    expect((await stateOf(own))[0]).toBe("delivered");
  });

  test("with status 410 is turned off at once", async () => {
    const own = await withEndpoint();
    await happens(own);
    await happens(own);
    receiver.answerWith(410);
    await send(own);
    expect(receiver.received).toHaveLength(1);
    expect(await stateOf(own)).toEqual(["canceled", "failed"]);
    expect((await listEndpoints(own.ctx)).webhooks).toMatchObject([{ enabled: false, disabled_for: "gone" }]);
  });
});

describe("whatever runs twice or dies", () => {
  test("a worker that dies after sending: sent again with the same id, and later ones of the subject wait", async () => {
    const own = await withEndpoint();
    const subject = await happens(own, 2);
    const dying: FullCtx = {
      ...setup.job(),
      links: {
        ...setup.job().links,
        post: async (url, request) => {
          await setup.job().links.post(url, request);
          throw new Error("Killed.");
        },
      },
    };
    for (let kill = 0; kill < 3; kill += 1) {
      await expect(sendNext(dying, own)).rejects.toThrow("Killed.");
      expect(await send(own)).toEqual({ kind: "idle" });
      expect(await sweptFor(own)).toBe(0);
      await setup.moveClock(SENDING_LEASE_MS + SECOND_MS);
      expect(await sweptFor(own)).toBe(1);
    }
    await send(own);
    expect(reasonsOf(own)).toEqual(["1", "1", "1", "1", "2"]);
    expect(new Set(idsOf(receiver.received)).size).toBe(2);
    expect(await stateOf(own)).toEqual(["delivered", "delivered"]);
    const first = (await listed(own)).at(-1);
    const { attempt_log: log } = await readDelivery(own.ctx, { deliveryId: first?.id ?? "" });
    const interrupted = { status: null, problem: "Interrupted on our side, so we sent it again." };
    expect(log).toMatchObject([interrupted, interrupted, interrupted, { status: 204, problem: null }]);
    await happensAgain(own.ctx, subject, 2);
    expect(await listed(own)).toHaveLength(2);
  });

  test("concurrent workers send each message once, in order for each subject", async () => {
    const own = await withEndpoint();
    for (let n = 0; n < 3; n += 1) await happens(own, 4);
    receiver.answerWith(...Array.from({ length: 5 }, (_, n) => (n % 2 === 0 ? 500 : 204)));
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(
        ["other" as const, undefined].flatMap((worker) => [send(own), sendDue(setup.job(worker), own)]),
      );
      await setup.moveClock(10 * MINUTE_MS);
    }
    expect(new Set(await stateOf(own))).toEqual(new Set(["delivered"]));
    expect(new Set(idsOf(receiver.received)).size).toBe(12);
    const delivered = receiver.received.map((request) => Object(verified(request, own.secret).data));
    for (const link of new Set(delivered.map((data) => data.link))) {
      const reasons = delivered.filter((data) => data.link === link).map(({ reason }) => Number(reason));
      expect(reasons).toEqual(reasons.toSorted((a, b) => a - b));
      expect(new Set(reasons).size).toBe(4);
    }
  });

  test("a late failure of a dead worker changes nothing, a late success counts", async () => {
    for (const status of [500, 204]) {
      const own = await withEndpoint();
      await happens(own);
      const { promise, resolve } = Promise.withResolvers<void>();
      const slow: FullCtx = {
        ...setup.job(),
        links: {
          ...setup.job().links,
          post: async () => {
            await promise;
            return { kind: "answered", status, excerpt: "" };
          },
        },
      };
      const late = sendNext(slow, own);
      await until(async () => (await listed(own))[0]?.attempts === 1);
      await setup.moveClock(SENDING_LEASE_MS + SECOND_MS);
      receiver.answerWith(500);
      await send(own);
      const before = await rowOf(own);
      resolve();
      await late;
      expect([status, await stateOf(own)]).toEqual([status, [status === 204 ? "delivered" : "pending"]]);
      if (status === 500) expect(await rowOf(own)).toEqual(before);
    }
  });

  test("an event that the engine lost is sent by the sweep, and one user's slow endpoint holds up no other", async () => {
    const [slow, own] = [await withEndpoint(), await withEndpoint()];
    await happens(slow);
    setup.harness.failNextSend();
    await sendTestEvent(own.ctx, own);
    expect([await sweptFor(slow), await sweptFor(own)]).toEqual([1, 1]);
    const { promise, resolve } = Promise.withResolvers<void>();
    receiver.answerWith(async (_request, response) => {
      await promise;
      response.end();
    });
    const held = send(slow);
    await until(async () => receiver.received.length === 1);
    expect([await sweptFor(slow), await sweptFor(own)]).toEqual([0, 1]);
    await send(own);
    expect([await stateOf(own), await stateOf(slow)]).toEqual([["delivered"], ["pending"]]);
    resolve();
    await held;
    expect(await stateOf(slow)).toEqual(["delivered"]);
  });
});

describe("order", () => {
  test("a later event of a subject waits until the earlier one is delivered or given up; others don't", async () => {
    const own = await withEndpoint();
    await happens(own, 2);
    receiver.answerWith(500);
    await send(own);
    await happens(own);
    await send(own);
    expect(receiver.received).toHaveLength(2);
    receiver.answerWith(...Array.from({ length: RETRY_PAUSES_MS.length }, () => 500));
    await exhaust(own);
    expect(await stateOf(own)).toEqual(["delivered", "delivered", "failed"]);
    expect(reasonsOf(own).slice(-2)).toEqual(["1", "2"]);
  });
});

describe("by hand", () => {
  test("a test event is sent at once and only once, also while others wait, and says nothing about its health", async () => {
    const own = await withEndpoint(["pin.failed"]);
    receiver.answerWith(500);
    const { id } = await sendTestEvent(own.ctx, own);
    await send(own);
    await setup.moveClock(DAY_MS);
    await send(own);
    expect(receiver.received.map((request) => verified(request, own.secret).type)).toEqual(["test"]);
    expect(await readDelivery(own.ctx, { deliveryId: id })).toMatchObject({ state: "failed", type: "test" });
    expect((await listEndpoints(own.ctx)).webhooks[0]).toMatchObject({ enabled: true, failing_since: null });
  });

  test("a replay sends the same message again, with all its attempts, and holds up nothing", async () => {
    const own = await withEndpoint();
    const subject = await happens(own);
    await send(own);
    const [delivery] = await listed(own);
    await replayDelivery(own.ctx, { deliveryId: delivery?.id ?? "" });
    receiver.answerWith(500, 204, 204);
    await send(own);
    await happensAgain(own.ctx, subject, 2);
    await send(own);
    expect(reasonsOf(own)).toEqual(["1", "1", "2"]);
    await setup.moveClock(6 * SECOND_MS);
    await send(own);
    expect(reasonsOf(own)).toEqual(["1", "1", "2", "1"]);
    expect(new Set(idsOf(receiver.received)).size).toBe(2);
    expect((await listed(own)).at(-1)).toMatchObject({ state: "delivered", attempts: 3 });
  });

  test("a waiting message can be sent now, and nothing while the endpoint is off", async () => {
    const own = await withEndpoint();
    await happens(own);
    receiver.answerWith(500, 500);
    await send(own);
    await setup.moveClock(6 * SECOND_MS);
    await send(own);
    const [delivery] = await listed(own);
    const replay = () => replayDelivery(own.ctx, { deliveryId: delivery?.id ?? "" });
    expect(await replay()).toMatchObject({ state: "pending", replayed_at: null });
    await send(own);
    expect(await stateOf(own)).toEqual(["delivered"]);
    await updateEndpoint(own.ctx, { endpointId: own.endpointId, enabled: false });
    await expect(replay()).rejects.toMatchObject({ code: "wrong_state" });
    await expect(sendTestEvent(own.ctx, own)).rejects.toMatchObject({ code: "wrong_state" });
  });

  test("after a rotation both secrets sign for a day", async () => {
    const own = await withEndpoint();
    const { secret } = await rotateSecret(own.ctx, own);
    const sent = async () => {
      await happens(own);
      await send(own);
      const request = receiver.received.at(-1);
      if (!request) throw new Error("Nothing was received.");
      return request;
    };
    const during = await sent();
    for (const known of [secret, own.secret]) verified(during, known);
    await setup.moveClock(DAY_MS + HOUR_MS);
    const after = await sent();
    verified(after, secret);
    expect(() => verified(after, own.secret)).toThrow("The signature is wrong.");
  });
});
