import "server-only";
import { jobContext, listenToDatabase } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { RECONNECT_MS, WAITING_BYTES_MAX } from "#lib/features/realtime/constants.ts";
import { findStart, type Start } from "#lib/features/realtime/events.ts";
import { type EventsInput, type LiveNews, positionInput } from "#lib/features/realtime/schema.ts";
import { createLiveHub, type LiveHub } from "./event-hub.ts";
import { toInvalid } from "./pipeline.ts";
import { onShutdown } from "./shutdown.ts";

/** Why a stream ended. Whatever it is, the browser may connect again and goes on where it was. */
export type StreamEnd = "left" | "login_ended" | "slow" | "read_failed" | "shutdown";

/** One open answer to `GET /api/users/events/`. */
export interface LiveStream {
  readonly userId: UserId;
  readonly loginId: LoginId;
  /** The last event that was sent: the next one has a greater id. */
  position: number;
  send(news: LiveNews): void;
  end(reason: StreamEnd): void;
}

const encode = ({ id, kind, data }: LiveNews): string => `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;

interface Opening {
  userId: UserId;
  loginId: LoginId;
  start: Start;
  onEnd(stream: LiveStream): void;
}

/**
 * Opens a stream of server-sent events. Its first event says where it begins. What waits for a slow reader is bounded:
 * one that lets more lie than {@link WAITING_BYTES_MAX} is cut off.
 */
export const openLiveStream = (opening: Opening): { stream: LiveStream; body: ReadableStream<Uint8Array> } => {
  const { userId, loginId, start } = opening;
  const openedAt = new Date();
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let events = 0;

  const finish = (reason: StreamEnd): void => {
    if (!controller) return;
    controller = undefined;
    opening.onEnd(stream);
    const event = createWideEvent({ at: openedAt.toISOString(), live: "ended", user_id: userId, login_id: loginId });
    event.set({ stream_end: reason, stream_events: events, ms: Date.now() - openedAt.getTime() });
    writeEvent(event);
  };

  const stream: LiveStream = {
    userId,
    loginId,
    position: start.position,
    send: (news) => {
      if (!controller) return;
      if ((controller.desiredSize ?? 0) <= 0) return stream.end("slow");
      controller.enqueue(encoder.encode(encode(news)));
      events += 1;
      stream.position = news.id;
    },
    end: (reason) => {
      const closing = controller;
      finish(reason);
      closing?.close();
    },
  };

  const body = new ReadableStream<Uint8Array>(
    {
      start: (opened) => {
        controller = opened;
        opened.enqueue(encoder.encode(`retry: ${RECONNECT_MS}\n\n`));
        stream.send({ id: start.position, kind: start.hasMissed ? "reset" : "alive", data: {} });
      },
      cancel: () => finish("left"),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES_MAX }),
  );
  return { stream, body };
};

/** The name that the triggers notify under (db/migrations). */
const CHANNEL = "live";

// Next bundles a module once per layer: a place of the whole process keeps it to one hub and one connection.
const PLACE = Symbol.for("app.live-hub");
const everyLayer = globalThis as { [PLACE]?: LiveHub };

const openHub = (): LiveHub => {
  const opened = createLiveHub({
    listen: (onPayload) => listenToDatabase(CHANNEL, onPayload),
    context: () => jobContext("live"),
  });
  // Stopping must not wait for readers who never leave.
  onShutdown(() => opened.close());
  return opened;
};

const hub = (): LiveHub => {
  everyLayer[PLACE] ??= openHub();
  return everyLayer[PLACE];
};

/** How many streams this process holds open, for the metrics. */
export const countLiveStreams = (): number => everyLayer[PLACE]?.size() ?? 0;

/** No cache keeps it, no proxy gathers or squeezes it, and the connection is of no more use after it. */
const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  connection: "close",
};

const positionIn = (request: Request): number | null => {
  const parsed = positionInput.safeParse(request.headers.get("last-event-id") ?? "");
  if (!parsed.success) throw toInvalid(parsed.error);
  return parsed.data;
};

/**
 * The stream of the actor's events, from where the browser left off: `Last-Event-ID`, which it sends by itself when it
 * connects again, before `after`.
 * @throws AppError `invalid` for a position that is no number; `too_many` beyond ten streams.
 */
export const answerLive = async (input: EventsInput, ctx: FullCtx, request: Request): Promise<Response> => {
  if (ctx.actor.kind !== "user") throw new AppError("unauthenticated");
  const { userId, loginId } = ctx.actor;
  const after = positionIn(request) ?? input.after;
  if (request.method === "HEAD") return new Response(null, { headers: HEADERS });
  const giveBack = hub().takeSeat(userId);
  try {
    const start = await findStart(ctx, { userId, after });
    const onEnd = (ended: typeof stream) => {
      giveBack();
      hub().leave(ended);
    };
    const { stream, body } = openLiveStream({ userId, loginId, start, onEnd });
    hub().join(stream);
    request.signal.addEventListener("abort", () => stream.end("left"), { once: true });
    if (request.signal.aborted) stream.end("left");
    return new Response(body, { headers: HEADERS });
  } catch (error) {
    giveBack();
    throw error;
  }
};
