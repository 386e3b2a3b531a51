export const CALENDAR_DAYS_MAX = 100;
/** Pins in one response; a longer range says that there are more. */
export const CALENDAR_PINS_MAX = 3_000;
export const MOVES_MAX = 500;
/** Days from tomorrow on that the overview checks for pins. */
export const OVERVIEW_DAYS = 14;
/** Drafts beside the calendar; Generated Posts has all. */
export const DRAFTS_SHOWN = 60;
export const SLOTS_MAX = 200;

/** A pin this close to a slot takes it. */
export const SLOT_TAKEN_MINUTES = 5;

/** The last day for free slots is this many days ahead; scheduling ends a little later. */
export const SLOT_SEARCH_DAYS = 365;

export const MINUTES_PER_DAY = 1_440;
export const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6] as const;
export const WEEKDAY_LABELS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

/** In the evening, when people plan, and at lunch; Pinterest publishes no best times. In minutes after midnight. */
export const DEFAULT_TIMES = [12 * 60 + 15, 17 * 60 + 30, 20 * 60, 21 * 60 + 30] as const;

/** When a draft that is put on a day without slots goes out. */
export const DAY_START_MINUTE = 9 * 60;

export const TEXTS = {
  rangeInvalid: "Ask for a range of up to 100 days: `from` and a later `to` are times with a UTC offset.",
  movesInvalid: `Send 1 to ${MOVES_MAX} moves, each with post_id, from, and to.`,
  tooManyMoves: `You can schedule or move up to ${MOVES_MAX} pins at a time. Select fewer pins.`,
  duplicates: "The same pin is listed twice.",
  isUndoInvalid: "`is_undo` must be true or false.",
  intoFreeSlotsInvalid: "`into_free_slots` must be true or false.",
  nothingMoves: "A move needs a new time.",
  movedMeanwhile: "This pin has changed since you loaded the page. Nothing was moved. Reload and try again.",
  slotsInvalid: `Send up to ${SLOTS_MAX} slots, each with a weekday from 0 (Sunday) to 6 and a minute from 0 to 1439.`,
  slotsTwice: "Two slots have the same weekday and time.",
  slotsOverlap: `Slots must be at least ${SLOT_TAKEN_MINUTES} minutes apart.`,
  slotsMissing: "This account has no posting slots yet. Add some first.",
  zoneInvalid: "This time zone doesn't exist. Use a name such as America/New_York.",
  spreadInvalid: "The number of days must be a whole number from 1 to 366.",
  daysPassed: "These days have passed. Choose an end date that's today or later.",
  endBeforeStart: "The end date is before the start date.",
  daysTooFar: "Pins can be scheduled up to a year ahead. Choose earlier dates.",
  noFreeSlotsThen: "There are no free slots on these days. Add slots, or choose other dates.",
  slotTaken: "Another pin has taken one of these slots. Nothing was scheduled. Check the new times.",
  noFreeSlots: "There aren't enough free slots in the next year. Add slots, or select fewer pins.",
} as const;
