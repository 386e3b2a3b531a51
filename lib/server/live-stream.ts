import "server-only";
import type { LoginId, UserId } from "#lib/core/ids.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { RECONNECT_MS, WAITING_BYTES_MAX } from "#lib/features/realtime/constants.ts";
import type { Start } from "#lib/features/realtime/events.ts";
import type { LiveNews } from "#lib/features/realtime/schema.ts";

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
