import { setTimeout as delay } from "node:timers/promises";
import type { ActiveFault } from "../../kit/faults.ts";
import type { Paddle } from "../context.ts";
import { toNotification } from "../edit.ts";
import { newId } from "../new-id.ts";
import type { Attempt, Notification, PaddleEvent } from "../records.ts";
import { isoMicros } from "../time.ts";
import { planDelivery } from "./plan-delivery.ts";

const LONGEST_RETRY_MS = 3_600_000;

/** What is still to be sent, oldest first. */
export function* unsent({ store }: Paddle): Generator<Notification> {
  for (const id of store.state.unsent) {
    const notification = store.state.notifications.get(id);
    if (notification !== undefined) yield notification;
  }
}

/** Sends one notification as the next fault says. `reversed` sends nothing: the next one goes first. */
export async function deliver(
  paddle: Paddle,
  notification: Notification,
  canWait: boolean,
  closing: AbortSignal,
): Promise<"sent" | "waits"> {
  const event = paddle.store.state.events.get(notification.eventId);
  if (event === undefined) {
    keep(paddle, { ...notification, status: "failed", nextAttemptAt: null });
    return "sent";
  }
  const fault = paddle.faults.take(`WEBHOOK /${event.event_type}`, labelsOf(event), isForWebhooks);
  if (fault?.delayMs !== undefined) await wait(fault.delayMs, closing);
  if (fault?.play === "reversed" && canWait && hasNext(paddle, notification)) return "waits";
  await attempt(paddle, notification, event, fault, closing);
  return "sent";
}

/** A stand-in that closes waits no longer. */
async function wait(ms: number, closing: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal: closing });
  } catch (error) {
    if (!closing.aborted) throw error;
  }
}

function hasNext(paddle: Paddle, { id }: Notification): boolean {
  for (const other of unsent(paddle)) if (other.id !== id && other.attempts.length === 0) return true;
  return false;
}

async function attempt(
  paddle: Paddle,
  notification: Notification,
  event: PaddleEvent,
  fault: ActiveFault | undefined,
  closing: AbortSignal,
): Promise<void> {
  const part = fault?.cut || fault?.hang ? "lost" : fault?.play;
  if (part === "unknown-type") {
    const stranger = { ...event, event_id: newId("evt", paddle.clock.now()) };
    await post(paddle, stranger, notification.id, part, closing);
  }
  const sent = await post(paddle, event, notification.id, part === "unknown-type" ? undefined : part, closing);
  if (closing.aborted) return;
  record(paddle, event, sent, fault);
  settle(paddle, notification, sent);
  if (part === "duplicate") await post(paddle, event, notification.id, undefined, closing);
  if (part === "replayed") keep(paddle, toNotification(event, "replay", paddle.clock.now()));
}

/** Deliveries stand in the log beside the calls that came in, as `WEBHOOK /event.type`. */
function record({ log }: Paddle, event: PaddleEvent, sent: Attempt, fault: ActiveFault | undefined): void {
  const name = fault?.scenario ?? fault?.play;
  log.record({
    at: sent.at,
    method: "WEBHOOK",
    path: `/${event.event_type}`,
    status: sent.status,
    note: sent.problem ?? "",
    tookMs: sent.tookMs,
    cut: sent.status === 0,
    labels: labelsOf(event),
    ...(name === undefined ? {} : { fault: name }),
  });
}

/** Sends, and says how it went. */
async function post(
  paddle: Paddle,
  event: PaddleEvent,
  notificationId: string,
  part: string | undefined,
  closing: AbortSignal,
): Promise<Attempt> {
  const { clock, settings, webhook } = paddle;
  const at = clock.now();
  const startedMs = performance.now();
  const took = () => Math.round(performance.now() - startedMs);
  if (part === "lost") return { at: isoMicros(at), status: 0, tookMs: 0, problem: "the delivery was lost" };
  const { body, signature } = planDelivery(event, notificationId, webhook, at, part);
  try {
    const response = await fetch(webhook.url, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "user-agent": "Paddle",
        ...(signature === undefined ? {} : { "paddle-signature": signature }),
      },
      redirect: "manual",
      signal: AbortSignal.any([closing, AbortSignal.timeout(settings.webhookTimeoutMs)]),
    });
    await response.arrayBuffer();
    const problem = part === "answer-lost" ? "the answer was lost" : response.ok ? null : "not answered with 2xx";
    return { at: isoMicros(at), status: response.status, tookMs: took(), problem };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { at: isoMicros(at), status: 0, tookMs: took(), problem: String(cause) };
  }
}

/** After a reset there is nothing to settle. */
function settle(paddle: Paddle, notification: Notification, sent: Attempt): void {
  if (!paddle.store.state.notifications.has(notification.id)) return;
  const attempts = [...notification.attempts, sent];
  keep(paddle, { ...notification, attempts, ...standingAfter(paddle, attempts.length - 1, sent) });
}

function standingAfter(
  { settings, clock }: Paddle,
  retries: number,
  { problem }: Attempt,
): Pick<Notification, "status" | "nextAttemptAt"> {
  if (problem === null) return { status: "delivered", nextAttemptAt: null };
  if (retries >= settings.webhookRetries) return { status: "failed", nextAttemptAt: null };
  const waitMs = Math.min(settings.webhookRetryMs * 2 ** retries, LONGEST_RETRY_MS);
  return { status: "needs_retry", nextAttemptAt: isoMicros(new Date(clock.now().getTime() + waitMs)) };
}

function keep({ store }: Paddle, notification: Notification): void {
  store.commit({ put: { notifications: [notification] } });
}

/** A fault of any call is about calls that come in. */
function isForWebhooks({ match }: ActiveFault): boolean {
  return match.startsWith("WEBHOOK ");
}

/** Webhook faults can be aimed with `where: {event, entity, customer}`. */
function labelsOf({ event_type, data }: PaddleEvent): Record<string, string> {
  const { id, customer_id } = Object(data);
  const entries = Object.entries({ event: event_type, entity: id, customer: customer_id });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
