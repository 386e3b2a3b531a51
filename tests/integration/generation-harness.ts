import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { imagePauses } from "#db/schema/generation.ts";
import type { FullCtx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { PAGE_WAIT_MAX_MS } from "#lib/features/generation/constants.ts";
import { generateTaskImage, writeTaskCopy } from "#lib/features/generation/drafting.ts";
import { type StartResult, startGeneration } from "#lib/features/generation/groups.ts";
import { fromNow, PAUSE_SUBJECT, withImageSlot } from "#lib/features/generation/image-slots.ts";
import { findTask, type Task } from "#lib/features/generation/queries.ts";
import type { GeneratePinsInput } from "#lib/features/generation/schema.ts";
import { readTaskPage } from "#lib/features/generation/task-pages.ts";
import { finishTask, type StepResult } from "#lib/features/generation/tasks.ts";
import type { LinksOptions } from "#lib/integrations/links/client.ts";
import type { Handle } from "#sandbox/kit/serve.ts";
import { startOpenAi } from "#sandbox/openai/server.ts";
import { contextOf, createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";

export const CHAT = "POST /v1/chat/completions";
export const IMAGES = "POST /v1/images/generations";

/** A user with a connected account and credits on top of the allowance. */
export interface Creator {
  ctx: FullCtx;
  userId: UserId;
  accountId: string;
}

type Fault = { match: string; scenario: string; times?: number; where?: { keyword: string } };

/** The setup of a generation test: a database, the OpenAI stand-in, storage on disk, a worker. */
export interface TestSetup {
  readonly harness: TestHarness;
  readonly databaseUrl: string;
  readonly storageDir: string;
  job(): FullCtx;
  /** Sets the clock back to the middle of a month until the test ends, so that no allowance is renewed. */
  midMonth(): Promise<void>;
  /** A job context with the given number of image slots. */
  withSlots(slots: number): FullCtx;
  /** Holds an image slot until `leave` is called. */
  occupySlot(ctx: FullCtx): Promise<{ leave(): Promise<void> }>;
  /** Pauses image calls for the given seconds; 0 ends the pause. */
  pause(seconds: number): Promise<void>;
  insertCreator(purchasedCredits?: number): Promise<Creator>;
  start(
    creator: Creator,
    keywords: string[],
    more?: Partial<GeneratePinsInput>,
  ): Promise<Extract<StartResult, { kind: "started" }>>;
  tasksOf(groupId: string): Promise<Task[]>;
  task(taskId: string): Promise<Task>;
  /** Reads a task's page and runs both steps without waiting between attempts, then finishes it. */
  drive(taskId: string): Promise<Task>;
  driveIn(ctx: FullCtx, taskId: string): Promise<Task>;
  addFault(fault: Fault): Promise<void>;
  /** Requests `METHOD /path` answered so far. */
  calls(request: string): Promise<number>;
  /** `[allowance, purchased, held]` */
  buckets(creator: Creator): Promise<[number, number, number]>;
}

const insertAccount = async (ctx: FullCtx, userId: UserId): Promise<string> => {
  const id = ctx.newId("account");
  const owner = { id, userId, pinterestUserId: `p${id}`, username: "moss" };
  await ctx.db.insert(pinterestAccounts).values({ ...owner, status: "connected", connectedAt: ctx.now() });
  return id;
};

const untilEnded = async (step: (attempt: number) => Promise<StepResult>): Promise<void> => {
  for (let attempt = 0; ; attempt += 1) {
    const result = await step(attempt);
    if (result.kind !== "retry") return;
    expect(attempt, "tries of one step").toBeLessThan(30);
  }
};

const occupy = async (ctx: FullCtx, userId: UserId): Promise<{ leave(): Promise<void> }> => {
  const [entered, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = withImageSlot(ctx, { reference: ctx.newId("task"), userId, requestedAt: new Date(0) }, async () => {
    entered.resolve();
    await left.promise;
    return { kind: "done", result: null };
  });
  await entered.promise;
  return {
    leave: async () => {
      left.resolve();
      await held;
    },
  };
};

/** Milliseconds since noon on the latest 15th of a month. */
const sinceMidMonth = (now: Date): number => {
  const middles = [0, -1].map((months) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15, 12));
  return now.getTime() - (middles.find((at) => at <= now.getTime()) ?? 0);
};

/** Creates the setup of a test file. The ledger is checked after each test. `links`: read once the file begins. */
export const generationSetup = (links: () => Partial<LinksOptions> = () => ({})): TestSetup => {
  const database = databaseForFile();
  const storageDir = mkdtempSync(join(tmpdir(), "generation-"));
  let openAi: Handle;
  let harness: TestHarness;
  const job = () => contextOf(harness, { kind: "job", name: "test" });
  const control = (path: string, init?: RequestInit) => fetch(`${openAi.url}/__control/${path}`, init);

  beforeAll(async () => {
    openAi = await startOpenAi({
      port: 0,
      host: "127.0.0.1",
      dataDir: storageDir,
      textLatencyMs: 0,
      imageLatencyMs: 0,
    });
    harness = createTestHarness({ databaseUrl: database().url, storageDir, openAiUrl: openAi.url, links: links() });
  });
  afterEach(async () => {
    await control("faults", { method: "DELETE" });
    expect((await checkLedger(job())).faults).toEqual([]);
  });
  afterAll(async () => {
    await harness.close();
    await openAi.close();
    rmSync(storageDir, { recursive: true, force: true });
  });

  const setup: TestSetup = {
    get harness() {
      return harness;
    },
    get databaseUrl() {
      return database().url;
    },
    storageDir,
    job,
    midMonth: async () => {
      const ms = sinceMidMonth(harness.now());
      await harness.moveClock(-ms);
      onTestFinished(() => harness.moveClock(ms));
    },
    withSlots: (slots) => ({ ...job(), settings: { ...job().settings, imageConcurrency: slots } }),
    occupySlot: async (ctx) => occupy(ctx, (await createUser(harness)).userId),
    pause: async (seconds) => {
      const resumeAt = fromNow(seconds * 1_000);
      const pause = { resumeAt, pacedUntil: resumeAt, gapMs: 25 };
      await job()
        .db.insert(imagePauses)
        .values({ subject: PAUSE_SUBJECT, ...pause })
        .onConflictDoUpdate({ target: imagePauses.subject, set: pause });
    },
    insertCreator: async (purchasedCredits = 0) => {
      const { ctx, userId } = await createUser(harness);
      const accountId = await insertAccount(ctx, userId);
      if (purchasedCredits > 0) {
        await grantCredits(ctx, { userId, credits: purchasedCredits, note: "test", cause: accountId });
      }
      return { ctx, userId, accountId };
    },
    start: async ({ ctx, accountId }, keywords, more = {}) => {
      const rows = keywords.map((keyword) => ({ keyword, url: null }));
      const started = await startGeneration(ctx, { accountId, boardId: "12345", quality: "standard", rows, ...more });
      if (started.kind !== "started") throw new Error(`Not started: ${started.warning}`);
      return started;
    },
    tasksOf: async (groupId) => {
      const rows = await job().db.query.generationTasks.findMany({
        columns: { id: true },
        where: (row) => eq(row.groupId, groupId),
        orderBy: (row) => row.position,
      });
      return Promise.all(rows.map(({ id }) => setup.task(id)));
    },
    task: async (taskId) => {
      const task = await findTask(job(), taskId);
      if (!task) throw new Error("The task was deleted.");
      return task;
    },
    drive: (taskId) => setup.driveIn(job(), taskId),
    driveIn: async (ctx, taskId) => {
      await readTaskPage(ctx, { taskId, waitedSeconds: PAGE_WAIT_MAX_MS / SECOND_MS });
      await Promise.all([
        untilEnded((attempt) => writeTaskCopy(ctx, { taskId, attempt })),
        untilEnded((attempt) => generateTaskImage(ctx, { taskId, attempt })),
      ]);
      await finishTask(ctx, { taskId });
      return setup.task(taskId);
    },
    addFault: async (fault) => {
      const answer = await control("faults", { method: "POST", body: JSON.stringify(fault) });
      if (!answer.ok) throw new Error(await answer.text());
    },
    calls: async (request) => {
      const { requests } = (await (await control("log")).json()) as { requests: { method: string; path: string }[] };
      return requests.filter(({ method, path }) => `${method} ${path}` === request).length;
    },
    buckets: async ({ ctx, userId }) => {
      const row = await findBalance(ctx, userId);
      return [row?.allowance ?? 0, row?.purchased ?? 0, row?.held ?? 0];
    },
  };
  return setup;
};
