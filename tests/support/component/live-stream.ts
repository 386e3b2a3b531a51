import type { LiveNews } from "#lib/features/realtime/schema.ts";

/** The live stream of a screen in a test: `answer` is what its request gets, `send` tells it something. */
export const liveStream = () => {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let unsent = "";
  let lastId = 0;
  const write = (text: string): void => {
    if (controller) controller.enqueue(encoder.encode(text));
    else unsent += text;
  };
  const answer = ({ signal }: { signal: AbortSignal | null }): Response => {
    const body = new ReadableStream<Uint8Array>({
      start(started) {
        controller = started;
        signal?.addEventListener("abort", () => {
          if (controller === started) controller = undefined;
          started.error(new DOMException("Aborted", "AbortError"));
        });
        if (unsent) started.enqueue(encoder.encode(unsent));
        unsent = "";
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const send = <K extends LiveNews["kind"]>(kind: K, data: Extract<LiveNews, { kind: K }>["data"]): void => {
    lastId += 1;
    write(`id: ${lastId}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  return { answer, send };
};
