import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { webhookAttempts, webhookDeliveries, webhookEndpoints, webhookMessages } from "#db/schema/webhooks.ts";
import type { FullCtx } from "#lib/context.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { listSecurityEvents } from "#lib/features/identity/security-log.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { ENDPOINTS_MAX, TEXTS } from "#lib/features/webhooks/constants.ts";
import { listDeliveries, readDelivery, replayDelivery, sendTestEvent } from "#lib/features/webhooks/deliveries.ts";
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
} from "#lib/features/webhooks/endpoints.ts";
import { createUser } from "#tests/support/context.ts";
import { erase, leave, tablesWith } from "./privacy-harness.ts";
import { publishingSetup } from "./publishing-harness.ts";
import { addEndpoint, receiverSetup, recordedEvents, sendDue } from "./webhooks-harness.ts";

const receiver = receiverSetup();
const setup = publishingSetup(receiver.links);

const newUser = async (): Promise<FullCtx> => (await createUser(setup.harness)).ctx;
const listed = async (ctx: FullCtx) => (await listEndpoints(ctx)).webhooks;

describe("a user's endpoints", () => {
  test("the secret is in the answers that make it, sealed in the database, and nowhere else", async () => {
    const ctx = await newUser();
    const { endpointId, secret } = await addEndpoint(ctx);
    const { secret: next } = await rotateSecret(ctx, { endpointId });
    expect(next).not.toBe(secret);
    const [row] = await ctx.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId));
    expect([row?.sealedSecret, row?.previousSealedSecret].map((text) => ctx.sealer.open(text ?? ""))).toEqual([
      next,
      secret,
    ]);
    for (const text of [secret, next]) expect(await tablesWith(ctx, text)).toEqual([]);
    expect(JSON.stringify(await listed(ctx))).not.toContain("whsec_");
    // A third one would end the secret that receivers still have.
    await expect(rotateSecret(ctx, { endpointId })).rejects.toMatchObject({ code: "wrong_state" });
    await setup.harness.later(DAY_MS + 1_000, () => rotateSecret(ctx, { endpointId }));
  });

  test("each attempt keeps the URL that it was sent to", async () => {
    const ctx = await newUser();
    const { endpointId, path } = await receiver.endpoint(ctx);
    const { id: deliveryId } = await sendTestEvent(ctx, { endpointId });
    await sendDue(setup.job(), { endpointId });
    const url = "https://example.org/hook";
    await updateEndpoint(ctx, { endpointId, url });
    const { url: now, attempt_log } = await readDelivery(ctx, { deliveryId });
    expect([now, attempt_log.map((attempt) => attempt.url)]).toEqual([url, [receiver.urlOf(path)]]);
  });

  test("there are at most five, also when they are added at the same time", async () => {
    const ctx = await newUser();
    const added = await Promise.allSettled(Array.from({ length: ENDPOINTS_MAX + 3 }, () => addEndpoint(ctx)));
    expect(added.filter(({ status }) => status === "fulfilled")).toHaveLength(ENDPOINTS_MAX);
    await expect(addEndpoint(ctx)).rejects.toMatchObject({ code: "wrong_state", message: TEXTS.tooMany });
    expect(await listed(ctx)).toHaveLength(ENDPOINTS_MAX);
  });

  test.each([
    ["http://example.com/", TEXTS.urlInsecure],
    ["https://10.0.0.7/", TEXTS.urlInvalid],
    ["https://[fd00::1]/", TEXTS.urlInvalid],
    ["https://example.com:8443/", TEXTS.urlInvalid],
    ["https://a:b@example.com/", TEXTS.urlInvalid],
    ["ftp://example.com/", TEXTS.urlInvalid],
  ])("the URL %s is refused when it is added and when it is changed", async (url, text) => {
    const ctx = await newUser();
    const refusal = { code: "invalid", fields: { url: [text] } };
    await expect(addEndpoint(ctx, ["pin.failed"], url)).rejects.toMatchObject(refusal);
    const { endpointId } = await addEndpoint(ctx);
    await expect(updateEndpoint(ctx, { endpointId, url })).rejects.toMatchObject(refusal);
    expect(await listed(ctx)).toMatchObject([{ url: "https://example.com/hook" }]);
  });

  test("changes are in the security log", async () => {
    const ctx = await newUser();
    const { endpointId } = await addEndpoint(ctx);
    const change = { description: "Shop", events: ["link.dead" as const], enabled: false };
    expect(await updateEndpoint(ctx, { endpointId, ...change })).toMatchObject({ ...change, disabled_for: "user" });
    // Nothing changes.
    await updateEndpoint(ctx, { endpointId, ...change });
    await updateEndpoint(ctx, { endpointId });
    await rotateSecret(ctx, { endpointId });
    await deleteEndpoint(ctx, { endpointId });
    expect((await listSecurityEvents(ctx)).map(({ kind, detail }) => `${kind}: ${detail}`)).toEqual([
      "webhook_removed: example.com",
      "webhook_secret_changed: example.com",
      "webhook_changed: example.com",
      "webhook_added: example.com",
    ]);
  });

  test("a new URL starts without the failures of the earlier one", async () => {
    const ctx = await newUser();
    const { endpointId } = await addEndpoint(ctx);
    await sendTestEvent(ctx, { endpointId });
    const isOwn = eq(webhookEndpoints.id, endpointId);
    const isPending = eq(webhookDeliveries.endpointId, endpointId);
    await ctx.db.update(webhookEndpoints).set({ failingSince: ctx.now() }).where(isOwn);
    await ctx.db.update(webhookDeliveries).set({ failures: 5 }).where(isPending);
    const failures = async () => (await ctx.db.select().from(webhookDeliveries).where(isPending))[0]?.failures;
    const url = (await listed(ctx))[0]?.url ?? "";
    expect((await updateEndpoint(ctx, { endpointId, url })).failing_since).not.toBeNull();
    expect(await failures()).toBe(5);
    const moved = await updateEndpoint(ctx, { endpointId, url: "https://example.org/hook" });
    expect([moved.failing_since, await failures()]).toEqual([null, 0]);
  });

  test("another user's are not found, and nothing changes", async () => {
    const [ctx, stranger] = [await newUser(), await newUser()];
    const { endpointId } = await addEndpoint(ctx);
    const { id: deliveryId } = await sendTestEvent(ctx, { endpointId });
    const before = await listed(ctx);
    const calls = [
      () => updateEndpoint(stranger, { endpointId, enabled: false }),
      () => rotateSecret(stranger, { endpointId }),
      () => deleteEndpoint(stranger, { endpointId }),
      () => sendTestEvent(stranger, { endpointId }),
      () => listDeliveries(stranger, { endpointId, limit: 1 }),
      () => readDelivery(stranger, { deliveryId }),
      () => replayDelivery(stranger, { deliveryId }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "not_found" });
    expect([await listed(ctx), await listed(stranger)]).toEqual([before, []]);
  });
});

test("deliveries are listed in pages, the latest first", async () => {
  const ctx = await newUser();
  const [own, other] = [await addEndpoint(ctx), await addEndpoint(ctx)];
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.unshift((await sendTestEvent(ctx, own)).id);
  const foreign = await sendTestEvent(ctx, other);
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await listDeliveries(ctx, { endpointId: own.endpointId, limit: 2, cursor });
    pages.push(page.deliveries.map(({ id }) => id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  for (const wrong of [foreign.id, "none"]) {
    const call = listDeliveries(ctx, { endpointId: own.endpointId, limit: 2, cursor: wrong });
    await expect(call).rejects.toMatchObject({ code: "invalid" });
  }
});

describe("the data of webhooks", () => {
  /** A user whose pin was announced to an endpoint. */
  const announced = async () => {
    const creator = await setup.insertCreator();
    const own = await receiver.endpoint(creator.ctx);
    await setup.drive(await setup.scheduled(creator, { title: "Zebra crossing" }));
    await sendDue(setup.job(), own);
    return { creator, own };
  };

  test("is in the export, without secrets and signatures", async () => {
    const { creator, own } = await announced();
    let text = "";
    for await (const piece of await exportData(creator.ctx)) text += piece;
    expect(JSON.parse(text)).toMatchObject({
      webhooks: [{ id: own.endpointId, url: receiver.urlOf(own.path), turned_off_at: null }],
      webhook_messages: [
        {
          type: "pin.published",
          body: expect.stringContaining("Zebra crossing"),
          deliveries: [{ webhook_id: own.endpointId, state: "delivered", attempts: 1 }],
        },
      ],
    });
    expect(text).not.toMatch(/whsec_|v1,/);
  });

  test("ends with the endpoint, after 30 days, and with the user", async () => {
    const { creator, own } = await announced();
    const messages = () => setup.job().db.$count(webhookMessages, eq(webhookMessages.userId, creator.userId));
    const attempts = () => setup.job().db.$count(webhookAttempts);
    const before = await attempts();
    await setup.moveClock(29 * DAY_MS);
    await RETENTION_RULES["webhook-messages"](setup.job());
    expect([await messages(), await attempts()]).toEqual([1, before]);
    await setup.moveClock(DAY_MS);
    await RETENTION_RULES["webhook-messages"](setup.job());
    expect([await messages(), (await attempts()) < before]).toEqual([0, true]);

    const other = await receiver.endpoint(creator.ctx);
    await deleteEndpoint(creator.ctx, own);
    await sendTestEvent(creator.ctx, other);
    expect(await messages()).toBe(1);
    await deleteEndpoint(creator.ctx, other);
    expect(await messages()).toBe(0);

    await createEndpoint(creator.ctx, { url: receiver.urlOf("/last"), events: ["pin.failed"], description: "" });
    await setup.drive(await setup.scheduled(creator));
    await leave(creator);
    expect(await listed(creator.ctx)).toMatchObject([{ enabled: false }]);
    await erase(setup, creator);
    expect([await listed(creator.ctx), await recordedEvents(creator.ctx)]).toEqual([[], []]);
  });
});
