import { expect, test } from "vitest";

import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { TEXTS } from "#lib/features/pins/constants.ts";
import { listPosts, readPost } from "#lib/features/pins/library.ts";
import { listPostsInput } from "#lib/features/pins/schema.ts";
import { toPosts } from "#lib/features/pins/serializers.ts";
import { findLostAccounts } from "#lib/features/publishing/queue.ts";
import { unschedulePin } from "#lib/features/publishing/scheduling.ts";
import { tryToConnect } from "#tests/support/connect-account.ts";
import { contextOf } from "#tests/support/context.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

const lose = async ({ account }: Maker) => {
  await world.pinterest.revoke(account.username);
  const ctx = world.job();
  const call = withAccessToken(ctx, account.id, (token) => ctx.pinterest.readProfile(token));
  await expect(call).rejects.toMatchObject({ code: "reconnect_needed" });
};

test("R-SRV-05 an account that lost its connection is told to its owner alone, with the scheduled pins that wait", async () => {
  const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
  const scheduled = await Promise.all([world.draft(maker), world.draft(maker), world.draft(maker)]);
  await world.draft(maker);
  await world.schedule(maker, scheduled);
  await world.schedule(other, [await world.draft(other)]);
  expect(await findLostAccounts(maker.ctx)).toEqual([]);
  await lose(maker);
  const { id, username } = maker.account;
  expect(await findLostAccounts(maker.ctx)).toEqual([{ id, username, waiting_pins: 3 }]);
  expect(await findLostAccounts(other.ctx)).toEqual([]);
  for (const pinId of scheduled) await unschedulePin(maker.ctx, { pinId });
  expect(await findLostAccounts(maker.ctx)).toEqual([{ id, username, waiting_pins: 0 }]);
  await tryToConnect(maker.ctx, world.pinterest, username, { accountId: id });
  expect(await findLostAccounts(maker.ctx)).toEqual([]);
});

test("R-SRV-05 while its account is lost a scheduled pin says that it waits, long before its time; nothing is written for it", async () => {
  const maker = await world.makeMaker();
  const [later, resting] = [await world.draft(maker), await world.draft(maker)];
  await world.schedule(maker, [await world.draft(maker), later], 43_200);
  const reasons = async (): Promise<unknown[]> => {
    const listed = await listPosts(maker.ctx, listPostsInput.parse({ accountId: maker.account.id }));
    const read = await readPost(maker.ctx, { pinId: later });
    const wire = new Map(toPosts(listed, maker.ctx).posts.map(({ id, reason }) => [id, reason]));
    return [wire.get(later), read.post.reason, wire.get(resting)];
  };
  expect(await reasons()).toEqual([null, null, null]);
  await lose(maker);
  expect(await reasons()).toEqual([TEXTS.waitsForAccount, TEXTS.waitsForAccount, null]);
  const { id, username } = maker.account;
  await tryToConnect(maker.ctx, world.pinterest, username, { accountId: id });
  expect(await reasons()).toEqual([null, null, null]);
});

test("R-SRV-05 nobody without a login is told of an account", async () => {
  const visitor = contextOf(world.house, { kind: "visitor", address: "127.0.0.1" });
  await expect(findLostAccounts(visitor)).rejects.toMatchObject({ code: "unauthenticated" });
});
