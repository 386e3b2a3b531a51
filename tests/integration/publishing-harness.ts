import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { pins } from "#db/schema/pins.ts";
import type { FullCtx } from "#lib/context.ts";
import type { PinId, UserId } from "#lib/core/ids.ts";
import type { OwnedAccount } from "#lib/features/accounts/queries.ts";
import { createDraft, type NewDraft } from "#lib/features/pins/drafts.ts";
import { findAttempts, type Pin, toPin } from "#lib/features/pins/queries.ts";
import { settleAttempt } from "#lib/features/publishing/attempts.ts";
import type { Move } from "#lib/features/publishing/policy.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { reconcilePin } from "#lib/features/publishing/reconciliation.ts";
import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import type { ScheduledPin } from "#lib/features/publishing/schema.ts";
import type { JobEvent } from "#lib/integrations/jobs/port.ts";
import type { LinksOptions } from "#lib/integrations/links/client.ts";
import { connectAccount } from "#tests/support/connect-account.ts";
import { contextOf, createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { startTestPinterest, type TestPinterest } from "#tests/support/pinterest.ts";

export const CREATE = "POST /v5/pins";
export const LIST = "GET /v5/boards/:id/pins";
const IMAGE_KEY = "pins/test.jpg";
/** An image that its perceptual hash tells from others. */
export const SHAPES = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="900">
  <rect width="600" height="900" fill="#f4ead8"/><rect width="260" height="420" fill="#20304a"/>
  <circle cx="430" cy="640" r="150" fill="#b5432f"/><rect x="60" y="700" width="180" height="120" fill="#5d7c4a"/></svg>`;

/** A pin in the stand-in. */
interface PublicPin {
  id: string;
  board_id: string;
  title: string;
  ai_disclosures: unknown;
  image: { contentType: string };
}

/** A user with a connected account and a board to publish on. */
export interface Creator {
  ctx: FullCtx;
  userId: UserId;
  account: OwnedAccount;
  boardId: string;
}

/** A publishing test's setup: a database, Pinterest, and two workers, all on one movable clock. */
export interface TestSetup {
  readonly pinterest: TestPinterest;
  readonly harness: TestHarness;
  readonly database: { url: string };
  /** The folder of its images. */
  readonly storageDir: string;
  /** Contexts of two workers, like two processes. */
  job(worker?: "other"): FullCtx;
  /** Of both workers. */
  sentEvents(): JobEvent[];
  insertCreator(): Promise<Creator>;
  draft(creator: Creator, change?: Partial<NewDraft>): Promise<PinId>;
  schedule(creator: Creator, pinIds: PinId[], intervalMinutes?: number): Promise<Date>;
  /** A draft scheduled for now. */
  scheduled(creator: Creator, change?: Partial<NewDraft>): Promise<ScheduledPin>;
  pin(id: PinId): Promise<Pin>;
  attempts(id: PinId): ReturnType<typeof findAttempts>;
  publicPins(creator: Creator): Promise<PublicPin[]>;
  moveClock(ms: number): Promise<void>;
  /** Moves only the other worker's process clock. */
  skewOther(ms: number): void;
  /** Runs a pin to its end as the durable function does, moving the clock instead of sleeping; `rounds` limits it. */
  drive(scheduled: ScheduledPin, options?: { rounds?: number }): Promise<Move>;
}

let image: Uint8Array | undefined;
const paint = async (): Promise<Uint8Array> => {
  image ??= await sharp({ create: { width: 400, height: 600, channels: 3, background: "#3a5f4a" } })
    .jpeg()
    .toBuffer();
  return image;
};

/** A worker whose process stalls after each commit. The caller restores the mocks. */
export const heldAfterCommit = (ctx: FullCtx, ms: number): FullCtx => {
  const realNow = performance.now.bind(performance);
  let heldMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => realNow() + heldMs);
  const transaction = (work: never) =>
    ctx.db.transaction(work).finally(() => {
      heldMs += ms;
    });
  const get = (db: FullCtx["db"], name: string) => (name === "transaction" ? transaction : Reflect.get(db, name));
  return { ...ctx, db: new Proxy(ctx.db, { get: (db, name) => get(db, String(name)) }) };
};

let drafts = 0;

const driver =
  (setup: TestSetup) =>
  async (scheduled: ScheduledPin, { rounds = 100 } = {}): Promise<Move> => {
    const ctx = setup.job();
    const sleep = async (ms: number) => {
      if (ms > 0) await setup.moveClock(ms);
    };
    let last: Move = { kind: "wait", afterMs: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const claim = await claimPin(ctx, scheduled);
      if (claim.kind === "attempt") {
        const attempt = { ...scheduled, attemptId: claim.attemptId };
        await sendPin(ctx, attempt);
        last = await settleAttempt(ctx, attempt);
        if (last.kind === "check_board") {
          await sleep(last.afterMs);
          last = await reconcilePin(ctx, attempt);
        }
      } else last = claim;
      if (last.kind === "done" || round === rounds - 1) return last;
      await sleep(last.afterMs);
    }
    return last;
  };

const insertCreator = async (harness: TestHarness, pinterest: TestPinterest): Promise<Creator> => {
  const { ctx, userId } = await createUser(harness);
  await ctx.storage.put(IMAGE_KEY, await paint());
  const username = await pinterest.createAccount();
  const account = await connectAccount(ctx, pinterest, username);
  const [board] = (await pinterest.boardsOf(username)).filter(({ privacy }) => privacy === "PUBLIC");
  if (!board) throw new Error("The account has no public board.");
  return { ctx, userId, account, boardId: board.id };
};

const draft = ({ ctx, userId, account, boardId }: Creator, change: Partial<NewDraft> = {}): Promise<PinId> => {
  drafts += 1;
  return createDraft(ctx, {
    userId,
    accountId: account.id,
    boardId,
    source: "ai",
    title: `Pin ${drafts} & "friends"`,
    description: `The ${drafts}. description.`,
    altText: "A green sheet.",
    link: `https://example.com/${drafts}`,
    keyword: "green sheets",
    imageKey: IMAGE_KEY,
    likeness: null,
    placeholder: null,
    ...change,
  });
};

const post = async (url: string, body: unknown): Promise<void> => {
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
};

/** Creates the test file's setup: stand-in and database per file, workers and clock per test. */
export const publishingSetup = (links: () => Partial<LinksOptions> = () => ({})): TestSetup => {
  const database = databaseForFile();
  const storageDir = mkdtempSync(join(tmpdir(), "publishing-"));
  let pinterest: TestPinterest;
  let harness: TestHarness;
  let other: TestHarness;
  let offsetMs = 0;
  const build = () =>
    createTestHarness({ databaseUrl: database().url, storageDir, pinterestUrl: pinterest.url, links: links() });
  const rowOf = async (id: PinId): Promise<Pin> => {
    const [row] = await harness.database.db.select().from(pins).where(eq(pins.id, id));
    if (!row) throw new Error("The pin is gone.");
    return toPin(row);
  };
  const schedule = async (creator: Creator, pinIds: PinId[], intervalMinutes = 60): Promise<Date> =>
    (await scheduleBatch(creator.ctx, { pinIds, intervalMinutes, start: null })).lastPublishAt;

  beforeAll(async () => {
    pinterest = await startTestPinterest();
  });
  beforeEach(async () => {
    [harness, other] = [build(), build()];
    offsetMs = 0;
    await harness.moveClock(0);
    await post(`${pinterest.url}/__control/clock`, { offsetMs });
  });
  afterEach(() => Promise.all([harness.close(), other.close(), pinterest.clearFaults()]));
  afterAll(async () => {
    await pinterest.close();
    rmSync(storageDir, { recursive: true, force: true });
  });

  const setup: TestSetup = {
    storageDir,
    get pinterest() {
      return pinterest;
    },
    get harness() {
      return harness;
    },
    get database() {
      return { url: database().url };
    },
    job: (worker) => contextOf(worker === "other" ? other : harness, { kind: "job", name: "test" }),
    sentEvents: () => [...harness.sentEvents, ...other.sentEvents],
    insertCreator: () => insertCreator(harness, pinterest),
    draft,
    schedule,
    scheduled: async (creator, change) => {
      const pinId = await draft(creator, change);
      await schedule(creator, [pinId]);
      return { pinId, scheduleGeneration: (await rowOf(pinId)).scheduleGeneration };
    },
    pin: rowOf,
    attempts: (id) => findAttempts(setup.job(), id),
    publicPins: async ({ account }) => {
      const answer = await fetch(`${pinterest.url}/__control/pins?account=${account.username}`);
      return ((await answer.json()) as { pins: PublicPin[] }).pins;
    },
    skewOther: (ms) => other.skewClock(ms),
    moveClock: async (ms) => {
      offsetMs += ms;
      await harness.moveClock(ms);
      other.skewClock(ms);
      await post(`${pinterest.url}/__control/clock`, { offsetMs });
    },
    drive: (scheduled, options) => driver(setup)(scheduled, options),
  };
  return setup;
};
