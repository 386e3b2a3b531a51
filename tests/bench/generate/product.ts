import { eq } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { buildHouse, contextIn, type House } from "#lib/composition.ts";
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

/** How the image stand-in behaves: fixed times, so many calls at once, so many pictures a minute. */
export interface Provider {
  imageLatencyMs: number;
  textLatencyMs: number;
  picturesInFlight: number;
  picturesPerMinute: number;
}

/** A user who can ask for pins. */
export interface Maker {
  user: SignedInUser;
  userId: UserId;
  accountId: string;
  boardId: string;
}

/** What became of one user's order, in milliseconds from the first order of the run. */
export interface Made {
  pins: number;
  firstMs: number;
  lastMs: number;
}

/** A built product with its stand-ins, to be measured. */
export interface Product {
  ctx: FullCtx;
  makers(count: number): Promise<Maker[]>;
  setProvider(provider: Provider): Promise<void>;
  /** Orders so many pins for each maker at once and waits for all of them. */
  make(orders: readonly { maker: Maker; pins: number }[]): Promise<Made[]>;
  /** Image calls of the last run: answered, refused by the limits, and the most at a time. */
  imageCalls(): Promise<{ answered: number; refused: number; mostInFlight: number }>;
  /** CPU that app and executor have used so far. */
  cpuMs(): { app: number; executor: number };
  stop(): Promise<void>;
}

const control = async (app: TestApp, method: string, path: string, body?: unknown): Promise<unknown> => {
  const answer = await fetch(`${app.openAiUrl}/__control/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`The stand-in answered ${answer.status}: ${await answer.text()}`);
  const text = await answer.text();
  return text === "" ? null : JSON.parse(text);
};

const makeMaker = async (app: TestApp, ctx: FullCtx): Promise<Maker> => {
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

let orders = 0;

const order = async ({ user, accountId, boardId }: Maker, pins: number): Promise<string> => {
  orders += 1;
  const { status, text, json } = await user.call("/api/users/pinterest/generate-pins/", {
    method: "POST",
    body: {
      pinterest_account: accountId,
      board_id: boardId,
      quality: "standard",
      keyword_data: Array.from({ length: pins }, (_, n) => ({ keyword: `garden ${orders} ${n}`, url: null })),
    },
  });
  const { group_id, total_tasks } = Object(json);
  if (status !== 200 || total_tasks !== pins) throw new Error(`The order was answered ${status}: ${text}`);
  return String(group_id);
};

const followGroup = async (ctx: FullCtx, groupId: string, sinceMs: number): Promise<Made> => {
  const read = () => ctx.db.select().from(generationTasks).where(eq(generationTasks.groupId, groupId));
  const areFinished = async () => (await read()).every(({ finishedAt }) => finishedAt !== null);
  await until(areFinished, { deadlineMs: 600_000, everyMs: 250, what: "the pins of a group" });
  const tasks = await read();
  const failed = tasks.filter(({ status }) => status !== "SUCCESS");
  if (failed.length > 0) throw new Error(`${failed.length} pins failed: ${failed[0]?.reason}`);
  const ends = tasks.map(({ finishedAt }) => (finishedAt?.getTime() ?? 0) - sinceMs);
  return { pins: tasks.length, firstMs: Math.min(...ends), lastMs: Math.max(...ends) };
};

/** Starts app, executor and stand-ins of the production build on a database of their own. */
export const startProduct = async (imageConcurrency: number): Promise<Product> => {
  await ensureTestBuild();
  const cluster = await startTestCluster();
  const settings = { OPENAI_IMAGE_CONCURRENCY: String(imageConcurrency), RATE_LIMIT_FACTOR: "1000" };
  const app = await startTestApp({ serverUrl: cluster.serverUrl, settings }).catch(async (error: unknown) => {
    await cluster.stop();
    throw error;
  });
  const house: House = buildHouse(parseEnv(app.env));
  const ctx = contextIn(house, { kind: "job", name: "bench" }, createWideEvent());
  return {
    ctx,
    makers: async (count) => {
      const makers: Maker[] = [];
      for (let n = 0; n < count; n += 1) makers.push(await makeMaker(app, ctx));
      return makers;
    },
    setProvider: async (provider) => {
      // Resetting forgets the calls, and the settings with them.
      await control(app, "POST", "reset");
      await control(app, "PATCH", "settings", { ...provider, latencySpread: 0, blankPictures: true });
    },
    make: async (wanted) => {
      const sinceMs = Date.now();
      const groupIds = await Promise.all(wanted.map(({ maker, pins }) => order(maker, pins)));
      const made = await Promise.all(groupIds.map((groupId) => followGroup(ctx, groupId, sinceMs)));
      const { faults } = await checkLedger(ctx);
      if (faults.length > 0) throw new Error(`The ledger is wrong: ${faults.join("; ")}`);
      return made;
    },
    imageCalls: async () => {
      const { counts } = Object(await control(app, "GET", "state"));
      const { pictures, picturesRefused, picturesInFlightAtMost } = counts;
      return { answered: pictures, refused: picturesRefused, mostInFlight: picturesInFlightAtMost };
    },
    cpuMs: () => ({ app: cpuMsOf(app.pid("app")), executor: cpuMsOf(app.pid("executor")) }),
    stop: async () => {
      await house.database.close();
      await app.stop();
      await cluster.stop();
    },
  };
};
