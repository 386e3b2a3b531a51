import postgres from "postgres";

/** A connection that does nothing but listen. */
export interface Listener {
  /** Resolves when the connection is gone, however that came about. */
  ended: Promise<void>;
  /** Asks the database for a sign of life; @throws when none comes in time. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** What such a connection is called in `pg_stat_activity`. */
export const LISTENER_NAME = "live-listener";

const ANSWER_MS = 10_000;

const within = async <T>(ms: number, answer: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The database did not answer within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Opens a connection of its own that listens to a channel; what is notified after this resolves reaches `onPayload`.
 * It never reconnects by itself: what was notified meanwhile would be lost unnoticed. @throws when it cannot listen.
 */
export const openListener = async (
  url: string,
  channel: string,
  onPayload: (payload: string) => void,
): Promise<Listener> => {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  // The driver's own `listen` connects again behind our back; `onnotify` is what it is made of.
  const options = {
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 10,
    fetch_types: false,
    connection: { application_name: LISTENER_NAME },
    onnotice: () => {},
    onclose: () => end(),
    onnotify: (_: string, payload: string) => onPayload(payload),
  };
  const client = postgres(url, options);
  const close = () => client.end({ timeout: 1 });
  try {
    await within(ANSWER_MS, client`listen ${client(channel)}`);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ended,
    check: async () => {
      await within(ANSWER_MS, client`select 1`);
    },
    close,
  };
};
