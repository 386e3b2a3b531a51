import { expect, test } from "vitest";
import { letterSchema } from "#lib/features/email/schema.ts";
import { writeWeek } from "#lib/features/email/weekly.ts";

const SENDER = { productName: "Tackle", appUrl: "https://tackle.test", supportEmail: "help@tackle.test" };
const KEYWORD = { label: "bread", days: 30, rate: 0.05, low: 0.04, high: 0.06, isSure: true };
const WEEK = { firstDay: "2026-11-15", lastDay: "2026-11-21", impressions: 3_210, impressionsBefore: 6_420, pin: null };

const writtenOf = (week: object) => {
  const unsubscribe = { claim: "usr_1.weekly_results", seed: "unsubscribe:usr_1.weekly_results" };
  const whole = { ...WEEK, counted: 9, published: 9, keyword: KEYWORD, ...week };
  const letter = letterSchema.parse({ kind: "weekly_results", firstName: "Ada", week: whole, unsubscribe });
  if (letter.kind !== "weekly_results") throw new Error("It tells of a week.");
  const { subject, lists } = writeWeek(letter, SENDER);
  return { subject, facts: lists?.[0]?.items ?? [] };
};

test("A-83 the weekly mail claims no more views than were counted, and of no other pins", () => {
  const { subject, facts } = writtenOf({});
  expect(subject).toBe("3,210 views of your Tackle pins last week");
  expect(facts[0]).toEqual({
    name: "3,210 views of your Tackle pins",
    detail: "50% fewer than in the seven days before.",
  });
  expect(writtenOf({ counted: 8 }).subject).toBe("At least 3,210 views of your Tackle pins last week");
});

test.each([
  [{}, "Best keyword: bread", null],
  [{ level: 1 }, "Among the best keywords: bread", "One other keyword is level with it: its lead over that one may be"],
  [
    { level: 3 },
    "Among the best keywords: bread",
    "3 other keywords are level with it: its lead over those may be luck",
  ],
  [{ level: 3, isSure: false }, "In front, and not yet sure: bread", null],
])("A-83 the weekly mail calls a keyword no better than the screen does: %o", (stand, name, levelText) => {
  const fact = writtenOf({ keyword: { ...KEYWORD, ...stand } }).facts[1];
  expect(fact?.name).toBe(name);
  if (levelText) expect(fact?.detail).toContain(levelText);
  else expect(fact?.detail).not.toContain("level");
});
