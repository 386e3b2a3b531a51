import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

export const TASK_STATUSES = ["PENDING", "STARTED", "RETRY", "SUCCESS", "FAILURE", "REVOKED"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** The labels are literal (R-TRK-12). */
export const STAGE_LABELS = {
  PENDING: "Pending",
  GENERATING_TITLE: "Creating Title",
  TITLE_GENERATED: "Description Next",
  GENERATING_DESCRIPTION: "Writing Description",
  DESCRIPTION_GENERATED: "Image Next",
  GENERATING_IMAGE: "Creating Image",
  IMAGE_GENERATED: "Finalizing",
  RETRY: "Retrying",
  SUCCESS: "Complete",
  FAILURE: "Failed",
  REVOKED: "Failed",
  ERROR: "Failed",
} as const;
export type StageCode = keyof typeof STAGE_LABELS;

/** Keywords, and pins, in one generation. */
export const KEYWORDS_MAX = 100;

/** Those of R-AIC, R-TRK and R-ERR-11 to R-ERR-14 are literal. */
export const TEXTS = {
  generate: "Generate Content",
  enterKeyword: "Please enter at least one keyword",
  startFailed: "Failed to start pin generation",
  pollFailed: "Failed to check generation status",
  complete: "Pin generation complete!",
  chooseAccount: "Please choose a Pinterest account",
  chooseBoard: "Please choose a board",
  chooseQuality: "Please choose a quality: high or standard",
  nothingToCancel: "All pins have already started, so nothing was canceled.",
  taskFailed: "We couldn't generate this pin. Please try again.",
  taskStuck: "This pin took too long. Please try again.",
  notRegenerable: "You can only change drafts and failed pins.",
  imageUnwanted: "This pin was scheduled or deleted before the new image was ready, so its image stayed the same.",
  nothingToUndo: "The previous image can no longer be restored.",
  imageCanceled: "Canceled. Your credits were returned.",
  imageStarted: "The new image is already being generated, so it can't be canceled.",
  fromPage: "From your page",
  pageUnused: "Your page wasn't used",
  unreadPage: "If a page can't be read",
  variants: "Choose 1 to 4 pins per keyword",
  tooManyPins: `You can generate up to ${KEYWORDS_MAX} pins at once. Use fewer keywords or fewer pins for each.`,
  suggestionsFree: "Suggestions are free.",
  previewFree: "Previews are free. The final pin will have new text.",
  ownImage: "Use the page's own image",
  pageImageUnread: "The page's image couldn't be used, because the page couldn't be read.",
  pageImageMissing: "We couldn't find a usable image on this page.",
  pageImageGone: "The page's image couldn't be loaded.",
  pageImageBroken: "The page's image can't be read.",
  pageImageLarge: "The page's image is too large.",
  pageImageSmall: "The page's image is too small for a pin.",
} as const;

/** More pages of one host in a generation than this are read as a program reads a site: robots.txt is respected. */
export const TYPED_PAGES_MAX = 3;

/** Candidates of a page, so that a logo or a broken link at the front doesn't matter, and each pin of a row gets another. */
export const PAGE_IMAGES_TRIED = 5;
/** How long a process remembers which images of pages can be used, and how many. */
export const PAGE_IMAGES_JUDGED_MS = HOUR_MS;
export const PAGE_IMAGES_JUDGED_MAX = 2_000;

export const UNREAD_PAGE_CHOICES = ["use_keyword", "stop"] as const;
export type UnreadPageChoice = (typeof UNREAD_PAGE_CHOICES)[number];

export const stoppedText = (problem: string): string => `This page couldn't be used. ${problem}`;

export const unreadPagesText = (pages: number): string =>
  pages === 1
    ? "A page couldn't be used, so its pin is based only on the keyword."
    : `${pages} pages couldn't be used, so their pins are based only on the keywords.`;

export const newImageText = (title: string): string => `New image for “${title}”`;

/** The '(s)' is literal (R-ERR-13, A-69). */
export const failedText = (failedTasks: number): string => `${failedTasks} pin(s) failed to generate.`;

export const canceledText = (revokedTasks: number): string =>
  revokedTasks === 1
    ? "1 pin was canceled. Its credits were returned."
    : `${revokedTasks} pins were canceled. Their credits were returned.`;

/** Tasks beyond the list (R-TRK-09). */
export const moreText = (hiddenTasks: number): string => `+${hiddenTasks} more`;

export const KEYWORD_MAX = 200;
/** Pins for each keyword, each with its own text and image. */
export const VARIANTS = [1, 2, 3, 4] as const;
export type Variants = (typeof VARIANTS)[number];

/** Replaced images are kept longer than that (`RETENTION_MS`). */
export const REGENERATION_UNDO_MS = DAY_MS;

/** Until there are measurements (R-CONST-12). */
export const ESTIMATE_SECONDS = { high: 60, standard: 50 } as const;

/** Listed tasks, and bars of a larger group (R-CONST-13, A-31). */
export const STRIP_MAX = 10;

/** How often a running generation is polled (R-TIME-01). */
export const POLL_MS = 3 * SECOND_MS;

export const MEASURED_MAX = 60;
export const MEASURED_WITHIN_MS = DAY_MS;
export const QUEUE_COUNT_MAX = 2_000;
export const MIN_SECONDS = 5;

/** Free previews and suggestions of a user whose email isn't confirmed. */
export const UNCONFIRMED_TEXTS_A_DAY = 10;

/** The durable engine's maximum. */
export const STEP_RETRIES = 20;
/** Low, because every try is billed. */
export const UNUSABLE_TRIES = 3;
/** How often a text is written again because another task took its title. In each round, one of them finishes. */
export const TITLE_ROUNDS_MAX = 4;
/** About four minutes in total. Attempts that waited for a model count, too, because each may cost an image. */
export const UNEXPECTED_ERROR_TRIES = 5;

/** The total that a page waits for a site that is at its limit of requests. Then it counts as unread. */
export const PAGE_WAIT_MAX_MS = HOUR_MS;

/** About a minute each. A round is not an attempt. */
export const SLOT_ROUNDS_MAX = 200;

/** One that runs and one that is ready. The others wait in the database. */
export const TASKS_PER_SLOT = 2;
/** Tasks each user may have dispatched even when all slots are taken, so that a large group blocks no one. */
export const MIN_TASKS_PER_USER = 2;
/** Total of those extra tasks across all users. */
export const MAX_EXTRA_TASKS = 24;

export const UNSENT_AFTER_MS = 20 * SECOND_MS;
/** A step that works on a task says so this often. */
export const HEARTBEAT_MS = 15 * SECOND_MS;
/**
 * Without a sign of life for this long, a task's run counts as lost. Not counting requested waits. With the time between
 * two sweeps a minute at most.
 */
export const SILENT_AFTER_MS = 45 * SECOND_MS;
/** The engine repeats a failed step of the first tries within this time. */
export const REPEATED_WITHIN_MS = 5 * MINUTE_MS;
/** The silence doubles with each resend without progress, since a busy engine starts runs late. */
export const SILENT_MAX_MS = 15 * MINUTE_MS;
/** Resends without progress before a silent task fails and its credits are returned: 53 minutes in total. */
export const RESENDS_MAX = 6;
/** Reserved credits this old whose task is gone return to their user. */
export const ORPHANED_AFTER_MS = 15 * MINUTE_MS;
/** A restored task, and one that made progress, starts at an unused multiple: its event ids and resends are new. */
export const SWEEPS_PER_RESTORE = 10;
export const SWEEP_MAX = 500;
