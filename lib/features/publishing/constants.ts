import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** Literal texts of scheduling and publishing (R-SCH, R-ERR-16, R-ERR-17) and the reasons a pin can carry. */
export const TEXTS = {
  nothingSelected: "Please select at least one post to publish",
  intervalInvalid: "The interval must be a whole number of minutes from 1 to 43200.",
  idInvalid: "This is not an id of ours.",
  duplicates: "The same post is listed twice.",
  tooMany: "At most 500 posts can be scheduled at once.",
  startInvalid: "The start must be a time with its offset, at most one year ahead.",
  startMissing: "Choose a date and a time.",
  startSkipped: "Clocks go forward then, and this time does not come. Choose another one.",
  startTwice: "Clocks go back then, and this time comes twice. The first one is meant.",
  startTooFar: "The start may lie at most one year ahead.",
  notDraft: "Only drafts can be scheduled.",
  scheduleFailed: "Failed to schedule posts for publishing",
  notScheduled: "This pin is not scheduled.",
  beingPublished: "This pin is being published right now.",
  alreadyPublished: "This pin is published already.",
  timePassed: "This time has passed. Choose one that is still to come.",
  notPublishable: "Only drafts and scheduled pins can be published now.",
  notFailed: "Only failed pins can be retried.",
  accountRemoved: "The Pinterest account was removed.",
  removedUnclear:
    "The Pinterest account was removed before the result was known. This pin may already be published: please check.",
  unscheduledUnclear:
    "Taken off the schedule before the result was known. This pin may already be published: please check.",
  unclear: "Pinterest did not confirm this pin. It may already be published: please check before you retry.",
  boardGoneUnclear: "The board is gone and Pinterest did not confirm this pin. It may already be published.",
  accountPaused: "Waiting: Pinterest asked this account to slow down. The pin goes out by itself.",
  awaitsReconnect: "Waiting: connect this Pinterest account again, and the pin goes out.",
  looksFirst: "This pin may be published already: the board is searched before anything is sent.",
  restored: "Restored from a backup: the board is searched before anything is sent.",
  notSent: "The request was held up on our side and was not sent.",
  idTaken: "Pinterest named a pin that is on another receipt already; the board is searched.",
  imageMissing: "The picture of this pin is missing. Please generate it again.",
  triedOften: "Pinterest did not take this pin after many tries. Please retry it later.",
  ourFaultAgain: "Publishing was held up on our side. It is tried again by itself.",
  ourFault: "Publishing failed on our side. Please retry.",
  untitled: "A pin without a title",
} as const;

/** R-SCH-07 */
export const scheduledText = (n: number, date: string): string =>
  `Successfully scheduled ${n} pins for publishing. Last pin will be published by ${date}`;

/** R-CONST-14, A-36: whole minutes. */
export const INTERVAL_DEFAULT_MINUTES = 60;
export const INTERVAL_MIN_MINUTES = 1;
export const INTERVAL_MAX_MINUTES = 43_200;

export const BATCH_MAX = 500;

/** How far ahead the first pin of a batch may lie. */
export const START_MAX_AHEAD_MS = 366 * DAY_MS;

/** Pins of one account that go out closer together than this are pointed out. */
export const CLASH_MS = 5 * MINUTE_MS;
/** A pin is compared with what the account published in this time, and with what is scheduled. */
export const TWIN_WINDOW_MS = 90 * DAY_MS;
/** A preview reads at most so many pins of each of the two kinds: fifty a day for all of that time. */
export const KNOWN_PINS_MAX = 5_000;
/** A preview lets others have the thread after so many pins that it reads, and that it compares with those: few ms each. */
export const KNOWN_IN_A_TURN = 1_000;
export const SOUGHT_IN_A_TURN = 20;
/** So often a preview moves a plan on in search of free times. */
export const FREE_START_ROUNDS_MAX = 500;
/** A new time for a pin may have passed by so much: as long as somebody looks at it before pressing the button. */
export const START_PASSED_MS = MINUTE_MS;

/**
 * How long a call without an answer may still be on its way; until then nobody looks, since the pin could come after
 * the look. Longer than the longest call: with and without the label, renewal of the token, both again (60 s each,
 * the renewal 35 s).
 */
export const CALL_LEASE_MS = 5 * MINUTE_MS;

/** A call that could not be made at once after it was written down is not made at all. */
export const CALL_START_MS = 10 * SECOND_MS;

/**
 * Nor is it made again, after a refused token, so long after it was written down: what is sent then is answered, with
 * and without the label, before the lease is over.
 */
export const CALL_AGAIN_MS = 2 * MINUTE_MS;

/** From an unclear answer to the first look, and from that to the second: Pinterest's listing may lag. */
export const FIRST_LOOK_MS = 5 * SECOND_MS;
export const NEXT_LOOK_MS = 25 * SECOND_MS;
/** Where the answer is long ago, because nobody could look, the lag is over and looks may follow closer. */
export const LOOK_GAP_MS = 10 * SECOND_MS;
/** So many looks without finding it count as "it is not there". */
export const LOOKS_NEEDED = 2;
/**
 * Pauses after failed looks grow to this and no longer: whatever kept Pinterest silent, and for how long, each unclear
 * pin is settled within a minute after it answers again. A wait that Pinterest asks for is kept to.
 */
export const LOOK_FAILED_FIRST_MS = 5 * SECOND_MS;
export const LOOK_FAILED_LONGEST_MS = 15 * SECOND_MS;
/** Nor does one account search more often than this while its searches fail. */
export const ACCOUNT_LOOK_MS = 3 * SECOND_MS;
/** A pin whose board could not be searched for so long is given up as unclear. */
export const LOOKING_LONGEST_MS = 3 * DAY_MS;
/** Pinterest's clock may differ from ours by so much. */
export const CLOCK_SKEW_MS = 2 * MINUTE_MS;

/** From an unclear answer to the one new attempt, at the earliest, and from "it is not there" to it. */
export const NEW_ATTEMPT_MS = 50 * SECOND_MS;
export const NEW_ATTEMPT_GAP_MS = 5 * SECOND_MS;

/** Passing refusals: first pause, longest pause, and how many there may be. About a day in all. */
export const RETRY_FIRST_MS = MINUTE_MS;
export const BUSY_FIRST_MS = 5 * SECOND_MS;
export const RETRY_LONGEST_MS = HOUR_MS;
export const PROVIDER_WAIT_LONGEST_MS = DAY_MS;
export const TRIES_MAX = 30;

/** Holds on a whole account: Pinterest's spam block, and an app that awaits approval (BRIEF §3). */
export const SPAM_PAUSE_MS = DAY_MS;
export const TRIAL_FIRST_MS = HOUR_MS;

/** After a pause the pins of an account leave one by one, in their order. */
export const QUEUE_GAP_MS = SECOND_MS;

/** A step that comes so little early waits for the moment itself: engines sleep in whole seconds. */
export const WAIT_IN_STEP_MS = 1_500;

/** The longest single sleep of a run; engines limit it. */
export const NAP_LONGEST_MS = 6 * DAY_MS;

/** Somebody who works on a pin is given so long before the sweep thinks them dead. */
export const PATIENCE_MS = 4 * MINUTE_MS;
/** And a wake-up may be so late. */
export const WAKE_GRACE_MS = MINUTE_MS;
export const SWEEP_BATCH = 500;
/** The next one comes in a minute. */
export const SWEEP_LONGEST_MS = 30 * SECOND_MS;
/** How often a run that broke down on our side is started anew before the pin is given up. */
export const BREAKDOWNS_MAX = 5;

/** A restored copy numbers its schedules so much higher: their events have ids that were never sent before. */
export const RESTORED_GENERATIONS = 1_000;

/** Links of pins that go out within so long are looked at again, so many at a time. */
export const RECHECK_AHEAD_MS = 3 * HOUR_MS;
export const RECHECK_BATCH = 500;
