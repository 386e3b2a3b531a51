import { DAY_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** What a task is doing on the whole. */
export const TASK_STATUSES = ["PENDING", "STARTED", "RETRY", "SUCCESS", "FAILURE", "REVOKED"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Stage codes with the labels a person reads (R-TRK-12). */
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

/** Literal texts of the creator and its progress panel (R-AIC, R-TRK, R-ERR-11 to R-ERR-14). */
export const TEXTS = {
  generate: "Generate Content",
  enterKeyword: "Please enter at least one keyword",
  startFailed: "Failed to start pin generation",
  pollFailed: "Failed to check generation status",
  complete: "Pin generation complete!",
  chooseAccount: "Please choose a Pinterest account",
  chooseBoard: "Please choose a board",
  chooseQuality: "Please choose a quality: high or standard",
  nothingToCancel: "Every pin had been started already, so nothing was cancelled.",
  taskFailed: "Something went wrong on our side while making this pin.",
  taskStuck: "This pin took too long to make and was given up.",
  notRemakable: "Only drafts and failed pins can be changed.",
  pictureUnwanted: "The pin was scheduled or deleted meanwhile, so it keeps its picture.",
  nothingToUndo: "The picture before this one cannot be brought back any more.",
  pictureCancelled: "No new picture is made, and its credits are back.",
  pictureBegun: "It has been begun already, so it will be made.",
  suggestionsFree: "Suggestions cost no credits.",
} as const;

/** What a pin is called while only its picture is made anew. */
export const newPictureText = (title: string): string => `New picture for "${title}"`;

/** R-ERR-13, with the literal '(s)' of A-69. */
export const failedText = (failedTasks: number): string => `${failedTasks} pin(s) failed to generate.`;

/** What cancelling took back, for a person. */
export const cancelledText = (revokedTasks: number): string =>
  revokedTasks === 1
    ? "1 pin was cancelled, its credits are back."
    : `${revokedTasks} pins were cancelled, their credits are back.`;

/** R-TRK-09 */
export const moreText = (hiddenTasks: number): string => `+${hiddenTasks} more`;

/** Keywords in one request, and characters in one keyword. */
export const KEYWORDS_MAX = 100;
export const KEYWORD_MAX = 200;

/** The picture before a new one can be brought back for so long; lost pictures are kept longer (`RETENTION_MS`). */
export const REMAKE_UNDO_MS = DAY_MS;

/** Seconds a pin takes, until measured otherwise (R-TRK-07, R-CONST-12). */
export const ESTIMATE_SECONDS = { high: 60, standard: 50 } as const;

/** Bars of the strip and lines of the detail list (R-CONST-13, A-31). */
export const STRIP_MAX = 10;

/** R-TIME-01 */
export const POLL_MS = 3 * SECOND_MS;

/** Estimates come from so many pictures at most, drawn within so long … */
export const MEASURED_MAX = 60;
export const MEASURED_WITHIN_MS = DAY_MS;
/** … and count the pins in line up to here. */
export const LINE_MAX = 2_000;
/** While a pin is unfinished, its time remaining is never shown as less. */
export const LEAST_SECONDS = 5;

/** Tries that the durable engine may spend on a step; it allows no more than 20 retries. */
export const STEP_RETRIES = 20;
/** Unusable answers cost money like usable ones: this many tries are the end of it. */
export const UNUSABLE_TRIES = 3;
/**
 * An error nobody foresaw ends a step from this try on; before it, the engine tries again (about four minutes in all).
 * Tries that waited for a model count as well: each may cost a picture.
 */
export const UNFORESEEN_TRIES = 5;

/**
 * Rounds in which a picture waits for a place to draw, about a minute each: hours. No round counts as a try. Rounds in
 * which another run draws it are seconds; a run that has nothing but these left ends, and leaves the task to the other.
 */
export const PLACE_ROUNDS_MAX = 200;

/**
 * Tasks that are called up at a time, for each place to draw: one that is drawn, and one that is ready to be. The
 * others wait in the database.
 */
export const SEATS_PER_PLACE = 2;
/** Beyond that, a user who has few gets so many, so that nobody's first pin waits behind another's hundred. */
export const SEATS_OF_RIGHT = 2;
/** But all in all no more than so many beyond it. */
export const SEATS_EXTRA = 24;

/** The sweep sends again what no event went out for after this time (a crash between commit and send) … */
export const UNSENT_AFTER_MS = 20 * SECOND_MS;
/** … and what has an event but gave no sign of life for so long, beyond the time that it was asked to wait. */
export const SILENT_AFTER_MS = 15 * MINUTE_MS;
/** After so many events sent again a silent task is given up and its credits return. */
export const RESENDS_MAX = 2;
/** The sweeps of a restored task begin at a multiple of this that nobody used: it has events, and resends, of its own. */
export const SWEEPS_PER_LIFE = 10;
/** Tasks that one sweep takes on. */
export const SWEEP_MAX = 500;
