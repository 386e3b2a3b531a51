import type { LiveEvent } from "#lib/features/realtime/schema.ts";

/** A fake live stream: `answer` responds to the request, `send` sends an event. */
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
  const send = <K extends LiveEvent["kind"]>(kind: K, data: Extract<LiveEvent, { kind: K }>["data"]): void => {
    lastId += 1;
    write(`id: ${lastId}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  return { answer, send };
};
