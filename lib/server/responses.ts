import "server-only";
import { pictures } from "#lib/composition.ts";
import { messageOf } from "#lib/core/errors.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import type { AppIcon, SharedPicture } from "#lib/integrations/images/port.ts";

/** Pictures that belong to the site itself: the same for everybody, kept for a day and then asked for again. */
const KEPT = "public, max-age=86400, stale-while-revalidate=604800";

const answer = (bytes: Uint8Array, type: string): Response =>
  new Response(new Uint8Array(bytes), { headers: { "content-type": type, "cache-control": KEPT } });

/** The picture of a shared link. */
export const answerShared = async (picture: SharedPicture): Promise<Response> =>
  answer(await pictures().drawShared(picture), "image/jpeg");

/** An icon of the product. */
export const answerIcon = async (icon: AppIcon): Promise<Response> =>
  answer(await pictures().drawIcon(icon), "image/png");

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
