import { SAVE_BATCH_MAX, SAVE_BYTES_MAX } from "#lib/features/videos/constants.ts";
import type { ExtractedVideo } from "#lib/features/videos/engine/types.ts";

/** The request body of one video, without the sources. */
type VideoBody = Omit<ExtractedVideo, "sources">;

const toBody = ({ sources: _, ...video }: ExtractedVideo): VideoBody => video;

/** {"videos":[]} */
const FRAME_BYTES = 13;

/**
 * Splits videos, in order, into batches within the limits of one call. A video that exceeds the size limit is a batch
 * of its own, so that the server reports what is wrong with it.
 */
export const saveBatches = (videos: readonly ExtractedVideo[]): VideoBody[][] => {
  const encoder = new TextEncoder();
  const batches: VideoBody[][] = [];
  let batch: VideoBody[] = [];
  let bytes = FRAME_BYTES;
  for (const video of videos) {
    const body = toBody(video);
    const more = encoder.encode(JSON.stringify(body)).length + 1;
    if (batch.length === SAVE_BATCH_MAX || (batch.length > 0 && bytes + more > SAVE_BYTES_MAX)) {
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
