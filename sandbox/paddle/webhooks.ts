import { createHash, createHmac } from "node:crypto";
import type { Hono } from "hono";
import { type ActiveFault, faultName, isStopped, textsOf } from "../kit/faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { readRequest, respondPage } from "./http.ts";
import type { Attempt, Notification, PaddleEvent } from "./model.ts";
import { isoMicros, newId, newNotification, type Paddle, type WebhookTarget } from "./state.ts";

export function eventsApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/events", async (c) => {
    await readRequest(paddle, c, "/events", ["per_page", "order_by", "after"]);
    return respondPage(c, [...paddle.store.state.events.values()], ({ event_id }) => event_id);
  });
  return app;
}

const SHIFT_MS = 10 * 60_000;
const WRONG_SECRET = "pdl_ntfset_wrong";

interface Signing {
  /** One `h1` for each, in order; the header is missing if empty. */
  secrets: string[];
  shiftMs?: number;
}

/** How a delivery is signed under a fault. */
const FAULTY_SIGNING = new Map<string | undefined, (target: WebhookTarget) => Signing>([
  ["webhook-stale", ({ secret }) => ({ secrets: [secret], shiftMs: -SHIFT_MS })],
  ["webhook-future", ({ secret }) => ({ secrets: [secret], shiftMs: SHIFT_MS })],
  ["webhook-two-signatures-first", ({ secret }) => ({ secrets: [secret, WRONG_SECRET] })],
  ["webhook-two-signatures-last", ({ secret }) => ({ secrets: [WRONG_SECRET, secret] })],
  ["webhook-unsigned", () => ({ secrets: [] })],
  ["webhook-wrong-secret", () => ({ secrets: [WRONG_SECRET] })],
  ["webhook-old-secret", ({ previousSecret }) => ({ secrets: [previousSecret] })],
]);

/** The body and headers of a delivery, as changed by a fault. */
function requestOf(event: PaddleEvent, notificationId: string, target: WebhookTarget, at: Date, fault?: string) {
  const { event_id, event_type, occurred_at, data } = event;
  const body = JSON.stringify({ event_id, event_type, occurred_at, notification_id: notificationId, data });
  const { secrets, shiftMs = 0 } = FAULTY_SIGNING.get(fault)?.(target) ?? { secrets: [target.secret] };
  const ts = Math.floor((at.getTime() + shiftMs) / 1000);
  const hashes = secrets.map((secret) => createHmac("sha256", secret).update(`${ts}:${body}`).digest("hex"));
  const signature = [`ts=${ts}`, ...hashes.map((hash) => `h1=${hash}`)].join(";");
  const headers = { "content-type": "application/json", "user-agent": "Paddle" };
  return {
    body: fault === "webhook-altered" ? altered(body) : body,
    headers: hashes.length === 0 ? headers : { ...headers, "paddle-signature": signature },
  };
}

/** Changes amounts and status, so that the signature no longer matches. */
function altered(body: string): string {
  const changed = body
    .replace(/"(amount|total|grand_total)":"\d+"/g, '"$1":"1"')
    .replace(/"status":"\w+"/, '"status":"completed"');
  return changed === body ? `${body} ` : changed;
}

/** The order in which held webhooks are released. */
export const ORDERS = ["forward", "reverse", "shuffle"] as const;

function sortIds(ids: string[], order: (typeof ORDERS)[number], seed: number): string[] {
  if (order === "forward") return ids;
  if (order === "reverse") return ids.reverse();
  const rank = (index: number) => createHash("sha256").update(`${seed} ${index}`).digest("hex");
  const ranked = ids.map((id, index) => ({ id, rank: rank(index) }));
  return ranked.sort((item, other) => item.rank.localeCompare(other.rank)).map(({ id }) => id);
}

const MAX_SLEEP_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;

/** Delivers notifications one by one, by the stand-in's clock, and repeats those not answered with a 2xx. */
export class WebhookSender {
  readonly #paddle: Paddle;
  readonly #closing = new AbortController();
  /** Ids that go before all others. */
  #released: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(paddle: Paddle) {
    this.#paddle = paddle;
  }

  /** Checks for due notifications; called after each change. */
  trigger(): void {
    clearTimeout(this.#timer);
    if (!this.#isPaused()) this.#running ??= Promise.resolve().then(() => this.#run());
  }

  /** Releases all held notifications in this order. The same seed gives the same shuffle. */
  release(order: (typeof ORDERS)[number], seed: number): void {
    this.#released = sortIds([...this.#paddle.store.state.unsent], order, seed);
    this.trigger();
  }

  /** Resolves when nothing is being sent and nothing is due. */
  async whenIdle(): Promise<void> {
    this.trigger();
    while (this.#running !== undefined) await this.#running;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  #isPaused(): boolean {
    return this.#paddle.settings.values.holdWebhooks || this.#closing.signal.aborted;
  }

  async #run(): Promise<void> {
    for (let item = this.#next(); item !== undefined; item = this.#next()) await this.#deliver(item);
    this.#running = undefined;
    if (this.#isPaused()) return;
    // Wait for the next retry. The clock may be moved, so the timeout is short.
    let firstMs = Number.POSITIVE_INFINITY;
    for (const item of unsentNotifications(this.#paddle)) firstMs = Math.min(firstMs, dueMs(item));
    if (!Number.isFinite(firstMs)) return;
    const sleepMs = Math.min(Math.max(1, firstMs - this.#paddle.clock.now().getTime()), MAX_SLEEP_MS);
    this.#timer = setTimeout(() => this.trigger(), sleepMs).unref();
  }

  #next(except?: Notification): Notification | undefined {
    if (this.#isPaused()) return undefined;
    const { notifications, unsent } = this.#paddle.store.state;
    for (let id = this.#released.shift(); id !== undefined; id = this.#released.shift()) {
      if (unsent.has(id)) return notifications.get(id);
    }
    const nowMs = this.#paddle.clock.now().getTime();
    for (const item of unsentNotifications(this.#paddle))
      if (item.id !== except?.id && dueMs(item) <= nowMs) return item;
    return undefined;
  }

  /** Delivers a notification, applying the next fault. A reversed one goes after its successor. */
  async #deliver(notification: Notification, canDefer = true): Promise<void> {
    const { store, faults } = this.#paddle;
    const event = store.state.events.get(notification.eventId);
    if (event === undefined) return;
    // Faults for any incoming call are not for webhooks.
    const isForWebhooks = ({ match }: ActiveFault) => match.startsWith("WEBHOOK ");
    const fault = faults.take(`WEBHOOK /${event.event_type}`, labelsOf(event), isForWebhooks);
    await isStopped(fault?.delayMs, this.#closing.signal);
    const follower = fault?.scenario === "webhook-reversed" && canDefer ? this.#next(notification) : undefined;
    if (follower === undefined) return this.#attempt(notification, event, fault);
    await this.#deliver(follower, false);
    return this.#deliver(notification, false);
  }

  /** Delivers a notification once and records the result. */
  async #attempt(notification: Notification, event: PaddleEvent, fault: ActiveFault | undefined): Promise<void> {
    const { clock, store } = this.#paddle;
    const name = fault?.cut || fault?.hang ? "webhook-lost" : fault?.scenario;
    if (name === "webhook-unknown-type") {
      const unknown = { ...event, event_type: "report.unknown", event_id: newId("evt", clock.now()) };
      await this.#post(unknown, notification.id);
    }
    const sent = await this.#post(event, notification.id, name);
    if (this.#closing.signal.aborted) return;
    logDelivery(this.#paddle, event, sent, fault);
    const save = (item: Notification) => store.append({ put: { notifications: [item] } });
    // After a reset there is nothing to record.
    if (store.state.notifications.has(notification.id)) save(afterAttempt(this.#paddle, notification, sent));
    if (name === "webhook-duplicate") await this.#post(event, notification.id);
    if (name === "webhook-replayed") save(newNotification(event, "replay", clock.now()));
  }

  async #post(event: PaddleEvent, notificationId: string, fault?: string): Promise<Attempt> {
    const { clock, settings, webhook } = this.#paddle;
    const now = clock.now();
    const startedMs = performance.now();
    const outcome = (status: number, problem: string | null): Attempt => {
      return { at: isoMicros(now), status, tookMs: Math.round(performance.now() - startedMs), problem };
    };
    if (fault === "webhook-lost") return outcome(0, "the delivery was lost");
    try {
      const response = await fetch(webhook.url, {
        method: "POST",
        ...requestOf(event, notificationId, webhook, now, fault),
        redirect: "manual",
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(settings.values.webhookTimeoutMs)]),
      });
      await response.arrayBuffer();
      if (fault === "webhook-answer-lost") return outcome(response.status, "the response was lost");
      return outcome(response.status, response.ok ? null : "no 2xx response");
    } catch (error) {
      return outcome(0, String(error instanceof Error && error.cause instanceof Error ? error.cause : error));
    }
  }
}

function* unsentNotifications({ store }: Paddle): Generator<Notification> {
  for (const id of store.state.unsent) {
    const notification = store.state.notifications.get(id);
    if (notification !== undefined) yield notification;
  }
}

function dueMs({ nextAttemptAt }: Notification): number {
  return Date.parse(nextAttemptAt ?? "");
}

function afterAttempt({ settings, clock }: Paddle, before: Notification, sent: Attempt): Notification {
  const notification = { ...before, attempts: [...before.attempts, sent] };
  const retries = before.attempts.length;
  if (sent.problem === null) return { ...notification, status: "delivered", nextAttemptAt: null };
  if (retries >= settings.values.webhookRetries) return { ...notification, status: "failed", nextAttemptAt: null };
  const waitMs = Math.min(settings.values.webhookRetryMs * 2 ** retries, MAX_RETRY_MS);
  const nextAttemptAt = isoMicros(new Date(clock.now().getTime() + waitMs));
  return { ...notification, status: "needs_retry", nextAttemptAt };
}

/** Deliveries are logged like incoming calls, as `WEBHOOK /event.type`. */
function logDelivery({ log }: Paddle, event: PaddleEvent, sent: Attempt, fault: ActiveFault | undefined): void {
  log.record({
    at: sent.at,
    method: "WEBHOOK",
    path: `/${event.event_type}`,
    status: sent.status,
    tookMs: sent.tookMs,
    cut: sent.status === 0,
    labels: labelsOf(event),
    fault: fault && faultName(fault),
  });
}

/** Labels that faults can match: `where: {event, entity, customer}`. */
function labelsOf({ event_type, data }: PaddleEvent): Record<string, string> {
  const { id, customer_id } = Object(data);
  return textsOf({ event: event_type, entity: id, customer: customer_id });
}
