import { ApiError, invalidRequest } from "./errors.ts";
import { extensionOf, readSentImage, type SentImage, storeImage } from "./images.ts";
import { isProcessed } from "./media.ts";
import type { Account, Pin, Slide } from "./model.ts";
import type { Pinterest } from "./wire.ts";

/** The supported fields of `PinMediaSource`. */
export interface MediaSource extends SentImage {
  source_type: string;
  media_id?: string;
  cover_image_content_type?: string;
  cover_image_data?: string;
  items?: (SentImage & { title?: string; description?: string; link?: string })[];
}

type PinMedia = Pick<Pin, "image" | "video" | "slides">;

/**
 * Checks and stores the media of a new pin.
 * @throws ApiError with the documented code.
 */
export function storeMedia(pinterest: Pinterest, account: Account, source: MediaSource, id: string): PinMedia {
  switch (source.source_type) {
    case "image_base64":
      return { image: storeOne(pinterest, source, id) };
    case "video_id":
      return storeVideoPin(pinterest, account, source, id);
    case "multiple_image_base64":
      return storeCarousel(pinterest, source, id);
    default:
      throw new ApiError(invalidRequest(`media_source '${source.source_type}' is not supported by this stand-in`));
  }
}

function storeOne({ mediaFolder }: Pinterest, sent: SentImage, name: string): Pin["image"] {
  const { bytes, facts } = readSentImage(sent);
  const file = `${name}.${extensionOf(facts)}`;
  storeImage(mediaFolder, file, bytes);
  return { file, ...facts };
}

function storeVideoPin(pinterest: Pinterest, account: Account, source: MediaSource, id: string): PinMedia {
  const media = pinterest.store.state.media.get(source.media_id ?? "");
  if (media?.accountId !== account.id) throw new ApiError(invalidRequest("media_id is unknown"));
  if (media.video === undefined || !isProcessed(pinterest, media)) {
    throw new ApiError(invalidRequest("media_id is not processed"));
  }
  if (source.cover_image_data === undefined) {
    throw new ApiError(invalidRequest("a video needs cover_image_data; this stand-in supports no other cover"));
  }
  const cover = { content_type: source.cover_image_content_type, data: source.cover_image_data };
  return { image: storeOne(pinterest, cover, id), video: media.video };
}

function storeCarousel(pinterest: Pinterest, { items = [] }: MediaSource, id: string): PinMedia {
  const facts = items.map((item) => readSentImage(item).facts);
  const isSameSize = facts.every((one) => one.widthPx === facts[0]?.widthPx && one.heightPx === facts[0]?.heightPx);
  if (!isSameSize) throw new ApiError(invalidRequest("all images of a carousel must have the same dimensions"));
  const slides = items.map((item, index): Slide => {
    const { title = null, description = null, link = null } = item;
    return { title, description, link, image: storeOne(pinterest, item, index === 0 ? id : `${id}-${index + 1}`) };
  });
  const [first] = slides;
  if (first === undefined) throw new ApiError(invalidRequest("media_source has no items"));
  return { image: first.image, slides };
}
