import { expect, test } from "vitest";
import { namedFaults } from "./chaos/catalog.ts";
import { reportOf } from "./chaos/report.ts";
import { runFaults } from "./chaos/run.ts";

const PINS = 40;
const DEADLINE_MS = 240_000;

test(
  "R-SRV-03 two instances behind a proxy are deployed in turn and killed: nothing lost, twice or early, and open pages resume",
  async () => {
    const lines: string[] = [];
    const result = await runFaults({
      pins: PINS,
      users: 20,
      seed: 1,
      faults: namedFaults(["rolling-deploy-generation", "rolling-deploy-publishing", "kill-each-instance"]),
      instances: 2,
      deadlineMs: DEADLINE_MS,
      log: (line) => lines.push(line),
    });
    const report = reportOf(result);
    console.info(report);
    const { problems, verdict, missed } = result;
    expect({ problems, missed, violations: verdict.violations }, `${lines.join("\n")}\n${report}`).toEqual({
      problems: [],
      missed: [],
      violations: [],
    });
    expect(verdict.published.size + verdict.failed.size + verdict.notGenerated.size).toBe(PINS);
  },
  DEADLINE_MS + 60_000,
);
