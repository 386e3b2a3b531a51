import { expect, test } from "vitest";
import { withAccessToken } from "#lib/features/accounts/use-access-token.ts";
import { findLostAccounts } from "#lib/features/publishing/find-lost-accounts.ts";
import { unschedulePin } from "#lib/features/publishing/unschedule-pin.ts";
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

test("R-SRV-05 nobody without a login is told of an account", async () => {
  const visitor = contextOf(world.house, { kind: "visitor", address: "127.0.0.1" });
  await expect(findLostAccounts(visitor)).rejects.toMatchObject({ code: "unauthenticated" });
});
