import type { LiveNews } from "../features/live/schema.ts";
import { keepConnected } from "./live-connection.ts";

/** The lock that one tab of a browser holds, and the channel on which it tells the others. */
const NAME = "live-stream";
const KEPT_MAX = 200;

type Message =
  /** A tab is new, or has a new leader, and has seen everything up to `after`. */
  | { type: "hello"; from: string; after: number | null }
  | { type: "lead" }
  /** Without `to` it is for every tab. */
  | { type: "news"; news: LiveNews; to?: string };

interface Tab {
  /** The last event known to what this tab shows; null: nothing yet. */
  after: number | null;
  onNews: (news: LiveNews) => void;
}

const isSignOnly = ({ kind }: LiveNews): boolean => kind === "alive" || kind === "reset";

/** Passes on what a tab has not seen yet, and remembers how far it is. */
const createSieve = ({ after, onNews }: Tab) => {
  let position = after;
  return {
    position: () => position,
    take: (news: LiveNews): void => {
      if (!isSignOnly(news) && position !== null && news.id <= position) return;
      position = news.kind === "reset" ? news.id : Math.max(position ?? 0, news.id);
      onNews(news);
    },
  };
};

/** The latest events, for tabs that come while others have been listening for a while. */
const createMemory = (begin: number | null) => {
  let from = begin ?? 0;
  let last: number | null = null;
  const kept: LiveNews[] = [];
  return {
    keep: (news: LiveNews): void => {
      last = news.id;
      if (!isSignOnly(news)) kept.push(news);
      if (kept.length > KEPT_MAX) from = kept.shift()?.id ?? from;
    },
    /** What a tab has missed, and a sign that it is connected; nothing before the stream itself is. */
    since: (after: number | null): LiveNews[] => {
      if (last === null) return [];
      const alive: LiveNews = { id: last, kind: "alive", data: {} };
      if (after === null) return [alive];
      if (after < from) return [{ id: last, kind: "reset", data: {} }];
      return [...kept.filter(({ id }) => id > after), alive];
    },
  };
};

const follow = (tab: Tab, signal: AbortSignal): void => {
  const self = crypto.randomUUID();
  const sieve = createSieve(tab);
  const channel = new BroadcastChannel(NAME);
  const post = (message: Message) => !signal.aborted && channel.postMessage(message);
  const hello = () => post({ type: "hello", from: self, after: sieve.position() });
  let answer: ((message: Extract<Message, { type: "hello" }>) => void) | undefined;

  channel.onmessage = ({ data: message }: MessageEvent<Message>) => {
    if (signal.aborted) return;
    if (message.type === "lead") hello();
    if (message.type === "hello") answer?.(message);
    if (message.type === "news" && (message.to === undefined || message.to === self)) sieve.take(message.news);
  };
  signal.addEventListener("abort", () => channel.close());
  hello();

  const lead = async (): Promise<void> => {
    const memory = createMemory(sieve.position());
    answer = ({ from, after }) => {
      for (const news of memory.since(after)) post({ type: "news", news, to: from });
    };
    post({ type: "lead" });
    const onNews = (news: LiveNews) => {
      memory.keep(news);
      post({ type: "news", news });
      sieve.take(news);
    };
    await keepConnected({ after: sieve.position(), signal, onNews });
    answer = undefined;
  };
  navigator.locks.request(NAME, { signal }, lead).catch((error: unknown) => {
    // Left while it was still waiting for its turn.
    if (!signal.aborted) throw error;
  });
};

/**
 * Hears the live stream in this tab. The tabs of a browser share one connection: the one that holds the lock reads and
 * tells the others; when it closes, another takes over where it was. Where a page has neither locks nor channels (no
 * https), each tab reads for itself. @returns how to leave.
 */
export const joinLive = (tab: Tab): (() => void) => {
  const leaving = new AbortController();
  const { signal } = leaving;
  if ("locks" in navigator && "BroadcastChannel" in window) follow(tab, signal);
  else void keepConnected({ after: tab.after, signal, onNews: createSieve(tab).take });
  return () => leaving.abort();
};
