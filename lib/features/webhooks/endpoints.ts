import "server-only";
import { isDeepStrictEqual } from "node:util";
import { and, asc, eq, isNull, notExists, type SQL, sql } from "drizzle-orm";
import { webhookDeliveries, webhookEndpoints, webhookMessages } from "#db/schema/webhooks.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { EmailId, UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { queueEmail } from "#lib/features/email/delivery.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { recordSecurityEvent } from "#lib/features/identity/security-log.ts";
import { knownName, lockUser } from "#lib/features/identity/users.ts";
import { ENDPOINTS_MAX, ROTATION_MS, TEXTS } from "./constants.ts";
import type {
  CreateEndpointInput,
  EndpointInput,
  EndpointsWire,
  EndpointWire,
  EndpointWithSecretWire,
  UpdateEndpointInput,
} from "./schema.ts";
import { type Endpoint, toEndpointWire } from "./serializers.ts";
import { createSecret } from "./signatures.ts";

const isOwn = (ctx: Ctx, endpointId: string): SQL | undefined =>
  and(eq(webhookEndpoints.id, endpointId), eq(webhookEndpoints.userId, requireUserId(ctx)));

const requireUrl = (ctx: Ctx<"links">, url: string): void => {
  const accepted = ctx.links.acceptsPosts(url);
  if (accepted === "yes") return;
  const text = accepted === "insecure" ? TEXTS.urlInsecure : TEXTS.urlInvalid;
  throw new AppError("invalid", { text, fields: { url: [text] } });
};

/** The oldest first. */
export const listEndpoints = async (ctx: Ctx): Promise<EndpointsWire> => {
  const rows = await ctx.db
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.userId, requireUserId(ctx)))
    .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id));
  return { webhooks: rows.map((row) => toEndpointWire(row, ctx.now())) };
};

/** Locked until the transaction ends. @throws AppError `not_found` for an unknown one or another user's */
export const lockOwnEndpoint = async (tx: Ctx, endpointId: string): Promise<Endpoint> => {
  const [row] = await tx.db.select().from(webhookEndpoints).where(isOwn(tx, endpointId)).for("no key update");
  if (!row) throw new AppError("not_found");
  return row;
};

/** @throws AppError `not_found` for an unknown one or another user's */
export const findOwnEndpoint = async (ctx: Ctx, endpointId: string): Promise<Endpoint> => {
  const [row] = await ctx.db.select().from(webhookEndpoints).where(isOwn(ctx, endpointId));
  if (!row) throw new AppError("not_found");
  return row;
};

/** The user before their endpoints, as when an account is closed. @throws AppError `unauthenticated` */
const lockOpenUser = async (tx: Ctx): Promise<void> => {
  const user = await lockUser(tx, requireUserId(tx));
  if (!user || user.closedAt) throw new AppError("unauthenticated");
};

const toWireWithSecret = (ctx: Ctx, row: Endpoint): EndpointWithSecretWire => ({
  ...toEndpointWire(row, ctx.now()),
  secret: ctx.sealer.open(row.sealedSecret),
});

/**
 * The only answer with the new secret.
 * @param writeKey names the request, so that a repeated one returns the same webhook
 * @throws AppError `invalid` for a URL that we never call; `wrong_state` when there are too many
 */
export const createEndpoint = async (
  ctx: Ctx<"links">,
  { url, events, description }: CreateEndpointInput,
  writeKey: string | null = null,
): Promise<EndpointWithSecretWire> => {
  requireUrl(ctx, url);
  const userId = requireUserId(ctx);
  return inTransaction(ctx, async (tx) => {
    await lockOpenUser(tx);
    const own = await tx.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.userId, userId));
    const created = writeKey === null ? undefined : own.find((row) => row.writeKey === writeKey);
    if (created) return toWireWithSecret(tx, created);
    if (own.length >= ENDPOINTS_MAX) throw new AppError("wrong_state", { text: TEXTS.tooMany });
    const added = { id: tx.newId("webhookEndpoint"), userId, url, events, description, writeKey };
    const [row] = await tx.db
      .insert(webhookEndpoints)
      .values({ ...added, createdAt: tx.now(), sealedSecret: tx.sealer.seal(createSecret()) })
      .returning();
    if (!row) throw new Error("An insert returns its row.");
    await recordSecurityEvent(tx, { userId, kind: "webhook_added", detail: new URL(url).host });
    return toWireWithSecret(tx, row);
  });
};

/** Messages that weren't delivered are canceled, and nothing is recorded while it is off. The endpoint is locked. */
const disable = async (tx: Ctx, endpointId: string, disabledFor: Endpoint["disabledFor"]): Promise<void> => {
  const now = tx.now();
  await tx.db.update(webhookEndpoints).set({ disabledAt: now, disabledFor }).where(eq(webhookEndpoints.id, endpointId));
  await tx.db
    .update(webhookDeliveries)
    .set({ state: "canceled", finishedAt: now, claimedUntil: null })
    .where(and(eq(webhookDeliveries.endpointId, endpointId), eq(webhookDeliveries.state, "pending")));
};

/** With an email to its user. The endpoint is locked. Null when it was off already, or its user is gone. */
export const disableForFailure = async (
  tx: Ctx,
  endpoint: Endpoint,
  reason: "gone" | "failing",
): Promise<EmailId | null> => {
  if (endpoint.disabledAt) return null;
  await disable(tx, endpoint.id, reason);
  tx.log.set({ webhook_disabled: reason });
  const user = await findUser(tx, endpoint.userId);
  if (!user) return null;
  const content = { kind: "webhook_disabled" as const, firstName: knownName(user), url: endpoint.url, reason };
  return queueEmail(tx, { userId: endpoint.userId, recipient: user.email, content });
};

/** Before a user is erased. */
export const disableAll = async (tx: Ctx, userId: UserId): Promise<void> => {
  const rows = await tx.db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.userId, userId))
    .orderBy(asc(webhookEndpoints.id))
    .for("no key update");
  for (const { id } of rows) await disable(tx, id, "user");
};

/** @throws AppError `not_found`; `invalid` for a URL that we never call */
export const updateEndpoint = async (
  ctx: Ctx<"links">,
  { endpointId, url, events, description, enabled }: UpdateEndpointInput,
): Promise<EndpointWire> => {
  if (url !== undefined) requireUrl(ctx, url);
  return inTransaction(ctx, async (tx) => {
    await lockOpenUser(tx);
    const before = await lockOwnEndpoint(tx, endpointId);
    const isTurnedOn = enabled === true && before.disabledAt !== null;
    const isMoved = url !== undefined && url !== before.url;
    const change = {
      url: url ?? before.url,
      events: events ?? before.events,
      description: description ?? before.description,
      ...(isTurnedOn && { disabledAt: null, disabledFor: null }),
      // The failures were those of the earlier URL.
      ...((isTurnedOn || isMoved) && { failingSince: null }),
    };
    if (isMoved) {
      const isPending = and(eq(webhookDeliveries.endpointId, endpointId), isNull(webhookDeliveries.finishedAt));
      await tx.db.update(webhookDeliveries).set({ failures: 0, dueAt: tx.now() }).where(isPending);
    }
    if (enabled === false && before.disabledAt === null) await disable(tx, endpointId, "user");
    const [row] = await tx.db
      .update(webhookEndpoints)
      .set(change)
      .where(eq(webhookEndpoints.id, endpointId))
      .returning();
    if (!row) throw new AppError("not_found");
    const { userId } = row;
    if (!isDeepStrictEqual(row, before)) {
      await recordSecurityEvent(tx, { userId, kind: "webhook_changed", detail: new URL(row.url).host });
    }
    return toEndpointWire(row, tx.now());
  });
};

/**
 * The only answer with the new secret, also when the request is repeated. The old one also signs for a day.
 * @throws AppError `not_found`; `wrong_state` within a day of the last rotation
 */
export const rotateSecret = (
  ctx: Ctx,
  { endpointId }: EndpointInput,
  writeKey: string | null = null,
): Promise<EndpointWithSecretWire> =>
  inTransaction(ctx, async (tx) => {
    await lockOpenUser(tx);
    const before = await lockOwnEndpoint(tx, endpointId);
    if (writeKey !== null && before.secretWriteKey === writeKey) return toWireWithSecret(tx, before);
    const now = tx.now();
    if (before.previousSecretEndsAt && before.previousSecretEndsAt > now) {
      throw new AppError("wrong_state", { text: TEXTS.rotatedToday });
    }
    const [row] = await tx.db
      .update(webhookEndpoints)
      .set({
        sealedSecret: tx.sealer.seal(createSecret()),
        previousSealedSecret: before.sealedSecret,
        previousSecretEndsAt: addMs(now, ROTATION_MS),
        secretWriteKey: writeKey,
      })
      .where(eq(webhookEndpoints.id, endpointId))
      .returning();
    if (!row) throw new AppError("not_found");
    await recordSecurityEvent(tx, {
      userId: row.userId,
      kind: "webhook_secret_changed",
      detail: new URL(row.url).host,
    });
    return toWireWithSecret(tx, row);
  });

/** With its deliveries, and with the messages that no other endpoint got. @throws AppError `not_found` */
export const deleteEndpoint = (ctx: Ctx, { endpointId }: EndpointInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    await lockOpenUser(tx);
    const [row] = await tx.db.delete(webhookEndpoints).where(isOwn(tx, endpointId)).returning();
    if (!row) throw new AppError("not_found");
    const delivered = tx.db
      .select({ one: sql`1` })
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.messageId, webhookMessages.id));
    await tx.db.delete(webhookMessages).where(and(eq(webhookMessages.userId, row.userId), notExists(delivered)));
    await recordSecurityEvent(tx, { userId: row.userId, kind: "webhook_removed", detail: new URL(row.url).host });
  });
