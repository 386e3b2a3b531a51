import "server-only";
import { messageOf } from "#lib/core/errors.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";

/** Read as fast as it is taken. What goes wrong on the way is logged, and cuts the download: nobody takes it for whole. */
const streamOf = (pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { value, done } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        writeEvent(createWideEvent({ at: new Date().toISOString(), export: "broke_off", problem: messageOf(error) }));
        controller.error(error);
      }
    },
    cancel: async () => {
      await pieces.return(undefined);
    },
  });
};

/** A JSON document that is written while it is sent; as a download where it has a name. */
export const exportResponse = (pieces: AsyncGenerator<string>, fileName?: string): Response =>
  new Response(streamOf(pieces), {
    headers: {
      "content-type": "application/json; charset=utf-8",
      ...(fileName !== undefined && { "content-disposition": `attachment; filename="${fileName}"` }),
    },
  });
