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
import { lookForPin } from "#lib/features/publishing/reconciliation.ts";
import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import type { ScheduledPin } from "#lib/features/publishing/schema.ts";
import type { LinksOptions } from "#lib/integrations/links/client.ts";
import { connectAccount } from "#tests/support/connect-account.ts";
import { contextOf, createTestHouse, createUser, type TestHouse } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { startTestPinterest, type TestPinterest } from "#tests/support/pinterest.ts";

export const CREATE = "POST /v5/pins";
export const LIST = "GET /v5/boards/:id/pins";
const IMAGE_KEY = "pins/test.jpg";

/** A pin as the stand-in holds it. */
interface PublicPin {
  id: string;
  board_id: string;
  title: string;
  ai_disclosures: unknown;
  picture: { contentType: string };
}

/** A user with a connected account and one board to publish on. */
export interface Maker {
  ctx: FullCtx;
  userId: UserId;
  account: OwnedAccount;
  boardId: string;
}

/** The world of a publishing test: a database, Pinterest, and two workers over them, all on one clock that moves. */
export interface World {
  readonly pinterest: TestPinterest;
  readonly house: TestHouse;
  readonly database: { url: string };
  /** Where its pictures are kept. */
  readonly storageDir: string;
  /** Contexts of two workers, as two processes would have them. */
  job(worker?: "other"): FullCtx;
  makeMaker(): Promise<Maker>;
  draft(maker: Maker, change?: Partial<NewDraft>): Promise<PinId>;
  schedule(maker: Maker, pinIds: PinId[], intervalMinutes?: number): Promise<Date>;
  /** A draft that is scheduled for now. */
  scheduled(maker: Maker, change?: Partial<NewDraft>): Promise<ScheduledPin>;
  pin(id: PinId): Promise<Pin>;
  receipt(id: PinId): ReturnType<typeof findAttempts>;
  publicPins(maker: Maker): Promise<PublicPin[]>;
  moveClock(ms: number): Promise<void>;
  /** Moves the clock of the other worker's process alone. */
  skewOther(ms: number): void;
  /** Works on a pin as its run does, sleeping by moving the clock, until it is done; `naps` ends it after so many rounds. */
  drive(scheduled: ScheduledPin, options?: { naps?: number }): Promise<Move>;
}

let picture: Uint8Array | undefined;
const paint = async (): Promise<Uint8Array> => {
  picture ??= await sharp({ create: { width: 400, height: 600, channels: 3, background: "#3a5f4a" } })
    .jpeg()
    .toBuffer();
  return picture;
};

/** A worker whose process stands still for so long after each commit. The caller restores the mocks. */
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
  (world: World) =>
  async (scheduled: ScheduledPin, { naps = 100 } = {}): Promise<Move> => {
    const ctx = world.job();
    const sleep = async (ms: number) => {
      if (ms > 0) await world.moveClock(ms);
    };
    let last: Move = { kind: "wait", afterMs: 0 };
    for (let nap = 0; nap < naps; nap += 1) {
      const claim = await claimPin(ctx, scheduled);
      if (claim.kind === "attempt") {
        const attempt = { ...scheduled, attemptId: claim.attemptId };
        await sendPin(ctx, attempt);
        last = await settleAttempt(ctx, attempt);
        if (last.kind === "look") {
          await sleep(last.afterMs);
          last = await lookForPin(ctx, attempt);
        }
      } else last = claim;
      if (last.kind === "done" || nap === naps - 1) return last;
      await sleep(last.afterMs);
    }
    return last;
  };

const makeMaker = async (house: TestHouse, pinterest: TestPinterest): Promise<Maker> => {
  const { ctx, userId } = await createUser(house);
  await ctx.storage.put(IMAGE_KEY, await paint());
  const username = await pinterest.makeAccount();
  const account = await connectAccount(ctx, pinterest, username);
  const [board] = (await pinterest.boardsOf(username)).filter(({ privacy }) => privacy === "PUBLIC");
  if (!board) throw new Error("The account has no public board.");
  return { ctx, userId, account, boardId: board.id };
};

const draft = ({ ctx, userId, account, boardId }: Maker, change: Partial<NewDraft> = {}): Promise<PinId> => {
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

/** Gives the calling test file its world: the stand-in and the database per file, the workers and the clock per test. */
export const publishingWorld = (links: () => Partial<LinksOptions> = () => ({})): World => {
  const database = databaseForFile();
  const storageDir = mkdtempSync(join(tmpdir(), "publishing-"));
  let pinterest: TestPinterest;
  let house: TestHouse;
  let other: TestHouse;
  let offsetMs = 0;
  const build = () =>
    createTestHouse({ databaseUrl: database().url, storageDir, pinterestUrl: pinterest.url, links: links() });
  const rowOf = async (id: PinId): Promise<Pin> => {
    const [row] = await house.database.db.select().from(pins).where(eq(pins.id, id));
    if (!row) throw new Error("The pin is gone.");
    return toPin(row);
  };
  const schedule = async (maker: Maker, pinIds: PinId[], intervalMinutes = 60): Promise<Date> =>
    (await scheduleBatch(maker.ctx, { pinIds, intervalMinutes, start: null })).lastPublishAt;

  beforeAll(async () => {
    pinterest = await startTestPinterest();
  });
  beforeEach(async () => {
    [house, other] = [build(), build()];
    offsetMs = 0;
    await house.moveClock(0);
    await post(`${pinterest.url}/__control/clock`, { offsetMs });
  });
  afterEach(() => Promise.all([house.close(), other.close(), pinterest.clearFaults()]));
  afterAll(async () => {
    await pinterest.close();
    rmSync(storageDir, { recursive: true, force: true });
  });

  const world: World = {
    storageDir,
    get pinterest() {
      return pinterest;
    },
    get house() {
      return house;
    },
    get database() {
      return { url: database().url };
    },
    job: (worker) => contextOf(worker === "other" ? other : house, { kind: "job", name: "test" }),
    makeMaker: () => makeMaker(house, pinterest),
    draft,
    schedule,
    scheduled: async (maker, change) => {
      const pinId = await draft(maker, change);
      await schedule(maker, [pinId]);
      return { pinId, scheduleGeneration: (await rowOf(pinId)).scheduleGeneration };
    },
    pin: rowOf,
    receipt: (id) => findAttempts(world.job(), id),
    publicPins: async ({ account }) => {
      const answer = await fetch(`${pinterest.url}/__control/pins?account=${account.username}`);
      return ((await answer.json()) as { pins: PublicPin[] }).pins;
    },
    skewOther: (ms) => other.skewClock(ms),
    moveClock: async (ms) => {
      offsetMs += ms;
      await house.moveClock(ms);
      other.skewClock(ms);
      await post(`${pinterest.url}/__control/clock`, { offsetMs });
    },
    drive: (scheduled, options) => driver(world)(scheduled, options),
  };
  return world;
};
