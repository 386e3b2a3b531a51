import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** Some texts are literal: R-SCH-04, R-SCH-07, R-SCH-08. */
export const TEXTS = {
  nothingSelected: "Please select at least one post to publish",
  intervalInvalid: "The interval must be a whole number of minutes from 1 to 43,200.",
  idInvalid: "This ID isn't valid.",
  duplicates: "The same pin is listed twice.",
  tooMany: "You can schedule up to 500 pins at once.",
  tooManySlots: "You can schedule up to 5,000 pins at once.",
  startInvalid: "The start time must include a UTC offset and be within the next year.",
  startMissing: "Choose a date and time.",
  startSkipped: "Clocks spring forward then, so this time doesn't exist. Choose another one.",
  startRepeated: "Clocks fall back then, so this time happens twice. We'll use the first one.",
  startTooFar: "Choose a start time within the next year.",
  notDraft: "Only drafts can be scheduled.",
  scheduleFailed: "Failed to schedule posts for publishing",
  notScheduled: "This pin isn't scheduled.",
  beingPublished: "This pin is being published right now.",
  alreadyPublished: "This pin is already published.",
  timePassed: "This time has passed. Choose a later one.",
  notPublishable: "Only drafts and scheduled pins can be published now.",
  notFailed: "Only failed pins can be retried.",
  accountOnHold:
    "Pinterest asked this account to slow down, so it can't publish right now. Scheduled pins will go out automatically.",
  storageOnHold: "We can't read your images right now. Your pins will publish once that's fixed.",
  accountRemoved: "The Pinterest account was removed.",
  removedUnclear:
    "The Pinterest account was removed before we knew the result. This pin may already be published, so please check Pinterest.",
  unscheduledUnclear:
    "This pin was unscheduled before we knew the result. It may already be published, so please check Pinterest.",
  unclear: "Pinterest didn't confirm this pin. It may already be published, so check Pinterest before you try again.",
  boardMissingUnclear:
    "The board or section no longer exists, and Pinterest didn't confirm this pin. It may already be published. Check Pinterest before you choose another board and try again.",
  accountPaused: "On hold: Pinterest asked this account to slow down. The pin will publish automatically.",
  overdue: "Overdue: to protect your account, overdue pins are published with the spacing you scheduled.",
  reconnectNeeded: "On hold: reconnect this Pinterest account, and the pin will publish.",
  boardCheckFirst: "This pin may already be published, so we'll check your board before sending anything.",
  restored: "This pin was restored from a backup, so we'll check your board before sending anything.",
  notSent: "The request was delayed on our end and wasn't sent.",
  pinIdTaken: "Pinterest's response pointed to a different pin, so we're checking your board before we try again.",
  duplicateCreated:
    "Pinterest confirmed an earlier request late, so this pin may be on your board twice. Please check it.",
  fileMissing: "A file of this pin is missing. Please create the pin again.",
  imageMissing: "This pin's image is missing. Please generate it again.",
  triesExhausted: "Pinterest didn't accept this pin, even after many attempts. Please try again later.",
  internalErrorRetrying: "Publishing was delayed on our end. We'll try again automatically.",
  internalError: "Publishing failed on our end. Please try again.",
  untitled: "Untitled pin",
} as const;

/** Literal text of R-SCH-07. */
export const scheduledText = (n: number, date: string): string =>
  `Successfully scheduled ${n} pins for publishing. Last pin will be published by ${date}`;

export const INTERVAL_DEFAULT_MINUTES = 60;
export const INTERVAL_MIN_MINUTES = 1;
export const INTERVAL_MAX_MINUTES = 43_200;

export const BATCH_MAX = 500;
/** Pins that are scheduled in one transaction, each for its own time. */
export const SLOTS_MAX = 5_000;

export const START_MAX_AHEAD_MS = 366 * DAY_MS;

/** Scheduled pins of one account closer together than this are reported as a clash. */
export const CLASH_MS = 5 * MINUTE_MS;
/** How far back published pins are searched for duplicates. */
export const DUPLICATE_WINDOW_MS = 90 * DAY_MS;
/** Most scheduled, and most published, pins that a preview reads: about fifty a day over the duplicate window. */
export const KNOWN_PINS_MAX = 5_000;
/** A preview yields the thread after reading or comparing this many pins: a few milliseconds of work each. */
export const KNOWN_PINS_PER_TURN = 1_000;
export const CANDIDATES_PER_TURN = 20;
export const FREE_START_ROUNDS_MAX = 500;
/** A requested time may have just passed while the user was on the dialog. */
export const START_PASSED_MS = MINUTE_MS;

/** Longer than any call (four 60 s sends, one 35 s refresh). The board isn't checked before it ends. */
export const CALL_LEASE_MS = 5 * MINUTE_MS;

/** A call that starts later than this after it was recorded is not made. */
export const CALL_START_MAX_MS = 10 * SECOND_MS;

/** A call is not repeated after a refused token later than this, so that its answer still arrives within the lease. */
export const CALL_REPEAT_MAX_MS = 2 * MINUTE_MS;

/** Pinterest's listings may lag behind, so the first check waits this long after an unknown outcome. */
export const FIRST_CHECK_DELAY_MS = 5 * SECOND_MS;
export const SECOND_CHECK_DELAY_MS = 25 * SECOND_MS;
export const CHECK_GAP_MS = 10 * SECOND_MS;
export const CHECKS_NEEDED = 2;
/** Listed pins per check whose image is compared with the pin's, and how many at a time. */
export const IMAGE_CHECKS_MAX = 50;
export const IMAGE_CHECKS_AT_ONCE = 5;
/** Other pins of the account wait for a board check. */
export const IMAGE_CHECK_MS = 3 * SECOND_MS;
/** Backoff after failed checks, short enough to settle unknown outcomes within a minute once Pinterest recovers. */
export const FAILED_CHECK_FIRST_DELAY_MS = 5 * SECOND_MS;
export const FAILED_CHECK_MAX_DELAY_MS = 15 * SECOND_MS;
/** Minimum gap between checks of one account while they fail. */
export const ACCOUNT_CHECK_GAP_MS = 3 * SECOND_MS;
/** After this long without a successful check, the pin fails with an unknown outcome. */
export const RECONCILIATION_MAX_MS = 3 * DAY_MS;
export const CLOCK_SKEW_MS = 2 * MINUTE_MS;

/** Earliest new attempt after an unknown outcome, and after a board check found nothing. */
export const NEW_ATTEMPT_MS = 50 * SECOND_MS;
export const NEW_ATTEMPT_GAP_MS = 5 * SECOND_MS;

/** Temporary refusals: backoff and the number of retries. About a day in total. */
export const RETRY_FIRST_DELAY_MS = MINUTE_MS;
export const BUSY_FIRST_DELAY_MS = 5 * SECOND_MS;
export const RETRY_MAX_DELAY_MS = HOUR_MS;
export const PROVIDER_MAX_DELAY_MS = DAY_MS;
export const RETRIES_MAX = 30;

export const SPAM_PAUSE_MS = DAY_MS;
export const TRIAL_FIRST_DELAY_MS = HOUR_MS;

/** Between pins that wait for the same pause. */
export const QUEUE_GAP_MS = SECOND_MS;

/** A pin this late is overdue: overdue pins of an account go out no faster than planned, at most a day apart. */
export const OVERDUE_AFTER_MS = 10 * MINUTE_MS;
export const OVERDUE_GAP_MAX_MS = DAY_MS;
/** Between overdue pins that their user wants published now. */
export const OVERDUE_NOW_GAP_MINUTES = 1;

/** Engines sleep in whole seconds, so a step that wakes up to this early waits inside the step. */
export const WAIT_IN_STEP_MAX_MS = 1_500;

/** A run waits itself for what follows within this time; everything later is left to the scan of due pins. */
export const WAIT_IN_RUN_MAX_MS = MINUTE_MS;

/** Runs are requested this long before their pin's time, so that a late scan delays no pin. */
export const START_AHEAD_MS = 45 * SECOND_MS;
/** A requested run that has not begun this long after its time counts as lost; longer each time, for a busy engine. */
export const START_LEASE_MS = 30 * SECOND_MS;
export const START_LEASE_MAX_MS = 15 * MINUTE_MS;
export const START_BATCH = 500;

/** A worker that holds a pin longer than this counts as dead: the scan starts another run. */
export const STALE_AFTER_MS = 40 * SECOND_MS;
/** How long one step may go on with further batches. */
export const SWEEP_MAX_MS = 30 * SECOND_MS;
/** The delay after a failed run doubles from a minute: about eight hours in total. */
export const FAILED_RUNS_MAX = 9;

/** Added to schedule generations of a restored backup, so that their event ids were never used before. */
export const RESTORED_GENERATIONS = 1_000;

/** How long a due pin waits during an outage; the end of the outage wakes it earlier. */
export const OUTAGE_WAIT_MS = 10 * MINUTE_MS;

/** Accounts whose tokens one step renews, one after another. */
export const RENEWAL_BATCH = 50;

export const RECHECK_AHEAD_MS = 3 * HOUR_MS;
export const RECHECK_BATCH = 500;
