import { SECOND_MS } from "../core/time.ts";
import { ALIVE_MS, LIVE_KINDS, LIVE_PATH } from "../features/realtime/constants.ts";
import type { LiveNews } from "../features/realtime/schema.ts";
import { getToken } from "./stored-token.ts";

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
export const keepConnected = async (connection: Connection): Promise<void> => {
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
