import { expect, test } from "vitest";
import { failureText } from "#tests/fuzz/report.ts";
import { FUZZ_SETTINGS, runFuzz } from "#tests/fuzz/run.ts";
import { appForFile } from "./wire-harness.ts";

const SEED = 7;
const app = appForFile(FUZZ_SETTINGS);

test("hostile requests to every call, page and action: no 5xx, and none reveals anything", async () => {
  const { failures, rows } = await runFuzz({ app: app(), seed: SEED, requests: 800, concurrency: 4 });
  // Time is measured by `npm run fuzz`: here other tests share the machine.
  const wrong = failures.filter(({ problem }) => !problem.startsWith("slow:"));
  expect(wrong.map((failure) => failureText(failure, SEED))).toEqual([]);
  expect(rows.size).toBeGreaterThan(140);
}, 120_000);
