import "server-only";
import { jobContext, listenToDatabase } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { findStart } from "#lib/features/realtime/events.ts";
import { type EventsInput, positionInput } from "#lib/features/realtime/schema.ts";
import { toInvalid } from "./door.ts";
import { createLiveHub, type LiveHub } from "./live-hub.ts";
import { openLiveStream } from "./live-stream.ts";
import { onShutdown } from "./shutdown.ts";

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
