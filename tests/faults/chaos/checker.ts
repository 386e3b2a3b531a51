import { checkCredits } from "./check-credits.ts";
import type { CreatedPin, History, PinHistory, PinRequestHistory } from "./history.ts";

export type ViolationKind = "lost" | "duplicated" | "early" | "credit";

/** A violation, and the fault during which it happened. */
export interface Violation {
  kind: ViolationKind;
  fault: string;
  text: string;
}

/** How the requests ended, and all violations. */
export interface Verdict {
  violations: Violation[];
  /** Requests by outcome: published; failed with a reason; not generated, with a reason. */
  published: Set<number>;
  failed: Set<number>;
  notGenerated: Set<number>;
  generated: Set<number>;
}

/** Checks a history. Pure: the same history gives the same verdict. */
export function check(history: History): Verdict {
  const verdict: Verdict = {
    violations: [],
    published: new Set(),
    failed: new Set(),
    notGenerated: new Set(),
    generated: new Set(),
  };
  const createdByUrl = Map.groupBy(history.created, ({ url }) => url ?? "");
  for (const pinRequest of history.pinRequests) {
    const created = createdByUrl.get(pinRequest.url) ?? [];
    createdByUrl.delete(pinRequest.url);
    verdict.violations.push(...checkGeneration(pinRequest, verdict), ...checkPublishing(pinRequest, created, verdict));
  }
  for (const unknownPins of createdByUrl.values()) {
    for (const { id } of unknownPins)
      verdict.violations.push(violation("duplicated", "", `pin ${id} was never requested`));
  }
  verdict.violations.push(...checkLog(history), ...checkCredits(history));
  return verdict;
}

const violation = (kind: ViolationKind, fault: string, text: string): Violation => ({ kind, fault, text });

/** Each request has one task that ended, with a draft or a reason. */
function checkGeneration(pinRequest: PinRequestHistory, verdict: Verdict): Violation[] {
  const lost = (text: string) => [violation("lost", pinRequest.generationFault, `request ${pinRequest.n}: ${text}`)];
  const [task, ...others] = pinRequest.tasks;
  if (!task) return lost("was never started");
  if (others.length > 0)
    return [
      violation(
        "duplicated",
        pinRequest.generationFault,
        `request ${pinRequest.n}: started ${pinRequest.tasks.length} times`,
      ),
    ];
  if (!task.finishedAt) return lost(`task ${task.id} is still ${task.status}`);
  if (task.status === "SUCCESS") {
    verdict.generated.add(pinRequest.n);
    return pinRequest.pins.length === 0 ? lost(`task ${task.id} succeeded without a draft`) : [];
  }
  verdict.notGenerated.add(pinRequest.n);
  if (pinRequest.pins.length > 0) return lost(`task ${task.id} is ${task.status}, but there is a draft`);
  return task.reason ? [] : lost(`task ${task.id} failed without a reason`);
}

/** Each draft was published once and not before its time, or failed with a reason. */
function checkPublishing(pinRequest: PinRequestHistory, created: readonly CreatedPin[], verdict: Verdict): Violation[] {
  const [pin, ...others] = pinRequest.pins;
  const found: Violation[] = [];
  const report = (kind: ViolationKind, text: string) =>
    found.push(
      violation(kind, pinRequest.publishingFault, `request ${pinRequest.n} (${pin?.id ?? "no pin"}): ${text}`),
    );
  for (const item of created.slice(1)) report("duplicated", `created again as ${item.id}`);
  if (others.length > 0) report("duplicated", `has ${pinRequest.pins.length} drafts`);
  if (!pin) {
    if (created.length > 0) report("duplicated", "created at Pinterest without a pin of ours");
    return found;
  }
  checkEnd(pin, created, report);
  checkTime(pinRequest, pin, created, report);
  if (pin.status === "published") verdict.published.add(pinRequest.n);
  if (pin.status === "failed") verdict.failed.add(pinRequest.n);
  return found;
}

type Report = (kind: ViolationKind, text: string) => void;

function checkEnd(pin: PinHistory, created: readonly CreatedPin[], report: Report): void {
  switch (pin.status) {
    case "published":
      if (!created.some(({ id }) => id === pin.pinterestPinId)) {
        report("lost", `published as ${pin.pinterestPinId}, which is not at Pinterest`);
      }
      return;
    case "failed":
      if (!pin.reason) report("lost", "failed without a reason");
      if (created.length > 0 && !pin.mayBePublished) report("lost", "failed, but it is at Pinterest");
      return;
    default:
      report("lost", `is still ${pin.status}`);
  }
}

function checkTime(
  pinRequest: PinRequestHistory,
  pin: PinHistory,
  created: readonly CreatedPin[],
  report: Report,
): void {
  const dueAt = pinRequest.wantedAt;
  if (!dueAt) {
    if (created.length > 0) report("early", "created, though it was never scheduled");
    return;
  }
  if (pin.scheduledAt && pin.scheduledAt.getTime() !== dueAt.getTime()) {
    report("early", `scheduled for ${pin.scheduledAt.toISOString()} instead of ${dueAt.toISOString()}`);
  }
  for (const { id, createdAt } of created) {
    if (createdAt < dueAt)
      report("early", `${id} was created ${dueAt.getTime() - createdAt.getTime()} ms before its time`);
  }
  for (const call of pin.calls) {
    if (call < dueAt) report("early", `called ${dueAt.getTime() - call.getTime()} ms before its time`);
  }
}

/** Pinterest's request log: no early requests, and every pin was created by exactly one of them. */
function checkLog({ pinRequests, created, requests }: History): Violation[] {
  const found: Violation[] = [];
  const byUrl = new Map(pinRequests.map((pinRequest) => [pinRequest.url, pinRequest]));
  for (const { at, url } of requests) {
    const pinRequest = byUrl.get(url ?? "");
    const isEarly = pinRequest !== undefined && (pinRequest.wantedAt === null || at < pinRequest.wantedAt);
    if (isEarly)
      found.push(
        violation("early", pinRequest.publishingFault, `request ${pinRequest.n}: requested at ${at.toISOString()}`),
      );
  }
  const loggedCreates = requests.flatMap((request) => request.created ?? []);
  const known = new Set(created.map(({ id }) => id));
  const logged = new Set(loggedCreates);
  if (logged.size < loggedCreates.length)
    found.push(violation("duplicated", "", "the request log contains a pin twice"));
  for (const id of logged) if (!known.has(id)) found.push(violation("lost", "", `pin ${id} is only in the log`));
  for (const id of known) if (!logged.has(id)) found.push(violation("lost", "", `pin ${id} is not in the log`));
  return found;
}
