import "server-only";
import type { Listener } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import { isId, type UserId } from "#lib/core/ids.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { findActiveLogins } from "#lib/features/identity/queries.ts";
import { HEARTBEAT_MS, STREAMS_MAX, TEXTS } from "#lib/features/realtime/constants.ts";
import { findStart, readEvents } from "#lib/features/realtime/events.ts";
import type { LiveEvent } from "#lib/features/realtime/schema.ts";
import type { LiveStream } from "./event-response.ts";

interface Channel {
  streams: Set<LiveStream>;
  isReading: boolean;
  /** New events arrived since the last read began. */
  isStale: boolean;
}

/** Events are read once for all streams of a user. */
interface LiveChannels {
  add(stream: LiveStream): void;
  remove(stream: LiveStream): void;
  has(userId: string): userId is UserId;
  /** A call during a read triggers another read. */
  wake(userId: UserId): Promise<void>;
  users(): UserId[];
  streams(): LiveStream[];
}

const reportLive = (live: "connection_lost" | "read_failed" | "login_check_failed", problem: string): void =>
  writeEvent(createWideEvent({ at: new Date().toISOString(), live, problem }));

const sendTo = (streams: readonly LiveStream[], event: LiveEvent): void => {
  for (const stream of streams) if (stream.position < event.id) stream.send(event);
};

const deliver = async (ctx: FullCtx, userId: UserId, open: ReadonlySet<LiveStream>): Promise<void> => {
  // A stream that joins during this read may have an older position and triggers its own read.
  const streams = [...open];
  const after = Math.min(...streams.map(({ position }) => position));
  const read = await readEvents(ctx, { userId, after });
  if (read.kind === "events") {
    for (const event of read.events) sendTo(streams, event);
    // Advances past events that send nothing; the next heartbeat reports the position.
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
    // Clients reconnect and catch up; an open stream would miss events silently.
    reportLive("read_failed", messageOf(error));
    for (const stream of [...channel.streams]) stream.end("read_failed");
  } finally {
    channel.isReading = false;
  }
};

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

interface ListenOptions {
  open(onPayload: (payload: string) => void): Promise<Listener>;
  onPayload(payload: string): void;
  /** Earlier notifications may have been missed. */
  onOpen(): void;
}

const pauseUntil = (ms: number, stopped: Promise<unknown>): Promise<unknown> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([pause, stopped]).finally(() => clearTimeout(timer));
};

const pauseMs = (failures: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (1 + Math.random() / 2);

/** @throws when a periodic check fails */
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

export const keepListening = (options: ListenOptions): { close(): Promise<void> } => {
  let isClosed = false;
  let failures = 0;
  let stop: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });

  const listenOnce = async (): Promise<string> => {
    let listener: Listener | undefined;
    try {
      listener = await options.open(options.onPayload);
      failures = 0;
      options.onOpen();
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

interface HubOptions {
  listen(onPayload: (payload: string) => void): Promise<Listener>;
  context(): FullCtx;
}

export interface LiveHub {
  /** @throws AppError `too_many` @returns releases it */
  reserveStream(userId: UserId): () => void;
  join(stream: LiveStream): void;
  leave(stream: LiveStream): void;
  size(): number;
  tick(): Promise<void>;
  /** Also ends streams that join later. */
  close(): Promise<void>;
}

const createStreamLimit = (): LiveHub["reserveStream"] => {
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
  const endStreamsOfEndedLogins = async (): Promise<void> => {
    const loginIds = new Set(channels.streams().map(({ loginId }) => loginId));
    const activeLogins = await findActiveLogins(context(), [...loginIds]);
    for (const stream of channels.streams()) {
      if (loginIds.has(stream.loginId) && !activeLogins.has(stream.loginId)) stream.end("login_ended");
    }
  };
  return async () => {
    try {
      await endStreamsOfEndedLogins();
    } catch (error) {
      reportLive("login_check_failed", messageOf(error));
    }
    for (const stream of channels.streams()) stream.send({ id: stream.position, kind: "alive", data: {} });
  };
};

export const createLiveHub = ({ listen, context }: HubOptions): LiveHub => {
  const channels = createLiveChannels(context);
  const tick = createTick(channels, context);
  let subscription: { close(): Promise<void> } | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let isClosed = false;

  // Payloads are the id of a user with new events, or of a login that was ended.
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
    reserveStream: createStreamLimit(),
    join: (stream) => {
      if (isClosed) return stream.end("shutdown");
      timer ??= setInterval(() => void tick(), HEARTBEAT_MS).unref();
      subscription ??= keepListening({ open: listen, onPayload, onOpen: wakeAll });
      channels.add(stream);
      void channels.wake(stream.userId);
    },
    leave: channels.remove,
    size: () => channels.streams().length,
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      for (const stream of channels.streams()) stream.end("shutdown");
      await subscription?.close();
    },
  };
};
