import { addMinutes, addMs, laterOf, msUntil, SECOND_MS } from "#lib/core/time.ts";
import type { PinterestBoardPin, PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import {
  BUSY_FIRST_DELAY_MS,
  CALL_LEASE_MS,
  CHECK_GAP_MS,
  CHECKS_NEEDED,
  CLOCK_SKEW_MS,
  FAILED_CHECK_FIRST_DELAY_MS,
  FAILED_CHECK_MAX_DELAY_MS,
  FIRST_CHECK_DELAY_MS,
  INTERVAL_MAX_MINUTES,
  INTERVAL_MIN_MINUTES,
  NEW_ATTEMPT_GAP_MS,
  NEW_ATTEMPT_MS,
  PROVIDER_MAX_DELAY_MS,
  RECONCILIATION_MAX_MS,
  RETRIES_MAX,
  RETRY_FIRST_DELAY_MS,
  RETRY_MAX_DELAY_MS,
  SECOND_CHECK_DELAY_MS,
  SPAM_PAUSE_MS,
  STALE_AFTER_MS,
  TEXTS,
  TRIAL_FIRST_DELAY_MS,
  WAIT_IN_RUN_MAX_MS,
} from "./constants.ts";
import type { Decision, Move } from "./schema.ts";

/** Whole minutes, 1 to 43,200. */
export const isInterval = (minutes: number): boolean =>
  Number.isInteger(minutes) && minutes >= INTERVAL_MIN_MINUTES && minutes <= INTERVAL_MAX_MINUTES;

export const planSlots = <I>(ids: readonly I[], start: Date, intervalMinutes: number): { id: I; dueAt: Date }[] =>
  ids.map((id, k) => ({ id, dueAt: addMinutes(start, k * intervalMinutes) }));

export const spanMinutes = (count: number, intervalMinutes: number): number => Math.max(0, count - 1) * intervalMinutes;

/** The id of the event that starts a pin's run. `leaseMs`: until when it must have begun; grows with each start. */
export const publishEventId = (pinId: string, generation: number, leaseMs: number): string =>
  `publish:${pinId}:${generation}:${leaseMs}`;

/** When the scan picks up a pin whose work continues at `at`. After a short wait, its own run gets to it first. */
export const scanAt = (at: Date, now: Date): Date =>
  msUntil(at, now) > WAIT_IN_RUN_MAX_MS ? at : addMs(laterOf(at, now), STALE_AFTER_MS);

const backoffMs = (firstMs: number, times: number, longestMs: number): number =>
  Math.min(longestMs, firstMs * 2 ** Math.min(times, 30));

/** What a refusal means for a pin. `pauseAccount`: nothing of this account goes out before `at`. */
export type Refusal =
  | { kind: "fail"; reason: string }
  | { kind: "reconnect"; reason: string }
  | { kind: "retry"; at: Date; reason: string; pauseAccount: boolean };

type Problem = Pick<PinterestProblem, "kind" | "text"> & { retryAfterSeconds?: number | null };

const providerDelayMs = (seconds: number | null | undefined): number =>
  Math.min(PROVIDER_MAX_DELAY_MS, (seconds ?? 0) * SECOND_MS);

/** Pinterest's own wait, doubling when it proves too short; our backoff when it names none. */
const retryDelayMs = (problem: Problem, firstMs: number, tries: number): number =>
  problem.retryAfterSeconds
    ? Math.max(providerDelayMs(problem.retryAfterSeconds), backoffMs(SECOND_MS, tries, RETRY_MAX_DELAY_MS))
    : backoffMs(firstMs, tries, RETRY_MAX_DELAY_MS);

/** Retries temporary refusals with backoff. `tries`: temporary refusals of this schedule so far. */
export const decideOnRefusal = (problem: Problem, tries: number, now: Date): Refusal => {
  const retry = (ms: number, pauseAccount = false): Refusal =>
    tries >= RETRIES_MAX
      ? { kind: "fail", reason: `${TEXTS.triesExhausted} (${problem.text})` }
      : { kind: "retry", at: addMs(now, ms), reason: problem.text, pauseAccount };
  const hold = (ms: number): Refusal => ({
    kind: "retry",
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
      return { kind: "reconnect", reason: TEXTS.reconnectNeeded };
    case "missing_scope":
      return { kind: "reconnect", reason: problem.text };
    case "trial_access":
      return hold(backoffMs(TRIAL_FIRST_DELAY_MS, tries, PROVIDER_MAX_DELAY_MS));
    case "spam_block":
      return hold(SPAM_PAUSE_MS);
    case "rate_limited":
      return retry(retryDelayMs(problem, RETRY_FIRST_DELAY_MS, tries), true);
    case "busy":
    case "unavailable":
      return retry(retryDelayMs(problem, problem.kind === "busy" ? BUSY_FIRST_DELAY_MS : RETRY_FIRST_DELAY_MS, tries));
  }
};

export type { Decision, Move };

interface BoardCheckState {
  calledAt: Date | null;
  answeredAt: Date | null;
  armedAt: Date;
  boardChecks: number;
  failedBoardChecks: number;
  boardCheckedAt: Date | null;
  retryAfterSeconds: number | null;
}

const outcomeUnknownSince = ({ answeredAt, calledAt, armedAt }: BoardCheckState): Date =>
  answeredAt ?? calledAt ?? armedAt;

/** The latest time at which a call with an unknown outcome could have created its pin, allowing for clock skew. */
export const latestCreation = (search: BoardCheckState): Date =>
  addMs(outcomeUnknownSince(search), CALL_LEASE_MS + CLOCK_SKEW_MS);

/** When the board may be checked next. A call without an answer may be in flight, so its lease must expire first. */
export const nextBoardCheckAt = (search: BoardCheckState): Date => {
  if (search.boardCheckedAt && search.failedBoardChecks > 0) {
    const pauseMs = backoffMs(FAILED_CHECK_FIRST_DELAY_MS, search.failedBoardChecks - 1, FAILED_CHECK_MAX_DELAY_MS);
    return addMs(search.boardCheckedAt, Math.max(pauseMs, providerDelayMs(search.retryAfterSeconds)));
  }
  if (search.boardCheckedAt) {
    return laterOf(
      addMs(search.boardCheckedAt, CHECK_GAP_MS),
      addMs(outcomeUnknownSince(search), FIRST_CHECK_DELAY_MS + SECOND_CHECK_DELAY_MS),
    );
  }
  if (search.answeredAt) return addMs(search.answeredAt, FIRST_CHECK_DELAY_MS);
  return addMs(search.calledAt ?? search.armedAt, CALL_LEASE_MS);
};

export const isInFlight = (attempt: { calledAt: Date | null; answeredAt: Date | null }, now: Date): boolean =>
  attempt.calledAt !== null && attempt.answeredAt === null && addMs(attempt.calledAt, CALL_LEASE_MS) > now;

export type PinContent = { title: string; description: string; link: string | null };

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", "#x27": "'" };

const normalizeText = (text: string): string =>
  text
    .replace(/&(amp|lt|gt|quot|apos|#39|#x27);/gi, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole)
    .normalize("NFC")
    .replace(/\s+/g, " ")
    .trim();

const normalizeLink = (link: string | null): string => {
  const text = normalizeText(link ?? "");
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}${url.search}${url.hash}`;
};

/** Whether two pins have the same title, link, and description, ignoring how Pinterest trims and escapes them. */
export const isSameContent = (a: PinContent, b: PinContent): boolean =>
  normalizeText(a.title) === normalizeText(b.title) &&
  normalizeLink(a.link) === normalizeLink(b.link) &&
  normalizeText(a.description) === normalizeText(b.description);

/** A pin to look for. `createdBy`: the latest time at which a call could have created it. */
export type WantedPin = PinContent & { createdBy: Date };

/** Pinterest may shorten a text, replace the link, or rewrite the title: the rest then shows that the pin is ours. */
const isNearMatch = (wanted: WantedPin, listed: PinterestBoardPin): boolean => {
  const description = normalizeText(wanted.description);
  const isSameDescription = description === normalizeText(listed.description);
  const isSameLink = normalizeLink(wanted.link) === normalizeLink(listed.link);
  return normalizeText(wanted.title) === normalizeText(listed.title)
    ? isSameLink || isSameDescription
    : isSameLink && isSameDescription && description !== "" && listed.createdAt <= wanted.createdBy;
};

/**
 * The result of a board check. `near`: a similar pin exists, so the pin cannot be called absent. `lookalike`: one with
 * other texts and the same image.
 */
type MatchResult =
  | { kind: "found"; pin: PinterestBoardPin }
  | { kind: "near" }
  | { kind: "lookalike" }
  | { kind: "absent" };

interface Span {
  from: Date;
  until: Date;
}

/**
 * When calls with an unknown outcome could have created a pin. An open attempt that only checks the board makes none; a
 * settled one counts until its end, since it may stand for calls that a restored backup doesn't have.
 */
const callTimes = (
  attempts: readonly (BoardCheckState & { outcome: string | null; settledAt: Date | null })[],
): Span[] =>
  attempts.flatMap((attempt) => {
    if (attempt.outcome !== null && attempt.outcome !== "absent" && attempt.outcome !== "unclear") return [];
    const ends = [attempt.calledAt && latestCreation(attempt), attempt.settledAt].filter((end) => end !== null);
    return ends.length > 0 ? [{ from: addMs(attempt.armedAt, -CLOCK_SKEW_MS), until: ends.reduce(laterOf) }] : [];
  });

interface ImageSearch {
  recordedIds: ReadonlySet<string>;
  attempts: Parameters<typeof callTimes>[0];
  /** Other pins with open attempts on the board. A listed pin with their texts belongs to them. */
  siblings: readonly PinContent[];
}

/**
 * Pins that were created during a call and have other texts, so that only their image can show that they are ours, the
 * earliest first. Empty when a text shows it.
 */
export const findByImageOnly = (
  wanted: WantedPin,
  listed: readonly PinterestBoardPin[],
  { recordedIds, attempts, siblings }: ImageSearch,
): (PinterestBoardPin & { imageUrl: string })[] => {
  if (findMatch(wanted, listed, recordedIds).kind === "found") return [];
  const times = callTimes(attempts);
  return listed
    .filter((pin) => !recordedIds.has(pin.id) && !siblings.some((sibling) => isSameContent(sibling, pin)))
    .filter(({ createdAt }) => times.some(({ from, until }) => createdAt >= from && createdAt <= until))
    .flatMap((pin) => (pin.imageUrl === null ? [] : [{ ...pin, imageUrl: pin.imageUrl }]))
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
};

/** Pins that have other texts: with the pin's image, and those whose image could not be compared for now. */
export interface ImageMatches {
  lookalikeIds: ReadonlySet<string>;
  uncomparedIds: ReadonlySet<string>;
}

const NO_IMAGES: ImageMatches = { lookalikeIds: new Set(), uncomparedIds: new Set() };

/** The earliest listed pin with this content that no attempt has recorded yet. */
export const findMatch = (
  wanted: WantedPin,
  listed: readonly PinterestBoardPin[],
  recordedIds: ReadonlySet<string>,
  { lookalikeIds, uncomparedIds }: ImageMatches = NO_IMAGES,
): MatchResult => {
  const free = listed
    .filter((pin) => !recordedIds.has(pin.id))
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  const exact = free.find((pin) => isSameContent(wanted, pin));
  if (exact) return { kind: "found", pin: exact };
  if (free.some(({ id }) => lookalikeIds.has(id))) return { kind: "lookalike" };
  return free.some((pin) => isNearMatch(wanted, pin) || uncomparedIds.has(pin.id))
    ? { kind: "near" }
    : { kind: "absent" };
};

interface AttemptProgress extends BoardCheckState {
  state: "armed" | "calling" | "settled";
  problem: PinterestProblem["kind"] | "unknown" | null;
  pinterestPinId: string | null;
}

export const hasUnknownOutcome = (attempt: AttemptProgress): boolean =>
  attempt.state === "calling" &&
  attempt.pinterestPinId === null &&
  (attempt.answeredAt === null || attempt.problem === "unknown");

/** Null while no pin on Pinterest is known. */
export const decideOnCreated = (
  { pinterestPinId, answeredAt }: Pick<AttemptProgress, "pinterestPinId" | "answeredAt">,
  now: Date,
): Extract<Decision, { kind: "published" }> | null =>
  pinterestPinId === null
    ? null
    : { kind: "published", outcome: "created", pinterestPinId, publishedAt: answeredAt ?? now };

/** The reason the draft shows when nothing was created, and when that is unknown. */
type Reasons = { clear: string | null; unclear: string };

const decideOnWithdrawal = (open: AttemptProgress | null, now: Date, reasons: Reasons): Decision | null => {
  const created = open && decideOnCreated(open, now);
  if (created) return created;
  if (!open || !hasUnknownOutcome(open)) {
    return { kind: "draft", outcome: "abandoned", reason: reasons.clear, mayBePublished: false };
  }
  if (isInFlight(open, now)) return null;
  return { kind: "draft", outcome: "unclear", reason: reasons.unclear, mayBePublished: true };
};

/** Published if Pinterest confirmed it, else a draft, marked if the outcome is unknown. Null during a call. */
export const decideOnRemoval = (open: AttemptProgress | null, now: Date): Decision | null =>
  decideOnWithdrawal(open, now, { clear: TEXTS.accountRemoved, unclear: TEXTS.removedUnclear });

export const decideOnUnscheduling = (open: AttemptProgress | null, now: Date): Decision | null =>
  decideOnWithdrawal(open, now, { clear: null, unclear: TEXTS.unscheduledUnclear });

const unclear = (reason: string): Decision => ({ kind: "failed", outcome: "unclear", reason, mayBePublished: true });

/** What a board check means; null when another one is needed. A second "absent" in one schedule counts as unknown. */
export const decideOnMatch = (
  match: MatchResult,
  before: { search: BoardCheckState; boardChecks: number; wasAbsentBefore: boolean },
  now: Date,
): Decision | null => {
  if (match.kind === "found") {
    const { id, createdAt } = match.pin;
    return { kind: "published", outcome: "found", pinterestPinId: id, publishedAt: createdAt < now ? createdAt : now };
  }
  // At once, since the image may be unreadable at the next check.
  if (match.kind === "lookalike") return unclear(TEXTS.unclear);
  if (before.boardChecks < CHECKS_NEEDED) return null;
  if (match.kind === "near" || before.wasAbsentBefore) return unclear(TEXTS.unclear);
  const at = laterOf(addMs(now, NEW_ATTEMPT_GAP_MS), addMs(outcomeUnknownSince(before.search), NEW_ATTEMPT_MS));
  return { kind: "retry", outcome: "absent", reason: null, at };
};

/** What a failed board check means; null: try again later. */
export const decideOnFailedCheck = (problem: Problem, search: BoardCheckState, now: Date): Decision | null => {
  if (problem.kind === "token_dead") return { kind: "held", outcome: "later", reason: TEXTS.reconnectNeeded };
  if (problem.kind === "missing_scope") return { kind: "held", outcome: "later", reason: problem.text };
  if (problem.kind === "not_found") return unclear(TEXTS.boardMissingUnclear);
  return problem.kind === "rejected" ||
    problem.kind === "restricted" ||
    now > addMs(outcomeUnknownSince(search), RECONCILIATION_MAX_MS)
    ? unclear(TEXTS.unclear)
    : null;
};
