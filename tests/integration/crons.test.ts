import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { storageState } from "#db/schema/storage.ts";
import { sweep } from "#inngest/functions/maintenance.ts";
import { renewTokens } from "#inngest/functions/publish-pin.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { until } from "#tests/support/poll.ts";
import { setProcessContainer } from "#tests/support/process-harness.ts";
import { startHarness, untilEnded } from "./executor-harness.ts";
import { publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

setProcessContainer(() => setup.harness);

/** Runs functions that crons start once, under the real executor: their last time was a day ago. */
const runCrons = async (functions: Parameters<typeof startHarness>[1], ids: readonly string[]) => {
  const url = setup.database.url;
  const before = await startHarness(url, functions, { schema: "executor_crons" });
  const areScheduled = async () => (await before.query("select 1 from cron_tick")).length === ids.length;
  await until(areScheduled, { what: "the schedules" });
  await before.close();
  await before.query("update cron_tick set last_at = $1", [addMs(new Date(), -DAY_MS).toISOString()]);
  const executor = await startHarness(url, functions, { schema: "executor_crons" });
  return Promise.all(ids.map((id) => untilEnded(executor.url, id)));
};

test("R-SRV-03 R-SRV-05 the crons check the image storage and renew connections that are needed", async () => {
  const { account, ...creator } = await setup.insertCreator();
  const { db } = setup.harness.database;
  await setup.scheduled({ account, ...creator });
  const refreshExpiresAt = addMs(new Date(), DAY_MS);
  await db.update(pinterestAccounts).set({ refreshExpiresAt }).where(eq(pinterestAccounts.id, account.id));
  await db.delete(storageState);
  const ends = await runCrons(() => [sweep, renewTokens], ["sweep", "renew-tokens"]);
  expect(ends.flat().map(({ status }) => status)).toEqual(["completed", "completed"]);
  expect(await db.select().from(storageState)).toMatchObject([{ downSince: null, checkedAt: expect.any(Date) }]);
  const [renewed] = await db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, account.id));
  expect(renewed?.refreshExpiresAt?.getTime()).toBeGreaterThan(addMs(refreshExpiresAt, 7 * DAY_MS).getTime());
});
