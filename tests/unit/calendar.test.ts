import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planDrafts, planMoves } from "#components/calendar/calendar-moves.ts";
import { clockChangeNote } from "#components/publishing/moments.ts";
import { doneText, withoutMoves } from "#components/publishing/move-plan.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { TEXTS } from "#lib/features/calendar/constants.ts";
import {
  addDays,
  daysProblem,
  groupByDay,
  instantOn,
  minuteOfTime,
  monthGrid,
  moveToDay,
  nextFreeSlots,
  suggestSlots,
  timeOfMinute,
  weekdayOf,
  weekOf,
} from "#lib/features/calendar/policy.ts";
import {
  type CalendarPinWire,
  saveSlotsInput,
  setAccountTimeZoneInput,
  suggestSlotsInput,
} from "#lib/features/calendar/schema.ts";

const iso = (at: Date) => at.toISOString();

describe("the calendar's days", () => {
  test("a month is six weeks from a Sunday on", () => {
    const days = monthGrid("2026-11-27");
    expect([days[0], days.at(-1), days.length]).toEqual(["2026-11-01", "2026-12-12", 42]);
    expect(monthGrid("2028-02-10")[0]).toBe("2028-01-30");
    expect(weekOf("2026-11-27")).toEqual(monthGrid("2026-11-27").slice(21, 28));
  });

  test("a pin stands on its local day", () => {
    const pins = [{ at: "2026-11-27T23:30:00.000Z" }, { at: "2026-11-28T10:00:00.000Z" }];
    expect([...groupByDay(pins, "Europe/Berlin").keys()]).toEqual(["2026-11-28"]);
    expect([...groupByDay(pins, "America/New_York").keys()]).toEqual(["2026-11-27", "2026-11-28"]);
  });
});

test.each(["Mars/Olympus", "", "GMT+25", 7])("the zone %j does not exist, which its field says", (timeZone) => {
  for (const input of [setAccountTimeZoneInput, suggestSlotsInput]) {
    const issues = input.safeParse({ accountId: "acc_1", timeZone }).error?.issues;
    expect(issues?.map(({ path, message }) => [path, message])).toEqual([[["timeZone"], TEXTS.zoneInvalid]]);
  }
});

describe("moving to another day keeps the wall-clock time", () => {
  test.each([
    // Northern summer begins on March 8 (New York), ends on November 1.
    ["America/New_York", "2026-03-07T14:00:00.000Z", "2026-03-09", "2026-03-09T13:00:00.000Z", "plain"],
    ["America/New_York", "2026-03-07T07:30:00.000Z", "2026-03-08", "2026-03-08T07:30:00.000Z", "skipped"],
    ["America/New_York", "2026-10-31T05:30:00.000Z", "2026-11-01", "2026-11-01T05:30:00.000Z", "repeated"],
    ["Europe/Berlin", "2026-03-28T01:30:00.000Z", "2026-03-29", "2026-03-29T01:30:00.000Z", "skipped"],
    // Southern summer begins on October 4 (Sydney), ends on April 5.
    ["Australia/Sydney", "2026-10-02T16:30:00.000Z", "2026-10-04", "2026-10-03T16:30:00.000Z", "skipped"],
    ["Australia/Sydney", "2026-04-03T15:30:00.000Z", "2026-04-05", "2026-04-04T15:30:00.000Z", "repeated"],
    // Clocks change by half an hour.
    ["Australia/Lord_Howe", "2026-10-02T15:45:00.000Z", "2026-10-04", "2026-10-03T15:45:00.000Z", "skipped"],
    ["Asia/Kathmandu", "2026-05-01T03:15:00.000Z", "2026-06-30", "2026-06-30T03:15:00.000Z", "plain"],
    ["Asia/Kolkata", "2026-12-31T18:29:00.000Z", "2027-01-01", "2027-01-01T18:29:00.000Z", "plain"],
  ])("%s, %s to %s", (zone, from, day, expected, clock) => {
    const moved = moveToDay(new Date(from), day, zone);
    expect([iso(moved.at), moved.clock]).toEqual([expected, clock]);
  });

  test("seconds stay, and the local time is the same unless clocks skip it", () => {
    const zones = fc.constantFrom("America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Chatham");
    const at = fc.date({ min: new Date("2026-01-01"), max: new Date("2028-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(zones, at, fc.integer({ min: -400, max: 400 }), (zone, from, days) => {
        const [before, day] = [localTimeOf(from, zone), addDays(localTimeOf(from, zone).date, days)];
        const { at: moved, clock } = moveToDay(from, day, zone);
        const after = localTimeOf(moved, zone);
        expect(moved.getTime() % 60_000).toBe(from.getTime() % 60_000);
        expect(after.date).toBe(day);
        if (clock !== "skipped") expect(after.time).toBe(before.time);
        else expect(after.time > before.time).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("posting slots", () => {
  const morning = { weekday: 1, minute: 9 * 60 };
  const evening = { weekday: 1, minute: 20 * 60 };
  const search = {
    slots: [evening, morning, { weekday: 3, minute: 150 }],
    zone: "America/New_York",
    now: new Date("2026-11-23T15:00:00.000Z"),
    firstDay: "2026-11-23",
    lastDay: "2027-11-22",
    taken: [],
    spreadDays: null,
  };

  test("the next free ones come in order, without those that are over", () => {
    expect(nextFreeSlots({ ...search, count: 4 }).map(({ at }) => iso(at))).toEqual([
      "2026-11-24T01:00:00.000Z",
      "2026-11-25T07:30:00.000Z",
      "2026-11-30T14:00:00.000Z",
      "2026-12-01T01:00:00.000Z",
    ]);
  });

  test("a pin within five minutes takes a slot", () => {
    const taken = ["2026-11-24T00:55:01.000Z", "2026-11-25T07:35:00.000Z"].map((at) => new Date(at));
    expect(nextFreeSlots({ ...search, taken, count: 2 }).map(({ at }) => iso(at))).toEqual([
      "2026-11-25T07:30:00.000Z",
      "2026-11-30T14:00:00.000Z",
    ]);
  });

  test("a number of days spreads them evenly; a day without a free slot leaves its share to the next", () => {
    const daily = [0, 1, 2, 3, 4, 5, 6].flatMap((weekday) => [
      { weekday, minute: 1_200 },
      { weekday, minute: 1_260 },
    ]);
    const daysOf = (count: number, spreadDays: number, own = daily) =>
      nextFreeSlots({ ...search, slots: own, spreadDays, count }).map(({ at }) => localTimeOf(at, search.zone).date);
    expect(daysOf(3, 30)).toEqual(["2026-11-23", "2026-12-03", "2026-12-13"]);
    expect(daysOf(8, 7).map((date) => date.slice(8))).toEqual(["23", "23", "24", "25", "26", "27", "28", "29"]);
    expect(daysOf(4, 2).map((date) => date.slice(8))).toEqual(["23", "23", "24", "24"]);
    expect(daysOf(3, 7, search.slots)).toEqual(["2026-11-23", "2026-11-25", "2026-11-30"]);
    expect(daysOf(3, 2, [morning])).toEqual(["2026-11-30", "2026-12-07", "2026-12-14"]);
  });

  test("chosen days end the search; pins spread over them that find no slot at the end take earlier ones", () => {
    const week = { ...search, lastDay: "2026-11-25", count: 3 };
    expect(nextFreeSlots(week).map(({ at }) => iso(at))).toEqual([
      "2026-11-24T01:00:00.000Z",
      "2026-11-25T07:30:00.000Z",
    ]);
    const slots = [{ weekday: 1, minute: 1_200 }, evening, { weekday: 2, minute: 600 }];
    const spread = { ...search, slots, lastDay: "2026-11-29", spreadDays: 7, count: 2 };
    expect(nextFreeSlots(spread).map(({ at }) => localTimeOf(at, search.zone).date)).toEqual([
      ...["2026-11-23", "2026-11-24"],
    ]);
  });

  test("days that have passed, are in the wrong order, or are over a year ahead are a problem", () => {
    const problem = (from: string, to: string | null) => daysProblem(from, to, "2026-11-27");
    expect(problem("2026-11-01", "2026-11-27")).toBeNull();
    expect(problem("2026-11-01", "2026-11-26")).toBe(TEXTS.daysPassed);
    expect(problem("2026-12-02", "2026-12-01")).toBe(TEXTS.endBeforeStart);
    expect(problem("2026-12-01", "2027-11-27")).toBeNull();
    expect(problem("2026-12-01", "2027-11-28")).toBe(TEXTS.daysTooFar);
    expect(problem("2027-11-28", null)).toBe(TEXTS.daysTooFar);
  });

  test("slots that one pin would take both of are refused, also across the end of the week", () => {
    const parse = (slots: unknown) => saveSlotsInput.safeParse({ accountId: "acc_1", slots });
    const late = { weekday: 6, minute: 1_439 };
    expect(parse([morning, { weekday: 1, minute: 9 * 60 + 5 }, late]).success).toBe(true);
    for (const other of [
      { weekday: 1, minute: 9 * 60 + 4 },
      { weekday: 0, minute: 3 },
    ]) {
      expect(parse([morning, late, other]).error?.issues[0]?.message).toBe(TEXTS.slotsOverlap);
    }
    expect(parse([]).success).toBe(true);
  });

  test("a slot that clocks skip moves forward by the gap, and says so", () => {
    const slots = [{ weekday: 0, minute: 150 }];
    const [slot] = nextFreeSlots({ ...search, slots, firstDay: "2026-03-08", now: new Date("2026-03-01"), count: 1 });
    expect(slot).toEqual({ at: new Date("2026-03-08T07:30:00.000Z"), clock: "skipped" });
  });

  test("slots that clocks put on one instant count once, in order", () => {
    const slots = [150, 180, 210].map((minute) => ({ weekday: 0, minute }));
    const found = nextFreeSlots({ ...search, slots, firstDay: "2026-03-08", now: new Date("2026-03-01"), count: 3 });
    expect(found.map(({ at }) => iso(at))).toEqual([
      ...["2026-03-08T07:00:00.000Z", "2026-03-08T07:30:00.000Z", "2026-03-15T06:30:00.000Z"],
    ]);
  });

  test("a year without enough free slots gives fewer", () => {
    expect(nextFreeSlots({ ...search, slots: [morning], count: 100 })).toHaveLength(52);
    expect(nextFreeSlots({ ...search, slots: [], count: 1 })).toEqual([]);
  });

  test("no two are closer than clocks allow, none is before now, and all are on a slot", () => {
    const slot = fc.record({ weekday: fc.integer({ min: 0, max: 6 }), minute: fc.integer({ min: 0, max: 1439 }) });
    const slots = fc.uniqueArray(slot, { selector: ({ weekday, minute }) => weekday * 1_440 + minute, maxLength: 30 });
    fc.assert(
      fc.property(slots, fc.integer({ min: 1, max: 60 }), (own, count) => {
        const found = nextFreeSlots({ ...search, slots: own, count });
        const times = found.map(({ at }) => at.getTime());
        expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
        expect(times.every((at) => at > search.now.getTime())).toBe(true);
        for (const { at, clock } of found) {
          const { date, time } = localTimeOf(at, search.zone);
          const isOwn = own.some(({ weekday, minute }) => weekday === weekdayOf(date) && timeOfMinute(minute) === time);
          expect(isOwn || clock === "skipped").toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("suggestions use what did better, else the default times on all days", () => {
    const defaults = suggestSlots([], []);
    expect(defaults).toHaveLength(28);
    expect(new Set(defaults.map(({ minute }) => timeOfMinute(minute)))).toEqual(
      new Set(["12:15", "17:30", "20:00", "21:30"]),
    );
    const own = suggestSlots([{ value: 6, isBetter: true }], [{ value: 2, isBetter: true }]);
    const timesOn = (day: number) => own.filter(({ weekday }) => weekday === day).map(({ minute }) => minute);
    expect(timesOn(1)).toContain(minuteOfTime("06:00"));
    expect(timesOn(1)).toHaveLength(4);
    expect(timesOn(2)).toHaveLength(5);
    expect(suggestSlots([{ value: 6, isBetter: false }], [])).toEqual(defaults);
  });

  test("an instant on a day is the local time in the zone", () => {
    expect(iso(instantOn("2026-06-01", 545, "Asia/Kathmandu").at)).toBe("2026-06-01T03:20:00.000Z");
  });
});

describe("what a move does", () => {
  const zone = "America/New_York";
  const now = new Date("2026-10-28T12:00:00.000Z");
  const pin = (id: string, at: string): CalendarPinWire => ({
    ...{ id, title: id, image_url: "", status: "scheduled", at, board_id: "b", reason: null },
    ...{ format: "image", impressions: null, outbound_clicks: null },
  });
  const [first, second] = [pin("a", "2026-10-29T13:00:00.000Z"), pin("b", "2026-10-30T22:30:00.000Z")];
  const timesOf = ({ moves }: { moves: readonly { to: string | null }[] }) => moves.map(({ to }) => to);

  test("to a day: local times stay, across a clock change", () => {
    const plan = planMoves([first, second], { kind: "day", date: "2026-10-31" }, { zone, now });
    expect(timesOf(plan)).toEqual(["2026-10-31T13:00:00.000Z", "2026-11-01T23:30:00.000Z"]);
    expect(doneText(plan, zone)).toBe("2 pins moved to Sat, Oct 31, 9:00 AM and later");
  });

  test("to an hour or time: distances stay", () => {
    const distance = Date.parse(second.at) - Date.parse(first.at);
    const same = planMoves([second], { kind: "hour", date: "2026-10-31", hour: 18 }, { zone, now });
    expect(timesOf(same)).toEqual(["2026-10-31T22:30:00.000Z"]);
    const hour = planMoves([first, second], { kind: "hour", date: "2026-11-03", hour: 6 }, { zone, now });
    expect(timesOf(hour)).toEqual([
      "2026-11-03T11:00:00.000Z",
      new Date(Date.parse("2026-11-03T11:00:00.000Z") + distance).toISOString(),
    ]);
    const exact = planMoves([second], { kind: "exact", at: new Date("2026-12-01T08:07:00.000Z") }, { zone, now });
    expect(timesOf(exact)).toEqual(["2026-12-01T08:07:00.000Z"]);
  });

  test("into the past: refused in words; to the same day: nothing", () => {
    const past = planMoves([first], { kind: "day", date: "2026-10-27" }, { zone, now });
    expect(past.problem).toBe("9:00 AM on Tuesday, October 27 has passed. Choose a later time.");
    expect(planMoves([first], { kind: "day", date: "2026-10-29" }, { zone, now }).moves).toEqual([]);
    expect(planMoves([], { kind: "day", date: "2026-10-29" }, { zone, now }).problem).toContain("no longer scheduled");
    expect(planMoves([first], { kind: "drafts" }, { zone, now }).moves).toEqual([
      { id: "a", from: first.at, to: null },
    ]);
  });

  test("without moves that were refused, later ones start where the pins still are; ways back are left out", () => {
    const refused = [
      { id: "a", from: "1", to: "2" },
      { id: "b", from: null, to: "2" },
      { id: "c", from: "1", to: "2" },
    ];
    const later = [
      { id: "a", from: "2", to: "3" },
      { id: "b", from: "2", to: "4" },
      { id: "c", from: "2", to: "1" },
      { id: "d", from: "2", to: null },
    ];
    expect(withoutMoves(later, refused)).toEqual([
      { id: "a", from: "1", to: "3" },
      { id: "b", from: null, to: "4" },
      { id: "d", from: "2", to: null },
    ]);
    expect(withoutMoves([{ id: "a", from: "5", to: "6" }], refused)).toEqual([{ id: "a", from: "5", to: "6" }]);
  });

  test("into a repeated or skipped hour: the toast and the pin say so", () => {
    const late = pin("c", "2026-10-30T05:30:00.000Z");
    const repeated = planMoves([late], { kind: "day", date: "2026-11-01" }, { zone, now });
    expect(timesOf(repeated)).toEqual(["2026-11-01T05:30:00.000Z"]);
    expect(repeated.note).toBe("Clocks fall back that night: this is the first 1:30 AM.");
    expect(clockChangeNote("2026-11-01T06:30:00.000Z", zone)).toContain("second 1:30 AM");
    expect(clockChangeNote("2026-11-02T06:30:00.000Z", zone)).toBeNull();
    const skipped = planMoves(
      [pin("d", "2027-03-13T07:30:00.000Z")],
      { kind: "day", date: "2027-03-14" },
      { zone, now },
    );
    expect(skipped.note).toBe("Clocks spring forward that night: 2:30 AM doesn't exist and becomes 3:30 AM.");
    expect(clockChangeNote("2027-03-14T08:00:00.000Z", zone)).toBeNull();
  });

  test("drafts on a day take its free slots first, then free hours", () => {
    const slots = [{ weekday: 4, minute: 1_200 }];
    const taken = [new Date("2026-10-29T14:00:00.000Z")];
    const plan = planDrafts(["x", "y", "z"], { kind: "day", date: "2026-10-29" }, { zone, now, slots, taken });
    expect(timesOf(plan)).toEqual(["2026-10-30T00:00:00.000Z", "2026-10-29T13:00:00.000Z", "2026-10-29T15:00:00.000Z"]);
    const hour = planDrafts(["x", "y"], { kind: "hour", date: "2026-10-29", hour: 7 }, { zone, now, slots, taken });
    expect(timesOf(hour)).toEqual(["2026-10-29T11:00:00.000Z", "2026-10-29T11:15:00.000Z"]);
    const inHour = (hour: number, occupied = taken) => {
      const late = { zone, now, slots: [{ weekday: 4, minute: 1_215 }], taken: occupied };
      return timesOf(planDrafts(["x", "y"], { kind: "hour", date: "2026-10-29", hour }, late));
    };
    // The hour's free slot, from which the next one is 15 minutes apart; without one, the full hour.
    expect(inHour(20)).toEqual(["2026-10-30T00:15:00.000Z", "2026-10-30T00:30:00.000Z"]);
    expect(inHour(20, [new Date("2026-10-30T00:15:00.000Z")])[0]).toBe("2026-10-30T00:00:00.000Z");
    expect(inHour(21)[0]).toBe("2026-10-30T01:00:00.000Z");
    const today = planDrafts(
      ["x"],
      { kind: "day", date: "2026-10-28" },
      { zone, now: new Date("2026-10-28T15:20:00.000Z"), slots, taken },
    );
    expect(timesOf(today)).toEqual(["2026-10-28T16:00:00.000Z"]);
    const onDay = (date: string, ids = ["x"], at = now) =>
      planDrafts(ids, { kind: "day", date }, { zone, now: at, slots, taken });
    expect(onDay("2026-10-27").problem).toBe("Tuesday, October 27 has passed. Choose a later day.");
    expect(
      onDay(
        "2026-10-30",
        Array.from({ length: 16 }, (_, index) => `d${index}`),
      ).problem,
    ).toContain("doesn't have room");
    expect(onDay("2026-10-28", ["x"], new Date("2026-10-29T03:20:00.000Z")).problem).toContain("doesn't have room");
  });
});
