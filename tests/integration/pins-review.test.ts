import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import type { PinId } from "#lib/core/ids.ts";
import { REVIEW_MAX } from "#lib/features/pins/constants.ts";
import { editDraft } from "#lib/features/pins/edits.ts";
import { listDrafts } from "#lib/features/pins/library.ts";
import { listReviewed, recordReview } from "#lib/features/pins/review.ts";
import { recordReviewInput } from "#lib/features/pins/schema.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";
import { rowsRead } from "./rows-read.ts";

const setup = publishingSetup();

const code = (expected: string) => expect.objectContaining({ code: expected });

const draftsApart = async (creator: Creator, count: number): Promise<PinId[]> => {
  const ids: PinId[] = [];
  for (let made = 0; made < count; made += 1) {
    ids.push(await setup.draft(creator));
    await setup.moveClock(1_000);
  }
  return ids;
};

const reviewed = async (creator: Creator, review: "approved" | "rejected"): Promise<string[]> => {
  const { posts } = await listReviewed(creator.ctx, { accountId: creator.account.id, review });
  return posts.map(({ id }) => id);
};

const shown = async (creator: Creator): Promise<string[]> => {
  const { pins } = await listDrafts(creator.ctx, { accountId: creator.account.id });
  return pins.map(({ id }) => id);
};

describe("record-review", () => {
  test("records a choice with its time, changes it, and clears it", async () => {
    const creator = await setup.insertCreator();
    const pinId = await setup.draft(creator);
    expect(await setup.pin(pinId)).toMatchObject({ review: null, reviewedAt: null });
    await recordReview(creator.ctx, { pinId, review: "approved" });
    const first = await setup.pin(pinId);
    expect(first).toMatchObject({ review: "approved", status: "draft", chosenAt: null });
    await setup.moveClock(60_000);
    await recordReview(creator.ctx, { pinId, review: "rejected" });
    const second = await setup.pin(pinId);
    expect(second.review).toBe("rejected");
    expect(second.reviewedAt?.getTime()).toBeGreaterThan(first.reviewedAt?.getTime() ?? Number.POSITIVE_INFINITY);
    await recordReview(creator.ctx, { pinId, review: null });
    expect(await setup.pin(pinId)).toMatchObject({ review: null, reviewedAt: null });
  });

  test("R-API-31 returns the same error for another user's, a missing and a malformed pin", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const pinId = await setup.draft(creator);
    for (const id of [pinId, "pin_00000000000000000000000000", "' or 1=1 --"]) {
      await expect(recordReview(stranger.ctx, { pinId: id, review: "rejected" })).rejects.toEqual(code("not_found"));
    }
    expect((await setup.pin(pinId)).review).toBeNull();
    await removeAccount(creator.ctx, { accountId: creator.account.id });
    await expect(recordReview(creator.ctx, { pinId, review: "approved" })).rejects.toEqual(code("not_found"));
  });

  test("rejects reviews of scheduled and published pins and keeps the earlier review", async () => {
    const creator = await setup.insertCreator();
    const pinId = await setup.draft(creator);
    await recordReview(creator.ctx, { pinId, review: "approved" });
    await setup.schedule(creator, [pinId]);
    await expect(recordReview(creator.ctx, { pinId, review: null })).rejects.toEqual(code("wrong_state"));
    await setup.drive({ pinId, scheduleGeneration: 1 });
    await expect(recordReview(creator.ctx, { pinId, review: "rejected" })).rejects.toEqual(code("wrong_state"));
    expect(await setup.pin(pinId)).toMatchObject({ review: "approved", status: "published" });
  });

  test("an assistant's change ends the user's review; the user's own and an edit without a change keep it", async () => {
    const creator = await setup.insertCreator();
    const pinId = await setup.draft(creator);
    const { userId } = creator;
    const actor = { kind: "key", userId, keyId: creator.ctx.newId("apiKey"), address: "192.0.2.7" } as const;
    const assistant = { ...creator.ctx, actor };
    await recordReview(creator.ctx, { pinId, review: "approved" });
    await editDraft(creator.ctx, { pinId, title: "The user's title" });
    await editDraft(assistant, { pinId, title: "The user's title" });
    expect(await reviewed(creator, "approved")).toEqual([pinId]);
    const changed = await editDraft(assistant, { pinId, title: "Another", link: "https://example.com/other" });
    expect(changed).toMatchObject({ title: "Another", review: null });
    expect([await reviewed(creator, "approved"), (await setup.pin(pinId)).reviewedAt]).toEqual([[], null]);
  });

  test("accepts only approved, rejected or null", () => {
    for (const review of ["maybe", "", 1, true, undefined]) {
      expect(recordReviewInput.safeParse({ pinId: "pin_1", review }).success, String(review)).toBe(false);
    }
    for (const pinId of ["", "p".repeat(101), null]) {
      expect(recordReviewInput.safeParse({ pinId, review: "approved" }).success, String(pinId)).toBe(false);
    }
  });
});

describe("the drafts of a review", () => {
  test("returns the account's drafts, newest first, in a stable order", async () => {
    const creator = await setup.insertCreator();
    const ids = await draftsApart(creator, 4);
    await setup.scheduled(creator);
    await recordReview(creator.ctx, { pinId: ids[3] ?? "", review: "approved" });
    expect(await shown(creator)).toEqual(ids.toReversed());
    const stranger = await setup.insertCreator();
    await expect(listDrafts(stranger.ctx, { accountId: creator.account.id })).rejects.toEqual(code("not_found"));
  });

  test("prefers undecided drafts when there are too many", async () => {
    const creator = await setup.insertCreator();
    const oldest = await setup.draft(creator);
    await setup.moveClock(1_000);
    for (let made = 0; made < REVIEW_MAX; made += 1) {
      await recordReview(creator.ctx, { pinId: await setup.draft(creator), review: "approved" });
    }
    const ids = await shown(creator);
    expect(ids).toHaveLength(REVIEW_MAX);
    expect(ids.at(-1)).toBe(oldest);
  });

  test("lists drafts by review, in the order of review", async () => {
    const creator = await setup.insertCreator();
    const [a, b, c, d] = await draftsApart(creator, 4);
    for (const pinId of [c, a, d]) {
      await recordReview(creator.ctx, { pinId: pinId ?? "", review: "approved" });
      await setup.moveClock(1_000);
    }
    await recordReview(creator.ctx, { pinId: b ?? "", review: "rejected" });
    expect(await reviewed(creator, "approved")).toEqual([c, a, d]);
    expect(await reviewed(creator, "rejected")).toEqual([b]);
    if (a) await setup.schedule(creator, [a]);
    expect(await reviewed(creator, "approved")).toEqual([c, d]);
    const stranger = await setup.insertCreator();
    await expect(listReviewed(stranger.ctx, { accountId: creator.account.id, review: "approved" })).rejects.toEqual(
      code("not_found"),
    );
  });
});

test("reads only as many drafts as a review shows", async () => {
  const creator = await setup.insertCreator();
  const pattern = await setup.draft(creator);
  await creator.ctx.db.execute(sql`
    insert into pins (id, user_id, account_id, board_id, source, title, image_key, status, created_at, updated_at,
      review, reviewed_at)
    select id || n, user_id, account_id, board_id, source, title, image_key, status, created_at, updated_at,
      case when n % 400 = 0 then 'rejected' when n % 10 > 0 then 'approved' end, case when n % 10 > 0 then now() end
    from pins, generate_series(1, 8000) as n where id = ${pattern}`);
  const { id: accountId } = creator.account;
  expect(
    await rowsRead(creator.ctx, "pins", async (tx) => {
      const { posts } = await listReviewed({ ...creator.ctx, ...tx }, { accountId, review: "rejected" });
      expect(posts).toHaveLength(20);
    }),
  ).toBeLessThan(60);
  expect(await rowsRead(creator.ctx, "pins", (tx) => listDrafts(tx, { accountId }))).toBeLessThan(2 * REVIEW_MAX + 20);
});
