import "server-only";
import { and, asc, eq, isNull, lte, min, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { webhookAttempts, webhookDeliveries, webhookEndpoints, webhookMessages } from "#db/schema/webhooks.ts";
import { preparedOnce } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { EmailId } from "#lib/core/ids.ts";
import { addMs, msUntil } from "#lib/core/time.ts";
import { requestDelivery } from "#lib/features/email/delivery.ts";
import type { PostAnswer } from "#lib/integrations/links/port.ts";
import {
  EXCERPT_BYTES,
  FAILING_MAX_MS,
  OFFLINE_PAUSE_MS,
  SENDING_LEASE_MS,
  SWEEP_BATCH,
  TEST_EVENT,
  TIMEOUT_MS,
  WAIT_IN_RUN_MAX_MS,
} from "./constants.ts";
import { disableForFailure } from "./endpoints.ts";
import { type AttemptResult, pauseAfter, readAnswer } from "./policy.ts";
import type { EndpointDue } from "./schema.ts";
import { secretsOf } from "./secrets.ts";
import type { Delivery, Endpoint, Message } from "./serializers.ts";
import { headersOf, shareOf, signMessage } from "./signatures.ts";

const earlier = alias(webhookDeliveries, "earlier");

/** Whether no earlier message of its subject waits, in a query on `webhook_deliveries`. */
const isNext = (ctx: Ctx): SQL => {
  const blocking = ctx.db
    .select({ one: sql`1` })
    .from(earlier)
    .where(
      and(
        eq(earlier.endpointId, webhookDeliveries.endpointId),
        eq(earlier.subject, webhookDeliveries.subject),
        eq(earlier.state, "pending"),
        isNull(earlier.replayedAt),
        sql`${earlier.number} < ${webhookDeliveries.number}`,
      ),
    );
  return sql`(${webhookDeliveries.replayedAt} is not null or not exists (${blocking}))`;
};

const isUnclaimed = (now: Date): SQL | undefined =>
  or(isNull(webhookDeliveries.claimedUntil), lte(webhookDeliveries.claimedUntil, now));

interface Claimed {
  delivery: Delivery;
  message: Message;
  endpoint: Endpoint;
  sentAt: Date;
  signature: string;
}

/** An earlier attempt whose worker died: whether it arrived is unknown, so it is sent again with the same id. */
const closeInterrupted = async (tx: Ctx, { id, attempts }: Delivery): Promise<void> => {
  const isOpen = and(
    eq(webhookAttempts.deliveryId, id),
    sql`${webhookAttempts.number} < ${attempts}`,
    isNull(webhookAttempts.answeredAt),
    isNull(webhookAttempts.problem),
  );
  await tx.db.update(webhookAttempts).set({ problem: "Interrupted on our side, so we sent it again." }).where(isOpen);
};

/** Leases the longest due message of an endpoint that may be sent now, tests first; writes its attempt before the call. */
const claimNext = (ctx: Ctx, endpointId: string): Promise<Claimed | null> =>
  inTransaction(ctx, async (tx) => {
    const now = tx.now();
    const [endpoint] = await tx.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId));
    if (!endpoint || endpoint.disabledAt) return null;
    const [due] = await tx.db
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .innerJoin(webhookMessages, eq(webhookMessages.id, webhookDeliveries.messageId))
      .where(
        and(
          eq(webhookDeliveries.endpointId, endpointId),
          eq(webhookDeliveries.state, "pending"),
          lte(webhookDeliveries.dueAt, now),
          isUnclaimed(now),
          isNext(tx),
        ),
      )
      .orderBy(
        sql`${webhookMessages.type} <> ${TEST_EVENT}`,
        asc(webhookDeliveries.dueAt),
        asc(webhookDeliveries.number),
      )
      .limit(1)
      .for("update", { of: webhookDeliveries, skipLocked: true });
    if (!due) return null;
    const [delivery] = await tx.db
      .update(webhookDeliveries)
      .set({ claimedUntil: addMs(now, SENDING_LEASE_MS), attempts: sql`${webhookDeliveries.attempts} + 1` })
      .where(eq(webhookDeliveries.id, due.id))
      .returning();
    const [message] = await tx.db
      .select()
      .from(webhookMessages)
      .where(eq(webhookMessages.id, delivery?.messageId ?? ""));
    if (!delivery || !message) return null;
    await closeInterrupted(tx, delivery);
    const { id: messageId, body } = message;
    const signature = signMessage(secretsOf(tx, endpoint, now), { messageId, sentAt: now, body });
    const attempt = { deliveryId: delivery.id, number: delivery.attempts, url: endpoint.url, sentAt: now, signature };
    await tx.db.insert(webhookAttempts).values(attempt);
    return { delivery, message, endpoint, sentAt: now, signature };
  });

interface Answered {
  answer: PostAnswer;
  durationMs: number;
}

const send = async (ctx: Ctx<"links">, { message, endpoint, sentAt, signature }: Claimed): Promise<Answered> => {
  const startedMs = performance.now();
  const answer = await ctx.links.post(endpoint.url, {
    headers: headersOf({ messageId: message.id, sentAt, signature }, ctx.settings),
    body: message.body,
    timeoutMs: TIMEOUT_MS,
    excerptBytes: EXCERPT_BYTES,
  });
  return { answer, durationMs: Math.round(performance.now() - startedMs) };
};

const writeAnswer = async (tx: Ctx, { delivery }: Claimed, { answer, durationMs }: Answered, result: AttemptResult) => {
  const answered = answer.kind === "answered" ? { status: answer.status, excerpt: answer.excerpt } : {};
  const offline = "Our server was offline. We'll send it again.";
  const problem = "problem" in result ? result.problem : result.kind === "offline" ? offline : null;
  const isThis = and(eq(webhookAttempts.deliveryId, delivery.id), eq(webhookAttempts.number, delivery.attempts));
  await tx.db
    .update(webhookAttempts)
    .set({ answeredAt: tx.now(), durationMs, problem, ...answered })
    .where(isThis);
};

const afterFailure = (claimed: Claimed, result: AttemptResult, now: Date): Partial<Delivery> => {
  const { delivery, message } = claimed;
  if (result.kind === "offline") return { dueAt: addMs(now, OFFLINE_PAUSE_MS), claimedUntil: null };
  const failures = delivery.failures + 1;
  const share = shareOf(`${delivery.id}:${delivery.attempts}`);
  const pauseMs = result.kind === "gone" ? null : pauseAfter(message.type, failures, share);
  return pauseMs === null
    ? { state: "failed", failures, finishedAt: now, claimedUntil: null }
    : { failures, dueAt: addMs(now, pauseMs), claimedUntil: null };
};

/** Tests don't count. An endpoint that only fails is turned off when a message runs out of attempts. */
const recordHealth = async (tx: Ctx, claimed: Claimed, endpoint: Endpoint, isGivenUp: boolean) => {
  if (claimed.message.type === TEST_EVENT) return null;
  const now = tx.now();
  const failingSince = endpoint.failingSince ?? now;
  await tx.db.update(webhookEndpoints).set({ failingSince }).where(eq(webhookEndpoints.id, endpoint.id));
  const isSteady = failingSince <= addMs(now, -FAILING_MAX_MS);
  return isGivenUp && isSteady ? disableForFailure(tx, endpoint, "failing") : null;
};

/** A late success counts. A late failure doesn't, since another worker has sent it again. @returns the email to send */
const record = (ctx: Ctx, claimed: Claimed, answered: Answered): Promise<EmailId | null> =>
  inTransaction(ctx, async (tx) => {
    const [endpoint] = await tx.db
      .select()
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.id, claimed.endpoint.id))
      .for("no key update");
    if (!endpoint) return null;
    const { delivery } = claimed;
    const result = readAnswer(answered.answer);
    tx.log.set({ webhook_result: result.kind, webhook_ms: answered.durationMs });
    await writeAnswer(tx, claimed, answered, result);
    const now = tx.now();
    const isDelivered = result.kind === "delivered";
    // The failure of a URL that was replaced meanwhile says nothing about the new one, which gets the message at once.
    const isReplaced = endpoint.url !== claimed.endpoint.url;
    const change: Partial<Delivery> = isDelivered
      ? { state: "delivered", finishedAt: now, claimedUntil: null }
      : isReplaced
        ? { dueAt: now, claimedUntil: null }
        : afterFailure(claimed, result, now);
    const isPending = and(eq(webhookDeliveries.id, delivery.id), eq(webhookDeliveries.state, "pending"));
    const isLatest = isDelivered ? undefined : eq(webhookDeliveries.attempts, delivery.attempts);
    const { count } = await tx.db.update(webhookDeliveries).set(change).where(and(isPending, isLatest));
    if (isDelivered) {
      await tx.db.update(webhookEndpoints).set({ failingSince: null }).where(eq(webhookEndpoints.id, endpoint.id));
      return null;
    }
    // A late answer says nothing about the endpoint.
    if (count === 0 || isReplaced) return null;
    if (result.kind === "gone") return disableForFailure(tx, endpoint, "gone");
    return result.kind === "failed" ? recordHealth(tx, claimed, endpoint, change.state === "failed") : null;
  });

/** `sent`: another may be due. `wait`: one will be soon. `idle`: the sweep starts the next run. */
type SendMove = { kind: "sent" | "idle" } | { kind: "wait"; afterMs: number };

const findWait = async (ctx: Ctx, endpointId: string): Promise<SendMove> => {
  const now = await databaseTime(ctx);
  const isWaiting = and(
    sql`exists (select 1 from ${webhookEndpoints} where id = ${endpointId} and disabled_at is null)`,
    eq(webhookDeliveries.endpointId, endpointId),
    eq(webhookDeliveries.state, "pending"),
    isUnclaimed(now),
    isNext(ctx),
  );
  const [row] = await ctx.db
    .select({ dueAt: min(webhookDeliveries.dueAt) })
    .from(webhookDeliveries)
    .where(isWaiting);
  const afterMs = row?.dueAt ? msUntil(row.dueAt, now) : null;
  return afterMs !== null && afterMs <= WAIT_IN_RUN_MAX_MS ? { kind: "wait", afterMs } : { kind: "idle" };
};

/**
 * Sends the next due message of an endpoint. A crash after sending repeats it with the same id, so it arrives at least
 * once. Messages of a subject are sent in order.
 */
export const sendNext = async (ctx: Ctx<"links" | "jobs">, { endpointId }: EndpointDue): Promise<SendMove> => {
  const claimed = await claimNext(ctx, endpointId);
  if (!claimed) return findWait(ctx, endpointId);
  const emailId = await record(ctx, claimed, await send(ctx, claimed));
  if (emailId) await requestDelivery(ctx, [emailId]);
  return { kind: "sent" };
};

const toEvents = (endpointIds: readonly string[], at: string) =>
  endpointIds.map((endpointId) => ({
    name: "webhooks/endpoint.due" as const,
    id: `webhook:${endpointId}:${at}`,
    data: { endpointId },
  }));

/** After the commit. Failures are only logged, because the sweep repeats them. */
export const requestDeliveries = async (ctx: Ctx<"jobs">, endpointIds: readonly string[]): Promise<void> => {
  try {
    if (endpointIds.length > 0) await ctx.jobs.send(toEvents(endpointIds, ctx.newId("request")));
  } catch (error) {
    ctx.log.set({ engine_problem: messageOf(error) });
  }
};

const pendingStatement = preparedOnce((db) =>
  db
    .selectDistinct({ endpointId: webhookDeliveries.endpointId })
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.subject, sql.placeholder("subject")), eq(webhookDeliveries.state, sql`'pending'`)))
    .prepare("pending_deliveries"),
);

/** For the end of a run, so that its events don't wait for the sweep. */
export const requestDeliveriesOf = async (ctx: Ctx<"jobs">, subject: string): Promise<void> => {
  const rows = await pendingStatement(ctx.db).execute({ subject });
  await requestDeliveries(
    ctx,
    rows.map(({ endpointId }) => endpointId),
  );
};

/** Starts a run for each endpoint with due messages that none is sending. @throws when the engine rejects the events */
export const sweepWebhooks = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const now = await databaseTime(ctx);
  const sending = alias(webhookDeliveries, "sending");
  const isSending = ctx.db
    .select({ one: sql`1` })
    .from(sending)
    .where(
      and(
        eq(sending.endpointId, webhookDeliveries.endpointId),
        eq(sending.state, "pending"),
        sql`${sending.claimedUntil} > ${now.toISOString()}::timestamptz`,
      ),
    );
  const rows = await ctx.db
    .select({ endpointId: webhookDeliveries.endpointId })
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.state, "pending"),
        lte(webhookDeliveries.dueAt, now),
        isNext(ctx),
        sql`not exists (${isSending})`,
      ),
    )
    .groupBy(webhookDeliveries.endpointId)
    .orderBy(asc(min(webhookDeliveries.dueAt)))
    .limit(SWEEP_BATCH);
  await ctx.jobs.send(
    toEvents(
      rows.map(({ endpointId }) => endpointId),
      String(now.getTime()),
    ),
  );
  ctx.log.set({ webhooks_swept: rows.length });
  return { sent: rows.length };
};
