import tailwind from "@tailwindcss/postcss";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { chromiumLaunchOptions } from "./scripts/chromium.ts";
import { inRepository } from "./scripts/root.ts";
import { serverActions } from "./tests/support/component/server-actions.ts";

// npm's shims start the system's Node, which may be too old to run TypeScript.
if (Number(process.versions.node.split(".")[0]) < 22) {
  throw new Error(
    "Run the tests with the bundled Node: npm test -- unit, or PATH=node_modules/.bin:$PATH vitest run …",
  );
}

process.env.TZ = "Asia/Kathmandu";

// Resolve like Node: "module" builds are for bundlers, and "import" would also apply to require().
const conditions = ["react-server", "node"];

type Project = { name: string; timeoutMs: number; setup?: string; workers?: number; isolate?: boolean };

const projects: Project[] = [
  { name: "unit", timeoutMs: 30_000 },
  // Loading the product takes longer than most of these files, so three processes load it once each. They wait a
  // quarter of their time.
  { name: "integration", timeoutMs: 60_000, setup: "database-setup.ts", workers: 3, isolate: false },
  { name: "contract", timeoutMs: 120_000, setup: "contract-setup.ts" },
  { name: "faults", timeoutMs: 300_000, setup: "faults-setup.ts", workers: 1 },
];

const standIn = (name: string) => inRepository("tests", "support", "component", "next", name);

/** Packages of components that are not ES modules, or consist of many. */
const browserPackages = [
  "react",
  "react-dom",
  "react-dom/client",
  "react/jsx-runtime",
  "react/jsx-dev-runtime",
  "vitest-browser-react",
  "next/dynamic",
  "radix-ui",
  "sonner",
  "cmdk",
  "recharts",
  "zod",
  "@tanstack/react-query",
  "@tanstack/react-virtual",
  "@atlaskit/pragmatic-drag-and-drop/element/adapter",
];

/** Components in the project's own Chromium, with the real style sheets and without a server. */
const component = async () => ({
  plugins: [serverActions()],
  publicDir: inRepository("public"),
  css: { postcss: { plugins: [tailwind()] } },
  oxc: { jsx: { runtime: "automatic" as const } },
  define: { "process.env.NODE_ENV": JSON.stringify("test") },
  resolve: { alias: { "next/navigation": standIn("navigation.ts"), "next/link": standIn("link.tsx") } },
  optimizeDeps: {
    // Bundled before the first test: packages discovered later would reload the page in the middle of one.
    noDiscovery: true,
    entries: [],
    include: browserPackages,
  },
  test: {
    name: "component",
    include: ["tests/component/**/*.test.tsx"],
    setupFiles: ["tests/support/component/setup.ts"],
    testTimeout: 30_000,
    expect: { poll: { timeout: 5_000 } },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      viewport: { width: 1024, height: 768 },
      provider: playwright({
        launchOptions: await chromiumLaunchOptions(),
        contextOptions: { timezoneId: "Asia/Kathmandu", locale: "en-US", reducedMotion: "reduce" },
        actionTimeout: 10_000,
      }),
      instances: [{ browser: "chromium" as const }],
    },
  },
});

export default defineConfig({
  test: {
    projects: [
      await component(),
      ...projects.map(({ name, timeoutMs, setup, workers = 2, isolate = true }) => ({
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
          maxWorkers: workers,
          fileParallelism: workers > 1,
          testTimeout: timeoutMs,
          hookTimeout: Math.max(timeoutMs, 60_000),
          env: { TZ: "Asia/Kathmandu" },
        },
      })),
    ],
  },
});
