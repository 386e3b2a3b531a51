import { randomBytes } from "node:crypto";
import { and, asc, inArray } from "drizzle-orm";
import sharp from "sharp";
import { expect } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { createDraft } from "#lib/features/pins/drafts.ts";
import { CALL_LEASE_MS } from "#lib/features/publishing/constants.ts";
import { until } from "#tests/support/poll.ts";
import { type Creator, post } from "./creators.ts";
import type { Product } from "./product.ts";

export const CREATE = "POST /v5/pins";

/** A step of moved time: less than a call's lease, so that a call in flight keeps it. */
const STEP_MS = CALL_LEASE_MS / 4;
/** After this long without activity everything sleeps, in real time. */
const QUIET_MS = 2_000;

/** As large as the product's images (up to 300 kB). */
const createJpeg = (): Promise<Buffer> =>
  sharp({
    create: {
      width: 1080,
      height: 1680,
      channels: 3,
      background: "#3a5f4a",
      noise: { type: "gaussian", mean: 120, sigma: 18 },
    },
  })
    .jpeg({ quality: 42 })
    .toBuffer();

/** Title of a user's pin, counted from 0. The first two are the same, as two pins of one keyword may be. */
export const titleOf = (n: number): string => `Nº ${Math.max(1, n)} of "small" & green rooms`;

const draftPins = async ({ ctx }: Product, creator: Creator, imageKey: string, count: number): Promise<string[]> => {
  const { userId, accountId, boardId } = creator;
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const title = titleOf(n);
    const text = {
      title,
      description: `${title}. Seen from the door.`,
      altText: title,
      link: "https://example.com/a",
      likeness: null,
      placeholder: null,
    };
    ids.push(await createDraft(ctx, { userId, accountId, boardId, source: "ai", keyword: null, imageKey, ...text }));
  }
  return ids;
};

/** Creates drafts for each user and schedules them over HTTP, a minute apart. */
export const schedulePins = async (
  product: Product,
  creators: readonly Creator[],
  options: { pinsEach: number; start: Date },
): Promise<void> => {
  const imageKey = `pins/${randomBytes(8).toString("hex")}.jpg`;
  await product.ctx.storage.put(imageKey, await createJpeg());
  for (const creator of creators) {
    const post_ids = await draftPins(product, creator, imageKey, options.pinsEach);
    const body = { post_ids, interval_minutes: 1, start: options.start.toISOString() };
    await post(creator, "/api/users/pinterest/batch-publish-pins/", body);
  }
};

/** The users' pins and their attempts, oldest first. */
export const readPins = async ({ ctx }: Product, creators: readonly Creator[]) => {
  const userIds = creators.map(({ userId }) => userId);
  const rows = await ctx.db
    .select()
    .from(pins)
    .where(and(inArray(pins.userId, userIds)));
  const ids = rows.map(({ id }) => id);
  const attempts = await ctx.db
    .select()
    .from(publishAttempts)
    .where(inArray(publishAttempts.pinId, ids))
    .orderBy(asc(publishAttempts.number));
  return { rows, attempts };
};

/** Number of pins on Pinterest. */
export const countPublished = async ({ pinterest }: Product, creators: readonly Creator[]): Promise<number> => {
  const lists = await Promise.all(creators.map(({ username }) => pinterest.pinsOf(username)));
  return lists.reduce((sum, list) => sum + list.length, 0);
};

/** Waits until none of the users' pins is scheduled anymore, advancing the clocks while nothing happens. */
export const untilSettled = async (
  product: Product,
  creators: readonly Creator[],
  deadlineMs: number,
): Promise<void> => {
  let seen = "";
  let quietSince = performance.now();
  const isSettled = async () => {
    const { rows, attempts } = await readPins(product, creators);
    const facts = JSON.stringify([rows, attempts, await countPublished(product, creators)]);
    if (facts !== seen) {
      seen = facts;
      quietSince = performance.now();
    } else if (performance.now() - quietSince > QUIET_MS) {
      await product.passTime(STEP_MS);
      quietSince = performance.now();
    }
    return rows.every(({ status }) => status !== "scheduled");
  };
  await until(isSettled, { deadlineMs, everyMs: 100, what: "every pin to be settled" });
};

type Rows = Awaited<ReturnType<typeof readPins>>;

/** The attempt log of a published pin: attempts in order, all settled, exactly one of which created the pin. */
const expectAttempts = (pin: Rows["rows"][number], all: Rows["attempts"]): void => {
  const attempts = all.filter(({ pinId }) => pinId === pin.id);
  expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, index) => index + 1));
  expect(new Set(attempts.map(({ state }) => state))).toEqual(new Set(["settled"]));
  const outcomes = attempts.map(({ outcome }) => outcome ?? "none");
  expect(["created", "found"]).toContain(outcomes.pop());
  expect(outcomes.filter((outcome) => outcome !== "absent" && outcome !== "later")).toEqual([]);
  expect(attempts.flatMap(({ pinterestPinId }) => pinterestPinId ?? [])).toEqual([pin.pinterestPinId]);
  for (const { armedAt } of attempts) expect(armedAt.getTime()).toBeGreaterThanOrEqual(dueMs(pin));
};

const dueMs = ({ scheduledAt }: { scheduledAt: Date | null }): number => {
  if (!scheduledAt) throw new Error("A published pin keeps the time it was scheduled for.");
  return scheduledAt.getTime();
};

/** What the owner sees: each pin published, with its URL. */
const expectVisible = async ({ user, accountId }: Creator, rows: Rows["rows"]): Promise<void> => {
  const path = `/api/users/pinterest/generated-pins/${accountId}/?status=published`;
  const { posts } = Object((await user.call(path)).json);
  const shown = Array.isArray(posts) ? posts.map(({ id, pinterest_url }) => [id, pinterest_url]) : [];
  const expected = rows.map((row) => [row.id, expect.stringMatching(new RegExp(`/pin/${row.pinterestPinId}/$`))]);
  const byId = (a: unknown[], b: unknown[]) => String(a[0]).localeCompare(String(b[0]));
  expect(shown.sort(byId)).toEqual(expected.sort(byId));
};

/** R-SRV-03: the pins on Pinterest and ours are the same, each once, none before its time. */
export const expectPublishedOnce = async (product: Product, creators: readonly Creator[]): Promise<Rows> => {
  const all = await readPins(product, creators);
  for (const creator of creators) {
    const ours = all.rows.filter(({ userId }) => userId === creator.userId);
    expect(new Set(ours.map(({ status, reason }) => `${status} ${reason}`))).toEqual(new Set(["published null"]));
    const created = new Map((await product.pinterest.pinsOf(creator.username)).map((pin) => [pin.id, pin]));
    expect(ours.map(({ pinterestPinId }) => pinterestPinId).sort()).toEqual([...created.keys()].sort());
    for (const pin of ours) {
      const seen = created.get(pin.pinterestPinId ?? "");
      expect(seen).toMatchObject({ title: pin.title, description: pin.description, board_id: pin.boardId });
      expect(Date.parse(seen?.created_at ?? "")).toBeGreaterThanOrEqual(dueMs(pin));
      expectAttempts(pin, all.attempts);
    }
    await expectVisible(creator, ours);
  }
  return all;
};
