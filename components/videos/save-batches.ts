import { SAVE_BYTES_MAX, SAVED_AT_ONCE_MAX } from "#lib/features/videos/constants.ts";
import type { ExtractedVideo } from "#lib/features/videos/engine/types.ts";

/** What the call takes of a video (R-ENT-18): where a field came from stays here. */
export type VideoBody = Omit<ExtractedVideo, "sources">;

const toBody = ({ sources: _, ...video }: ExtractedVideo): VideoBody => video;

/** What stands around the videos in the body: {"videos":[]}. */
const FRAME_BYTES = 13;

/**
 * R-VID-27: cuts videos, in their order, into parts that one call takes: by their count and by the bytes of its body.
 * A video that is too long by itself is a part of its own, and the server says what is wrong with it.
 */
export const saveBatches = (videos: readonly ExtractedVideo[]): VideoBody[][] => {
  const encoder = new TextEncoder();
  const batches: VideoBody[][] = [];
  let batch: VideoBody[] = [];
  let bytes = FRAME_BYTES;
  for (const video of videos) {
    const body = toBody(video);
    const more = encoder.encode(JSON.stringify(body)).length + 1;
    if (batch.length === SAVED_AT_ONCE_MAX || (batch.length > 0 && bytes + more > SAVE_BYTES_MAX)) {
      batches.push(batch);
      batch = [];
      bytes = FRAME_BYTES;
    }
    batch.push(body);
    bytes += more;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
};
