import { addMinutes, addMs, SECOND_MS } from "#lib/core/time.ts";
import type { PinterestBoardPin, PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import {
  BUSY_FIRST_MS,
  CALL_LEASE_MS,
  FIRST_LOOK_MS,
  INTERVAL_MAX_MINUTES,
  INTERVAL_MIN_MINUTES,
  LOOK_FAILED_FIRST_MS,
  LOOK_FAILED_LONGEST_MS,
  LOOK_GAP_MS,
  LOOKING_LONGEST_MS,
  LOOKS_NEEDED,
  NEW_ATTEMPT_GAP_MS,
  NEW_ATTEMPT_MS,
  NEXT_LOOK_MS,
  PROVIDER_WAIT_LONGEST_MS,
  RETRY_FIRST_MS,
  RETRY_LONGEST_MS,
  SPAM_PAUSE_MS,
  TEXTS,
  TRIAL_FIRST_MS,
  TRIES_MAX,
} from "./constants.ts";
import type { Move, Ruling } from "./schema.ts";

/** R-SCH-05, A-36: whole minutes, 1 to 43200. */
export const isInterval = (minutes: number): boolean =>
  Number.isInteger(minutes) && minutes >= INTERVAL_MIN_MINUTES && minutes <= INTERVAL_MAX_MINUTES;

/** R-SCH-09, A-34, A-35: pin k, in the order given, is due at start + k × interval; the first one at once. */
export const planSlots = <I>(ids: readonly I[], start: Date, intervalMinutes: number): { id: I; dueAt: Date }[] =>
  ids.map((id, k) => ({ id, dueAt: addMinutes(start, k * intervalMinutes) }));

/** R-SCH-03: minutes from the first pin to the last. */
export const spanMinutes = (count: number, intervalMinutes: number): number => Math.max(0, count - 1) * intervalMinutes;

/** The id of the event that starts a pin's run: one per schedule, and another one for each time the sweep steps in. */
export const publishEventId = (pinId: string, generation: number, sweeps: number): string =>
  sweeps === 0 ? `publish:${pinId}:${generation}` : `publish:${pinId}:${generation}:sweep${sweeps}`;

const grown = (firstMs: number, times: number, longestMs: number): number =>
  Math.min(longestMs, firstMs * 2 ** Math.min(times, 30));

/** What a refusal means for a pin. `pauseAccount`: nothing of this account goes out before `at`. */
export type Refusal =
  | { kind: "fail"; reason: string }
  | { kind: "reconnect"; reason: string }
  | { kind: "again"; at: Date; reason: string; pauseAccount: boolean };

type Problem = Pick<PinterestProblem, "kind" | "text"> & { retryAfterSeconds?: number | null };

const providerWaitMs = (seconds: number | null | undefined): number =>
  Math.min(PROVIDER_WAIT_LONGEST_MS, (seconds ?? 0) * SECOND_MS);

/** The provider's own wait, though growing when it proves too short; without one, ours. */
const waitMs = (problem: Problem, firstMs: number, tries: number): number =>
  problem.retryAfterSeconds
    ? Math.max(providerWaitMs(problem.retryAfterSeconds), grown(SECOND_MS, tries, RETRY_LONGEST_MS))
    : grown(firstMs, tries, RETRY_LONGEST_MS);

/**
 * R-SRV-04: passing refusals are tried again after the provider's wait or a growing one, permanent ones fail at once
 * (BRIEF §3). `tries`: passing refusals of this schedule so far.
 */
export const ruleOnRefusal = (problem: Problem, tries: number, now: Date): Refusal => {
  const again = (ms: number, pauseAccount = false): Refusal =>
    tries >= TRIES_MAX
      ? { kind: "fail", reason: `${TEXTS.triedOften} (${problem.text})` }
      : { kind: "again", at: addMs(now, ms), reason: problem.text, pauseAccount };
  const hold = (ms: number): Refusal => ({
    kind: "again",
    at: addMs(now, ms),
    reason: problem.text,
    pauseAccount: true,
  });
  switch (problem.kind) {
    case "rejected":
    case "restricted":
    case "not_found":
      return { kind: "fail", reason: problem.text };
    case "token_dead":
      return { kind: "reconnect", reason: TEXTS.awaitsReconnect };
    case "missing_scope":
      return { kind: "reconnect", reason: problem.text };
    case "trial_access":
      return hold(grown(TRIAL_FIRST_MS, tries, PROVIDER_WAIT_LONGEST_MS));
    case "spam_block":
      return hold(SPAM_PAUSE_MS);
    case "rate_limited":
      return again(waitMs(problem, RETRY_FIRST_MS, tries), true);
    case "busy":
    case "unavailable":
      return again(waitMs(problem, problem.kind === "busy" ? BUSY_FIRST_MS : RETRY_FIRST_MS, tries));
  }
};

export type { Move, Ruling };

interface Search {
  calledAt: Date | null;
  answeredAt: Date | null;
  armedAt: Date;
  looks: number;
  lookFailures: number;
  lookedAt: Date | null;
  /** What Pinterest asked to wait when the last search failed. */
  retryAfterSeconds: number | null;
}

const later = (a: Date, b: Date): Date => (a > b ? a : b);

/** Since when the outcome of an attempt has been unclear. */
const unclearSince = ({ answeredAt, calledAt, armedAt }: Search): Date => answeredAt ?? calledAt ?? armedAt;

/** When the board may be searched next. A call without an answer may be on its way: its lease is waited out. */
export const nextLookAt = (search: Search): Date => {
  if (search.lookedAt && search.lookFailures > 0) {
    const pauseMs = grown(LOOK_FAILED_FIRST_MS, search.lookFailures - 1, LOOK_FAILED_LONGEST_MS);
    return addMs(search.lookedAt, Math.max(pauseMs, providerWaitMs(search.retryAfterSeconds)));
  }
  if (search.lookedAt) {
    return later(addMs(search.lookedAt, LOOK_GAP_MS), addMs(unclearSince(search), FIRST_LOOK_MS + NEXT_LOOK_MS));
  }
  if (search.answeredAt) return addMs(search.answeredAt, FIRST_LOOK_MS);
  return addMs(search.calledAt ?? search.armedAt, CALL_LEASE_MS);
};

/** Whether a call may still be on its way to Pinterest. */
export const isOnItsWay = (attempt: { calledAt: Date | null; answeredAt: Date | null }, now: Date): boolean =>
  attempt.calledAt !== null && attempt.answeredAt === null && addMs(attempt.calledAt, CALL_LEASE_MS) > now;

/** What a pin is recognised by. */
export type PinContent = { title: string; description: string; link: string | null };

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", "#x27": "'" };

const plain = (text: string): string =>
  text
    .replace(/&(amp|lt|gt|quot|apos|#39|#x27);/gi, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole)
    .normalize("NFC")
    .replace(/\s+/g, " ")
    .trim();

const plainLink = (link: string | null): string => {
  const text = plain(link ?? "");
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}${url.search}${url.hash}`;
};

/** Whether two pins have the same title, link and description, however a provider trimmed or escaped them. */
export const isSameContent = (a: PinContent, b: PinContent): boolean =>
  plain(a.title) === plain(b.title) &&
  plainLink(a.link) === plainLink(b.link) &&
  plain(a.description) === plain(b.description);

const isNearlySame = (a: PinContent, b: PinContent): boolean =>
  plain(a.title) === plain(b.title) &&
  (plainLink(a.link) === plainLink(b.link) || plain(a.description) === plain(b.description));

/** What a search of the board found. `near`: something much like it is there, so that "absent" would be too bold. */
export type Sighting = { kind: "found"; pin: PinterestBoardPin } | { kind: "near" } | { kind: "absent" };

/** The earliest pin of a listing with this content whose id is on no receipt yet. */
export const recognise = (
  wanted: PinContent,
  listed: readonly PinterestBoardPin[],
  onReceipts: ReadonlySet<string>,
): Sighting => {
  const free = listed
    .filter((pin) => !onReceipts.has(pin.id))
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  const exact = free.find((pin) => isSameContent(wanted, pin));
  if (exact) return { kind: "found", pin: exact };
  return free.some((pin) => isNearlySame(wanted, pin)) ? { kind: "near" } : { kind: "absent" };
};

/** What the receipt says of an attempt so far. */
export interface Progress extends Search {
  state: "armed" | "calling" | "settled";
  problem: PinterestProblem["kind"] | "unknown" | null;
  pinterestPinId: string | null;
}

/** Whether only looking can tell if the attempt made a pin. */
export const isUnclear = (attempt: Progress): boolean =>
  attempt.state === "calling" &&
  attempt.pinterestPinId === null &&
  (attempt.answeredAt === null || attempt.problem === "unknown");

/** What the draft says where nothing was made at Pinterest, and where that is not known. */
type Reasons = { clear: string | null; unclear: string };

const withdraw = (open: Progress | null, now: Date, reasons: Reasons): Ruling | null => {
  if (open?.pinterestPinId) {
    return {
      kind: "published",
      outcome: "created",
      pinterestPinId: open.pinterestPinId,
      publishedAt: open.answeredAt ?? now,
    };
  }
  if (!open || !isUnclear(open)) {
    return { kind: "draft", outcome: "abandoned", reason: reasons.clear, mayBePublished: false };
  }
  if (isOnItsWay(open, now)) return null;
  return { kind: "draft", outcome: "unclear", reason: reasons.unclear, mayBePublished: true };
};

/**
 * what becomes of a scheduled pin whose account was removed: a draft again, published if Pinterest said so, and
 * marked where that is not known. Null while its call may still be answered.
 */
export const ruleOnRemoval = (open: Progress | null, now: Date): Ruling | null =>
  withdraw(open, now, { clear: TEXTS.accountRemoved, unclear: TEXTS.removedUnclear });

/** The same for a pin that its owner takes off the schedule. */
export const ruleOnUnscheduling = (open: Progress | null, now: Date): Ruling | null =>
  withdraw(open, now, { clear: null, unclear: TEXTS.unscheduledUnclear });

const unclear = (reason: string): Ruling => ({ kind: "failed", outcome: "unclear", reason, mayBePublished: true });

/** What a look means: `looks` counts it already. Null: one look more. A second "absent" of a schedule is not believed. */
export const ruleOnSighting = (
  sighting: Sighting,
  before: { search: Search; looks: number; wasAbsentBefore: boolean },
  now: Date,
): Ruling | null => {
  if (sighting.kind === "found") {
    const { id, createdAt } = sighting.pin;
    return { kind: "published", outcome: "found", pinterestPinId: id, publishedAt: createdAt < now ? createdAt : now };
  }
  if (before.looks < LOOKS_NEEDED) return null;
  if (sighting.kind === "near" || before.wasAbsentBefore) return unclear(TEXTS.unclear);
  const at = later(addMs(now, NEW_ATTEMPT_GAP_MS), addMs(unclearSince(before.search), NEW_ATTEMPT_MS));
  return { kind: "again", outcome: "absent", reason: null, at };
};

/** What it means that the board could not be searched; null: try again later. */
export const ruleOnFailedLook = (problem: Problem, search: Search, now: Date): Ruling | null => {
  if (problem.kind === "token_dead") return { kind: "held", outcome: "later", reason: TEXTS.awaitsReconnect };
  if (problem.kind === "missing_scope") return { kind: "held", outcome: "later", reason: problem.text };
  if (problem.kind === "not_found") return unclear(TEXTS.boardGoneUnclear);
  return problem.kind === "rejected" ||
    problem.kind === "restricted" ||
    now > addMs(unclearSince(search), LOOKING_LONGEST_MS)
    ? unclear(TEXTS.unclear)
    : null;
};
