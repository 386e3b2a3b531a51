import type { Violation, ViolationKind } from "./checker.ts";
import type { NaiveResult } from "./naive.ts";
import type { RunResult } from "./run.ts";
import type { Outcome } from "./wave.ts";

const HEAD = ["fault", "times", "pins", "done", "failed", "lost", "twice", "early", "credits", "recovered"];
const MOST_LINES = 40;

/** Whether a run is good: nothing violated, nothing wrong with the run itself, and each fault has struck. */
export const isGood = ({ verdict, problems, missed }: RunResult): boolean =>
  verdict.violations.length === 0 && problems.length === 0 && missed.length === 0;

/** The one line that a run ends with. */
export function closingLine({ verdict, asks, plan }: RunResult): string {
  const users = new Set(asks.map(({ person }) => person.userId)).size;
  const count = (kind: ViolationKind) => verdict.violations.filter((one) => one.kind === kind).length;
  return (
    `${asks.length} pins, ${users} users, seed ${plan.seed}: ${count("lost")} lost, ${count("duplicated")} duplicated, ` +
    `${count("early")} early, ${count("credit")} credit errors`
  );
}

/** The report: a table per fault, what was not run, what was wrong, and the closing line. */
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
    ...wrong.slice(0, MOST_LINES),
    ...(wrong.length > MOST_LINES ? [`… and ${wrong.length - MOST_LINES} more`] : []),
    ...problems.map((problem) => `ERROR ${problem}`),
    ...missed.map((name) => `MISSED ${name}: never found its moment`),
    `${verdict.published.size} published, ${verdict.failed.size} failed with a reason, ${verdict.notMade.size} not made and refunded, in ${seconds.toFixed(0)} s`,
    ...(naive ? [sayNaive(naive)] : []),
    closingLine(result),
  ].join("\n");
}

const sayNaive = ({ pins, duplicated, lost }: NaiveResult): string =>
  `for comparison, a handler that calls and then acknowledges, under the same faults of the provider: ${pins} pins, ` +
  `${duplicated} duplicated, ${lost} lost`;

function rowOf({ fault, injected, pins, settled }: Outcome, { asks, verdict }: RunResult): string[] {
  const isMaking = fault.phase === "making";
  const mine = asks.filter((ask) => (isMaking ? ask.makingFault : ask.publishingFault) === fault.name);
  const among = (set: ReadonlySet<number>) => mine.filter(({ n }) => set.has(n)).length;
  const violations = verdict.violations.filter((one) => one.fault === fault.name);
  const count = (kind: Violation["kind"]) => violations.filter((one) => one.kind === kind).length;
  return [
    fault.name,
    String(injected),
    String(pins),
    String(among(isMaking ? verdict.made : verdict.published)),
    String(among(isMaking ? verdict.notMade : verdict.failed)),
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
