import { tableText } from "#tests/bench/harness/table.ts";
import type { FuzzFailure, FuzzResult, FuzzRow } from "./run.ts";

const FAILURES_SHOWN = 60;
const BODY_SHOWN = 300;

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const rowOf = (label: string, { times, statuses }: FuzzRow): (string | number)[] => {
  const sorted = times.toSorted((a, b) => a - b);
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}:${count}`);
  const [p99, max] = [quantile(sorted, 0.99), sorted.at(-1) ?? 0];
  return [label, times.length, Math.round(p99), Math.round(max), counts.join(" ")];
};

/** One failure with the options that send the same request again. */
export const failureText = ({ request, answer, problem }: FuzzFailure, seed: number): string => {
  const { index, label, who, method, path, headers, body } = request;
  const hidden = Object.entries(headers).map(([name, value]) => `${name}: ${value.slice(0, 60)}`);
  return [
    `FAILED ${label}: ${problem}`,
    `  npm run fuzz -- --seed ${seed} --only ${index}    (${who})`,
    `  ${method} ${path.slice(0, 300)}`,
    `  ${hidden.join(" | ")}`,
    ...(body ? [`  ${JSON.stringify(body.toString("utf8").slice(0, BODY_SHOWN))} (${body.length} bytes)`] : []),
    `  → ${answer.status} in ${Math.round(answer.ms)} ms ${JSON.stringify(answer.text.slice(0, BODY_SHOWN))}`,
  ].join("\n");
};

/** The table by call, page and action, then the failures, then one line that sums up. */
export const fuzzReport = (result: FuzzResult): string => {
  const { rows, failures, seed, sent, seconds } = result;
  const all = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const times = all.flatMap(([, row]) => row.times).toSorted((a, b) => a - b);
  const limited = all.reduce((sum, [, { statuses }]) => sum + (statuses.get(429) ?? 0), 0);
  const shown = failures.toSorted((a, b) => a.request.index - b.request.index).slice(0, FAILURES_SHOWN);
  return [
    tableText([["what", "sent", "p99 ms", "max ms", "statuses"], ...all.map(([label, row]) => rowOf(label, row))]),
    "",
    ...shown.map((failure) => failureText(failure, seed)),
    ...(failures.length > shown.length ? [`… and ${failures.length - shown.length} more failures`] : []),
    `${sent} requests to ${all.length} calls, pages and actions with seed ${seed} in ${seconds.toFixed(0)} s: ` +
      `${failures.length} failures, ${limited} limited (429), p99 ${quantile(times, 0.99).toFixed(0)} ms, ` +
      `max ${(times.at(-1) ?? 0).toFixed(0)} ms`,
  ].join("\n");
};
