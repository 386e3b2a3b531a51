import { expect, test } from "vitest";
import { emailContent } from "#lib/features/email/schema.ts";
import { weeklyCopy } from "#lib/features/email/weekly.ts";

const SENDER = { productName: "Tackle", appUrl: "https://tackle.test", supportEmail: "help@tackle.test" };
const KEYWORD = { label: "bread", days: 30, rate: 0.05, low: 0.04, high: 0.06, isSure: true };
const WEEK = { firstDay: "2026-11-15", lastDay: "2026-11-21", impressions: 3_210, impressionsBefore: 6_420, pin: null };

const renderWeek = (week: object) => {
  const unsubscribe = { claim: "usr_1.weekly_results", seed: "unsubscribe:usr_1.weekly_results" };
  const whole = { ...WEEK, counted: 9, published: 9, keyword: KEYWORD, ...week };
  const content = emailContent.parse({ kind: "weekly_results", firstName: "Ada", week: whole, unsubscribe });
  if (content.kind !== "weekly_results") throw new Error("Not a weekly email.");
  const { subject, lists } = weeklyCopy(content, SENDER);
  return { subject, highlights: lists?.[0]?.items ?? [] };
};

test("A-83 the weekly email reports only counted impressions of our own pins", () => {
  const { subject, highlights } = renderWeek({});
  expect(subject).toBe("3,210 impressions on your Tackle pins last week");
  expect(highlights[0]).toEqual({
    name: "3,210 impressions on your Tackle pins",
    detail: "50% fewer than the week before.",
  });
  expect(renderWeek({ counted: 8 }).subject).toBe("At least 3,210 impressions on your Tackle pins last week");
});

test.each([
  [{}, "Best keyword: bread", null],
  [
    { level: 1 },
    "One of the best keywords: bread",
    "One other keyword did about as well, so this one's lead may be due to",
  ],
  [
    { level: 3 },
    "One of the best keywords: bread",
    "3 other keywords did about as well, so this one's lead may be due to chance",
  ],
  [{ level: 3, isSure: false }, "Leading keyword so far: bread", null],
])("A-83 the weekly email is as cautious about keywords as the screen: %o", (stand, name, tieText) => {
  const highlight = renderWeek({ keyword: { ...KEYWORD, ...stand } }).highlights[1];
  expect(highlight?.name).toBe(name);
  if (tieText) expect(highlight?.detail).toContain(tieText);
  else expect(highlight?.detail).not.toContain("about as well");
});
