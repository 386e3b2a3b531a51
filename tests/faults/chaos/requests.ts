import { inArray } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import type { AppResponse } from "#tests/support/app-client.ts";
import { until } from "#tests/support/poll.ts";
import { becomes } from "./bounded.ts";
import type { TestStack } from "./stack.ts";
import { callAs, type TestUser } from "./users.ts";

/** A requested pin of the run, and the faults that affect it. */
export interface PinRequest {
  n: number;
  testUser: TestUser;
  /** Unique, to identify its task, its pin and its pin on Pinterest. */
  url: string;
  keyword: string;
  generationFault: string;
  publishingFault: string;
  /** When it should be published; null until scheduled. */
  wantedAt: Date | null;
}

const OUTAGE_MS = 30_000;

/** Retries a database read across a restart. @throws Error after half a minute, with the last one as its cause */
export async function reading<T>(read: () => Promise<T>): Promise<T> {
  const { found } = await until(async () => ({ found: await read() }), {
    deadlineMs: OUTAGE_MS,
    everyMs: 100,
    what: "the database to answer",
  });
  return found;
}

/** Reads the tasks of these requests by URL. */
export const readTasks = ({ ctx }: TestStack, pinRequests: readonly PinRequest[]) =>
  reading(() =>
    ctx.db
      .select()
      .from(generationTasks)
      .where(inArray(generationTasks.url, urlsOf(pinRequests))),
  );

/** Reads the pins of these requests by URL. */
export const readPins = ({ ctx }: TestStack, pinRequests: readonly PinRequest[]) =>
  reading(() =>
    ctx.db
      .select()
      .from(pins)
      .where(inArray(pins.link, urlsOf(pinRequests))),
  );

const urlsOf = (pinRequests: readonly PinRequest[]): string[] => pinRequests.map(({ url }) => url);

const groupByUser = (pinRequests: readonly PinRequest[]): [TestUser, PinRequest[]][] => [
  ...Map.groupBy(pinRequests, ({ testUser }) => testUser),
];

const statusesOf = async (calls: readonly Promise<AppResponse>[]): Promise<number[]> =>
  (await Promise.allSettled(calls)).map((answer) => (answer.status === "fulfilled" ? answer.value.status : 0));

/** Requests the pins of each user. Returns the statuses, 0 without a response (the app may be dead); see retryGenerate. */
export async function generate(pinRequests: readonly PinRequest[]): Promise<number[]> {
  const submissions = groupByUser(pinRequests).map(([testUser, own], index) =>
    callAs(testUser.user, "/api/users/pinterest/generate-pins/", {
      pinterest_account: testUser.accountId,
      board_id: testUser.boardId,
      quality: index % 2 === 0 ? "high" : "standard",
      keyword_data: own.map(({ keyword, url }) => ({ keyword, url })),
    }),
  );
  return statusesOf(submissions);
}

/** Users without a response check whether it started anyway, and request it again if not. */
export async function retryGenerate(stack: TestStack, pinRequests: readonly PinRequest[]): Promise<void> {
  const readMissing = async () => {
    const begun = new Set((await readTasks(stack, pinRequests)).map(({ url }) => url));
    return pinRequests.filter(({ url }) => !begun.has(url));
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    // The requests of the previous round may still be in flight.
    if (await becomes(async () => (await readMissing()).length === 0, PATIENCE_MS * round)) return;
    await generate(await readMissing());
  }
}

const ROUNDS = 8;
/** Added in each round. */
const PATIENCE_MS = 200;

/** Publishing slots: the first at `start`, each user's next ones at the interval. */
export interface Slots {
  start: Date;
  intervalMinutes: number;
  /** `start` as sent, for instance with a zone offset. */
  startText?: string;
}

/** Schedules each user's drafts with `clicks` simultaneous requests. Returns the response statuses. */
export async function schedule(
  stack: TestStack,
  pinRequests: readonly PinRequest[],
  slots: Slots,
  clicks = 1,
): Promise<number[]> {
  const rows = new Map((await readPins(stack, pinRequests)).map((row) => [row.link, row]));
  const submissions = groupByUser(pinRequests).flatMap(([{ user }, own]) => {
    const drafts = own.filter(({ url }) => rows.get(url)?.status === "draft");
    if (drafts.length === 0) return [];
    for (const [k, pinRequest] of drafts.entries())
      pinRequest.wantedAt = new Date(slots.start.getTime() + k * slots.intervalMinutes * 60_000);
    const body = {
      post_ids: drafts.map(({ url }) => rows.get(url)?.id),
      interval_minutes: slots.intervalMinutes,
      start: slots.startText ?? slots.start.toISOString(),
    };
    return Array.from({ length: clicks }, () => callAs(user, "/api/users/pinterest/batch-publish-pins/", body));
  });
  return statusesOf(submissions);
}

/** Schedules remaining drafts again, for the same time. */
export async function retrySchedule(stack: TestStack, pinRequests: readonly PinRequest[], slots: Slots): Promise<void> {
  const readMissing = async () => {
    const drafts = new Set(
      (await readPins(stack, pinRequests)).filter(({ status }) => status === "draft").map(({ link }) => link),
    );
    return pinRequests.filter(({ url }) => drafts.has(url));
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    if (await becomes(async () => (await readMissing()).length === 0, PATIENCE_MS * round)) return;
    await schedule(stack, await readMissing(), slots);
  }
}
