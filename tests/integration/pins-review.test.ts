import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import type { PinId } from "#lib/core/ids.ts";
import { REVIEW_MAX } from "#lib/features/pins/constants.ts";
import { listDrafts } from "#lib/features/pins/library.ts";
import { listReviewed, recordReview } from "#lib/features/pins/review.ts";
import { recordReviewInput } from "#lib/features/pins/schema.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";
import { rowsRead } from "./rows-read.ts";

const world = publishingWorld();

const code = (expected: string) => expect.objectContaining({ code: expected });

const draftsApart = async (maker: Maker, count: number): Promise<PinId[]> => {
  const ids: PinId[] = [];
  for (let made = 0; made < count; made += 1) {
    ids.push(await world.draft(maker));
    await world.moveClock(1_000);
  }
  return ids;
};

const reviewed = async (maker: Maker, review: "approved" | "rejected"): Promise<string[]> => {
  const { posts } = await listReviewed(maker.ctx, { accountId: maker.account.id, review });
  return posts.map(({ id }) => id);
};

const shown = async (maker: Maker): Promise<string[]> => {
  const { pins } = await listDrafts(maker.ctx, { accountId: maker.account.id });
  return pins.map(({ id }) => id);
};

describe("record-review", () => {
  test("D9 the choice is recorded with its pin and its time, is said again, and is taken back", async () => {
    const maker = await world.makeMaker();
    const pinId = await world.draft(maker);
    expect(await world.pin(pinId)).toMatchObject({ review: null, reviewedAt: null });
    await recordReview(maker.ctx, { pinId, review: "approved" });
    const first = await world.pin(pinId);
    expect(first).toMatchObject({ review: "approved", status: "draft", chosenAt: null });
    await world.moveClock(60_000);
    await recordReview(maker.ctx, { pinId, review: "rejected" });
    const second = await world.pin(pinId);
    expect(second.review).toBe("rejected");
    expect(second.reviewedAt?.getTime()).toBeGreaterThan(first.reviewedAt?.getTime() ?? Number.POSITIVE_INFINITY);
    await recordReview(maker.ctx, { pinId, review: null });
    expect(await world.pin(pinId)).toMatchObject({ review: null, reviewedAt: null });
  });

  test("R-API-31 another user's, an absent and a malformed pin look alike, and nothing is recorded", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const pinId = await world.draft(maker);
    for (const id of [pinId, "pin_00000000000000000000000000", "' or 1=1 --"]) {
      await expect(recordReview(stranger.ctx, { pinId: id, review: "rejected" })).rejects.toEqual(code("not_found"));
    }
    expect((await world.pin(pinId)).review).toBeNull();
    await removeAccount(maker.ctx, { accountId: maker.account.id });
    await expect(recordReview(maker.ctx, { pinId, review: "approved" })).rejects.toEqual(code("not_found"));
  });

  test("once it is scheduled or published nothing more is said of it, and what was said stays", async () => {
    const maker = await world.makeMaker();
    const pinId = await world.draft(maker);
    await recordReview(maker.ctx, { pinId, review: "approved" });
    await world.schedule(maker, [pinId]);
    await expect(recordReview(maker.ctx, { pinId, review: null })).rejects.toEqual(code("wrong_state"));
    await world.drive({ pinId, scheduleGeneration: 1 });
    await expect(recordReview(maker.ctx, { pinId, review: "rejected" })).rejects.toEqual(code("wrong_state"));
    expect(await world.pin(pinId)).toMatchObject({ review: "approved", status: "published" });
  });

  test("only the two words, or nothing, can be said", () => {
    for (const review of ["maybe", "", 1, true, undefined]) {
      expect(recordReviewInput.safeParse({ pinId: "pin_1", review }).success, String(review)).toBe(false);
    }
    for (const pinId of ["", "p".repeat(101), null]) {
      expect(recordReviewInput.safeParse({ pinId, review: "approved" }).success, String(pinId)).toBe(false);
    }
  });
});

describe("the drafts of a review", () => {
  test("are the account's own drafts, newest first, where they were after a reload", async () => {
    const maker = await world.makeMaker();
    const ids = await draftsApart(maker, 4);
    await world.scheduled(maker);
    await recordReview(maker.ctx, { pinId: ids[3] ?? "", review: "approved" });
    expect(await shown(maker)).toEqual(ids.toReversed());
    const stranger = await world.makeMaker();
    await expect(listDrafts(stranger.ctx, { accountId: maker.account.id })).rejects.toEqual(code("not_found"));
  });

  test("are the undecided ones first where there are too many to show", async () => {
    const maker = await world.makeMaker();
    const oldest = await world.draft(maker);
    await world.moveClock(1_000);
    for (let made = 0; made < REVIEW_MAX; made += 1) {
      await recordReview(maker.ctx, { pinId: await world.draft(maker), review: "approved" });
    }
    const ids = await shown(maker);
    expect(ids).toHaveLength(REVIEW_MAX);
    expect(ids.at(-1)).toBe(oldest);
  });

  test("are found by what was said of them, in the order in which it was said, while they are drafts", async () => {
    const maker = await world.makeMaker();
    const [a, b, c, d] = await draftsApart(maker, 4);
    for (const pinId of [c, a, d]) {
      await recordReview(maker.ctx, { pinId: pinId ?? "", review: "approved" });
      await world.moveClock(1_000);
    }
    await recordReview(maker.ctx, { pinId: b ?? "", review: "rejected" });
    expect(await reviewed(maker, "approved")).toEqual([c, a, d]);
    expect(await reviewed(maker, "rejected")).toEqual([b]);
    if (a) await world.schedule(maker, [a]);
    expect(await reviewed(maker, "approved")).toEqual([c, d]);
    const stranger = await world.makeMaker();
    await expect(listReviewed(stranger.ctx, { accountId: maker.account.id, review: "approved" })).rejects.toEqual(
      code("not_found"),
    );
  });
});

test("D9 of thousands of drafts only those are read that a review shows", async () => {
  const maker = await world.makeMaker();
  const pattern = await world.draft(maker);
  await maker.ctx.db.execute(sql`
    insert into pins (id, user_id, account_id, board_id, source, title, image_key, status, created_at, updated_at,
      review, reviewed_at)
    select id || n, user_id, account_id, board_id, source, title, image_key, status, created_at, updated_at,
      case when n % 400 = 0 then 'rejected' when n % 10 > 0 then 'approved' end, case when n % 10 > 0 then now() end
    from pins, generate_series(1, 8000) as n where id = ${pattern}`);
  const { id: accountId } = maker.account;
  expect(
    await rowsRead(maker.ctx, "pins", async (tx) => {
      const { posts } = await listReviewed({ ...maker.ctx, ...tx }, { accountId, review: "rejected" });
      expect(posts).toHaveLength(20);
    }),
  ).toBeLessThan(60);
  expect(await rowsRead(maker.ctx, "pins", (tx) => listDrafts(tx, { accountId }))).toBeLessThan(2 * REVIEW_MAX + 20);
});
