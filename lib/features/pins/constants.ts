import { GENERATED_POSTS_PATH, generatedPostsUrl } from "#lib/core/paths.ts";
import { MINUTE_MS } from "#lib/core/time.ts";

export const PIN_STATUSES = ["draft", "scheduled", "published", "failed"] as const;
export type PinStatus = (typeof PIN_STATUSES)[number];

export const PIN_FILTERS = ["all", ...PIN_STATUSES] as const;
export type PinFilter = (typeof PIN_FILTERS)[number];

/** Sort orders. `due` lists scheduled pins by time, then all others, newest first. */
export const PIN_SORTS = ["newest", "oldest", "due", "title"] as const;
export type PinSort = (typeof PIN_SORTS)[number];

export const TEXTS = {
  statusInvalid: `The status must be one of: ${PIN_FILTERS.join(", ")}.`,
  sortInvalid: `The sort order must be one of: ${PIN_SORTS.join(", ")}.`,
  loadFailed: "Failed to fetch generated posts",
  titleNeeded: "Enter a title.",
  titleTooLong: "Titles can have up to 100 characters.",
  descriptionInvalid: "The description must be text.",
  descriptionTooLong: "Descriptions can have up to 800 characters.",
  linkInvalid: "Enter a complete link that starts with http:// or https://.",
  linkTooLong: "Links can have up to 2,048 characters.",
  boardInvalid: "Choose a board.",
  notEditable: "Only drafts and failed pins can be edited.",
  mayBePublished:
    "This pin may already be on Pinterest. Try again or schedule it first, and we'll check before sending anything.",
  imageFixed: "The image of a video or carousel can't be replaced. Create the pin again with another one.",
  notDeletable: "Only drafts and failed pins can be deleted.",
  notReviewable: "This pin is no longer a draft.",
  noPins: "Select at least one pin.",
  tooManyIds: "You can request up to 200 IDs at once.",
  tooManyPins: "You can change up to 500 pins at once.",
  pinTwice: "The same pin is listed twice.",
  boardForeign: "This board doesn't belong to the selected account.",
  sectionInvalid: "Choose a section.",
  sectionNeedsBoard: "Choose the board that this section belongs to.",
  sectionForeign: "This section isn't on the selected board. Choose another section.",
  accountsDiffer: "These pins belong to different Pinterest accounts.",
  noChange: "Choose something to change.",
  altTextInvalid: "The alt text must be text.",
  suffixTooLong: "Adding this text makes the description longer than 800 characters.",
  taggedTooLong: "Adding these parameters makes the link longer than 2,048 characters.",
  tagTooLong: "Parameters can have up to 100 characters.",
  tagPlaceholder: "Only {keyword} and {title} work as placeholders.",
  changedSince: "Some of these pins have changed since then. Nothing was undone.",
  noBoards: "Choose at least one board.",
  boardTwice: "The same board is listed twice.",
  tooManyCopies: "You can create up to 200 pins at once.",
  accountNeeded: "Please choose a Pinterest account",
  bulkCreated: "Pins created successfully!",
  bulkFailed: "Failed to create pins",
  imageNeeded: "Choose an image.",
  imageGone: "This image is no longer available. Upload it again.",
  digestInvalid: "The image digest must be a SHA-256 hash in hexadecimal.",
  altTextTooLong: "Alt text can have up to 500 characters.",
  imageTooLarge: "Images can be up to 32 MB.",
  noLink: "This pin has no destination link.",
  notCheckable: "This pin is published. Change its link on Pinterest.",
  waitsForAccount: "On hold. Reconnect this Pinterest account to publish the pin on time.",
  keyInvalid: "The Idempotency-Key must have 1 to 100 visible characters.",
  keyUsed: "This Idempotency-Key was already used for other pins.",
  storageUnavailable: "We can't store files right now. Please try again in a few minutes.",
  storageDown: "Delayed on our end: we can't read your images right now. The pin will publish automatically.",
} as const;

/** R-BULK-06: a hint only; the real limits are enforced on upload. */
export const IMAGE_HINT = "PNG, JPG, GIF up to 32MB";

/** R-CONST-16: maximum size of one image, enforced while it is received. */
export const IMAGE_BYTES_MAX = 32_000_000;
export const BULK_BYTES_MAX = 1_000_000_000;
/** Pins in one request: the same limit as for one generation. */
export const BULK_MAX = 100;
/** Uploads saved per user after a rejected request; the oldest are deleted first. */
export const SAVED_UPLOADS_MAX = BULK_MAX;
export const IMAGE_PART = "image";
export const IDEMPOTENCY_HEADER = "Idempotency-Key";
export const IDEMPOTENCY_KEY = /^[!-~]{1,100}$/;

export const IMAGE_PROBLEMS = {
  empty: "This file is empty. Choose another one.",
  heic: "This is a HEIC image, which we don't support. Save it as a JPG and try again.",
  svg: "This is an SVG image, which we don't support. Save it as a PNG and try again.",
  not_an_image: "This file isn't an image. Use a PNG, JPG, GIF, or WebP.",
  too_many_pixels: "This image has more than 50 million pixels. Make it smaller and try again.",
  too_slow: "This image took too long to read. Save it as a JPG, then upload the new file.",
  broken: "This image is damaged. Export it again, then upload the new file.",
} as const;

export const THUMBNAIL_WIDTHS_PX = [360, 720] as const;

/** Pinterest's limits for a pin, in characters. */
export const TITLE_MAX = 100;
export const DESCRIPTION_MAX = 800;
export const ALT_TEXT_MAX = 500;
export const LINK_MAX = 2_048;

/** About how many characters Pinterest shows of a title in a feed, and of a description before "more". */
export const FEED_TITLE_SHOWN = 40;
export const DESCRIPTION_SHOWN = 100;

export const PIN_FORMATS = ["image", "video", "carousel"] as const;
export type PinFormat = (typeof PIN_FORMATS)[number];

/** Maximum page size. Requests without `limit` return everything. */
export const PAGE_MAX = 200;
/** Page size of Generated Posts: fills whole rows of two, three, four and five columns. */
export const PIN_PAGE_SIZE = 60;

export const REVIEW_MAX = PAGE_MAX;
export const REVIEW_PATH = `${GENERATED_POSTS_PATH}/review`;
export const REVIEWS = ["approved", "rejected"] as const;
export type Review = (typeof REVIEWS)[number];

export const chosenPath = (accountId: string, review: Review): string =>
  `${generatedPostsUrl("draft", accountId)}&choose=${review}`;

/** Times that someone proposed: the first pin at `start` (ISO 8601), each further one an interval later. */
export interface ProposedTimes {
  start: string;
  intervalMinutes: number;
}

/** Generated Posts with these drafts selected, at the proposed times, or else at the account's safe pace. */
export const plannedPath = (accountId: string, pinIds: readonly string[], times?: ProposedTimes): string => {
  const proposed = times && { start: times.start, every: String(times.intervalMinutes) };
  return `${GENERATED_POSTS_PATH}?${new URLSearchParams({ account: accountId, plan: pinIds.join(","), ...proposed })}`;
};

export const PINS_AT_ONCE_MAX = 500;

export const COPIES_MAX = 200;
/** Maximum characters of a UTM parameter, and of a keyword or title inserted into it. */
export const TAG_MAX = 100;
export const SLUG_MAX = 80;
export const UTM_NAMES = ["source", "medium", "campaign", "content", "term"] as const;

export const IMAGE_PATH = "/api/images/";
export const VIDEO_PATH = "/api/videos/";
/** How long a link in the data export or a spreadsheet works, at least. */
export const IMAGE_LINK_DAYS = 30;
/** Followed by the expiry in Unix seconds, the signature, and the key. */
export const SIGNED_IMAGE_FOLDER = "signed";

/** Shows that a storage is the right one: without it, a missing image means an outage. */
export const STORAGE_MARKER_KEY = "system/storage-marker.txt";
export const STORAGE_MARKER_TEXT = "This object shows that the image storage is available. Do not delete it.";
/** A storage without its marker is still the right one if it holds one of this many newest images. */
export const RECENT_IMAGES = 5;
/** The storage is checked every minute; an outage that was not confirmed for this long is not relied on. */
export const OUTAGE_FRESH_MS = 3 * MINUTE_MS;
/** Pins that one statement wakes after an outage. */
export const WAKE_BATCH = 500;
