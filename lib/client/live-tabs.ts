import type { LiveNews } from "../features/realtime/schema.ts";
import { keepConnected } from "./live-connection.ts";
import { createMemory, createSieve, type Tab } from "./live-memory.ts";
import { randomKey } from "./random-key.ts";

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
