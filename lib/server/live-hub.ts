import "server-only";
import type { Listener } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { findLivingLogins } from "#lib/features/identity/queries.ts";
import { ALIVE_MS, STREAMS_MAX, TEXTS } from "#lib/features/live/constants.ts";
import { findStart } from "#lib/features/live/find-start.ts";
import { readNews } from "#lib/features/live/read-news.ts";
import { keepListening } from "./live-listen.ts";
import type { LiveStream } from "./live-stream.ts";

/** What a hub needs: a connection that listens, and a context to read with. */
interface Surroundings {
  listen(onPayload: (payload: string) => void): Promise<Listener>;
  context(): FullCtx;
}

/** The open streams of this process, fed by one connection that listens. */
export interface LiveHub {
  /** Keeps a place for one more stream of a user. @throws AppError `too_many` @returns how to give it back. */
  takeSeat(userId: UserId): () => void;
  join(stream: LiveStream): void;
  leave(stream: LiveStream): void;
  /** What happens every {@link ALIVE_MS}: ended logins lose their streams, the others get a sign of life. */
  tick(): Promise<void>;
  /** Ends every stream at once; later ones end as they join. */
  close(): Promise<void>;
}

/** The streams of one user. */
interface Channel {
  streams: Set<LiveStream>;
  isReading: boolean;
  /** Something happened since the last reading began. */
  isStale: boolean;
}

const report = (live: "read_failed" | "logins_unread", error: unknown): void =>
  writeEvent(createWideEvent({ at: new Date().toISOString(), live, problem: messageOf(error) }));

/** Reads once what is new for all streams of a user, from where the last of them stands. */
const deliver = async (ctx: FullCtx, userId: UserId, streams: ReadonlySet<LiveStream>): Promise<void> => {
  const after = Math.min(...[...streams].map(({ position }) => position));
  const read = await readNews(ctx, { userId, after });
  if (read.kind === "news") {
    for (const news of read.news) {
      for (const stream of streams) if (stream.position < news.id) stream.send(news);
    }
    return;
  }
  const { position } = await findStart(ctx, { userId, after: null });
  for (const stream of streams) stream.send({ id: position, kind: "reset", data: {} });
};

const createSeats = (): LiveHub["takeSeat"] => {
  const taken = new Map<UserId, number>();
  return (userId) => {
    const before = taken.get(userId) ?? 0;
    if (before >= STREAMS_MAX) throw new AppError("too_many", { text: TEXTS.tooManyStreams, retryAfterSeconds: 10 });
    taken.set(userId, before + 1);
    let isMine = true;
    return () => {
      if (!isMine) return;
      isMine = false;
      const left = (taken.get(userId) ?? 1) - 1;
      if (left === 0) taken.delete(userId);
      else taken.set(userId, left);
    };
  };
};

/** Makes a hub. It begins to listen with its first stream. */
export const createLiveHub = ({ listen, context }: Surroundings): LiveHub => {
  const channels = new Map<UserId, Channel>();
  let ear: { close(): Promise<void> } | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let isClosed = false;
  const allStreams = (): LiveStream[] => [...channels.values()].flatMap(({ streams }) => [...streams]);

  const wake = async (userId: UserId): Promise<void> => {
    const channel = channels.get(userId);
    if (!channel) return;
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
      report("read_failed", error);
      for (const stream of [...channel.streams]) stream.end("read_failed");
    } finally {
      channel.isReading = false;
    }
  };

  const endLogin = (loginId: string): void => {
    for (const stream of allStreams()) if (stream.loginId === loginId) stream.end("login_ended");
  };

  const tick = async (): Promise<void> => {
    const streams = allStreams();
    try {
      const living = await findLivingLogins(context(), [...new Set(streams.map(({ loginId }) => loginId))]);
      for (const stream of streams) if (!living.has(stream.loginId)) stream.end("login_ended");
    } catch (error) {
      report("logins_unread", error);
    }
    for (const stream of allStreams()) stream.send({ id: stream.position, kind: "alive", data: {} });
  };

  const start = (): void => {
    timer ??= setInterval(() => void tick(), ALIVE_MS).unref();
    ear ??= keepListening({
      open: listen,
      // The triggers notify a user's id, or that of a login that was ended.
      onPayload: (id) => (channels.has(id as UserId) ? void wake(id as UserId) : endLogin(id)),
      onOpen: () => {
        for (const userId of channels.keys()) void wake(userId);
      },
    });
  };

  return {
    takeSeat: createSeats(),
    join: (stream) => {
      if (isClosed) return stream.end("shutdown");
      start();
      const channel = channels.get(stream.userId) ?? { streams: new Set(), isReading: false, isStale: false };
      channels.set(stream.userId, channel);
      channel.streams.add(stream);
      void wake(stream.userId);
    },
    leave: (stream) => {
      const channel = channels.get(stream.userId);
      channel?.streams.delete(stream);
      if (channel?.streams.size === 0) channels.delete(stream.userId);
    },
    tick,
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      for (const stream of allStreams()) stream.end("shutdown");
      await ear?.close();
    },
  };
};
