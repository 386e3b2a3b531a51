import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** Pinterest's limits for videos: 4 seconds to 15 minutes. It takes 2 GB; ours fits an upload's share of the disk. */
export const VIDEO_MIN_MS = 4 * SECOND_MS;
export const VIDEO_MAX_MS = 15 * MINUTE_MS;
export const VIDEO_BYTES_MAX = 900_000_000;
/** Of a user's videos that aren't published. Storing them costs no credits, and 30 of 900 MB may arrive in an hour. */
export const UNPUBLISHED_BYTES_MAX = 20_000_000_000;
export const COVER_HINT = "PNG, JPG, or WebP, up to 32 MB";
export const VIDEO_HINT = "MP4 or MOV, 4 seconds to 15 minutes, up to 900 MB";

/** Pinterest's limits for carousels. */
export const SLIDES_MIN = 2;
export const SLIDES_MAX = 5;

export const VIDEO_PART = "video";
export const COVER_PART = "cover";
export const slidePart = (index: number): string => `slides[${index}]`;

export const VIDEO_PIN_PATH = "/app/create-pin/video";
export const CAROUSEL_PATH = "/app/create-pin/carousel";

export const VIDEO_PROBLEMS = {
  empty: "This file is empty. Choose another one.",
  not_a_video: "This file isn't actually an MP4 or MOV video. Export it as an MP4 and try again.",
  no_picture: "This file only has sound. Choose one with video.",
  no_length: "This video is 0 seconds long. Export it again, then upload the new file.",
  unknown_length:
    "This video doesn't say how long it is. Save it again as a regular MP4 (not fragmented), then upload the new file.",
  broken: "This video is incomplete or damaged. Export it again, then upload the new file.",
  too_short: "This video is too short. Choose one that's at least 4 seconds long.",
  too_long: "This video is too long. Choose one that's 15 minutes or shorter.",
} as const;
export type VideoFault = keyof typeof VIDEO_PROBLEMS;

export const TEXTS = {
  accountNeeded: "Please choose a Pinterest account",
  pinInvalid: "The part `pin` must be a JSON object.",
  videoNeeded: "Choose a video.",
  coverNeeded: "Choose a cover image.",
  videoTooLarge: "Videos can be up to 900 MB.",
  videosFull: `Your videos that aren't published yet can take up ${UNPUBLISHED_BYTES_MAX / 1_000_000_000} GB in total. Publish or delete some, then try again. Deleted ones still count for up to two days.`,
  beingCreated: "This pin is already being created. Wait a few seconds, then check Generated Posts.",
  slidesCount: `A carousel has ${SLIDES_MIN} to ${SLIDES_MAX} images.`,
  slidesDiffer: "The number of slides and the number of images must match.",
  videoCreated: "Video pin created!",
  carouselCreated: "Carousel created!",
  createFailed: "We couldn't create the pin. Please try again.",
  uploading: "Uploading the video to Pinterest.",
  processing: "Pinterest is processing the video. The pin will publish automatically.",
  videoMissing: "This pin's video is missing. Please create the pin again.",
  uploadCut: "The video upload to Pinterest was interrupted. We'll upload it again.",
  processingFailed: "Pinterest couldn't process this video. Export it as an MP4 (H.264) and create the pin again.",
  processingStuck: "Pinterest didn't finish processing the video within an hour. Please try again.",
} as const;

/** A run that uploads renews its lease; a run that finds an expired one takes over. */
export const UPLOAD_LEASE_MS = MINUTE_MS;
export const UPLOAD_RENEW_MS = 20 * SECOND_MS;
/** At once, since each keeps one of an account's few publishing runs busy. */
export const UPLOADS_PER_ACCOUNT = 2;
export const UPLOAD_TURN_MS = 20 * SECOND_MS;

/** Between questions whether a video is processed; doubles. */
export const CHECK_FIRST_DELAY_MS = 2 * SECOND_MS;
export const CHECK_MAX_DELAY_MS = MINUTE_MS;
/** Pinterest may lag behind the upload before it reports `processing`. */
export const ARRIVAL_MAX_MS = 5 * MINUTE_MS;
export const PROCESSING_MAX_MS = HOUR_MS;
/** An upload this old is not relied on: the pin's video is uploaded again. */
export const UPLOAD_LIFE_MS = 12 * HOUR_MS;
