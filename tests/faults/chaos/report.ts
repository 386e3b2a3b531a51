import type { Violation, ViolationKind } from "./checker.ts";
import type { NaiveResult } from "./naive.ts";
import type { RunResult } from "./run.ts";
import type { Outcome } from "./wave.ts";

const HEAD = ["fault", "times", "pins", "done", "failed", "lost", "twice", "early", "credits", "recovered"];
const MAX_LINES = 40;

/** Whether a run has no violations and no problems, and injected every fault. */
export const isClean = ({ verdict, problems, missed }: RunResult): boolean =>
  verdict.violations.length === 0 && problems.length === 0 && missed.length === 0;

/** The last line of a run. */
function closingLine({ verdict, pinRequests, plan }: RunResult): string {
  const users = new Set(pinRequests.map(({ testUser }) => testUser.userId)).size;
  const count = (kind: ViolationKind) => verdict.violations.filter((item) => item.kind === kind).length;
  return (
    `${pinRequests.length} pins, ${users} users, seed ${plan.seed}: ${count("lost")} lost, ${count("duplicated")} duplicated, ` +
    `${count("early")} early, ${count("credit")} credit errors`
  );
}

/** The report: a table of faults, skipped faults, violations and problems, and the closing line. */
export function reportOf(result: RunResult): string {
  const { outcomes, verdict, notRun, problems, missed, seconds, naive } = result;
  const rows = outcomes.map((outcome) => rowOf(outcome, result));
  const wrong = verdict.violations.map(
    ({ kind, fault, text }) => `${kind.toUpperCase()} ${fault && `[${fault}] `}${text}`,
  );
  return [
    ...table([HEAD, ...rows]),
    "",
    ...notRun.map(({ name, why }) => `${name}: not run: ${why}`),
    ...wrong.slice(0, MAX_LINES),
    ...(wrong.length > MAX_LINES ? [`… and ${wrong.length - MAX_LINES} more`] : []),
    ...problems.map((problem) => `ERROR ${problem}`),
    ...missed.map((name) => `MISSED ${name}: was never injected`),
    ...(result.balancing ? [result.balancing] : []),
    `${verdict.published.size} published, ${verdict.failed.size} failed with a reason, ${verdict.notGenerated.size} not generated and refunded, in ${seconds.toFixed(0)} s`,
    ...(naive ? [naiveSummary(naive)] : []),
    closingLine(result),
  ].join("\n");
}

const naiveSummary = ({ pins, duplicated, lost }: NaiveResult): string =>
  `for comparison, a handler that calls, then acknowledges, under the same provider faults: ${pins} pins, ` +
  `${duplicated} duplicated, ${lost} lost`;

function rowOf({ fault, injected, pins, settled }: Outcome, { pinRequests, verdict }: RunResult): string[] {
  const isGeneration = fault.phase === "generation";
  const own = pinRequests.filter(
    (pinRequest) => (isGeneration ? pinRequest.generationFault : pinRequest.publishingFault) === fault.name,
  );
  const among = (set: ReadonlySet<number>) => own.filter(({ n }) => set.has(n)).length;
  const violations = verdict.violations.filter((item) => item.fault === fault.name);
  const count = (kind: Violation["kind"]) => violations.filter((item) => item.kind === kind).length;
  return [
    fault.name,
    String(injected),
    String(pins),
    String(among(isGeneration ? verdict.generated : verdict.published)),
    String(among(isGeneration ? verdict.notGenerated : verdict.failed)),
    String(count("lost")),
    String(count("duplicated")),
    String(count("early")),
    String(count("credit")),
    settled ? `${(settled.tookMs / 1000).toFixed(1)} s + ${(settled.movedMs / 60_000).toFixed(1)} min` : "–",
  ];
}

function table(rows: readonly string[][]): string[] {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}
