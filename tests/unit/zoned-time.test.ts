import { describe, expect, test } from "vitest";
import { clockChangeAt, instantOf, localTimeOf, zoneOffsetMs } from "#lib/core/zoned-time.ts";

const HOUR_MS = 3_600_000;
const at = (date: string, time: string, zone: string) => {
  const instant = instantOf({ date, time }, zone);
  return instant && [instant.at.toISOString(), instant.clock];
};

describe("R-SRV-06 a start in local time", () => {
  test.each([
    ["2026-11-22", "15:04", "UTC", "2026-11-22T15:04:00.000Z"],
    ["2026-11-22", "15:04", "Asia/Kathmandu", "2026-11-22T09:19:00.000Z"],
    ["2026-01-01", "00:00", "Pacific/Kiritimati", "2025-12-31T10:00:00.000Z"],
    ["2026-07-01", "00:00", "Pacific/Pago_Pago", "2026-07-01T11:00:00.000Z"],
    ["2026-12-31", "23:59", "America/St_Johns", "2027-01-01T03:29:00.000Z"],
    ["2028-02-29", "12:00", "Europe/Berlin", "2028-02-29T11:00:00.000Z"],
  ])("%s %s in %s", (date, time, zone, iso) => {
    expect(at(date, time, zone)).toEqual([iso, "plain"]);
    expect(localTimeOf(new Date(iso), zone)).toEqual({ date, time });
  });

  test.each([
    // Clocks spring forward by an hour at 2:00, at 2:00 and at 0:00, and by half an hour at 2:00.
    ["2026-03-29", "02:30", "Europe/Berlin", "2026-03-29T01:30:00.000Z", "03:30"],
    ["2026-03-08", "02:00", "America/New_York", "2026-03-08T07:00:00.000Z", "03:00"],
    ["2026-09-06", "00:15", "America/Santiago", "2026-09-06T04:15:00.000Z", "01:15"],
    ["2026-10-04", "02:10", "Australia/Lord_Howe", "2026-10-03T15:40:00.000Z", "02:40"],
  ])("%s %s is skipped in %s: it is moved by the clock change", (date, time, zone, iso, shown) => {
    expect(at(date, time, zone)).toEqual([iso, "skipped"]);
    expect(localTimeOf(new Date(iso), zone)).toEqual({ date, time: shown });
  });

  test.each([
    ["2026-10-25", "02:30", "Europe/Berlin", "2026-10-25T00:30:00.000Z", HOUR_MS],
    ["2026-11-01", "01:00", "America/New_York", "2026-11-01T05:00:00.000Z", HOUR_MS],
    ["2026-04-05", "01:45", "Australia/Lord_Howe", "2026-04-04T14:45:00.000Z", HOUR_MS / 2],
  ])("%s %s is repeated in %s: the first occurrence counts", (date, time, zone, iso, laterMs) => {
    expect(at(date, time, zone)).toEqual([iso, "repeated"]);
    const second = new Date(Date.parse(iso) + laterMs);
    expect(localTimeOf(second, zone)).toEqual({ date, time });
  });

  test("the minutes around a change are unambiguous", () => {
    expect(at("2026-03-29", "01:59", "Europe/Berlin")).toEqual(["2026-03-29T00:59:00.000Z", "plain"]);
    expect(at("2026-03-29", "03:00", "Europe/Berlin")).toEqual(["2026-03-29T01:00:00.000Z", "plain"]);
    expect(at("2026-10-25", "01:59", "Europe/Berlin")).toEqual(["2026-10-24T23:59:00.000Z", "plain"]);
    expect(at("2026-10-25", "03:00", "Europe/Berlin")).toEqual(["2026-10-25T02:00:00.000Z", "plain"]);
  });

  test.each([
    ["", ""],
    ["2026-02-30", "10:00"],
    ["2026-11-22", "24:00"],
    ["2026-11-22", "9:00"],
    ["12026-11-22", "09:00"],
  ])("'%s' '%s' is not a valid time", (date, time) => expect(at(date, time, "UTC")).toBeNull());

  test("offsets are whole minutes, even within a minute", () => {
    expect(zoneOffsetMs(new Date("2026-11-22T10:00:59.999Z"), "Asia/Kathmandu")).toBe(5.75 * HOUR_MS);
    expect(zoneOffsetMs(new Date("2026-11-22T10:00:00Z"), "America/New_York")).toBe(-5 * HOUR_MS);
  });
});

describe("a clock change beside an instant", () => {
  const skipped = (date: string, time: string) => ({ kind: "skipped", missing: { date, time } });
  test.each([
    // The hour after clocks spring forward also stands for the one that they skip.
    ["2026-03-08T06:59:00.000Z", "America/New_York", null],
    ["2026-03-08T07:00:00.000Z", "America/New_York", skipped("2026-03-08", "02:00")],
    ["2026-03-08T07:59:59.000Z", "America/New_York", skipped("2026-03-08", "02:59")],
    ["2026-03-08T08:00:00.000Z", "America/New_York", null],
    ["2026-10-03T16:30:00.000Z", "Australia/Sydney", skipped("2026-10-04", "02:30")],
    ["2026-10-03T15:40:00.000Z", "Australia/Lord_Howe", skipped("2026-10-04", "02:10")],
    ["2026-10-03T16:00:00.000Z", "Australia/Lord_Howe", null],
    ["2026-09-06T04:15:00.000Z", "America/Santiago", skipped("2026-09-06", "00:15")],
    ["2026-11-01T05:30:30.000Z", "America/New_York", { kind: "repeated", isFirst: true }],
    ["2026-11-01T06:30:30.000Z", "America/New_York", { kind: "repeated", isFirst: false }],
    ["2026-11-01T07:00:00.000Z", "America/New_York", null],
    ["2026-04-04T15:15:00.000Z", "Australia/Lord_Howe", { kind: "repeated", isFirst: false }],
    ["2026-06-01T00:00:00.000Z", "Asia/Kathmandu", null],
  ])("%s in %s", (iso, zone, expected) => expect(clockChangeAt(new Date(iso), zone)).toEqual(expected));
});
