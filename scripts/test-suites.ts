import { inRepository } from "./root.ts";

/** One suite of `npm test`. Over its budget is said, over three times its budget is a failure. */
export type Suite = {
  name: string;
  budgetSeconds: number;
  /** Arguments of the bundled Node. `report` is where a runner's JSON is to go. */
  args: (report: string, filters: string[]) => string[];
  env?: (report: string) => Record<string, string>;
  counts: "exit" | "vitest" | "playwright";
};

const bin = (...parts: string[]) => inRepository("node_modules", ...parts);

function vitest(name: string, budgetSeconds: number): Suite {
  return {
    name,
    budgetSeconds,
    counts: "vitest",
    args: (report, filters) => {
      const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
      return [bin("vitest", "vitest.mjs"), "run", "--project", name, ...reporters, ...filters];
    },
  };
}

function playwright(name: string, project: string, budgetSeconds: number): Suite {
  return {
    name,
    budgetSeconds,
    counts: "playwright",
    args: (_, filters) => [bin("@playwright", "test", "cli.js"), "test", `--project=${project}`, ...filters],
    // Playwright hands Node options to its workers only by the environment.
    env: (report) => ({
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      NODE_OPTIONS: "--conditions=react-server",
    }),
  };
}

/**
 * All suites, in the order in which they run: the quickest to fail first. Budgets leave room on two busy cores, 38
 * minutes in all (a whole run aims at 15), and three times a budget is longer than any one test may take.
 */
export const suites: Suite[] = [
  {
    name: "lint",
    budgetSeconds: 15,
    counts: "exit",
    args: () => [bin("@biomejs", "biome", "bin", "biome"), "check", "."],
  },
  {
    name: "types",
    budgetSeconds: 30,
    counts: "exit",
    args: () => [inRepository("scripts", "check-types.ts")],
  },
  vitest("unit", 100),
  vitest("integration", 300),
  {
    name: "build",
    budgetSeconds: 150,
    counts: "exit",
    args: () => ["--conditions=react-server", inRepository("scripts", "build-for-tests.ts")],
  },
  vitest("contract", 240),
  playwright("e2e", "together", 1_100),
  playwright("e2e-alone", "alone", 120),
  vitest("faults", 240),
];
