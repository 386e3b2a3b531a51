import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { openDatabase } from "#db/client.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import { createId, type UserId } from "#lib/core/ids.ts";
import { ensureTestBuild, startTestApp, type TestApp } from "#tests/support/app.ts";
import { clientOf } from "#tests/support/app-client.ts";
import { startTestCluster } from "#tests/support/cluster.ts";
import { fixturesOf } from "#tests/support/fixtures/product.ts";
import { baselineFolder, ensureBaselineBuild, startBaseline } from "../harness/baseline-build.ts";

/** The product and the baseline, each in its own process, on one database. */
export interface BenchHarness {
  productUrl: string;
  productPid: number;
  baselineUrl: string;
  baselinePid: number;
  token: string;
  apiKey: string;
  ids: { user: UserId; account: string; group: string; pin: string };
  stop(): Promise<void>;
}

/** Rows of each measured list. */
export const LIST_ROWS = 50;

/** Builds both if needed and starts them; takes a minute or two the first time. */
export async function openHarness(): Promise<BenchHarness> {
  await ensureTestBuild();
  ensureBaselineBuild(baselineFolder("api"));
  const cluster = await startTestCluster();
  const product = await startTestApp({
    serverUrl: cluster.serverUrl,
    settings: { RATE_LIMIT_FACTOR: "1000000" },
    clock: "real",
  });
  const baseline = await startBaseline(baselineFolder("api"), "/api/row?id=x", { DATABASE_URL: product.databaseUrl });
  const { token, apiKey, ids } = await seedUser(product);
  return {
    productUrl: `http://127.0.0.1:${new URL(product.baseUrl).port}`,
    productPid: product.pid("app"),
    baselineUrl: baseline.url,
    baselinePid: baseline.child.pid,
    token,
    apiKey,
    ids,
    async stop() {
      await baseline.child.end();
      await product.stop();
      await cluster.stop();
    },
  };
}

/** Seeds a user with an account, 50 pins and a group of 50 finished tasks. */
async function seedUser(product: TestApp): Promise<Pick<BenchHarness, "token" | "apiKey" | "ids">> {
  const client = clientOf(product);
  const user = await client.signUp();
  const account = await client.connectOverHttp(user);
  const login = await client.callApp("/api/users/login/", {
    method: "POST",
    body: { email: user.email, password: "correct horse 1" },
  });
  const token = String(Object(login.json).accessToken);
  const { db, close } = openDatabase(product.databaseUrl, 1);
  try {
    const [row] = await db.select().from(users).where(eq(users.email, user.email));
    if (!row) throw new Error("The bench's user does not exist");
    const ids = { user: row.id, account: account.id, group: createId("group", new Date()), pin: "" };
    const rows = Array.from({ length: LIST_ROWS }, (_, index) => postOf(ids, index));
    await db.insert(pins).values(rows);
    ids.pin = rows[0]?.id ?? "";
    await db.insert(generationGroups).values(groupOf(ids));
    await db.insert(generationTasks).values(Array.from({ length: LIST_ROWS }, (_, index) => taskOf(ids, index)));
    await db.execute("analyze");
    const fixtures = fixturesOf(product);
    const { secret: apiKey } = await fixtures.apiKey(row);
    await fixtures.close();
    return { token, apiKey, ids };
  } finally {
    await close();
  }
}

const words = (index: number) => ({
  keyword: `small balcony garden ${index}`,
  title: `Small balcony garden ${index}: begin with the corner that gets the most light`,
  description: "Begin with the corner that gets the most light, and keep the pots close together. ".repeat(4),
  altText: "A drawn balcony with pots, herbs and a chair in the evening light.",
  imageKey: `bench/${randomBytes(12).toString("hex")}.jpg`,
});

function postOf({ user, account }: BenchHarness["ids"], index: number): typeof pins.$inferInsert {
  const at = new Date(Date.now() - index * 60_000);
  return {
    ...words(index),
    ...{ id: createId("pin", at), userId: user, accountId: account, boardId: "1234567890", source: "ai" as const },
    ...{ link: `https://example.com/${index}`, status: "draft" as const, createdAt: at, updatedAt: at },
  };
}

function groupOf({ user, account, group }: BenchHarness["ids"]): typeof generationGroups.$inferInsert {
  const [boardId, at] = ["1234567890", new Date()];
  return {
    id: group,
    userId: user,
    accountId: account,
    boardId,
    quality: "standard",
    totalTasks: LIST_ROWS,
    createdAt: at,
    finishedAt: at,
  };
}

function taskOf({ user, group }: BenchHarness["ids"], position: number): typeof generationTasks.$inferInsert {
  const at = new Date();
  return {
    ...words(position),
    ...{ id: createId("task", at), groupId: group, userId: user, position, costCredits: 2, status: "SUCCESS" as const },
    ...{ url: `https://example.com/${position}`, wakeAt: at, createdAt: at, startedAt: at, finishedAt: at },
  };
}
