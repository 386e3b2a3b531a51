/** Literal texts of Generated Posts (R-ERR-09 and the states around it). */
export const TEXTS = {
  loadFailed: "Failed to fetch generated posts",
  titleNeeded: "A pin needs a title.",
  titleTooLong: "The title may have at most 100 characters.",
  descriptionTooLong: "The description may have at most 800 characters.",
  linkInvalid: "The link must be a full http or https address.",
  linkTooLong: "The link may have at most 2048 characters.",
  boardInvalid: "Choose a board.",
  notEditable: "Only drafts and failed pins can be edited.",
  mayBePublished:
    "This pin may already be on Pinterest. Retry or schedule it first: that looks before anything is sent.",
  notDeletable: "Only drafts and failed pins can be deleted.",
} as const;

/** Pinterest's limits for a pin, in characters (BRIEF §2). */
export const TITLE_MAX = 100;
export const DESCRIPTION_MAX = 800;
export const LINK_MAX = 2_048;

/** R-POST-02, R-POST-11: the states of a pin as the wire names them. */
export const POST_STATUSES = ["draft", "scheduled", "published", "failed"] as const;
export type PostStatus = (typeof POST_STATUSES)[number];

/** R-POST-03: the five words of the status filter. */
export const POST_FILTERS = ["all", ...POST_STATUSES] as const;
export type PostFilter = (typeof POST_FILTERS)[number];

/** The most posts on one page; without `limit` all come back (DESIGN §7). */
export const PAGE_MAX = 200;

/** Where pictures are served: followed by the key in the storage. */
export const IMAGE_PATH = "/api/images/";
