import "server-only";
import { jobContext, listenToDatabase } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { BUFFERED_BYTES_MAX, RECONNECT_MS } from "#lib/features/realtime/constants.ts";
import { findStart, type Start } from "#lib/features/realtime/events.ts";
import { type EventsInput, type LiveEvent, positionInput } from "#lib/features/realtime/schema.ts";
import { createLiveHub, type LiveHub } from "./event-hub.ts";
import { toInvalid } from "./pipeline.ts";
import { onShutdown } from "./shutdown.ts";

/** The browser may always reconnect and resume. */
export type StreamEnd = "left" | "login_ended" | "slow" | "read_failed" | "shutdown";

export interface LiveStream {
  readonly userId: UserId;
  readonly loginId: LoginId;
  position: number;
  send(event: LiveEvent): void;
  end(reason: StreamEnd): void;
}

const encode = ({ id, kind, data }: LiveEvent): string =>
  `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;

interface Opening {
  userId: UserId;
  loginId: LoginId;
  start: Start;
  onEnd(stream: LiveStream): void;
}

/** A client with more than {@link BUFFERED_BYTES_MAX} buffered is disconnected. */
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
    send: (event) => {
      if (!controller) return;
      if ((controller.desiredSize ?? 0) <= 0) return stream.end("slow");
      controller.enqueue(encoder.encode(encode(event)));
      events += 1;
      stream.position = event.id;
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
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES_MAX }),
  );
  return { stream, body };
};

/** Of the database triggers (db/migrations). */
const CHANNEL = "live";

// Next bundles modules once per layer; a global keeps one hub per process.
const GLOBAL_KEY = Symbol.for("app.live-hub");
const globalStore = globalThis as { [GLOBAL_KEY]?: LiveHub };

const openHub = (): LiveHub => {
  const opened = createLiveHub({
    listen: (onPayload) => listenToDatabase(CHANNEL, onPayload),
    context: () => jobContext("live"),
  });
  // Open streams would delay the shutdown.
  onShutdown(() => opened.close());
  return opened;
};

const hub = (): LiveHub => {
  globalStore[GLOBAL_KEY] ??= openHub();
  return globalStore[GLOBAL_KEY];
};

export const countLiveStreams = (): number => globalStore[GLOBAL_KEY]?.size() ?? 0;

/** No caching, proxy buffering, compression or reuse of the connection. */
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

/** `Last-Event-ID` beats `after`. @throws AppError `invalid` for a malformed position; `too_many` streams */
export const openEventStream = async (input: EventsInput, ctx: FullCtx, request: Request): Promise<Response> => {
  if (ctx.actor.kind !== "user") throw new AppError("unauthenticated");
  const { userId, loginId } = ctx.actor;
  const after = positionIn(request) ?? input.after;
  if (request.method === "HEAD") return new Response(null, { headers: HEADERS });
  const release = hub().reserveStream(userId);
  try {
    const start = await findStart(ctx, { userId, after });
    const onEnd = (ended: typeof stream) => {
      release();
      hub().leave(ended);
    };
    const { stream, body } = openLiveStream({ userId, loginId, start, onEnd });
    hub().join(stream);
    request.signal.addEventListener("abort", () => stream.end("left"), { once: true });
    if (request.signal.aborted) stream.end("left");
    return new Response(body, { headers: HEADERS });
  } catch (error) {
    release();
    throw error;
  }
};
