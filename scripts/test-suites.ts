import { inRepository } from "./root.ts";

/** A suite of `npm test`. It fails at one and a half times its budget, and is killed at three times. */
export type Suite = {
  name: string;
  budgetSeconds: number;
  /** Arguments for Node. `report` is the path for the runner's JSON. */
  args: (report: string, filters: string[]) => string[];
  env?: (report: string) => Record<string, string>;
  counts: "exit" | "vitest" | "playwright";
  /** Runs only when named. */
  isExtra?: boolean;
  /** Runs in parallel with the previous suite, because each alone leaves a core idle. */
  isParallel?: boolean;
};

const bin = (...parts: string[]) => inRepository("node_modules", ...parts);

type VitestSuite = {
  name: string;
  budgetSeconds: number;
  project?: string;
  files?: string[];
  isExtra?: boolean;
  isParallel?: boolean;
  env?: Record<string, string>;
};

/** A project of `vitest.config.ts`, or some of its `files`. */
function vitest({
  name,
  budgetSeconds,
  project = name,
  files = [],
  isExtra = false,
  isParallel = false,
  env = {},
}: VitestSuite): Suite {
  return {
    name,
    budgetSeconds,
    isExtra,
    isParallel,
    counts: "vitest",
    env: () => env,
    args: (report, filters) => {
      const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
      // Vitest runs files that match any filter, so named files replace the suite's own.
      const ownFiles = filters.some((word) => !word.startsWith("-")) ? [] : files;
      return [bin("vitest", "vitest.mjs"), "run", "--project", project, ...reporters, ...ownFiles, ...filters];
    },
  };
}

function playwright(name: string, projects: string[], budgetSeconds: number): Suite {
  return {
    name,
    budgetSeconds,
    counts: "playwright",
    args: (_, filters) => [
      bin("@playwright", "test", "cli.js"),
      "test",
      ...projects.map((project) => `--project=${project}`),
      ...filters,
    ],
    // Playwright passes Node options to its workers only through the environment.
    env: (report) => ({
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      NODE_OPTIONS: "--conditions=react-server",
    }),
  };
}

/**
 * All suites in order, fastest first. A budget is the time on two idle cores, rounded up; together with the
 * installation they take twelve minutes.
 */
export const suites: Suite[] = [
  {
    name: "lint",
    budgetSeconds: 3,
    counts: "exit",
    args: () => [bin("@biomejs", "biome", "bin", "biome"), "check", "."],
  },
  {
    name: "types",
    budgetSeconds: 9,
    counts: "exit",
    args: () => [inRepository("scripts", "check-types.ts")],
  },
  vitest({ name: "unit", budgetSeconds: 56 }),
  vitest({ name: "integration", budgetSeconds: 206 }),
  vitest({ name: "component", budgetSeconds: 160, isParallel: true }),
  {
    name: "build",
    budgetSeconds: 38,
    counts: "exit",
    args: () => ["--conditions=react-server", inRepository("scripts", "build-for-tests.ts")],
  },
  vitest({ name: "contract", budgetSeconds: 130 }),
  vitest({
    name: "faults",
    budgetSeconds: 80,
    files: ["publishing.test.ts", "draining.test.ts"],
    isParallel: true,
  }),
  playwright("e2e", ["together", "alone"], 252),
  vitest({
    name: "faults-all",
    budgetSeconds: 230,
    project: "faults",
    isExtra: true,
  }),
  // Ten thousand operations; the default run does three thousand.
  vitest({
    name: "ledger",
    budgetSeconds: 40,
    project: "integration",
    files: ["ledger-model.test.ts"],
    env: { LEDGER_RUNS: "50" },
    isExtra: true,
  }),
  { ...playwright("screens", ["screens"], 300), isExtra: true },
];

/** Groups suites that run in parallel; the groups run in sequence. */
export function groupsOf(chosen: readonly Suite[]): Suite[][] {
  const groups: Suite[][] = [];
  for (const suite of chosen) {
    const before = suites[suites.indexOf(suite) - 1];
    const group = groups.at(-1);
    if (suite.isParallel && before && group?.includes(before)) group.push(suite);
    else groups.push([suite]);
  }
  return groups;
}

/** The time budget of these suites together, in seconds. */
export function budgetOf(chosen: readonly Suite[]): number {
  return groupsOf(chosen).reduce((sum, group) => sum + Math.max(...group.map((suite) => suite.budgetSeconds)), 0);
}
