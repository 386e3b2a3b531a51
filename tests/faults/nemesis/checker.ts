import { checkCredits } from "./check-credits.ts";
import type { AskHistory, CreatedPin, History, PinHistory } from "./history.ts";

/** What can be wrong with a run. */
export type ViolationKind = "lost" | "duplicated" | "early" | "credit";

/** One thing that must not happen, and which fault it happened under. */
export interface Violation {
  kind: ViolationKind;
  fault: string;
  text: string;
}

/** How the asks ended, and what must not have happened. */
export interface Verdict {
  violations: Violation[];
  /** Asks by their end: published; failed with a reason; given up by the making with a reason. */
  published: Set<number>;
  failed: Set<number>;
  notMade: Set<number>;
  made: Set<number>;
}

/** Judges a history. Pure: the same history gives the same verdict. */
export function check(history: History): Verdict {
  const verdict: Verdict = {
    violations: [],
    published: new Set(),
    failed: new Set(),
    notMade: new Set(),
    made: new Set(),
  };
  const created = Map.groupBy(history.created, ({ url }) => url ?? "");
  for (const ask of history.asks) {
    const there = created.get(ask.url) ?? [];
    created.delete(ask.url);
    verdict.violations.push(...checkMaking(ask, verdict), ...checkPublishing(ask, there, verdict));
  }
  for (const strangers of created.values()) {
    for (const { id } of strangers)
      verdict.violations.push(violation("duplicated", "", `pin ${id} was never asked for`));
  }
  verdict.violations.push(...checkLog(history), ...checkCredits(history));
  return verdict;
}

const violation = (kind: ViolationKind, fault: string, text: string): Violation => ({ kind, fault, text });

/** Each ask has one task that ended: as a draft, or with a reason. */
function checkMaking(ask: AskHistory, verdict: Verdict): Violation[] {
  const lost = (text: string) => [violation("lost", ask.makingFault, `ask ${ask.n}: ${text}`)];
  const [task, ...others] = ask.tasks;
  if (!task) return lost("was never begun");
  if (others.length > 0)
    return [violation("duplicated", ask.makingFault, `ask ${ask.n}: begun ${ask.tasks.length} times`)];
  if (!task.finishedAt) return lost(`task ${task.id} is still ${task.status}`);
  if (task.status === "SUCCESS") {
    verdict.made.add(ask.n);
    return ask.pins.length === 0 ? lost(`task ${task.id} succeeded without a draft`) : [];
  }
  verdict.notMade.add(ask.n);
  if (ask.pins.length > 0) return lost(`task ${task.id} is ${task.status}, and yet there is a draft`);
  return task.reason ? [] : lost(`task ${task.id} failed without a reason`);
}

/** Each draft ended published, once and not before its time, or failed with a reason. */
function checkPublishing(ask: AskHistory, there: readonly CreatedPin[], verdict: Verdict): Violation[] {
  const [pin, ...others] = ask.pins;
  const found: Violation[] = [];
  const say = (kind: ViolationKind, text: string) =>
    found.push(violation(kind, ask.publishingFault, `ask ${ask.n} (${pin?.id ?? "no pin"}): ${text}`));
  for (const one of there.slice(1)) say("duplicated", `created again as ${one.id}`);
  if (others.length > 0) say("duplicated", `has ${ask.pins.length} drafts`);
  if (!pin) {
    if (there.length > 0) say("duplicated", "created at Pinterest without a pin of ours");
    return found;
  }
  checkEnd(pin, there, say);
  checkTime(ask, pin, there, say);
  if (pin.status === "published") verdict.published.add(ask.n);
  if (pin.status === "failed") verdict.failed.add(ask.n);
  return found;
}

type Say = (kind: ViolationKind, text: string) => void;

function checkEnd(pin: PinHistory, there: readonly CreatedPin[], say: Say): void {
  switch (pin.status) {
    case "published":
      if (!there.some(({ id }) => id === pin.pinterestPinId)) {
        say("lost", `published as ${pin.pinterestPinId}, which is not at Pinterest`);
      }
      return;
    case "failed":
      if (!pin.reason) say("lost", "failed without a reason");
      if (there.length > 0 && !pin.mayBePublished) say("lost", "failed, and yet it is at Pinterest");
      return;
    default:
      say("lost", `is still ${pin.status}`);
  }
}

function checkTime(ask: AskHistory, pin: PinHistory, there: readonly CreatedPin[], say: Say): void {
  const dueAt = ask.wantedAt;
  if (!dueAt) {
    if (there.length > 0) say("early", "created, though it was never scheduled");
    return;
  }
  if (pin.scheduledAt && pin.scheduledAt.getTime() !== dueAt.getTime()) {
    say("early", `scheduled for ${pin.scheduledAt.toISOString()} instead of ${dueAt.toISOString()}`);
  }
  for (const { id, createdAt } of there) {
    if (createdAt < dueAt)
      say("early", `${id} was created ${dueAt.getTime() - createdAt.getTime()} ms before its time`);
  }
  for (const call of pin.calls) {
    if (call < dueAt) say("early", `called ${dueAt.getTime() - call.getTime()} ms before its time`);
  }
}

/** Pinterest's request log: no request before its time, and each pin that is there was created by one request. */
function checkLog({ asks, created, requests }: History): Violation[] {
  const found: Violation[] = [];
  const byUrl = new Map(asks.map((ask) => [ask.url, ask]));
  for (const { at, url } of requests) {
    const ask = byUrl.get(url ?? "");
    const isEarly = ask !== undefined && (ask.wantedAt === null || at < ask.wantedAt);
    if (isEarly) found.push(violation("early", ask.publishingFault, `ask ${ask.n}: asked for at ${at.toISOString()}`));
  }
  const loggedCreates = requests.flatMap((request) => request.created ?? []);
  const known = new Set(created.map(({ id }) => id));
  const logged = new Set(loggedCreates);
  if (logged.size < loggedCreates.length) found.push(violation("duplicated", "", "the request log names a pin twice"));
  for (const id of logged) if (!known.has(id)) found.push(violation("lost", "", `pin ${id} is in the log alone`));
  for (const id of known) if (!logged.has(id)) found.push(violation("lost", "", `pin ${id} is not in the log`));
  return found;
}
