import { SECOND_MS } from "../core/time.ts";
import { ALIVE_MS, LIVE_KINDS, LIVE_PATH } from "../features/realtime/constants.ts";
import type { LiveNews } from "../features/realtime/schema.ts";
import { getToken } from "./browser-storage.ts";
import { randomKey } from "./random-key.ts";

const FIRST_PAUSE_MS = SECOND_MS;
const LONGEST_PAUSE_MS = 30 * SECOND_MS;
/** A stream that says nothing for three signs of life is a dead one. */
const SILENCE_MS = 3 * ALIVE_MS;

interface Connection {
  /** The last event seen; null: begin at the present. */
  after: number | null;
  signal: AbortSignal;
  onNews: (news: LiveNews) => void;
}

const isKind = (text: string): text is LiveNews["kind"] => LIVE_KINDS.some((kind) => kind === text);

/** An event as it stands in the stream; null for what is none of ours. */
export const parseNews = (block: string): LiveNews | null => {
  const fields = new Map(
    block.split("\n").map((line): [string, string] => {
      const at = line.indexOf(": ");
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
  const [kind, id, data] = [fields.get("event") ?? "", Number(fields.get("id")), fields.get("data")];
  if (!isKind(kind) || !Number.isSafeInteger(id) || data === undefined) return null;
  // The shapes are our own server's, held by the contract tests.
  return { id, kind, data: JSON.parse(data) } as LiveNews;
};

const read = async (body: ReadableStream<Uint8Array>, onNews: Connection["onNews"], onBytes: () => void) => {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const news of blocks.map(parseNews)) if (news) onNews(news);
  }
};

/** How one connection went: `refused` for good, or over for now. */
type Ending = { kind: "refused" } | { kind: "over"; waitSeconds?: number };

const connectOnce = async ({ after, signal, onNews }: Connection): Promise<Ending> => {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  const headers = new Headers({ accept: "text/event-stream", authorization: `Bearer ${getToken()}` });
  if (after !== null) headers.set("last-event-id", String(after));
  listen();
  try {
    const either = AbortSignal.any([signal, silence.signal]);
    const response = await fetch(LIVE_PATH, { headers, signal: either, cache: "no-store", credentials: "include" });
    if (response.status === 401) return { kind: "refused" };
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      return { kind: "over", waitSeconds: Number(response.headers.get("retry-after")) || 0 };
    }
    await read(response.body, onNews, listen);
    return { kind: "over" };
  } catch {
    // Cut, silent or unreachable: all the same to whoever tries again.
    return { kind: "over" };
  } finally {
    clearTimeout(timer);
  }
};

/** A wait that ends early when it is no longer wanted, or when the browser is online again. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
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

/**
 * Reads the stream until it is no longer wanted or the login has ended, and connects again after pauses that grow from
 * one to thirty seconds, each half of it by chance, so that browsers which lost one server do not come back together.
 */
const keepConnected = async (connection: Connection): Promise<void> => {
  const { signal } = connection;
  let after = connection.after;
  let failures = 0;
  while (!signal.aborted) {
    const onNews = (news: LiveNews) => {
      failures = 0;
      after = news.id;
      connection.onNews(news);
    };
    const ending = await connectOnce({ after, signal, onNews });
    if (ending.kind === "refused" || signal.aborted) return;
    const grownMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
    failures += 1;
    await pause(Math.max(grownMs * (0.5 + Math.random() / 2), (ending.waitSeconds ?? 0) * SECOND_MS), signal);
  }
};

const KEPT_MAX = 200;

/** What one tab hears, and from where. */
interface Tab {
  /** The last event known to what this tab shows; null: nothing yet. */
  after: number | null;
  onNews: (news: LiveNews) => void;
}

const isSignOnly = ({ kind }: LiveNews): boolean => kind === "alive" || kind === "reset";

/** Passes on what a tab has not seen yet, and remembers how far it is. */
export const createSieve = ({ after, onNews }: Tab) => {
  let position = after;
  return {
    position: () => position,
    /**
     * `before` is where the stream stood when this came; null when nothing can be missing. False, and nothing is passed
     * on, when the tab is not that far: it must ask for what is between.
     */
    take: (news: LiveNews, before: number | null): boolean => {
      if (news.kind !== "reset" && before !== null && position !== null && position < before) return false;
      if (!isSignOnly(news) && position !== null && news.id <= position) return true;
      position = news.kind === "reset" ? news.id : Math.max(position ?? 0, news.id);
      onNews(news);
      return true;
    },
  };
};

/** The latest events of a stream, for tabs that come while others have been listening for a while. */
export const createMemory = (begin: number | null) => {
  /** Everything after this is in `kept`; null until the stream says where it begins. */
  let from = begin;
  let last: number | null = null;
  let kept: LiveNews[] = [];
  return {
    /** @returns where the stream stood before this. */
    keep: (news: LiveNews): number => {
      const before = last ?? from ?? news.id;
      from ??= news.id;
      last = news.id;
      if (news.kind === "reset") {
        from = news.id;
        kept = [];
      } else if (news.kind !== "alive") kept.push(news);
      if (kept.length > KEPT_MAX) from = kept.shift()?.id ?? from;
      return before;
    },
    /** What a tab has missed, and a sign that it is connected; nothing more before the stream itself is. */
    since: (after: number | null): LiveNews[] => {
      if (after !== null && from !== null && after < from) return [{ id: last ?? from, kind: "reset", data: {} }];
      if (last === null) return [];
      const alive: LiveNews = { id: last, kind: "alive", data: {} };
      return after === null ? [alive] : [...kept.filter(({ id }) => id > after), alive];
    },
  };
};

/**
 * The lock that one tab of a browser holds, and the channel on which it tells the others. Each login has its own, by
 * the last part of its token (a checksum that opens nothing): a tab that still shows another hears nothing of it.
 */
const nameOf = (token: string): string => `live-stream:${token.slice(token.lastIndexOf(".") + 1)}`;

type Message =
  /** A tab is new, or has a new leader, and has seen everything up to `after`. */
  | { type: "hello"; from: string; after: number | null }
  | { type: "lead" }
  /** Without `to` it is for every tab that stands at `before` or later. */
  | { type: "news"; news: LiveNews; before: number | null; to?: string };

const follow = (tab: Tab, name: string, signal: AbortSignal): void => {
  const self = randomKey();
  const sieve = createSieve(tab);
  const channel = new BroadcastChannel(name);
  const post = (message: Message) => !signal.aborted && channel.postMessage(message);
  const hello = () => post({ type: "hello", from: self, after: sieve.position() });
  let answer: ((message: Extract<Message, { type: "hello" }>) => void) | undefined;

  let askedAt: number | null = null;
  const receive = ({ news, before }: Extract<Message, { type: "news" }>): void => {
    if (sieve.take(news, before) || askedAt === sieve.position()) return;
    askedAt = sieve.position();
    hello();
  };

  channel.onmessage = ({ data: message }: MessageEvent<Message>) => {
    if (signal.aborted) return;
    if (message.type === "lead") hello();
    if (message.type === "hello") answer?.(message);
    if (message.type === "news" && (message.to === undefined || message.to === self)) receive(message);
  };
  signal.addEventListener("abort", () => channel.close());
  hello();

  const lead = async (): Promise<void> => {
    const memory = createMemory(sieve.position());
    answer = ({ from, after }) => {
      for (const news of memory.since(after)) post({ type: "news", news, before: null, to: from });
    };
    post({ type: "lead" });
    const onNews = (news: LiveNews) => {
      const before = memory.keep(news);
      post({ type: "news", news, before });
      sieve.take(news, null);
    };
    await keepConnected({ after: sieve.position(), signal, onNews });
    answer = undefined;
  };
  navigator.locks.request(name, { signal }, lead).catch((error: unknown) => {
    // Left while it was still waiting for its turn.
    if (!signal.aborted) throw error;
  });
};

/**
 * Hears the live stream in this tab. The tabs of a browser share one connection: the one that holds the lock reads and
 * tells the others; when it closes, another takes over where it was. Where a page has neither locks nor channels (no
 * https), each tab reads for itself. `token`: the stored one. @returns how to leave.
 */
export const joinLive = (tab: Tab, token: string): (() => void) => {
  const leaving = new AbortController();
  const { signal } = leaving;
  if ("locks" in navigator && "BroadcastChannel" in window) follow(tab, nameOf(token), signal);
  else {
    const sieve = createSieve(tab);
    void keepConnected({ after: tab.after, signal, onNews: (news) => sieve.take(news, null) });
  }
  return () => leaving.abort();
};
