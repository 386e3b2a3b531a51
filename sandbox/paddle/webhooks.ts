import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { ActiveFault } from "../kit/faults.ts";
import { newId } from "./model.ts";
import type { Attempt, Notification, PaddleEvent } from "./records.ts";
import type { Paddle, WebhookTarget } from "./respond.ts";
import { toNotification } from "./state.ts";
import { isoMicros } from "./time.ts";

/** `ts=…;h1=…[;h1=…]`, one `h1` for each secret, in their order. */
function signatureHeader(body: string, secrets: readonly string[], at: Date): string {
  const ts = Math.floor(at.getTime() / 1000);
  const parts = secrets.map((secret) => `h1=${createHmac("sha256", secret).update(`${ts}:${body}`).digest("hex")}`);
  return [`ts=${ts}`, ...parts].join(";");
}

/** A request to the receiver. */
interface Delivery {
  body: string;
  /** Absent when the header is to be missing. */
  signature: string | undefined;
}

/** What a webhook fault may ask the sender to play. */
export type Part =
  | "duplicate"
  | "replayed"
  | "reversed"
  | "stale"
  | "future"
  | "altered"
  | "two-signatures-first"
  | "two-signatures-last"
  | "unsigned"
  | "wrong-secret"
  | "old-secret"
  | "unknown-type"
  | "answer-lost"
  | "lost";

const MINUTE_MS = 60_000;
const SHIFT_MINUTES = 10;
const WRONG_SECRET = "pdl_ntfset_wrong";

/** How one notification is sent, with a fault or without. */
function planDelivery(
  event: PaddleEvent,
  notificationId: string,
  { secret, previousSecret }: WebhookTarget,
  at: Date,
  part: string | undefined,
): Delivery {
  const { event_id, event_type, occurred_at, data } = event;
  const shown = part === "unknown-type" ? "report.foretold" : event_type;
  const body = JSON.stringify({
    event_id,
    event_type: shown,
    occurred_at,
    notification_id: notificationId,
    data,
  });
  const sign = (secrets: string[], minutes = 0) =>
    signatureHeader(body, secrets, new Date(at.getTime() + minutes * MINUTE_MS));
  switch (part) {
    case "stale":
      return { body, signature: sign([secret], -SHIFT_MINUTES) };
    case "future":
      return { body, signature: sign([secret], SHIFT_MINUTES) };
    case "altered":
      return { body: altered(body), signature: sign([secret]) };
    case "two-signatures-first":
      return { body, signature: sign([secret, WRONG_SECRET]) };
    case "two-signatures-last":
      return { body, signature: sign([WRONG_SECRET, secret]) };
    case "unsigned":
      return { body, signature: undefined };
    case "wrong-secret":
      return { body, signature: sign([WRONG_SECRET]) };
    case "old-secret":
      return { body, signature: sign([previousSecret]) };
    default:
      return { body, signature: sign([secret]) };
  }
}

/** The same event about another one: what is signed is no longer what arrives. */
function altered(body: string): string {
  const changed = body
    .replace(/"(amount|total|grand_total)":"\d+"/g, '"$1":"1"')
    .replace(/"status":"\w+"/, '"status":"completed"');
  return changed === body ? `${body} ` : changed;
}

/** How what was held back is sent. */
export type Order = "forward" | "reverse" | "shuffle";

/** Puts a list in this order; the same seed shuffles in the same way. */
export function inOrder<T>(list: readonly T[], order: Order, seed: number): T[] {
  if (order === "reverse") return list.toReversed();
  if (order === "forward") return [...list];
  const next = generator(seed);
  const shuffled = [...list];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(next() * (last + 1));
    const [left, right] = [shuffled[last], shuffled[other]];
    if (left !== undefined && right !== undefined) [shuffled[last], shuffled[other]] = [right, left];
  }
  return shuffled;
}

/** Mulberry32: numbers from 0 up to 1. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const LONGEST_RETRY_MS = 3_600_000;

/** What is still to be sent, oldest first. */
function* unsent({ store }: Paddle): Generator<Notification> {
  for (const id of store.state.unsent) {
    const notification = store.state.notifications.get(id);
    if (notification !== undefined) yield notification;
  }
}

/** Sends one notification as the next fault says. `reversed` sends nothing: the next one goes first. */
async function deliver(
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

/** Sends what waits, one after the other, and tries again what was not answered with a 2xx. */
export interface Sender {
  /** Looks for what is due; called after each change. */
  wake(): void;
  /** Sends what waits in this order, then what comes. */
  reorder(order: (waiting: Notification[]) => Notification[]): void;
  /** Ends when nothing is being sent and nothing is due. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const LONGEST_SLEEP_MS = 60_000;

/** A sender that works as long as it is not closed; its moments are those of the stand-in's clock. */
export function createSender(paddle: Paddle): Sender {
  const closing = new AbortController();
  const queue = createQueue(paddle);
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  const rests = () => paddle.settings.holdWebhooks || closing.signal.aborted;
  const work = async () => {
    let waiting: Notification | undefined;
    let late: Notification | undefined;
    for (let next = queue.take(); next !== undefined && !rests(); next = queue.take(waiting) ?? waiting) {
      const canWait = waiting === undefined && next.id !== late?.id;
      if ((await deliver(paddle, next, canWait, closing.signal)) === "waits") waiting = next;
      else if (waiting !== undefined) {
        // It was waiting for the one that has just been sent: now it goes before all others.
        queue.putBack(waiting);
        [late, waiting] = [waiting, undefined];
      }
    }
    working = undefined;
    sleep();
  };
  /** Until the next retry. The clock may be moved meanwhile, so it is never long. */
  const sleep = () => {
    const waitMs = queue.msToNext();
    if (waitMs === undefined || rests()) return;
    timer = setTimeout(wake, Math.min(waitMs, LONGEST_SLEEP_MS)).unref();
  };
  const wake = () => {
    clearTimeout(timer);
    if (!rests()) working ??= Promise.resolve().then(work);
  };
  return {
    wake,
    reorder(order) {
      queue.putFirst(order([...unsent(paddle)]));
      wake();
    },
    async settled() {
      wake();
      while (working !== undefined) await working;
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      await working;
    },
  };
}

/** What waits, in the order in which it is sent. */
function createQueue(paddle: Paddle) {
  /** Ids in the order in which they were released, the first one last; they go before all others. */
  let released: string[] = [];
  const dueMs = ({ nextAttemptAt }: Notification) => Date.parse(nextAttemptAt ?? "");
  const takeReleased = (except: Notification | undefined): Notification | undefined => {
    const { notifications, unsent: waiting } = paddle.store.state;
    for (let id = released.pop(); id !== undefined; id = released.pop()) {
      if (waiting.has(id) && id !== except?.id) return notifications.get(id);
    }
    return undefined;
  };
  const firstDue = (except: Notification | undefined): Notification | undefined => {
    const nowMs = paddle.clock.now().getTime();
    for (const one of unsent(paddle)) if (one.id !== except?.id && dueMs(one) <= nowMs) return one;
    return undefined;
  };
  return {
    putFirst(notifications: Notification[]) {
      released = notifications.map(({ id }) => id).toReversed();
    },
    /** The next one, but for one that waits. */
    take: (except?: Notification) => takeReleased(except) ?? firstDue(except),
    putBack({ id }: Notification) {
      released.push(id);
    },
    msToNext(): number | undefined {
      let firstMs = Number.POSITIVE_INFINITY;
      for (const one of unsent(paddle)) firstMs = Math.min(firstMs, dueMs(one));
      return Number.isFinite(firstMs) ? Math.max(1, firstMs - paddle.clock.now().getTime()) : undefined;
    },
  };
}
