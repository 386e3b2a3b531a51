import { expect, test } from "vitest";
import { growthText, ownPinsText } from "#components/keywords/keyword-texts.ts";
import { readKeywordsQuery, trendsPath, writeKeywordsQuery } from "#components/keywords/keywords-query.ts";
import { publishDays, sharedDays } from "#components/keywords/season-days.ts";
import { limitText, ownLimitText } from "#lib/features/keywords/constants.ts";

test("a query is read from the URL and written back, without the defaults", () => {
  const params = { view: "lists", region: "GB+IE", type: "yearly", interests: "travel,beauty", ages: "65+", q: "rye" };
  const query = readKeywordsQuery(params);
  expect(query).toMatchObject({ interests: ["beauty", "travel"], ages: ["65+"], genders: [], search: "rye", list: "" });
  expect(writeKeywordsQuery(query)).toEqual({
    ...params,
    interests: "beauty,travel",
    genders: null,
    list: null,
  });
  const usual = readKeywordsQuery({ view: "x", region: ["US"], type: "", interests: "moss", ages: ["65+"] });
  expect(Object.values(writeKeywordsQuery(usual)).every((value) => value === null)).toBe(true);
});

test("keywords share the days that suit all of their seasons", () => {
  const season = (publish_from: string, publish_to: string, peak_day: string) => ({
    publish_from,
    publish_to,
    peak_day,
  });
  const today = "2026-11-27";
  const [soon, later] = [
    season("2026-12-01", "2026-12-15", "2027-01-26"),
    season("2026-12-08", "2026-12-22", "2027-02-02"),
  ];
  expect(sharedDays([soon, null, later], today)).toEqual({ from: "2026-12-08", to: "2026-12-15" });
  expect(sharedDays([soon, season("2027-01-01", "2027-01-15", "2027-02-26")], today)).toBe("apart");
  expect(sharedDays([null], today)).toBeNull();
  // Began, over but before the peak, and a stale one.
  expect(publishDays(season("2026-11-20", "2026-12-04", "2027-01-15"), today)).toEqual({
    from: today,
    to: "2026-12-04",
  });
  expect(publishDays(season("2026-10-20", "2026-11-04", "2026-12-15"), today)).toEqual({
    from: today,
    to: "2026-12-15",
  });
  expect(publishDays(season("2026-09-20", "2026-10-04", "2026-11-15"), today)).toBeNull();
});

test("the call has the filters of the query", () => {
  const query = readKeywordsQuery({ region: "AU+NZ", interests: "travel", q: "slow bread, rye" });
  expect(trendsPath("acc_1", query)).toBe(
    "/api/users/pinterest/keyword-trends/acc_1/?region=AU%2BNZ&trend_type=growing&interests=travel&include_keywords=slow+bread%2C+rye",
  );
});

test.each([
  [10_001, "over 10,000%"],
  [10_000, "+10,000%"],
  [0, "0%"],
  [-5, "-5%"],
  [null, "–"],
])("a growth of %j is %s", (percent, text) => {
  expect(growthText(percent)).toBe(text);
});

test("own pins without metrics are only counted", () => {
  expect(ownPinsText({ pins: 1, counted_pins: 0, impressions: 0, outbound_clicks: 0 })).toBe("1 pin");
  expect(ownPinsText({ pins: 2, counted_pins: 1, impressions: 1, outbound_clicks: 0 })).toBe(
    "2 pins, with 1 impression and 0 clicks in the last 90 days",
  );
});

test.each([
  [1, 60, "Pinterest allows 60 requests per minute. Try again in 1 second."],
  [120, 60, "Pinterest allows 60 requests per minute. Try again in 120 seconds."],
  [40, null, "We've reached Pinterest's request limit. Try again in 40 seconds."],
  [600, 60, "We've reached Pinterest's request limit. Try again in 10 minutes."],
  [86_400, 60, "We've reached Pinterest's request limit. Try again in 24 hours."],
])("a wait of %d seconds with a limit of %j per minute: %s", (seconds, perMinute, text) => {
  expect(limitText(seconds, perMinute)).toBe(text);
});

test("our own limit isn't called Pinterest's", () => {
  expect(ownLimitText(40)).toBe(
    "To stay within Pinterest's limit, we send up to 30 of these requests per minute for an account. Try again in 40 seconds.",
  );
});
