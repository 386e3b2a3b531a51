import "server-only";
import type { Listener } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import { isId, type UserId } from "#lib/core/ids.ts";
import { findLivingLogins } from "#lib/features/identity/queries.ts";
import { ALIVE_MS, STREAMS_MAX, TEXTS } from "#lib/features/realtime/constants.ts";
import { createLiveChannels, type LiveChannels, reportLive } from "./live-channels.ts";
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
