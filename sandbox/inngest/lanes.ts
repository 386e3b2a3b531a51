import { createHash } from "node:crypto";
import type { FunctionConfig } from "./functions.ts";

/** A call that could be made now, were there room for it. */
export interface Candidate {
  runId: string;
  target: string;
  lane: string;
  /** When its run began, in milliseconds: of one lane the oldest run goes first. */
  rankMs: number;
}

const MAX_KEY_CHARACTERS = 120;

/** The lane of a run: its function and the value of each rule's key. `event` is the parsed event. */
export function laneOf(fn: FunctionConfig, event: unknown): string {
  return JSON.stringify([fn.id, ...fn.concurrency.map((rule) => keyText(rule.keyOf(event)))]);
}

/** The function of a lane. */
export function functionOfLane(lane: string): string {
  return readLane(lane)[0] ?? "";
}

/**
 * Whom to let go first. In turns: the lane with the fewest calls under way, and among those the one whose oldest run
 * is the oldest. So a key with a thousand waiting steps takes no place from others, nor does a whole function.
 * @param candidates of each lane in the order of age.
 * @param running how many calls of each lane are being made, by all executors together.
 * @param limitsOf the limits of a function's rules, in their order.
 * @param places how many calls may be chosen.
 */
export function chooseCalls(
  candidates: readonly Candidate[],
  running: ReadonlyMap<string, number>,
  limitsOf: (functionId: string) => readonly number[],
  places: number,
): Candidate[] {
  const used = new Map<string, number>();
  for (const [lane, count] of running) for (const key of keysOf(lane)) used.set(key, (used.get(key) ?? 0) + count);
  const lanes = [...Map.groupBy(candidates, (candidate) => candidate.lane)].map(([lane, waiting]) => {
    return {
      keys: keysOf(lane),
      limits: limitsOf(functionOfLane(lane)),
      share: running.get(lane) ?? 0,
      waiting,
      next: 0,
    };
  });
  const chosen: Candidate[] = [];
  while (chosen.length < places) {
    const open = lanes.filter(
      ({ keys, limits, waiting, next }) =>
        next < waiting.length &&
        keys.every((key, rule) => (used.get(key) ?? 0) < (limits[rule] ?? Number.POSITIVE_INFINITY)),
    );
    const first = open.reduce<(typeof open)[number] | undefined>(
      (best, lane) => (best === undefined || goesBefore(lane, best) ? lane : best),
      undefined,
    );
    const call = first?.waiting[first.next];
    if (first === undefined || call === undefined) break;
    chosen.push(call);
    first.next += 1;
    first.share += 1;
    for (const key of first.keys) used.set(key, (used.get(key) ?? 0) + 1);
  }
  return chosen;
}

interface Turn {
  share: number;
  waiting: readonly Candidate[];
  next: number;
}

function goesBefore(one: Turn, other: Turn): boolean {
  if (one.share !== other.share) return one.share < other.share;
  return (one.waiting[one.next]?.rankMs ?? 0) < (other.waiting[other.next]?.rankMs ?? 0);
}

/** What the calls of a lane count against, one name for each rule. */
function keysOf(lane: string): string[] {
  const [functionId, ...values] = readLane(lane);
  return values.map((value, rule) => `${functionId}/${rule}/${value}`);
}

function readLane(lane: string): string[] {
  const parts: unknown = JSON.parse(lane);
  return Array.isArray(parts) ? parts.map(String) : [];
}

function keyText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.length <= MAX_KEY_CHARACTERS ? text : createHash("sha256").update(text).digest("hex");
}
