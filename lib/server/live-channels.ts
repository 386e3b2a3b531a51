import "server-only";
import type { FullCtx } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { findStart, readNews } from "#lib/features/realtime/events.ts";
import type { LiveNews } from "#lib/features/realtime/schema.ts";
import type { LiveStream } from "./live-stream.ts";

/** The open streams of one user. */
interface Channel {
  streams: Set<LiveStream>;
  isReading: boolean;
  /** Something happened since the last reading began. */
  isStale: boolean;
}

/** All open streams, by user; what is new is read once for all streams of a user. */
export interface LiveChannels {
  add(stream: LiveStream): void;
  remove(stream: LiveStream): void;
  has(userId: string): userId is UserId;
  /** Reads and sends what is new for a user; asked again while it reads, it reads once more. */
  wake(userId: UserId): Promise<void>;
  users(): UserId[];
  streams(): LiveStream[];
}

/** Tells the log what went wrong with the streams, none of which belongs to a request any more. */
export const reportLive = (live: "connection_lost" | "read_failed" | "logins_unread", problem: string): void =>
  writeEvent(createWideEvent({ at: new Date().toISOString(), live, problem }));

const sendTo = (streams: readonly LiveStream[], news: LiveNews): void => {
  for (const stream of streams) if (stream.position < news.id) stream.send(news);
};

/** Reads once what is new for all streams of a user, from where the last of them stands. */
const deliver = async (ctx: FullCtx, userId: UserId, open: ReadonlySet<LiveStream>): Promise<void> => {
  // Whoever joins while this reads may stand before it, and has a reading of his own.
  const streams = [...open];
  const after = Math.min(...streams.map(({ position }) => position));
  const read = await readNews(ctx, { userId, after });
  if (read.kind === "news") {
    for (const news of read.news) sendTo(streams, news);
    // What has nothing to tell any more is not read again; the next sign of life says where that is.
    for (const stream of streams) stream.position = Math.max(stream.position, read.through);
    return;
  }
  const { position } = await findStart(ctx, { userId, after: null });
  sendTo(streams, { id: position, kind: "reset", data: {} });
};

const readOn = async (context: () => FullCtx, userId: UserId, channel: Channel): Promise<void> => {
  channel.isStale = true;
  if (channel.isReading) return;
  channel.isReading = true;
  try {
    while (channel.isStale && channel.streams.size > 0) {
      channel.isStale = false;
      await deliver(context(), userId, channel.streams);
    }
  } catch (error) {
    // Whoever connects again reads what is missing; a stream left open would not know that it is.
    reportLive("read_failed", messageOf(error));
    for (const stream of [...channel.streams]) stream.end("read_failed");
  } finally {
    channel.isReading = false;
  }
};

/** No streams yet. `context` is what they are read with. */
export const createLiveChannels = (context: () => FullCtx): LiveChannels => {
  const channels = new Map<string, Channel>();
  const has = (userId: string): userId is UserId => channels.has(userId);
  return {
    has,
    add: (stream) => {
      const channel = channels.get(stream.userId) ?? { streams: new Set(), isReading: false, isStale: false };
      channels.set(stream.userId, channel);
      channel.streams.add(stream);
    },
    remove: (stream) => {
      const channel = channels.get(stream.userId);
      channel?.streams.delete(stream);
      if (channel?.streams.size === 0) channels.delete(stream.userId);
    },
    wake: async (userId) => {
      const channel = channels.get(userId);
      if (channel) await readOn(context, userId, channel);
    },
    users: () => [...channels.keys()].filter(has),
    streams: () => [...channels.values()].flatMap(({ streams }) => [...streams]),
  };
};
