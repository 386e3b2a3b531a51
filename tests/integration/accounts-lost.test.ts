import { expect, test } from "vitest";

import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { TEXTS } from "#lib/features/pins/constants.ts";
import { listPins, readPin } from "#lib/features/pins/library.ts";
import { listPinsInput } from "#lib/features/pins/schema.ts";
import { toPinsWire } from "#lib/features/pins/serializers.ts";
import { findDisconnectedAccounts } from "#lib/features/publishing/queue.ts";
import { unschedulePin } from "#lib/features/publishing/scheduling.ts";
import { tryToConnect } from "#tests/support/connect-account.ts";
import { contextOf } from "#tests/support/context.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const lose = async ({ account }: Creator) => {
  await setup.pinterest.revoke(account.username);
  const ctx = setup.job();
  const call = withAccessToken(ctx, account.id, (token) => ctx.pinterest.readProfile(token));
  await expect(call).rejects.toMatchObject({ code: "reconnect_needed" });
};

test("R-SRV-05 a disconnected account is reported to its owner only, with its waiting pins", async () => {
  const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
  const scheduled = await Promise.all([setup.draft(creator), setup.draft(creator), setup.draft(creator)]);
  await setup.draft(creator);
  await setup.schedule(creator, scheduled);
  await setup.schedule(other, [await setup.draft(other)]);
  expect(await findDisconnectedAccounts(creator.ctx)).toEqual([]);
  await lose(creator);
  const { id, username } = creator.account;
  expect(await findDisconnectedAccounts(creator.ctx)).toEqual([{ id, username, waiting_pins: 3 }]);
  expect(await findDisconnectedAccounts(other.ctx)).toEqual([]);
  for (const pinId of scheduled) await unschedulePin(creator.ctx, { pinId });
  expect(await findDisconnectedAccounts(creator.ctx)).toEqual([{ id, username, waiting_pins: 0 }]);
  await tryToConnect(creator.ctx, setup.pinterest, username, { accountId: id });
  expect(await findDisconnectedAccounts(creator.ctx)).toEqual([]);
});

test("R-SRV-05 scheduled pins of a disconnected account show that they wait, without any write", async () => {
  const creator = await setup.insertCreator();
  const [later, resting] = [await setup.draft(creator), await setup.draft(creator)];
  await setup.schedule(creator, [await setup.draft(creator), later], 43_200);
  const reasons = async (): Promise<unknown[]> => {
    const listed = await listPins(creator.ctx, listPinsInput.parse({ accountId: creator.account.id }));
    const read = await readPin(creator.ctx, { pinId: later });
    const wire = new Map(toPinsWire(listed, creator.ctx).posts.map(({ id, reason }) => [id, reason]));
    return [wire.get(later), read.post.reason, wire.get(resting)];
  };
  expect(await reasons()).toEqual([null, null, null]);
  await lose(creator);
  expect(await reasons()).toEqual([TEXTS.waitsForAccount, TEXTS.waitsForAccount, null]);
  const { id, username } = creator.account;
  await tryToConnect(creator.ctx, setup.pinterest, username, { accountId: id });
  expect(await reasons()).toEqual([null, null, null]);
});

test("R-SRV-05 requires a login", async () => {
  const visitor = contextOf(setup.harness, { kind: "visitor", address: "127.0.0.1" });
  await expect(findDisconnectedAccounts(visitor)).rejects.toMatchObject({ code: "unauthenticated" });
});
