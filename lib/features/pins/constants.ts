/** Literal texts of Generated Posts (R-ERR-09 and the states around it). */
export const TEXTS = {
  loadFailed: "Failed to fetch generated posts",
  titleNeeded: "A pin needs a title.",
  titleTooLong: "The title may have at most 100 characters.",
  descriptionInvalid: "The description is a text.",
  descriptionTooLong: "The description may have at most 800 characters.",
  linkInvalid: "The link must be a full http or https address.",
  linkTooLong: "The link may have at most 2048 characters.",
  boardInvalid: "Choose a board.",
  notEditable: "Only drafts and failed pins can be edited.",
  mayBePublished:
    "This pin may already be on Pinterest. Retry or schedule it first: that looks before anything is sent.",
  notDeletable: "Only drafts and failed pins can be deleted.",
  notReviewable: "This pin is no longer a draft.",
  noPins: "Choose at least one pin.",
  tooManyIds: "At most 200 ids can be asked for at once.",
  tooManyPins: "At most 500 pins can be changed at once.",
  pinTwice: "The same pin is listed twice.",
  boardForeign: "This board is not one of the account's.",
  accountsDiffer: "These pins belong to different Pinterest accounts.",
  noChange: "Choose what to change.",
  altTextInvalid: "The description for people who cannot see it is a text.",
  suffixTooLong: "With this ending the description has more than 800 characters.",
  taggedTooLong: "With these parameters the link has more than 2048 characters.",
  tagTooLong: "A parameter may have at most 100 characters.",
  tagPlaceholder: "Only {keyword} and {title} can stand for something.",
  changedSince: "Some of these pins were changed since. Nothing was undone.",
  noBoards: "Choose at least one board.",
  boardTwice: "The same board is listed twice.",
  tooManyCopies: "At most 200 pins can be made at once.",
  accountNeeded: "Please choose a Pinterest account",
  bulkCreated: "Pins created successfully!",
  bulkFailed: "Failed to create pins",
  pictureNeeded: "Choose an image.",
  pictureGone: "This image is not here any more. Send it again.",
  digestInvalid: "The digest of an image is its SHA-256 in hexadecimal.",
  altTextTooLong: "The description for people who cannot see it may have at most 500 characters.",
  pictureTooLarge: "An image may have at most 32 MB.",
  noLink: "This pin has no link.",
  notCheckable: "This pin is published. Its link can be changed on Pinterest.",
  waitsForAccount: "Waiting: connect this Pinterest account again for the pin to go out at this time.",
  keyInvalid: "The Idempotency-Key is a text of 1 to 100 visible characters.",
  keyUsed: "This Idempotency-Key was used for other pins.",
} as const;

/** R-BULK-06: what the screen says about images; a hint, not a rule. */
export const PICTURE_HINT = "PNG, JPG, GIF up to 32MB";

/** R-CONST-16: the most that one image may have, enforced while it arrives. */
export const PICTURE_BYTES_MAX = 32_000_000;
/** The most that one call may carry. */
export const BULK_BYTES_MAX = 1_000_000_000;
/** Pins in one call: as many as one generation may make. */
export const BULK_MAX = 100;
/** Pictures that are kept for each user when their sets come to nothing; the oldest make room. */
export const KEPT_MAX = BULK_MAX;
/** Names a submission, so that sending it again makes no second one (the client's choice). */
export const IDEMPOTENCY_HEADER = "Idempotency-Key";

/** Why a file is no image for a pin, in one sentence that says what to do. */
export const PICTURE_FAULTS = {
  empty: "This file is empty. Choose another one.",
  heic: "HEIC images cannot be used. Save it as JPG and choose that.",
  svg: "SVG drawings cannot be used. Save it as PNG and choose that.",
  not_a_picture: "This file is not an image. Use PNG, JPG, GIF or WebP.",
  too_many_pixels: "This image has more than 50 million pixels. Make it smaller and choose it again.",
  too_slow: "This image takes too long to read. Save it anew as JPG and choose that.",
  broken: "This image is damaged and cannot be read. Save it anew and choose that.",
} as const;

/** Widths in pixels in which pictures are served as WebP besides. */
export const THUMBNAIL_WIDTHS_PX = [360, 720] as const;

/** Pinterest's limits for a pin, in characters (BRIEF §2). */
export const TITLE_MAX = 100;
export const DESCRIPTION_MAX = 800;
export const ALT_TEXT_MAX = 500;
export const LINK_MAX = 2_048;

/** R-POST-02, R-POST-11: the states of a pin as the wire names them. */
export const POST_STATUSES = ["draft", "scheduled", "published", "failed"] as const;
export type PostStatus = (typeof POST_STATUSES)[number];

/** R-POST-03: the five words of the status filter. */
export const POST_FILTERS = ["all", ...POST_STATUSES] as const;
export type PostFilter = (typeof POST_FILTERS)[number];

/** Orders in which posts are listed; `due` is what goes out next first, then the rest, newest first. */
export const POST_SORTS = ["newest", "oldest", "due", "title"] as const;
export type PostSort = (typeof POST_SORTS)[number];

/** The most posts on one page; without `limit` all come back (DESIGN §7). */
export const PAGE_MAX = 200;
/** Posts that Generated Posts asks for at a time: whole rows of two, three, four and five columns. */
export const WALL_PAGE = 60;

/** Drafts that a quick review shows, and that one choice takes on from it. */
export const REVIEW_MAX = PAGE_MAX;
export const REVIEW_PATH = "/app/generated-posts/review";
/** What can be said of a draft in a review (D9). */
export const REVIEWS = ["approved", "rejected"] as const;
export type Review = (typeof REVIEWS)[number];

/** Generated Posts with the drafts chosen of which that was said. */
export const chosenPath = (accountId: string, review: Review): string =>
  `/app/generated-posts?account=${encodeURIComponent(accountId)}&status=draft&choose=${review}`;
/** The most pins that one call may change: as many as one may schedule. */
export const PINS_AT_ONCE_MAX = 500;

/** The most pins that one call of duplicating may make. */
export const COPIES_MAX = 200;
/** The most characters of one UTM parameter, and of what stands for a keyword or title in it. */
export const TAG_MAX = 100;
export const SLUG_MAX = 80;
/** What a link can be tagged with, in the order in which it is added: `utm_source` and so on. */
export const UTM_NAMES = ["source", "medium", "campaign", "content", "term"] as const;

/** Where pictures are served: followed by the key in the storage. */
export const IMAGE_PATH = "/api/images/";
