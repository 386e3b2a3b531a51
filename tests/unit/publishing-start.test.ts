import { describe, expect, test } from "vitest";
import {
  nextHour,
  offsetText,
  readStart,
  START_NOW,
  type StartChoice,
  startAt,
  startDays,
} from "#components/publishing/read-start.ts";
import { duplicateText, type SlotView, slotTime, slotViews, warningCounts } from "#components/publishing/slot-notes.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { TEXTS } from "#lib/features/publishing/constants.ts";
import type { PreviewedSlotWire } from "#lib/features/publishing/schema.ts";

const KATHMANDU = "Asia/Kathmandu";
const BERLIN = "Europe/Berlin";
const NOW = new Date("2026-11-22T12:10:30.000Z");

const later = (date: string, time: string): StartChoice => ({ kind: "later", date, time, exact: null });
const read = (date: string, time: string, zone = KATHMANDU) => readStart(later(date, time), zone, NOW);

describe("R-SCH-09 A-34 when the first pin goes out", () => {
  test("now by default; otherwise in the given time zone, whatever the machine's", () => {
    expect(readStart(START_NOW, KATHMANDU, NOW)).toEqual({ start: null, problem: null, note: null });
    expect(read("2026-11-24", "10:00")).toEqual({
      start: new Date("2026-11-24T04:15:00.000Z"),
      problem: null,
      note: null,
    });
  });

  test.each([
    ["", "", TEXTS.startMissing],
    ["2026-11-24", "", TEXTS.startMissing],
    ["2026-02-30", "10:00", TEXTS.startMissing],
    // 17:55:30 there: the current minute is accepted, the one before is not.
    ["2026-11-22", "17:54", TEXTS.timePassed],
    ["2025-11-24", "10:00", TEXTS.timePassed],
    ["2027-11-24", "10:00", TEXTS.startTooFar],
  ])("'%s' '%s' is refused: %s", (date, time, problem) => {
    expect(read(date, time)).toEqual({ start: null, problem, note: null });
  });

  test("accepts the current minute and a year ahead", () => {
    expect(read("2026-11-22", "17:55").start).toEqual(new Date("2026-11-22T12:10:00.000Z"));
    expect(read("2027-11-22", "17:55").problem).toBeNull();
  });

  test("refuses a skipped time; a repeated one means its first occurrence, or the exact one that was chosen", () => {
    expect(read("2027-03-28", "02:30", BERLIN)).toEqual({ start: null, problem: TEXTS.startSkipped, note: null });
    const first = new Date("2027-10-31T00:30:00.000Z");
    expect(read("2027-10-31", "02:30", BERLIN)).toEqual({ start: first, problem: null, note: TEXTS.startRepeated });
    const second = new Date("2027-10-31T01:30:00.000Z");
    const named = startAt(second, BERLIN);
    expect(named).toMatchObject({ date: "2027-10-31", time: "02:30" });
    expect(readStart(named, BERLIN, NOW)).toEqual({ start: second, problem: null, note: null });
    // Once the fields were changed, they count.
    expect(readStart({ ...named, time: "03:00" }, BERLIN, NOW).start).toEqual(new Date("2027-10-31T02:00:00.000Z"));
  });

  test("suggests a full local hour at least half an hour ahead", () => {
    expect(nextHour(NOW, KATHMANDU)).toMatchObject({ date: "2026-11-22", time: "19:00" });
    expect(nextHour(NOW, "UTC")).toMatchObject({ date: "2026-11-22", time: "13:00" });
    expect(nextHour(new Date("2026-11-22T12:31:00Z"), "UTC")).toMatchObject({ time: "14:00" });
    expect(readStart(nextHour(NOW, KATHMANDU), KATHMANDU, NOW).start).toEqual(new Date("2026-11-22T13:15:00.000Z"));
  });

  test("the selectable days, and the zone's offset", () => {
    expect(startDays(NOW, "Pacific/Kiritimati")).toEqual({ min: "2026-11-23", max: "2027-11-24" });
    expect(offsetText(NOW, KATHMANDU)).toBe("GMT+5:45");
    expect(offsetText(new Date("2027-07-01T00:00:00Z"), BERLIN)).toBe("GMT+2");
  });
});

describe("R-SCH-01 the list of slots", () => {
  const post = (id: string, link_warning: string | null = null) => ({ id, title: id, link_warning }) as PinWire;
  const duplicate: PreviewedSlotWire["duplicate"] = {
    title: "Old",
    image_url: "/api/images/a.jpg",
    by: "both",
    status: "published",
    at: NOW.toISOString(),
  };

  test("shows each pin's time and warnings; no warnings before the preview has loaded", () => {
    const due = [NOW, new Date(NOW.getTime() + 60_000)];
    const posts = [post("a"), post("b", "This link is dead.")];
    const plain = { clash: null, duplicate: null, linkWarning: null };
    expect(slotViews(posts, due, null)).toMatchObject([plain, { ...plain, linkWarning: "This link is dead." }]);
    const slots = [{ post_id: "b", due_at: "", clash: null, duplicate }];
    const seen = slotViews(posts, due, { start: "", slots, free_start: null, renewal_due: null, pace: [] });
    expect(seen).toMatchObject([plain, { duplicate, dueAt: due[1] }]);
    expect(warningCounts(seen)).toEqual(["1 nearly identical to another pin", "1 with a link to check"]);
    expect(warningCounts(seen.slice(0, 1))).toEqual([]);
    const clash = { title: "Old", scheduled_at: "" };
    const slot = { clash, duplicate: null, linkWarning: null, paceNotes: [{ text: "", isWarning: true }] };
    expect(warningCounts([slot as unknown as SlotView])).toEqual([
      "1 within five minutes of another pin",
      "1 not following your safe pace",
    ]);
  });

  test("formats times, with the year when it differs", () => {
    expect(slotTime(NOW, NOW, KATHMANDU)).toBe("Sun, Nov 22, 5:55 PM");
    expect(slotTime(new Date("2027-01-01T00:00:00Z"), NOW, "UTC")).toBe("Fri, Jan 1, 2027, 12:00 AM");
  });

  test("describes duplicates", () => {
    const text = (change: object) => duplicateText({ ...duplicate, ...change }, () => "Nov 3");
    expect(text({})).toBe("The image and title are nearly identical to “Old”, published Nov 3.");
    expect(text({ by: "title", status: "scheduled" })).toBe("The title is nearly identical to “Old”, scheduled Nov 3.");
    expect(text({ by: "image", status: "selected", at: null })).toBe(
      "The image is nearly identical to “Old”, which you also selected.",
    );
  });
});
