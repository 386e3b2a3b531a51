import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { EVENT_TYPES } from "./model.ts";
import type { Notification } from "./records.ts";
import { entityNotFound } from "./refusals.ts";
import { answer, answerPage, type Paddle, readRequest } from "./respond.ts";
import { edit, toNotification } from "./state.ts";

/** The one destination of this stand-in. */
const DESTINATION_ID = "ntfset_00000000000000000000000001";

/** `GET /events`, `/event-types`, `/notifications`, `/notifications/:id`, its logs and replay, `/notification-settings`. */
export function eventsApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/events", async (c) => {
    await readRequest(paddle, c, "/events");
    const events = [...paddle.store.state.events.values()];
    return answerPage(paddle, c, events, (event) => event, undefined, "ASC");
  });
  app.get("/event-types", async (c) => {
    await readRequest(paddle, c, "/event-types");
    return answer(
      c,
      EVENT_TYPES.map((name) => ({ name, description: name, group: groupOf(name), available_versions: [1] })),
    );
  });
  app.get("/notification-settings", async (c) => {
    await readRequest(paddle, c, "/notification-settings");
    return answerPage(paddle, c, [toWireDestination(paddle)], (destination) => destination);
  });
  app.get("/notification-settings/:id", async (c) => {
    const { path } = await readRequest(paddle, c, "/notification-settings/{notification_setting_id}");
    const id = path.notification_setting_id ?? "";
    if (id !== DESTINATION_ID) throw entityNotFound("notification setting", id);
    return answer(c, toWireDestination(paddle));
  });
  notificationRoutes(paddle, app);
  return app;
}

function notificationRoutes(paddle: Paddle, app: Hono<StandInEnv>): void {
  const one = "/notifications/{notification_id}";
  app.get("/notifications", async (c) => {
    const { query } = await readRequest(paddle, c, "/notifications");
    const wanted = query.status?.split(",");
    const all = [...paddle.store.state.notifications.values()];
    const found = all.filter(({ status }) => wanted === undefined || wanted.includes(status));
    return answerPage(paddle, c, found, (notification) => toWireNotification(paddle, notification));
  });
  app.get("/notifications/:id", async (c) => {
    const { path } = await readRequest(paddle, c, one);
    return answer(c, toWireNotification(paddle, findNotification(paddle, path.notification_id)));
  });
  app.get("/notifications/:id/logs", async (c) => {
    const { path } = await readRequest(paddle, c, `${one}/logs`);
    const { id, attempts } = findNotification(paddle, path.notification_id);
    const logs = attempts.map(({ at, status, problem }, index) => ({
      id: `ntflog_${id.slice(4, -2)}${String(index).padStart(2, "0")}`,
      response_code: status,
      response_content_type: null,
      response_body: problem ?? "",
      attempted_at: at,
    }));
    return answerPage(paddle, c, logs, (log) => log, undefined, "ASC");
  });
  app.post("/notifications/:id/replay", async (c) => {
    const { path } = await readRequest(paddle, c, `${one}/replay`);
    const replay = replayNotification(paddle, path.notification_id ?? "");
    return answer(c, { notification_id: replay.id }, 202);
  });
}

/** Sends an event again under a new notification. @throws RefusedError 404. */
export function replayNotification(paddle: Paddle, id: string): Notification {
  const { eventId } = findNotification(paddle, id);
  const event = paddle.store.state.events.get(eventId);
  if (event === undefined) throw entityNotFound("event", eventId);
  return edit(paddle, (one) => one.put("notifications", toNotification(event, "replay", one.at)));
}

/** @throws RefusedError 404. */
function findNotification({ store }: Paddle, id = ""): Notification {
  const notification = store.state.notifications.get(id);
  if (notification === undefined) throw entityNotFound("notification", id);
  return notification;
}

/** A notification as the API shows it. */
function toWireNotification({ store }: Paddle, notification: Notification) {
  const { id, eventId, status, origin, createdAt, nextAttemptAt, attempts } = notification;
  const event = store.state.events.get(eventId);
  const last = attempts.at(-1);
  return {
    id,
    type: event?.event_type ?? "",
    status,
    payload: { ...event, notification_id: id },
    occurred_at: event?.occurred_at ?? createdAt,
    delivered_at: status === "delivered" ? (last?.at ?? null) : null,
    replayed_at: null,
    origin,
    last_attempt_at: last?.at ?? null,
    retry_at: attempts.length === 0 ? null : nextAttemptAt,
    times_attempted: attempts.length,
    notification_setting_id: DESTINATION_ID,
  };
}

/** The secret is shown in full, as Paddle does to who may read its settings. */
function toWireDestination({ webhook }: Paddle) {
  return {
    id: DESTINATION_ID,
    description: "The receiver of this stand-in",
    type: "url",
    destination: webhook.url,
    active: true,
    api_version: 1,
    include_sensitive_fields: false,
    traffic_source: "all",
    subscribed_events: EVENT_TYPES.map((name) => ({
      name,
      description: name,
      group: groupOf(name),
      available_versions: [1],
    })),
    endpoint_secret_key: webhook.secret,
  };
}

function groupOf(eventType: string): string {
  const word = eventType.split(".")[0] ?? "";
  return word.charAt(0).toUpperCase() + word.slice(1);
}
