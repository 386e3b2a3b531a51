import "server-only";
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { webhookDeliveries, webhookEndpoints, webhookMessages } from "#db/schema/webhooks.ts";
import { preparedOnce } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { toIso } from "#lib/core/time.ts";
import type { WebhookBody, WebhookData, WebhookType } from "./schema.ts";

interface NewEvent<T extends WebhookType> {
  userId: UserId;
  type: T;
  /** Id of the pin, account, or other thing that it is about. Its events are sent in order. */
  subject: string;
  /** Distinguishes events of a subject, so that each is written once: a schedule generation or a time. */
  occasion: string | number;
  /** Only called when an endpoint wants the event. */
  data: () => WebhookData[T] | Promise<WebhookData[T]>;
}

interface Message {
  userId: UserId;
  type: string;
  subject: string;
  occasion: string | number;
  body: WebhookBody;
}

/** One delivery per endpoint. Does nothing when the message exists. */
export const writeMessage = async (
  tx: Ctx,
  { userId, type, subject, occasion, body }: Message,
  endpointIds: readonly string[],
): Promise<string[]> => {
  const createdAt = tx.now();
  const [message] = await tx.db
    .insert(webhookMessages)
    .values({
      id: tx.newId("webhookMessage"),
      userId,
      type,
      cause: `${type}:${subject}:${occasion}`,
      body: JSON.stringify(body),
      createdAt,
    })
    .onConflictDoNothing({ target: [webhookMessages.userId, webhookMessages.cause] })
    .returning({ id: webhookMessages.id });
  if (!message) return [];
  const rows = endpointIds.map((endpointId) => ({
    id: tx.newId("webhookDelivery"),
    endpointId,
    messageId: message.id,
    userId,
    subject,
    createdAt,
    dueAt: createdAt,
  }));
  await tx.db.insert(webhookDeliveries).values(rows);
  return rows.map(({ id }) => id);
};

/** The lock makes turning an endpoint off or deleting it wait, so that no delivery is left behind. */
const subscribedEndpointsStatement = preparedOnce((db) =>
  db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(
      and(
        eq(webhookEndpoints.userId, sql.placeholder("userId")),
        isNull(webhookEndpoints.disabledAt),
        sql`${sql.placeholder("type")} = any (${webhookEndpoints.events})`,
      ),
    )
    .orderBy(asc(webhookEndpoints.id))
    .for("share")
    .prepare("wanting_endpoints"),
);

/**
 * In the transaction of what happened, while its subject is locked; the next sweep sends it, or `requestDeliveries` after
 * the commit. Writes nothing when no endpoint wants it.
 */
export const recordWebhookEvent = async <T extends WebhookType>(tx: Ctx, event: NewEvent<T>): Promise<void> => {
  const { userId, type, subject, occasion } = event;
  const endpoints = await subscribedEndpointsStatement(tx.db).execute({ userId, type });
  if (endpoints.length === 0) return;
  const body = { type, timestamp: toIso(tx.now()), data: await event.data() };
  const ids = endpoints.map(({ id }) => id);
  await writeMessage(tx, { userId, type, subject, occasion, body }, ids);
};
