import postgres from "postgres";

export interface Listener {
  ended: Promise<void>;
  /** @throws when the database does not respond in time. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export const LISTENER_NAME = "live-listener";

const ANSWER_MS = 10_000;

const within = async <T>(ms: number, answer: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The database did not respond within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** Never reconnects, since notifications would be lost unnoticed. @throws when it cannot listen */
export const openListener = async (
  url: string,
  channel: string,
  onPayload: (payload: string) => void,
): Promise<Listener> => {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  // The driver's own `listen` reconnects silently; `onnotify` is what it is built on.
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
