import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { digestEntries } from "#db/schema/notifications.ts";
import { addMs, DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import type { OwnedAccount } from "#lib/features/accounts/queries.ts";
import { renewConnections } from "#lib/features/publishing/connection-renewal.ts";
import { previewSchedule } from "#lib/features/publishing/schedule-preview.ts";
import { harnessesWithPinterest } from "#tests/support/accounts-harnesses.ts";
import { contextOf } from "#tests/support/context.ts";
import { insertPins } from "#tests/support/fixtures/pins.ts";

const REFRESH = "POST /v5/oauth/token";

const { pinterest, harness, moveClocks, rowOf, connected } = harnessesWithPinterest();

type Connected = Awaited<ReturnType<typeof connected>>;

/** A pin of the account: scheduled for `at`, or a draft. */
const addPin = async ({ ctx, account, userId }: Connected, at: Date | null) => {
  const target = { id: account.id, userId, boards: [{ id: "1", name: "Board", privacy: "PUBLIC" }] };
  const [pinId = ""] = await insertPins(ctx, ctx.storage, target, [
    { title: "Later", status: at ? "scheduled" : "draft", ...(at && { scheduledAt: at, scheduleGeneration: 1 }) },
  ]);
  return pinId;
};

const withScheduledPin = async (inDays: number): Promise<Connected> => {
  const user = await connected();
  await addPin(user, addMs(harness().now(), inDays * DAY_MS));
  return user;
};

const renew = () => renewConnections(contextOf(harness(), { kind: "job", name: "test" }), { afterId: "" });

const entriesOf = ({ id }: OwnedAccount) =>
  harness()
    .database.db.select()
    .from(digestEntries)
    .where(eq(digestEntries.kind, "account_lost"))
    .then((rows) => rows.filter(({ cause }) => cause.startsWith(id)));

test("R-SRV-05 an account whose only pin is 90 days away stays connected", async () => {
  const { account } = await withScheduledPin(90);
  for (let day = 0; day < 90; day += 1) {
    await renew();
    await moveClocks(DAY_MS);
  }
  const { status, refreshExpiresAt } = await rowOf(account.id);
  expect(status).toBe("connected");
  expect(refreshExpiresAt?.getTime()).toBeGreaterThan(harness().now().getTime() + 13 * DAY_MS);
  expect(await pinterest().calls(REFRESH)).toBe(1);
  expect(await entriesOf(account)).toEqual([]);
});

test("R-SRV-05 neither an account without scheduled pins nor one with a fresh token is renewed", async () => {
  const idle = await connected();
  await addPin(idle, null);
  await withScheduledPin(100);
  expect(await renew()).toMatchObject({ renewed: 0, afterId: null });
  await moveClocks(47 * DAY_MS);
  await pinterest().resetCalls();
  expect(await renew()).toMatchObject({ renewed: 1, lost: 0, later: 0 });
  expect((await rowOf(idle.account.id)).refreshExpiresAt?.getTime()).toBeLessThan(
    harness().now().getTime() + 14 * DAY_MS,
  );
});

test("R-SRV-05 a refused renewal is reported at once, days before the pin is due", async () => {
  const { account } = await withScheduledPin(60);
  await moveClocks(47 * DAY_MS);
  await pinterest().revoke(account.username);
  expect(await renew()).toMatchObject({ lost: 1 });
  expect((await rowOf(account.id)).status).toBe("reconnect_needed");
  const [entry, ...others] = await entriesOf(account);
  expect(others).toEqual([]);
  expect(entry?.reason).toContain("needs to be reconnected");
  expect(await renew()).toMatchObject({ renewed: 0, lost: 0 });
});

test("R-SRV-05 a temporary failure is retried, and reported once when less than a week is left", async () => {
  const { account } = await withScheduledPin(80);
  await moveClocks(50 * DAY_MS);
  await pinterest().addFault({ match: REFRESH, scenario: "server-error", times: 50 });
  expect(await renew()).toMatchObject({ later: 1 });
  expect(await entriesOf(account)).toEqual([]);
  await moveClocks(3 * DAY_MS + HOUR_MS);
  expect(await renew()).toMatchObject({ later: 1 });
  expect(await renew()).toMatchObject({ later: 1 });
  const entries = await entriesOf(account);
  expect(entries).toHaveLength(1);
  expect(entries[0]?.reason).toMatch(
    /^Pinterest hasn't renewed this account's connection\. Reconnect it by \w+ \d+ so/,
  );
  await pinterest().clearFaults();
  expect(await renew()).toMatchObject({ renewed: 1 });
  expect((await rowOf(account.id)).status).toBe("connected");
});

test("R-SRV-05 a renewal that another worker is at is not reported as a failure", async () => {
  const { account } = await withScheduledPin(80);
  await moveClocks(54 * DAY_MS);
  const lease = { refreshLease: "another", refreshLeaseUntil: sql`now() + interval '1 minute'` };
  await harness().database.db.update(pinterestAccounts).set(lease).where(eq(pinterestAccounts.id, account.id));
  expect(await renew()).toMatchObject({ later: 1 });
  expect(await entriesOf(account)).toEqual([]);
  const none = { refreshLease: null, refreshLeaseUntil: null };
  await harness().database.db.update(pinterestAccounts).set(none).where(eq(pinterestAccounts.id, account.id));
  expect(await renew()).toMatchObject({ renewed: 1 });
});

test("R-SCH-09 the preview says when a plan reaches beyond the connection's end", async () => {
  const user = await connected();
  const pinId = await addPin(user, null);
  const { refreshExpiresAt } = await rowOf(user.account.id);
  const renewalAt = async (days: number) => {
    const start = addMs(harness().now(), days * DAY_MS);
    return (await previewSchedule(user.ctx, { pinIds: [pinId], intervalMinutes: 60, start })).renewal_due;
  };
  expect(await renewalAt(59)).toBeNull();
  expect(await renewalAt(61)).toBe(refreshExpiresAt?.toISOString());
});
