import { describe, expect, test } from "vitest";
import { nextCheck } from "#components/pins/next-check.ts";
import {
  appendPage,
  belongsTo,
  comparePins,
  countNew,
  currentPin,
  headLimit,
  keepTail,
  type LoadedPin,
  type LoadedPins,
  mergePins,
  nextPagePath,
  pinsPath,
  rangeOf,
} from "#components/pins/pin-list.ts";
import type { LiveRows } from "#lib/client/live-cache.ts";
import type { PinSort } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

const FIRST_MS = Date.parse("2026-01-01T00:00:00.000Z");

/** A higher number means a newer pin. */
const pin = (number: number, more: Partial<PinWire> = {}): PinWire => ({
  id: `pin_${String(number).padStart(4, "0")}`,
  title: `Pin ${number}`,
  description: "",
  image_url: "/api/images/x.jpg",
  keyword: null,
  url: null,
  status: "draft",
  board_section_id: null,
  created_at: new Date(FIRST_MS + number * 1_000).toISOString(),
  scheduled_at: null,
  published_at: null,
  pinterest_url: null,
  account_id: "acc_1",
  board_id: "1",
  alt_text: "",
  reason: null,
  may_be_published: false,
  check_url: null,
  source: "manual",
  format: "image",
  placeholder: null,
  review: null,
  template_id: null,
  link_state: null,
  link_warning: null,
  link_checking: false,
  from_page: false,
  ...more,
});

const loaded = (pins: readonly PinWire[], requestedAt = 0): LoadedPin[] =>
  pins.map((one) => ({ pin: one, requestedAt }));
const listed = (pins: readonly PinWire[], more: Partial<LoadedPins> = {}): LoadedPins => ({
  loaded: loaded(pins, more.requestedAt),
  requestedAt: 0,
  nextPath: null,
  counts: null,
  ...more,
});
const numbers = (pins: readonly PinWire[]) => pins.map(({ id }) => Number(id.slice(4)));
const shown = ({ loaded: all }: LoadedPins) => numbers(all.map((one) => one.pin));
const updates = (...all: [PinWire | { id: string }, number][]): LiveRows<PinWire> =>
  new Map(all.map(([value, at]) => [value.id, { value: "title" in value ? value : null, at }]));
const downFrom = (from: number, count: number) => Array.from({ length: count }, (_, at) => pin(from - at));

describe("paths of the list", () => {
  test("R-POST-03 includes search, sort order and limit only when set", () => {
    expect(pinsPath("acc_1", { filter: "draft", q: "", sort: "newest" })).toBe(
      "/api/users/pinterest/generated-pins/acc_1/?status=draft&sort=newest",
    );
    expect(pinsPath("acc_1", { q: "a&b =c" }, { ids: "pin_1,pin_2" })).toBe(
      "/api/users/pinterest/generated-pins/acc_1/?status=all&q=a%26b+%3Dc&ids=pin_1%2Cpin_2",
    );
  });

  test("the next page has the usual size, no counts, and keeps the cursor", () => {
    expect(nextPagePath("/posts/?status=all&q=x&limit=200&counts=true&cursor=k1.pin_1")).toBe(
      "/posts/?status=all&q=x&limit=60&cursor=k1.pin_1",
    );
    expect(nextPagePath(null)).toBeNull();
    expect([0, 60, 61, 500].map(headLimit)).toEqual([60, 60, 61, 200]);
  });
});

describe("loading more", () => {
  test("R-POST-06 adds each pin once when pages overlap", () => {
    const before = listed(downFrom(9, 3), { nextPath: "/a", counts: null });
    const grown = appendPage(before, listed([pin(7), pin(6)], { nextPath: "/b" }));
    expect(shown(grown)).toEqual([9, 8, 7, 6]);
    expect(grown.nextPath).toBe("/b");
  });

  test("keeps the loaded tail after a reload, in each order, without gaps or duplicates", () => {
    const before = listed(downFrom(9, 9), { nextPath: "/far" });
    // Two pins were added on top and one was deleted, so the reloaded part ends earlier.
    const head = listed([pin(11), pin(10), pin(9), pin(7)], { nextPath: "/near" });
    const kept = keepTail(head, before, "newest");
    expect(shown(kept)).toEqual([11, 10, 9, 7, 6, 5, 4, 3, 2, 1]);
    expect(kept.nextPath).toBe("/far");
    const up = keepTail(listed([pin(1), pin(2)], { nextPath: "/n" }), listed([1, 2, 3].map((n) => pin(n))), "oldest");
    expect(shown(up)).toEqual([1, 2, 3]);
    expect(up.nextPath).toBeNull();
  });

  test("a reload that covers the whole list or more replaces it", () => {
    expect(shown(keepTail(listed([pin(2)]), listed(downFrom(9, 9)), "newest"))).toEqual([2]);
    const head = listed(downFrom(9, 5), { nextPath: "/n" });
    expect(keepTail(head, listed(downFrom(9, 3)), "newest")).toBe(head);
    expect(keepTail(head, null, "newest")).toBe(head);
  });
});

describe("the orders", () => {
  const sorted = (sort: PinSort, pins: PinWire[]) => numbers(pins.toSorted((a, b) => comparePins(sort, a, b)));

  test("R-POST-03 match the API", () => {
    const at = (second: number) => ({
      status: "scheduled" as const,
      scheduled_at: new Date(FIRST_MS + second * 1_000).toISOString(),
    });
    const pins = [
      pin(1, { title: "banana" }),
      pin(2, { title: "Éclair", ...at(20) }),
      pin(3, { title: "apple" }),
      pin(4, { title: "Zucchini", ...at(10) }),
      pin(5, { title: "Apple" }),
    ];
    expect(sorted("newest", pins)).toEqual([5, 4, 3, 2, 1]);
    expect(sorted("oldest", pins)).toEqual([1, 2, 3, 4, 5]);
    expect(sorted("due", pins)).toEqual([4, 2, 5, 3, 1]);
    expect(sorted("title", pins)).toEqual([3, 5, 1, 2, 4]);
    const duplicates = [pin(2, { created_at: pin(1).created_at }), pin(1)];
    expect(sorted("newest", duplicates)).toEqual([2, 1]);
    expect(sorted("oldest", duplicates)).toEqual([1, 2]);
  });
});

describe("live updates", () => {
  test("R-POST-11 updates pins in place unless they were fetched later, and removes deleted ones", () => {
    const all = [...loaded([pin(3), pin(2)], 5), ...loaded([pin(1)], 9)];
    const rows = updates([pin(3, { status: "published" }), 6], [{ id: pin(2).id }, 7], [pin(1, { title: "Old" }), 8]);
    const merged = mergePins(all, rows);
    expect(merged.map(({ title, status }) => [title, status])).toEqual([
      ["Pin 3", "published"],
      ["Pin 1", "draft"],
    ]);
  });

  test("R-POST-04 counts new pins within the loaded pages only", () => {
    const belongs = () => true;
    const rows = updates(
      [pin(9), 3],
      [pin(5), 4],
      [pin(1, { status: "failed" }), 5],
      [pin(12), 1],
      [{ id: "gone" }, 6],
    );
    const open = listed([pin(8), pin(7), pin(5), pin(4)], { requestedAt: 2, nextPath: "/n" });
    expect(countNew(open, rows, { belongs, sort: "newest" })).toBe(1);
    expect(countNew({ ...open, nextPath: null }, rows, { belongs, sort: "newest" })).toBe(2);
    expect(countNew(open, rows, { belongs: () => false, sort: "newest" })).toBe(0);
  });

  test("R-POST-03 matches a query by account, status and every word of the search", () => {
    const bread = pin(1, { title: "Slow ÉCLAIRS", keyword: "Sunday baking" });
    const query = { filter: "all", q: "", sort: "newest" } as const;
    expect(belongsTo(bread, "acc_1", query)).toBe(true);
    expect(belongsTo(bread, "acc_2", query)).toBe(false);
    expect(belongsTo(bread, "acc_1", { ...query, filter: "failed" })).toBe(false);
    expect(belongsTo(bread, "acc_1", { ...query, q: "éclair  sun" })).toBe(true);
    expect(belongsTo(bread, "acc_1", { ...query, q: "éclair monday" })).toBe(false);
  });
});

describe("selecting a range", () => {
  const pins = [pin(1), pin(2, { status: "published" }), pin(3), pin(4)];
  const [first, , third, fourth] = pins as [PinWire, PinWire, PinWire, PinWire];

  test("R-POST-05, A-35 takes the drafts in between, in the direction of selection", () => {
    expect(numbers(rangeOf(pins, first.id, fourth))).toEqual([1, 3, 4]);
    expect(numbers(rangeOf(pins, fourth.id, first))).toEqual([4, 3, 1]);
    expect(numbers(rangeOf(pins, third.id, third))).toEqual([3]);
    expect(numbers(rangeOf(pins, null, third))).toEqual([3]);
    expect(numbers(rangeOf(pins, "pin_gone", third))).toEqual([3]);
  });
});

describe("polling due pins", () => {
  const due = (number: number, inSeconds: number) =>
    pin(number, { status: "scheduled", scheduled_at: new Date(FIRST_MS + inSeconds * 1_000).toISOString() });
  const check = (...pins: PinWire[]) => {
    const found = nextCheck(pins, FIRST_MS);
    return found && { ids: found.ids.map((id) => Number(id.slice(4))), seconds: found.delayMs / 1_000 };
  };

  test("R-POST-11 polls every three seconds around a pin's time, only due pins, and slowly when overdue", () => {
    expect(check(pin(1), pin(2, { status: "published" }))).toBeNull();
    expect(check(due(1, 5), due(2, 3_600))).toEqual({ ids: [1], seconds: 3 });
    expect(check(due(1, 5), due(2, -60), due(3, 14))).toEqual({ ids: [1, 2, 3], seconds: 3 });
    expect(check(due(1, 75))).toEqual({ ids: [1], seconds: 60 });
    expect(check(due(1, -600))).toEqual({ ids: [1], seconds: 30 });
    expect(check(due(1, 86_400))).toEqual({ ids: [1], seconds: 900 });
    expect(check(...Array.from({ length: 300 }, (_, n) => due(n, 1)))?.ids).toHaveLength(200);
  });
});

describe("R-POST-07 the pin whose details are open", () => {
  const none: LiveRows<PinWire> = new Map();
  const opened = pin(3);
  const shown = [pin(9), pin(8)];

  test("follows the list and closes with it", () => {
    const newer = pin(3, { title: "Another title" });
    const list = { hasMore: false, sort: "newest", rows: none } as const;
    expect(currentPin(opened, { ...list, pins: [...shown, newer] })).toBe(newer);
    expect(currentPin(opened, { ...list, pins: shown })).toBeNull();
  });

  test("stays open while the list failed or ends before this pin", () => {
    const list = { hasMore: true, sort: "newest", rows: none } as const;
    expect(currentPin(opened, { ...list, pins: null })).toBe(opened);
    expect(currentPin(opened, { ...list, pins: shown })).toBe(opened);
    expect(currentPin(pin(10), { ...list, pins: shown })).toBeNull();
  });

  test("follows live updates where the list cannot tell, including deletion", () => {
    const list = { pins: null, hasMore: false, sort: "newest" } as const;
    const published = pin(3, { status: "published" });
    expect(currentPin(opened, { ...list, rows: new Map([[opened.id, { value: published, at: 1 }]]) })).toBe(published);
    expect(currentPin(opened, { ...list, rows: new Map([[opened.id, { value: null, at: 1 }]]) })).toBeNull();
  });
});
