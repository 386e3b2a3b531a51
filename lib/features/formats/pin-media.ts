import "server-only";
import type { Ctx } from "#lib/context.ts";
import { findSlides, type Pin } from "#lib/features/pins/queries.ts";
import { readImage } from "#lib/features/pins/storage-outages.ts";
import type { NewPinMedia, NewPinSlide } from "#lib/integrations/pinterest/port.ts";
import { findReadyVideo } from "./video-uploads.ts";

type Unreadable = "missing" | "unavailable";

const readSlides = async (ctx: Ctx<"storage">, pin: Pin): Promise<NewPinMedia | Unreadable> => {
  const slides: NewPinSlide[] = [];
  for (const { imageKey, title, description, link } of await findSlides(ctx, [pin.id])) {
    const jpeg = await readImage(ctx, imageKey);
    if (jpeg === "missing" || jpeg === "unavailable") return jpeg;
    slides.push({ jpeg, title, description, link });
  }
  return { kind: "carousel", slides };
};

/** What is sent to Pinterest for a pin. `prepare_video`: its video is not there yet. */
export const readMedia = async (ctx: Ctx<"storage">, pin: Pin): Promise<NewPinMedia | Unreadable | "prepare_video"> => {
  if (pin.format === "carousel") return readSlides(ctx, pin);
  const jpeg = await readImage(ctx, pin.imageKey);
  if (jpeg === "missing" || jpeg === "unavailable") return jpeg;
  if (pin.format === "image") return { kind: "image", jpeg };
  const mediaId = await findReadyVideo(ctx, pin);
  return mediaId === null ? "prepare_video" : { kind: "video", mediaId, coverJpeg: jpeg };
};
