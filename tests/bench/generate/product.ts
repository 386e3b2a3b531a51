import { eq } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { buildContainer, type Container, contextIn } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { isId, type UserId } from "#lib/core/ids.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { parseEnv } from "#lib/env.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { ensureTestBuild, startTestApp, type TestApp } from "#tests/support/app.ts";
import { clientOf, type SignedInUser } from "#tests/support/app-client.ts";
import { startTestCluster } from "#tests/support/cluster.ts";
import { until } from "#tests/support/poll.ts";
import { cpuMsOf } from "../harness/machine.ts";

/** The image stand-in's latency and limits. */
export interface Provider {
  imageLatencyMs: number;
  textLatencyMs: number;
  imagesInFlight: number;
  imagesPerMinute: number;
}

interface BenchUser {
  user: SignedInUser;
  userId: UserId;
  accountId: string;
  boardId: string;
}

/** Times of one user's batch, in milliseconds from the first request of the run. */
export interface GroupTimes {
  pins: number;
  firstMs: number;
  lastMs: number;
}

/** A production build with its stand-ins. */
export interface Product {
  ctx: FullCtx;
  users(count: number): Promise<BenchUser[]>;
  setProvider(provider: Provider): Promise<void>;
  /** Starts pins for all users at once and waits for them. */
  generate(groups: readonly { user: BenchUser; pins: number }[]): Promise<GroupTimes[]>;
  /** Image calls of the last run: answered, rejected by the limits, and the maximum in parallel. */
  imageCalls(): Promise<{ answered: number; refused: number; mostInFlight: number }>;
  /** CPU time of app and executor so far. */
  cpuMs(): { app: number; executor: number };
  stop(): Promise<void>;
}

const control = async (app: TestApp, method: string, path: string, body?: unknown): Promise<unknown> => {
  const response = await fetch(`${app.openAiUrl}/__control/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`The stand-in answered ${response.status}: ${await response.text()}`);
  const text = await response.text();
  return text === "" ? null : JSON.parse(text);
};

const createUser = async (app: TestApp, ctx: FullCtx): Promise<BenchUser> => {
  const client = clientOf(app);
  const user = await client.signUp();
  const { id: userId } = Object((await user.call("/api/users/me/")).json);
  const { id: accountId } = await client.connectOverHttp(user);
  const boards = Object((await user.call(`/api/users/pinterest/boards/${accountId}/`)).json);
  const boardId = boards.items?.[0]?.id;
  if (!isId("user", userId) || typeof boardId !== "string") throw new Error("This user has no board.");
  await grantCredits(ctx, { userId, credits: 10_000, note: "For a bench", cause: `bench:${userId}` });
  return { user, userId, accountId, boardId };
};

let groupCount = 0;

const startGroup = async ({ user, accountId, boardId }: BenchUser, pins: number): Promise<string> => {
  groupCount += 1;
  const { status, text, json } = await user.call("/api/users/pinterest/generate-pins/", {
    method: "POST",
    body: {
      pinterest_account: accountId,
      board_id: boardId,
      quality: "standard",
      keyword_data: Array.from({ length: pins }, (_, n) => ({ keyword: `garden ${groupCount} ${n}`, url: null })),
    },
  });
  const { group_id, total_tasks } = Object(json);
  if (status !== 200 || total_tasks !== pins) throw new Error(`The request returned ${status}: ${text}`);
  return String(group_id);
};

const followGroup = async (ctx: FullCtx, groupId: string, sinceMs: number): Promise<GroupTimes> => {
  const read = () => ctx.db.select().from(generationTasks).where(eq(generationTasks.groupId, groupId));
  const areFinished = async () => (await read()).every(({ finishedAt }) => finishedAt !== null);
  await until(areFinished, { deadlineMs: 600_000, everyMs: 250, what: "the pins of a group" });
  const tasks = await read();
  const failed = tasks.filter(({ status }) => status !== "SUCCESS");
  if (failed.length > 0) throw new Error(`${failed.length} pins failed: ${failed[0]?.reason}`);
  const ends = tasks.map(({ finishedAt }) => (finishedAt?.getTime() ?? 0) - sinceMs);
  return { pins: tasks.length, firstMs: Math.min(...ends), lastMs: Math.max(...ends) };
};

/** Starts app, executor and stand-ins of the production build with their own database. */
export const startProduct = async (imageConcurrency: number): Promise<Product> => {
  await ensureTestBuild();
  const cluster = await startTestCluster();
  const settings = { OPENAI_IMAGE_CONCURRENCY: String(imageConcurrency), RATE_LIMIT_FACTOR: "1000" };
  const app = await startTestApp({ serverUrl: cluster.serverUrl, settings }).catch(async (error: unknown) => {
    await cluster.stop();
    throw error;
  });
  const harness: Container = buildContainer(parseEnv(app.env));
  const ctx = contextIn(harness, { kind: "job", name: "bench" }, createWideEvent());
  return {
    ctx,
    users: async (count) => {
      const users: BenchUser[] = [];
      for (let n = 0; n < count; n += 1) users.push(await createUser(app, ctx));
      return users;
    },
    setProvider: async (provider) => {
      // A reset clears the calls and the settings.
      await control(app, "POST", "reset");
      await control(app, "PATCH", "settings", { ...provider, latencySpread: 0, blankImages: true });
    },
    generate: async (groups) => {
      const sinceMs = Date.now();
      const groupIds = await Promise.all(groups.map(({ user, pins }) => startGroup(user, pins)));
      const generated = await Promise.all(groupIds.map((groupId) => followGroup(ctx, groupId, sinceMs)));
      const { faults } = await checkLedger(ctx);
      if (faults.length > 0) throw new Error(`The ledger is wrong: ${faults.join("; ")}`);
      return generated;
    },
    imageCalls: async () => {
      const { counts } = Object(await control(app, "GET", "state"));
      const { images, imagesRefused, imagesInFlightAtMost } = counts;
      return { answered: images, refused: imagesRefused, mostInFlight: imagesInFlightAtMost };
    },
    cpuMs: () => ({ app: cpuMsOf(app.pid("app")), executor: cpuMsOf(app.pid("executor")) }),
    stop: async () => {
      await harness.database.close();
      await app.stop();
      await cluster.stop();
    },
  };
};
