import { until } from "./poll.ts";

/** A server-sent event. */
interface ReadEvent {
  id: number;
  event: string;
  data: Record<string, unknown>;
}

/** Reads a stream of server-sent events in the background. */
export interface LiveReader {
  readonly events: ReadEvent[];
  /** Whether the server has ended the stream. */
  readonly isOver: boolean;
  /** Waits for the first event of this kind that matches. */
  find(kind: string, fits?: (data: Record<string, unknown>) => boolean): Promise<ReadEvent>;
  untilOver(): Promise<void>;
  close(): Promise<void>;
}

const toEvent = (block: string): ReadEvent[] => {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  const data = field("data");
  if (data === undefined) return [];
  return [{ id: Number(field("id")), event: field("event") ?? "message", data: JSON.parse(data) }];
};

/** A broken or aborted connection also ends the stream; an unreadable event is an error. */
const isBreak = (error: unknown): boolean =>
  error instanceof Error && (error.message === "terminated" || error.name === "AbortError");

/** Starts reading a stream. */
export const readLive = (body: ReadableStream<Uint8Array>): LiveReader => {
  const events: ReadEvent[] = [];
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let isOver = false;
  const run = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      events.push(...blocks.flatMap(toEvent));
    }
  };
  const running = run()
    .catch((error) => {
      if (!isBreak(error)) throw error;
    })
    .finally(() => {
      isOver = true;
    });
  return {
    events,
    get isOver() {
      return isOver;
    },
    find: (kind, fits = () => true) =>
      until(() => events.find(({ event, data }) => event === kind && fits(data)), {
        deadlineMs: 20_000,
        everyMs: 10,
        what: `an event '${kind}'`,
      }),
    untilOver: () => running,
    close: async () => {
      await reader.cancel();
      await running;
    },
  };
};
