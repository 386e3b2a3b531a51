import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServiceEntry, startConsole } from "#sandbox/console/server.ts";
import type { RunDetail } from "#sandbox/inngest/reports.ts";
import { createApp, serve } from "#sandbox/kit/serve.ts";
import { startPinterest } from "#sandbox/pinterest/server.ts";

const BASE = {
  event: "app/pin.scheduled",
  startedAt: "2026-11-20T19:20:26.000Z",
  eventId: "01JEV",
  eventBody: '{"name": "app/pin.scheduled"}',
  calls: 4,
  attempt: 0,
  error: null,
  output: null,
  openCalls: [],
};
const DONE = { id: "s1", name: "claim pin", kind: "run", state: "done", attempts: 1 } as const;
const NOTHING = { dueAt: null, waitsFor: null, output: null, error: null };

/** Runs as an executor reports them: one in progress, one failed. */
export const RUNS: RunDetail[] = [
  {
    ...BASE,
    id: "01JRUNNING0000000000000000",
    functionId: "app-publish-due-pins",
    status: "running",
    endedAt: null,
    attempt: 2,
    openCalls: [{ target: "step", attempt: 2, dueAt: "2026-11-20T19:30:00.000Z", state: "scheduled" }],
    steps: [
      { ...NOTHING, ...DONE, output: '{"claimed": 3}' },
      {
        ...NOTHING,
        id: "s2",
        name: "pause",
        kind: "sleep",
        state: "pending",
        attempts: 0,
        dueAt: "2026-11-20T19:31:00.000Z",
        waitsFor: "time to pass",
      },
    ],
  },
  {
    ...BASE,
    id: "01JFAILED00000000000000000",
    functionId: "app-generate-pin",
    status: "failed",
    endedAt: "2026-11-20T19:21:36.000Z",
    error: "Error: <b>no</b> answer",
    steps: [{ ...NOTHING, ...DONE, state: "failed", attempts: 4, error: "Error: 503" }],
  },
];

/** An executor that reports these runs and does nothing else. */
const startScriptedExecutor = () => {
  const app = createApp();
  app.get("/v1/runs", (c) => {
    const { status, cursor, limit = "100" } = c.req.query();
    const runs = RUNS.filter((run) => status === undefined || run.status === status).slice(0, Number(limit));
    return c.json({ runs, nextCursor: status || cursor ? null : "01JNEXT0000000000000000000" });
  });
  app.get("/v1/runs/:id", (c) => {
    const run = RUNS.find(({ id }) => id === c.req.param("id"));
    return run ? c.json(run) : c.json({ error: "Run not found" }, 404);
  });
  return serve(app, { port: 0, host: "127.0.0.1" });
};

/** A console with Pinterest, an executor, and one service that is down. */
export const startConsoleHarness = async () => {
  const host = "127.0.0.1";
  const dataDir = mkdtempSync(join(tmpdir(), "console-"));
  const pinterest = await startPinterest({ port: 0, host, dataDir });
  const executor = await startScriptedExecutor();
  const closed = await serve(createApp(), { port: 0, host });
  await closed.close();
  const entry = (name: string, url: string, more: Partial<ServiceEntry> = {}): ServiceEntry => {
    const id = name.toLowerCase();
    return { id, name, what: `Simulates ${name}.`, url, probe: `${url}/`, visit: true, ...more };
  };
  const entries = [
    entry("Pinterest", pinterest.url, { control: pinterest.url, probe: `${pinterest.url}/__control/state` }),
    entry("Executor", executor.url, { runs: executor.url }),
    entry("Gone", closed.url, { control: closed.url }),
  ];
  const console = await startConsole({ host, port: 0, entries, deadlineMs: 30_000 });
  const close = async () => {
    await Promise.all([console.close(), executor.close(), pinterest.close()]);
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { url: console.url, pinterest, executor, close, [Symbol.asyncDispose]: close };
};
