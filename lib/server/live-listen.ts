import "server-only";
import type { Listener } from "#lib/composition.ts";
import { messageOf } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { reportLive } from "./live-channels.ts";

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
