import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "#lib/context.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import { eventJobId } from "./policy.ts";
import { storeEvent } from "./store-event.ts";

/** The door waits so long for the durable engine to take an event; the sweep sends what it did not take. */
const HAND_OVER_MS = 300;

/** A webhook as it came: its very bytes, and what its header says of them. */
export interface Webhook {
  body: Uint8Array;
  signature: string | null;
}

/** An engine that does not answer at once is not waited for: the event is stored, and the sweep comes by. */
const handOver = async (ctx: Ctx<"jobs">, eventId: string): Promise<void> => {
  const event = { name: "billing/event.received" as const, id: eventJobId(eventId, 0), data: { eventId } };
  const sending = ctx.jobs.send([event]).then(() => null, messageOf);
  const slow = delay(HAND_OVER_MS, "The engine did not answer in time.", { ref: false });
  const problem = await Promise.race([sending, slow]);
  if (problem !== null) ctx.log.set({ engine_problem: problem });
};

/**
 * Takes a webhook of the payment provider in: verified, stored once by its id, and left to a durable function, so that
 * the provider has its answer in milliseconds (BRIEF §5). An event of a type that we do not know is stored as well.
 * @throws AppError `unauthenticated` for one that is not the provider's, `invalid` for one that is no event; nothing is
 * stored then
 */
export const receiveEvent = async (
  ctx: Ctx<"payments" | "jobs">,
  { body, signature }: Webhook,
): Promise<{ kind: "stored" | "known" }> => {
  // This process's clock, which may be a little off: the tolerance is for that.
  if (!ctx.payments.isGenuine({ body, signature, now: ctx.now() })) {
    throw new AppError("unauthenticated", { text: "The signature is missing or does not fit." });
  }
  const event = ctx.payments.readEvent(body);
  if (!event) throw new AppError("invalid", { text: "The body holds no event." });
  ctx.log.set({ payment_event: event.eventType, payment_event_id: event.eventId });
  if (event.unreadable) ctx.log.set({ payment_problem: event.unreadable });
  const { isNew } = await storeEvent(ctx, { event, source: "webhook" });
  if (isNew) await handOver(ctx, event.eventId);
  return { kind: isNew ? "stored" : "known" };
};
