import { SECOND_MS } from "../core/time.ts";
import { HEARTBEAT_MS, LIVE_KINDS, LIVE_PATH } from "../features/realtime/constants.ts";
import type { LiveEvent } from "../features/realtime/schema.ts";
import { getToken } from "./browser-storage.ts";
import { randomKey } from "./random-key.ts";

const MIN_RETRY_MS = SECOND_MS;
const MAX_RETRY_MS = 30 * SECOND_MS;
const SILENCE_TIMEOUT_MS = 3 * HEARTBEAT_MS;

interface Connection {
  /** Id of the last event seen; null starts at the present. */
  after: number | null;
  signal: AbortSignal;
  onEvent: (event: LiveEvent) => void;
}

const isKind = (text: string): text is LiveEvent["kind"] => LIVE_KINDS.some((kind) => kind === text);

export const parseEvent = (block: string): LiveEvent | null => {
  const fields = new Map(
    block.split("\n").map((line): [string, string] => {
      const at = line.indexOf(": ");
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
  const [kind, id, data] = [fields.get("event") ?? "", Number(fields.get("id")), fields.get("data")];
  if (!isKind(kind) || !Number.isSafeInteger(id) || data === undefined) return null;
  // Contract tests verify the shapes that our server sends.
  return { id, kind, data: JSON.parse(data) } as LiveEvent;
};

const readEvents = async (body: ReadableStream<Uint8Array>, onEvent: Connection["onEvent"], onBytes: () => void) => {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const event of blocks.map(parseEvent)) if (event) onEvent(event);
  }
};

type ConnectionResult = { kind: "refused" } | { kind: "over"; retryAfterSeconds?: number };

const connectOnce = async ({ after, signal, onEvent }: Connection): Promise<ConnectionResult> => {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const resetTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS);
  };
  const headers = new Headers({ accept: "text/event-stream", authorization: `Bearer ${getToken()}` });
  if (after !== null) headers.set("last-event-id", String(after));
  resetTimer();
  try {
    const either = AbortSignal.any([signal, silence.signal]);
    const response = await fetch(LIVE_PATH, { headers, signal: either, cache: "no-store", credentials: "include" });
    if (response.status === 401) return { kind: "refused" };
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      return { kind: "over", retryAfterSeconds: Number(response.headers.get("retry-after")) || 0 };
    }
    await readEvents(response.body, onEvent, resetTimer);
    return { kind: "over" };
  } catch {
    // A cut, silent or unreachable stream is simply tried again.
    return { kind: "over" };
  } finally {
    clearTimeout(timer);
  }
};

const delay = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
    signal.addEventListener("abort", done);
  });

/** Reconnects after 1 to 30 s with jitter, so that browsers that lost the same server don't all return at once. */
const keepConnected = async (connection: Connection): Promise<void> => {
  const { signal } = connection;
  let after = connection.after;
  let failures = 0;
  while (!signal.aborted) {
    const onEvent = (event: LiveEvent) => {
      failures = 0;
      after = event.id;
      connection.onEvent(event);
    };
    const result = await connectOnce({ after, signal, onEvent });
    if (result.kind === "refused" || signal.aborted) return;
    const backoffMs = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** failures);
    failures += 1;
    await delay(Math.max(backoffMs * (0.5 + Math.random() / 2), (result.retryAfterSeconds ?? 0) * SECOND_MS), signal);
  }
};

const BUFFER_MAX = 200;

interface Tab {
  after: number | null;
  onEvent: (event: LiveEvent) => void;
}

const isMarker = ({ kind }: LiveEvent): boolean => kind === "alive" || kind === "reset";

export const createCursorFilter = ({ after, onEvent }: Tab) => {
  let position = after;
  return {
    position: () => position,
    /** `before`: the position before the event, null when nothing can be missing. False: request those in between. */
    accept: (event: LiveEvent, before: number | null): boolean => {
      if (event.kind !== "reset" && before !== null && position !== null && position < before) return false;
      if (!isMarker(event) && position !== null && event.id <= position) return true;
      position = event.kind === "reset" ? event.id : Math.max(position ?? 0, event.id);
      onEvent(event);
      return true;
    },
  };
};

export const createReplayBuffer = (start: number | null) => {
  /** All events after this id are buffered; null until the stream says where it starts. */
  let from = start;
  let last: number | null = null;
  let events: LiveEvent[] = [];
  return {
    add: (event: LiveEvent): number => {
      const before = last ?? from ?? event.id;
      from ??= event.id;
      last = event.id;
      if (event.kind === "reset") {
        from = event.id;
        events = [];
      } else if (event.kind !== "alive") events.push(event);
      if (events.length > BUFFER_MAX) from = events.shift()?.id ?? from;
      return before;
    },
    since: (after: number | null): LiveEvent[] => {
      if (after !== null && from !== null && after < from) return [{ id: last ?? from, kind: "reset", data: {} }];
      if (last === null) return [];
      const alive: LiveEvent = { id: last, kind: "alive", data: {} };
      return after === null ? [alive] : [...events.filter(({ id }) => id > after), alive];
    },
  };
};

/** Name of the lock and channel that the tabs of one login share; the last part of the token is a harmless checksum. */
const nameOf = (token: string): string => `live-stream:${token.slice(token.lastIndexOf(".") + 1)}`;

type Message =
  /** Sent by a tab that is new or has a new leader, and has seen everything up to `after`. */
  | { type: "hello"; from: string; after: number | null }
  | { type: "lead" }
  /** Without `to` it is for every tab. */
  | { type: "event"; event: LiveEvent; before: number | null; to?: string };

const follow = (tab: Tab, name: string, signal: AbortSignal): void => {
  const tabId = randomKey();
  const filter = createCursorFilter(tab);
  const channel = new BroadcastChannel(name);
  const post = (message: Message) => !signal.aborted && channel.postMessage(message);
  const greet = () => post({ type: "hello", from: tabId, after: filter.position() });
  let respond: ((message: Extract<Message, { type: "hello" }>) => void) | undefined;

  let requestedAt: number | null = null;
  const onBroadcast = ({ event, before }: Extract<Message, { type: "event" }>): void => {
    if (filter.accept(event, before) || requestedAt === filter.position()) return;
    requestedAt = filter.position();
    greet();
  };

  channel.onmessage = ({ data: message }: MessageEvent<Message>) => {
    if (signal.aborted) return;
    if (message.type === "lead") greet();
    if (message.type === "hello") respond?.(message);
    if (message.type === "event" && (message.to === undefined || message.to === tabId)) onBroadcast(message);
  };
  signal.addEventListener("abort", () => channel.close());
  greet();

  const lead = async (): Promise<void> => {
    const buffer = createReplayBuffer(filter.position());
    respond = ({ from, after }) => {
      for (const event of buffer.since(after)) post({ type: "event", event, before: null, to: from });
    };
    post({ type: "lead" });
    const onEvent = (event: LiveEvent) => {
      const before = buffer.add(event);
      post({ type: "event", event, before });
      filter.accept(event, null);
    };
    await keepConnected({ after: filter.position(), signal, onEvent });
    respond = undefined;
  };
  navigator.locks.request(name, { signal }, lead).catch((error: unknown) => {
    // The tab left while it was waiting for the lock.
    if (!signal.aborted) throw error;
  });
};

/** The tab with the lock reads and broadcasts; another takes over. Without HTTPS each tab connects on its own. */
export const joinLiveStream = (tab: Tab, token: string): (() => void) => {
  const controller = new AbortController();
  const { signal } = controller;
  if ("locks" in navigator && "BroadcastChannel" in window) follow(tab, nameOf(token), signal);
  else {
    const filter = createCursorFilter(tab);
    void keepConnected({ after: tab.after, signal, onEvent: (event) => filter.accept(event, null) });
  }
  return () => controller.abort();
};
