import "server-only";
import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import { webhookAttempts, webhookDeliveries, webhookEndpoints, webhookMessages } from "#db/schema/webhooks.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { toIso } from "#lib/core/time.ts";
import { TEST_EVENT, TEXTS } from "./constants.ts";
import { findOwnEndpoint, lockOwnEndpoint } from "./endpoints.ts";
import { writeMessage } from "./recording.ts";
import type {
  DeliveriesWire,
  DeliveryDetailWire,
  DeliveryInput,
  EndpointInput,
  ListDeliveriesInput,
} from "./schema.ts";
import { requestDeliveries } from "./sending.ts";
import { type Delivery, type Endpoint, type Message, toAttemptWire, toDeliveryWire } from "./serializers.ts";

const requireOwnCursor = async (ctx: Ctx, endpointId: string, cursor: string): Promise<number> => {
  const isCursor = and(eq(webhookDeliveries.id, cursor), eq(webhookDeliveries.endpointId, endpointId));
  const [row] = await ctx.db.select({ number: webhookDeliveries.number }).from(webhookDeliveries).where(isCursor);
  if (!row) throw new AppError("invalid", { text: TEXTS.foreignCursor });
  return row.number;
};

/** The latest first. @throws AppError `not_found` for another user's endpoint; `invalid` for a foreign cursor */
export const listDeliveries = async (
  ctx: Ctx,
  { endpointId, limit, cursor }: ListDeliveriesInput,
): Promise<DeliveriesWire> => {
  await findOwnEndpoint(ctx, endpointId);
  const before = cursor === undefined ? null : await requireOwnCursor(ctx, endpointId, cursor);
  const rows = await ctx.db
    .select({ delivery: webhookDeliveries, type: webhookMessages.type })
    .from(webhookDeliveries)
    .innerJoin(webhookMessages, eq(webhookMessages.id, webhookDeliveries.messageId))
    .where(
      and(
        eq(webhookDeliveries.endpointId, endpointId),
        before === null ? undefined : lt(webhookDeliveries.number, before),
      ),
    )
    .orderBy(desc(webhookDeliveries.number))
    .limit(limit + 1);
  const page = rows.slice(0, limit);
  return {
    deliveries: page.map(({ delivery, type }) => toDeliveryWire(delivery, { type })),
    next_cursor: rows.length > limit ? (page.at(-1)?.delivery.id ?? null) : null,
  };
};

interface OwnDelivery {
  delivery: Delivery;
  message: Message;
  endpoint: Endpoint;
}

const findOwnDelivery = async (ctx: Ctx, deliveryId: string): Promise<OwnDelivery> => {
  const [row] = await ctx.db
    .select({ delivery: webhookDeliveries, message: webhookMessages, endpoint: webhookEndpoints })
    .from(webhookDeliveries)
    .innerJoin(webhookMessages, eq(webhookMessages.id, webhookDeliveries.messageId))
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.userId, requireUserId(ctx))));
  if (!row) throw new AppError("not_found");
  return row;
};

/** With its request and the answers so far. @throws AppError `not_found` */
export const readDelivery = async (ctx: Ctx, { deliveryId }: DeliveryInput): Promise<DeliveryDetailWire> => {
  const { delivery, message, endpoint } = await findOwnDelivery(ctx, deliveryId);
  const attempts = await ctx.db
    .select()
    .from(webhookAttempts)
    .where(eq(webhookAttempts.deliveryId, deliveryId))
    .orderBy(asc(webhookAttempts.number));
  return {
    ...toDeliveryWire(delivery, message),
    url: endpoint.url,
    request_body: message.body,
    attempt_log: attempts.map((attempt) => toAttemptWire(attempt, delivery, ctx.settings)),
  };
};

/** Sent now, once, also while earlier messages wait. @throws AppError `not_found`; `wrong_state` when it is off */
export const sendTestEvent = async (ctx: Ctx<"jobs">, { endpointId }: EndpointInput): Promise<DeliveryDetailWire> => {
  const deliveryId = await inTransaction(ctx, async (tx) => {
    const endpoint = await lockOwnEndpoint(tx, endpointId);
    if (endpoint.disabledAt) throw new AppError("wrong_state", { text: TEXTS.disabled });
    const data = { webhook_id: endpointId, text: `This is a test event of ${tx.settings.productName}.` };
    const occasion = tx.newId("webhookMessage");
    const body = { type: TEST_EVENT, timestamp: toIso(tx.now()), data } as const;
    const message = { userId: endpoint.userId, type: TEST_EVENT, subject: occasion, occasion: "", body };
    const [id = ""] = await writeMessage(tx, message, [endpointId]);
    return id;
  });
  await requestDeliveries(ctx, [endpointId]);
  return readDelivery(ctx, { deliveryId });
};

/**
 * Sends a message again with the same id, or a waiting one now. It gets all its attempts again.
 * @throws AppError `not_found`; `wrong_state` when the endpoint is off
 */
export const replayDelivery = async (ctx: Ctx<"jobs">, input: DeliveryInput): Promise<DeliveryDetailWire> => {
  const { delivery } = await findOwnDelivery(ctx, input.deliveryId);
  await inTransaction(ctx, async (tx) => {
    const endpoint = await lockOwnEndpoint(tx, delivery.endpointId);
    if (endpoint.disabledAt) throw new AppError("wrong_state", { text: TEXTS.disabled });
    const { state, replayedAt, failures, finishedAt, id } = webhookDeliveries;
    const ifFinished = (value: unknown, otherwise: unknown) =>
      sql`case when ${state} = 'pending' then ${otherwise} else ${value} end`;
    const now = tx.now().toISOString();
    await tx.db
      .update(webhookDeliveries)
      .set({
        state: "pending",
        dueAt: sql`${now}::timestamptz`,
        replayedAt: ifFinished(sql`${now}::timestamptz`, replayedAt),
        failures: ifFinished(sql`0`, failures),
        finishedAt: ifFinished(sql`null`, finishedAt),
      })
      .where(eq(id, delivery.id));
  });
  await requestDeliveries(ctx, [delivery.endpointId]);
  return readDelivery(ctx, input);
};
