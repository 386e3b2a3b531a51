import "server-only";
import { images } from "#lib/composition.ts";
import { messageOf } from "#lib/core/errors.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import type { AppIcon, ShareImage } from "#lib/integrations/images/port.ts";

const CACHE_CONTROL = "public, max-age=86400, stale-while-revalidate=604800";

const answer = (bytes: Uint8Array, type: string): Response =>
  new Response(new Uint8Array(bytes), { headers: { "content-type": type, "cache-control": CACHE_CONTROL } });

export const sharedImageResponse = async (image: ShareImage): Promise<Response> =>
  answer(await images().drawShareImage(image), "image/jpeg");

export const iconResponse = async (icon: AppIcon): Promise<Response> =>
  answer(await images().drawIcon(icon), "image/png");

/** An error aborts the download, so that it cannot look complete. */
const streamOf = (chunks: AsyncGenerator<string>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        writeEvent(createWideEvent({ at: new Date().toISOString(), export: "interrupted", problem: messageOf(error) }));
        controller.error(error);
      }
    },
    cancel: async () => {
      await chunks.return(undefined);
    },
  });
};

export const exportResponse = (chunks: AsyncGenerator<string>, fileName?: string): Response =>
  new Response(streamOf(chunks), {
    headers: {
      "content-type": "application/json; charset=utf-8",
      ...(fileName !== undefined && { "content-disposition": `attachment; filename="${fileName}"` }),
    },
  });

/** A download. `fileName` in ASCII without quotes. */
export interface Download {
  content: AsyncGenerator<string> | Uint8Array<ArrayBuffer>;
  contentType: string;
  fileName: string;
}

export const downloadResponse = ({ content, contentType, fileName }: Download): Response =>
  new Response(content instanceof Uint8Array ? content : streamOf(content), {
    headers: { "content-type": contentType, "content-disposition": `attachment; filename="${fileName}"` },
  });
