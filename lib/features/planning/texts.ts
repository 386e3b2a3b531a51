import { formatCount } from "#lib/core/text.ts";
import type { PaceNumbers, PaceRule } from "./constants.ts";
import { awakeMinutes, quietSpan, spanText } from "./policy.ts";
import type { BreachWire, MoveWire, PaceWarningWire } from "./schema.ts";

export const RULE_LABELS: Record<PaceRule, string> = {
  perDay: "Daily limit",
  warmUp: "Warm-up",
  gap: "Minimum gap",
  quiet: "Quiet hours",
  link: "Same link",
  similar: "Similar pins",
};

const pinsADay = (limit: number): string => `${formatCount(limit)} ${limit === 1 ? "pin" : "pins"} a day`;
const days = (limit: number): string => (limit === 1 ? "1 day" : `${limit} days`);
const quoted = (title: string | null | undefined): string => (title ? `“${title}”` : "another pin");

/** A time of day such as `22:00` as '10 PM'. */
export const clockText = (time: string): string => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const half = hours < 12 ? "AM" : "PM";
  const hour = hours % 12 === 0 ? 12 : hours % 12;
  return minutes === 0 ? `${hour} ${half}` : `${hour}:${String(minutes).padStart(2, "0")} ${half}`;
};

const quietText = ({ quietFrom, quietTo }: PaceNumbers): string => `${clockText(quietFrom)} to ${clockText(quietTo)}`;

const ruleText = (
  rule: PaceRule,
  { limit, other }: { limit: number; other: string | null },
  pace: PaceNumbers,
): string => {
  switch (rule) {
    case "perDay":
      return `your limit is ${pinsADay(limit)}`;
    case "warmUp":
      return `your account is warming up, so its limit is ${pinsADay(limit)} for now`;
    case "gap":
      return `your pace keeps pins at least ${spanText(limit * 60_000)} apart, and ${quoted(other)} is too close`;
    case "quiet":
      return `your quiet hours are from ${quietText(pace)}`;
    case "link":
      return `${quoted(other)} has the same link, and your pace keeps such pins ${days(limit)} apart`;
    case "similar":
      return `${quoted(other)} is nearly identical, and your pace keeps such pins ${days(limit)} apart`;
  }
};

/** 'Moved 6 h 30 min later: your quiet hours are from 11 PM to 6 AM.' */
export const moveText = (move: MoveWire, pace: PaceNumbers): string =>
  `Moved ${spanText(move.ms)} later: ${ruleText(move.rule, move, pace)}.`;

const breachRule = ({ rule, limit, other }: BreachWire, pace: PaceNumbers): string =>
  ruleText(rule, { limit, other: other?.title ?? null }, pace);

/** 'Doesn't follow your safe pace: at most 10 pins a day.' */
export const breachText = (breach: BreachWire, pace: PaceNumbers): string =>
  `Doesn't follow your safe pace: ${breachRule(breach, pace)}.`;

/** 'Doesn't follow your safe pace: at most 10 pins a day; quiet hours from 11 PM to 6 AM.' */
export const warningText = ({ breaches, numbers }: PaceWarningWire): string =>
  `Doesn't follow your safe pace: ${breaches.map((breach) => breachRule(breach, numbers)).join("; ")}.`;

export const warningCountText = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? "pin doesn't" : "pins don't"} follow your safe pace.`;

export const unplacedText = (count: number): string =>
  `${count} ${count === 1 ? "pin" : "pins"} won't fit in the next year and will stay ${count === 1 ? "a draft" : "drafts"}.`;

/** What keeps copies of a pin apart: 'At a safe pace, copies with the same link go out at least 7 days apart.' */
export const copySpacingText = ({ linkDays, similarDays }: PaceNumbers): string => {
  const link = linkDays > 0 && ["copies with the same link", `at least ${days(linkDays)} apart`];
  const similar = similarDays > 0 && ["copies with the same image or title", `at least ${days(similarDays)} apart`];
  const [first, second] = [link, similar].filter((rule) => rule !== false);
  if (!first) return "Your pace doesn't require any time between copies.";
  return `At a safe pace, ${first.join(" go out ")}${second ? `, and ${second.join(" ")}` : ""}.`;
};

/** 'up to 10 pins a day, at least 1 h apart, none from 11 PM to 6 AM' */
export const paceText = (pace: PaceNumbers): string => {
  const hasQuiet = awakeMinutes(quietSpan(pace)) < 1_440;
  const parts = [`up to ${pinsADay(pace.perDay)}`, `at least ${spanText(pace.gapMinutes * 60_000)} apart`];
  return [...parts, ...(hasQuiet ? [`none from ${quietText(pace)}`] : [])].join(", ");
};
