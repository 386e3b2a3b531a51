import { setTimeout as delay } from "node:timers/promises";
import { creatorPathOf } from "#lib/core/paths.ts";
import type { TestApp } from "#tests/support/app.ts";
import { readSurface } from "#tests/support/surface.ts";
import { surfaceUsersOf } from "#tests/support/surface-users.ts";
import { problemOf, withoutExcused } from "./check.ts";
import type { FuzzRequest, FuzzUsers } from "./request.ts";
import { createSender, type FuzzAnswer } from "./send.ts";
import { randomOf, type Target, targetAt, targetsOf } from "./targets.ts";

/** The limits are raised so far that requests reach what they limit. */
export const FUZZ_SETTINGS = { RATE_LIMIT_FACTOR: "1000000" };

interface FuzzOptions {
  app: TestApp;
  seed: number;
  requests: number;
  /** Sends only the request with this index. */
  only?: number;
  /** Only targets whose label contains it, such as `/api/v1/`. */
  target?: string;
  concurrency?: number;
  log?: (line: string) => void;
}

export interface FuzzFailure {
  request: FuzzRequest;
  answer: FuzzAnswer;
  problem: string;
}

/** The measured times of a label, in milliseconds, and how often each status came back. */
export interface FuzzRow {
  times: number[];
  statuses: Map<number, number>;
}

export interface FuzzResult {
  seed: number;
  sent: number;
  seconds: number;
  rows: Map<string, FuzzRow>;
  failures: FuzzFailure[];
}

const CONCURRENCY = 8;
/** Users are replaced before hostile requests have used up what they own. */
const REQUESTS_PER_USERS = 400;
const EXPENDABLE_USERS = 3;
const PROGRESS_EVERY = 5_000;

/** The users of each block of requests; the next block's are inserted ahead. */
const usersByBlock = (app: TestApp) => {
  const inserting = surfaceUsersOf(app);
  const blocks = new Map<number, Promise<FuzzUsers>>();
  const insertBlock = async (): Promise<FuzzUsers> => {
    const [caller, other] = [await inserting.insert(), await inserting.insert()];
    await inserting.credits(caller, 2);
    const expendable = [];
    for (let count = 0; count < EXPENDABLE_USERS; count++) expendable.push(await inserting.insert());
    return { caller, other, expendable };
  };
  const blockOf = (block: number): Promise<FuzzUsers> => {
    const known = blocks.get(block) ?? insertBlock();
    blocks.set(block, known);
    blocks.delete(block - 3);
    return known;
  };
  return { at: (index: number) => blockOf(Math.floor(index / REQUESTS_PER_USERS)), close: inserting.close };
};

const addRow = (rows: FuzzResult["rows"], { label }: FuzzRequest, { status, ms }: FuzzAnswer): void => {
  const row = rows.get(label) ?? { times: [] as number[], statuses: new Map<number, number>() };
  rows.set(label, row);
  row.times.push(ms);
  row.statuses.set(status, (row.statuses.get(status) ?? 0) + 1);
};

const drawAt = (
  targets: Target[],
  index: number,
  from: { seed: number; users: FuzzUsers; origin: string },
): FuzzRequest => {
  const { label, draw } = targetAt(targets, from.seed, index);
  const random = randomOf(from.seed, index);
  return { index, label, ...draw({ random, users: from.users, origin: from.origin }) };
};

const isRunning = (app: TestApp): boolean => {
  try {
    return process.kill(app.pid("app"), 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
};

/** Stops early when the process is gone. */
const checkRunning = async (app: TestApp, answer: FuzzAnswer): Promise<void> => {
  if (answer.status > 0) return;
  await delay(200);
  if (!isRunning(app)) throw new Error("The app's process has ended.");
};

/**
 * Sends seeded requests to everything that a running product answers. Start it with {@link FUZZ_SETTINGS}.
 * @throws Error if its process ends
 */
export const runFuzz = async (options: FuzzOptions): Promise<FuzzResult> => {
  const { app, seed, requests, only, target = "", concurrency = CONCURRENCY, log = () => {} } = options;
  const all = targetsOf(readSurface(), creatorPathOf(app.env.PRODUCT_NAME ?? "Evertack"));
  const targets = all.filter(({ label }) => label.includes(target));
  const sender = createSender(app.baseUrl);
  const blocks = usersByBlock(app);
  const [rows, failures]: [FuzzResult["rows"], FuzzFailure[]] = [new Map(), []];
  const [first, end] = only === undefined ? [0, requests] : [only, only + 1];
  const startedAt = performance.now();
  let next = first;
  const work = async (): Promise<void> => {
    while (next < end) {
      const index = next++;
      const users = await blocks.at(index);
      const request = drawAt(targets, index, { seed, users, origin: app.baseUrl });
      const answer = await sender.send(request);
      addRow(rows, request, answer);
      const problem = problemOf(request, answer, users.other);
      if (problem !== undefined) failures.push({ request, answer, problem });
      await checkRunning(app, answer);
      if ((index + 1) % PROGRESS_EVERY === 0) log(`${index + 1} requests, ${failures.length} failures`);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    sender.close();
    await blocks.close();
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return { seed, sent: end - first, seconds, rows, failures: withoutExcused(failures) };
};
