import "server-only";
import type { Listener } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import { isId, type UserId } from "#lib/core/ids.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { findLivingLogins } from "#lib/features/identity/queries.ts";
import { ALIVE_MS, STREAMS_MAX, TEXTS } from "#lib/features/realtime/constants.ts";
import { findStart, readNews } from "#lib/features/realtime/events.ts";
import type { LiveNews } from "#lib/features/realtime/schema.ts";
import type { LiveStream } from "./event-response.ts";

/** The open streams of one user. */
interface Channel {
  streams: Set<LiveStream>;
  isReading: boolean;
  /** Something happened since the last reading began. */
  isStale: boolean;
}

/** All open streams, by user; what is new is read once for all streams of a user. */
interface LiveChannels {
  add(stream: LiveStream): void;
  remove(stream: LiveStream): void;
  has(userId: string): userId is UserId;
  /** Reads and sends what is new for a user; asked again while it reads, it reads once more. */
  wake(userId: UserId): Promise<void>;
  users(): UserId[];
  streams(): LiveStream[];
}

/** Tells the log what went wrong with the streams, none of which belongs to a request any more. */
const reportLive = (live: "connection_lost" | "read_failed" | "logins_unread", problem: string): void =>
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
const createLiveChannels = (context: () => FullCtx): LiveChannels => {
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

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10 * SECOND_MS;
const CHECK_MS = 15 * SECOND_MS;

interface Listening {
  open(onPayload: (payload: string) => void): Promise<Listener>;
  onPayload(payload: string): void;
  /** Listening has begun, for the first time or again: whatever was notified before may have been missed. */
  onOpen(): void;
}

/** A wait that ends early, at once when it is over before it began. */
const pauseUntil = (ms: number, stopped: Promise<unknown>): Promise<unknown> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([pause, stopped]).finally(() => clearTimeout(timer));
};

/** 0.1 s, doubling to 10 s, each up to half as long again: processes that lost one server do not come back together. */
const pauseMs = (failures: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (1 + Math.random() / 2);

/** Waits until a connection is lost or no longer wanted, asking it now and then. @throws when it does not answer. */
const watch = async (listener: Listener, stopped: Promise<void>): Promise<void> => {
  let isOver = false;
  const over = Promise.race([listener.ended, stopped]).then(() => {
    isOver = true;
  });
  while (!isOver) {
    await pauseUntil(CHECK_MS, over);
    if (!isOver) await listener.check();
  }
};

/** Keeps one connection listening, for as long as the process lives; a lost one is replaced after growing pauses. */
export const keepListening = (listening: Listening): { close(): Promise<void> } => {
  let isClosed = false;
  let failures = 0;
  let stop: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });

  /** @returns why it ended. */
  const listenOnce = async (): Promise<string> => {
    let listener: Listener | undefined;
    try {
      listener = await listening.open(listening.onPayload);
      failures = 0;
      listening.onOpen();
      await watch(listener, stopped);
      return "The connection was lost.";
    } catch (error) {
      return messageOf(error);
    } finally {
      await listener?.close();
    }
  };

  const run = async (): Promise<void> => {
    while (!isClosed) {
      const problem = await listenOnce();
      if (isClosed) return;
      reportLive("connection_lost", problem);
      await pauseUntil(pauseMs(failures), stopped);
      failures += 1;
    }
  };

  const running = run();
  return {
    close: async () => {
      isClosed = true;
      stop();
      await running;
    },
  };
};

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
  /** How many streams are open. */
  size(): number;
  /** What happens every {@link ALIVE_MS}: ended logins lose their streams, the others get a sign of life. */
  tick(): Promise<void>;
  /** Ends every stream at once; later ones end as they join. */
  close(): Promise<void>;
}

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

const createTick = (channels: LiveChannels, context: () => FullCtx): LiveHub["tick"] => {
  const endDeadLogins = async (): Promise<void> => {
    const loginIds = new Set(channels.streams().map(({ loginId }) => loginId));
    const living = await findLivingLogins(context(), [...loginIds]);
    for (const stream of channels.streams()) {
      if (loginIds.has(stream.loginId) && !living.has(stream.loginId)) stream.end("login_ended");
    }
  };
  return async () => {
    try {
      await endDeadLogins();
    } catch (error) {
      reportLive("logins_unread", messageOf(error));
    }
    for (const stream of channels.streams()) stream.send({ id: stream.position, kind: "alive", data: {} });
  };
};

/** Makes a hub. It begins to listen with its first stream. */
export const createLiveHub = ({ listen, context }: Surroundings): LiveHub => {
  const channels = createLiveChannels(context);
  const tick = createTick(channels, context);
  let ear: { close(): Promise<void> } | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let isClosed = false;

  // The triggers notify a user's id, or that of a login that was ended.
  const onPayload = (id: string): void => {
    if (channels.has(id)) void channels.wake(id);
    if (!isId("login", id)) return;
    for (const stream of channels.streams()) if (stream.loginId === id) stream.end("login_ended");
  };
  const wakeAll = (): void => {
    for (const userId of channels.users()) void channels.wake(userId);
  };

  return {
    tick,
    takeSeat: createSeats(),
    join: (stream) => {
      if (isClosed) return stream.end("shutdown");
      timer ??= setInterval(() => void tick(), ALIVE_MS).unref();
      ear ??= keepListening({ open: listen, onPayload, onOpen: wakeAll });
      channels.add(stream);
      void channels.wake(stream.userId);
    },
    leave: channels.remove,
    size: () => channels.streams().length,
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      for (const stream of channels.streams()) stream.end("shutdown");
      await ear?.close();
    },
  };
};
