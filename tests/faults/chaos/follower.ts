import { readLive } from "#tests/support/live-reader.ts";
import { delay } from "./bounded.ts";
import type { TestUser } from "./users.ts";

const PAUSE_MS = 150;
const READ_MS = 20_000;
const POLL_MS = 100;

/** A user's open page: it follows the live stream, reconnecting as a browser does, and keeps reading. */
export interface Follower {
  /** Ids of the posts that the stream showed as published. */
  published(): ReadonlySet<string>;
  /** How often the stream was opened. */
  connections(): number;
  /** Whether the stream could not resume, so that a page would have to load everything again. */
  wasReset(): boolean;
  /** Reads that got no answer, or a server error. */
  failedReads(): readonly string[];
  reads(): number;
  end(): Promise<void>;
}

export function follow(baseUrl: string, { user }: TestUser): Follower {
  const published = new Set<string>();
  const failed: string[] = [];
  const over = new AbortController();
  let connections = 0;
  let reads = 0;
  let isReset = false;
  let lastId: number | undefined;
  const authorization = `Bearer ${user.token}`;

  const readStream = async (): Promise<void> => {
    const headers = { authorization, ...(lastId !== undefined && { "last-event-id": String(lastId) }) };
    const response = await fetch(`${baseUrl}/api/users/events/`, { headers, signal: over.signal });
    if (!response.ok || !response.body) return void (await response.body?.cancel());
    connections += 1;
    const reader = readLive(response.body);
    const ended = reader.untilOver();
    for (let read = 0; ; ) {
      const events = reader.events.slice(read);
      read += events.length;
      for (const { id, event, data } of events) {
        lastId = id;
        if (event === "reset") isReset = true;
        if (event === "post" && data.status === "published") published.add(String(data.id));
      }
      if (reader.isOver && read === reader.events.length) return ended;
      await delay(POLL_MS);
    }
  };
  const keepStreaming = async (): Promise<void> => {
    while (!over.signal.aborted) {
      // A refused or broken stream is opened again, like a browser does.
      await readStream().catch(() => undefined);
      await delay(PAUSE_MS);
    }
  };
  const keepReading = async (): Promise<void> => {
    while (!over.signal.aborted) {
      reads += 1;
      const signal = AbortSignal.timeout(READ_MS);
      const answer = await fetch(`${baseUrl}/api/users/me/`, { headers: { authorization }, signal }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        (error: unknown) => String(error),
      );
      if (answer !== 200) failed.push(`GET /api/users/me/: ${answer}`);
      await delay(PAUSE_MS);
    }
  };
  const running = Promise.all([keepStreaming(), keepReading()]);
  return {
    published: () => published,
    connections: () => connections,
    wasReset: () => isReset,
    failedReads: () => failed,
    reads: () => reads,
    end: async () => {
      over.abort();
      await running;
    },
  };
}
