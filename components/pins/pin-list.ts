import type { LiveRows } from "#lib/client/live-cache.ts";
import { SEARCH_MAX, searchWords } from "#lib/core/text.ts";
import {
  PAGE_MAX,
  PIN_FILTERS,
  PIN_PAGE_SIZE,
  PIN_SORTS,
  type PinFilter,
  type PinSort,
} from "#lib/features/pins/constants.ts";
import type { PinCounts, PinWire } from "#lib/features/pins/schema.ts";

export interface PinQuery {
  filter: PinFilter;
  /** Search text; empty for all pins. */
  q: string;
  sort: PinSort;
}

export type PinSearchParams = Partial<Record<"account" | "status" | "q" | "sort", string | string[]>>;

/** Reads the query from a URL; invalid values become defaults. */
export const readPinQuery = ({ status, q, sort }: PinSearchParams): PinQuery => ({
  filter: PIN_FILTERS.find((known) => known === status) ?? "all",
  q: typeof q === "string" ? q.trim().slice(0, SEARCH_MAX) : "",
  sort: PIN_SORTS.find((known) => known === sort) ?? "newest",
});

export interface LoadedPin {
  pin: PinWire;
  /** Sequence number of the request, to compare with live updates. */
  requestedAt: number;
}

/** The loaded part of a list, from its beginning. */
export interface LoadedPins {
  loaded: readonly LoadedPin[];
  /** Sequence number of the request for the first page. */
  requestedAt: number;
  /** Path of the next page; null at the end. */
  nextPath: string | null;
  /** Per status, of what the search finds; null when not requested. */
  counts: PinCounts | null;
}

/** API path of an account's pins. */
export const pinsPath = (accountId: string, query: Partial<PinQuery>, more: Record<string, string> = {}): string => {
  const { filter = "all", q, sort } = query;
  const search = new URLSearchParams({ status: filter, ...(q && { q }), ...(sort && { sort }), ...more });
  return `/api/users/pinterest/generated-pins/${encodeURIComponent(accountId)}/?${search}`;
};

/** Path of the next page with our page size, whatever the size of the previous one. */
export const nextPagePath = (path: string | null): string | null => {
  if (path === null) return null;
  const [base = "", query] = path.split("?");
  const search = new URLSearchParams(query);
  search.set("limit", String(PIN_PAGE_SIZE));
  search.delete("counts");
  return `${base}?${search}`;
};

/** Page size that reloads as many pins as were loaded before. */
export const headLimit = (wanted: number): number => Math.min(PAGE_MAX, Math.max(PIN_PAGE_SIZE, wanted));

/** Appends a page; pins that are already in the list keep their position. */
export const appendPage = (before: LoadedPins, page: LoadedPins): LoadedPins => {
  const ids = new Set(before.loaded.map(({ pin }) => pin.id));
  const added = page.loaded.filter(({ pin }) => !ids.has(pin.id));
  return { ...before, loaded: [...before.loaded, ...added], nextPath: page.nextPath };
};

type Order = (a: PinWire, b: PinWire) => number;

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
const TITLES = new Intl.Collator("und");
const oldest: Order = (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || byText(a.id, b.id);
const newest: Order = (a, b) => oldest(b, a);
const dueAt = ({ status, scheduled_at }: PinWire): number =>
  status === "scheduled" && scheduled_at ? Date.parse(scheduled_at) : Number.POSITIVE_INFINITY;

/** The sort orders of the API, for loaded pins. */
const ORDERS: Record<PinSort, Order> = {
  newest,
  oldest,
  due: (a, b) => {
    const [first, second] = [dueAt(a), dueAt(b)];
    if (first === second) return first === Number.POSITIVE_INFINITY ? newest(a, b) : byText(a.id, b.id);
    return first - second;
  },
  title: (a, b) => TITLES.compare(a.title, b.title) || byText(a.id, b.id),
};

export const comparePins = (sort: PinSort, a: PinWire, b: PinWire): number => ORDERS[sort](a, b);

/** A reloaded list plus the previously loaded pins after it, so that the list does not shrink. */
export const keepTail = (head: LoadedPins, before: LoadedPins | null, sort: PinSort): LoadedPins => {
  const last = head.loaded.at(-1)?.pin;
  if (!before || !last || head.nextPath === null) return head;
  const ids = new Set(head.loaded.map(({ pin }) => pin.id));
  const tail = before.loaded.filter(({ pin }) => !ids.has(pin.id) && comparePins(sort, pin, last) > 0);
  return tail.length === 0 ? head : { ...head, loaded: [...head.loaded, ...tail], nextPath: before.nextPath };
};

/** Whether a pin matches a query, as far as the client can tell. */
export const belongsTo = (pin: PinWire, accountId: string | null, { filter, q }: PinQuery): boolean => {
  if (pin.account_id !== accountId || (filter !== "all" && pin.status !== filter)) return false;
  const text = `${pin.title} ${pin.keyword ?? ""}`.normalize("NFC").toLowerCase();
  return searchWords(q).every((word) => text.includes(word));
};

/**
 * The current state of an open pin; null once it left the list. It stays open while the list failed to load (null) or
 * ends before it, so that unsaved input is not lost.
 */
export const currentPin = (
  opened: PinWire,
  list: { pins: readonly PinWire[] | null; hasMore: boolean; sort: PinSort; rows: LiveRows<PinWire> },
): PinWire | null => {
  const { pins, hasMore, sort, rows } = list;
  const shown = pins?.find(({ id }) => id === opened.id);
  if (shown) return shown;
  const last = pins?.at(-1);
  const isBehind = hasMore && last !== undefined && comparePins(sort, opened, last) > 0;
  if (pins !== null && !isBehind) return null;
  const row = rows.get(opened.id);
  return row ? row.value : opened;
};

/**
 * Applies live updates to loaded pins. A pin keeps its position until the next reload, even if its new status belongs to
 * another list.
 */
export const mergePins = (loaded: readonly LoadedPin[], rows: LiveRows<PinWire>): PinWire[] =>
  loaded.flatMap(({ pin, requestedAt }) => {
    const row = rows.get(pin.id);
    if (!row || row.at <= requestedAt) return [pin];
    return row.value ? [row.value] : [];
  });

/** Counts pins from live updates that belong in the loaded part of the list but are missing. */
export const countNew = (
  { loaded, nextPath, requestedAt }: LoadedPins,
  rows: LiveRows<PinWire>,
  { belongs, sort }: { belongs: (pin: PinWire) => boolean; sort: PinSort },
): number => {
  const shown = new Set(loaded.map(({ pin }) => pin.id));
  const last = loaded.at(-1)?.pin;
  // Pins after the last one are on a page that is not loaded yet.
  const isWithin = (pin: PinWire) => nextPath === null || !last || comparePins(sort, pin, last) < 0;
  return [...rows.values()].filter(
    ({ at, value }) => at > requestedAt && value && !shown.has(value.id) && belongs(value) && isWithin(value),
  ).length;
};

/** The drafts from one pin to another, in that direction; only `to` when one of them is not in the list. */
export const rangeOf = (pins: readonly PinWire[], fromId: string | null, to: PinWire): PinWire[] => {
  const [from, until] = [pins.findIndex(({ id }) => id === fromId), pins.findIndex(({ id }) => id === to.id)];
  if (from < 0 || until < 0) return [to];
  const between = pins.slice(Math.min(from, until), Math.max(from, until) + 1);
  return (from <= until ? between : between.toReversed()).filter(({ status }) => status === "draft");
};
