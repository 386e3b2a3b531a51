import { defineConfig } from "vitest/config";

// npm's shims start the system's Node, which may be too old to run our TypeScript.
if (Number(process.versions.node.split(".")[0]) < 22) {
  throw new Error(
    "Run the tests with the bundled Node: npm test -- unit, or PATH=node_modules/.bin:$PATH vitest run …",
  );
}

process.env.TZ = "Asia/Kathmandu";

// As Node itself resolves: no "module", whose builds are for bundlers, and no "import", which would reach require() too.
const conditions = ["react-server", "node"];

type Floor = { name: string; timeoutMs: number; setup?: string; parallel?: boolean; isolate?: boolean };

const floors: Floor[] = [
  { name: "unit", timeoutMs: 30_000 },
  // Loading the product anew for each file takes longer than most of the files: two processes load it once each.
  { name: "integration", timeoutMs: 60_000, setup: "database-setup.ts", isolate: false },
  { name: "contract", timeoutMs: 120_000, setup: "contract-setup.ts" },
  { name: "faults", timeoutMs: 300_000, setup: "faults-setup.ts", parallel: false },
];

export default defineConfig({
  test: {
    projects: floors.map(({ name, timeoutMs, setup, parallel = true, isolate = true }) => ({
      resolve: { conditions, mainFields: [] },
      ssr: { resolve: { conditions, externalConditions: conditions } },
      test: {
        name,
        include: [`tests/${name}/**/*.test.{ts,tsx}`],
        globalSetup: setup ? [`tests/support/${setup}`] : [],
        setupFiles: ["tests/support/console.ts"],
        environment: "node",
        pool: "forks" as const,
        isolate,
        execArgv: ["--conditions=react-server"],
        maxWorkers: parallel ? 2 : 1,
        fileParallelism: parallel,
        testTimeout: timeoutMs,
        hookTimeout: Math.max(timeoutMs, 60_000),
        env: { TZ: "Asia/Kathmandu" },
      },
    })),
  },
});
