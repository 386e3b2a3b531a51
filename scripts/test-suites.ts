import { inRepository } from "./root.ts";

/** One suite of `npm test`. It fails above one and a half times its budget, and is ended at three times. */
export type Suite = {
  name: string;
  budgetSeconds: number;
  /** Arguments of the bundled Node. `report` is where a runner's JSON is to go. */
  args: (report: string, filters: string[]) => string[];
  env?: (report: string) => Record<string, string>;
  counts: "exit" | "vitest" | "playwright";
  /** Runs only when it is named. */
  isExtra?: boolean;
};

const bin = (...parts: string[]) => inRepository("node_modules", ...parts);

type VitestSuite = { name: string; budgetSeconds: number; project?: string; files?: string[]; isExtra?: boolean };

/** A project of `vitest.config.ts`, or some of its `files`. */
function vitest({ name, budgetSeconds, project = name, files = [], isExtra = false }: VitestSuite): Suite {
  return {
    name,
    budgetSeconds,
    isExtra,
    counts: "vitest",
    args: (report, filters) => {
      const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
      return [bin("vitest", "vitest.mjs"), "run", "--project", project, ...reporters, ...files, ...filters];
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
    // Playwright hands Node options to its workers only by the environment.
    env: (report) => ({
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      NODE_OPTIONS: "--conditions=react-server",
    }),
  };
}

/**
 * All suites, in the order in which they run: the quickest to fail first. A budget is what a suite takes on two idle
 * cores, with a quarter to spare.
 */
export const suites: Suite[] = [
  {
    name: "lint",
    budgetSeconds: 12,
    counts: "exit",
    args: () => [bin("@biomejs", "biome", "bin", "biome"), "check", "."],
  },
  {
    name: "types",
    budgetSeconds: 24,
    counts: "exit",
    args: () => [inRepository("scripts", "check-types.ts")],
  },
  vitest({ name: "unit", budgetSeconds: 60 }),
  vitest({ name: "component", budgetSeconds: 100 }),
  vitest({ name: "integration", budgetSeconds: 180 }),
  {
    name: "build",
    budgetSeconds: 75,
    counts: "exit",
    args: () => ["--conditions=react-server", inRepository("scripts", "build-for-tests.ts")],
  },
  vitest({ name: "contract", budgetSeconds: 150 }),
  playwright("e2e", ["together", "alone"], 380),
  vitest({ name: "faults", budgetSeconds: 60, files: ["publishing.test.ts", "draining.test.ts"] }),
  vitest({
    name: "faults-all",
    budgetSeconds: 150,
    project: "faults",
    isExtra: true,
  }),
  { ...playwright("screens", ["screens"], 300), isExtra: true },
];
