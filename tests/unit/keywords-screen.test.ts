import { expect, test } from "vitest";
import { growthText, ownPinsText } from "#components/keywords/keyword-texts.ts";
import { readKeywordsQuery, trendsPath, writeKeywordsQuery } from "#components/keywords/keywords-query.ts";
import { limitText } from "#lib/features/keywords/constants.ts";

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
    "2 pins, 1 impression, 0 clicks",
  );
});

test.each([
  [1, 60, "Pinterest allows 60 requests per minute. Try again in 1 second."],
  [120, 60, "Pinterest allows 60 requests per minute. Try again in 120 seconds."],
  [40, null, "We’ve reached Pinterest’s request limit. Try again in 40 seconds."],
  [600, 60, "We’ve reached Pinterest’s request limit. Try again in 10 minutes."],
  [86_400, 60, "We’ve reached Pinterest’s request limit. Try again in 24 hours."],
])("a wait of %d seconds with a limit of %j per minute: %s", (seconds, perMinute, text) => {
  expect(limitText(seconds, perMinute)).toBe(text);
});
