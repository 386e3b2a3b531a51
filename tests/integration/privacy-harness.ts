import { getTableName, is, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import * as schema from "#db/schema/index.ts";
import type { FullCtx } from "#lib/context.ts";
import { startGeneration } from "#lib/features/generation/groups.ts";
import { deleteUser, eraseUser } from "#lib/features/privacy/erasure.ts";
import { SETTLE_MS } from "#lib/features/privacy/schema.ts";
import { withFreshLogin } from "#tests/support/context.ts";
import type { Creator, TestSetup } from "./publishing-harness.ts";

export const PASSWORD = "correct horse 1";

/** Deletes a creator's user, as they would. */
export const leave = async ({ ctx }: Creator): Promise<void> => deleteUser(await withFreshLogin(ctx));

/** Erases what a deleted user left, as the durable function does, sleeping by moving the clock. */
export const erase = async (setup: TestSetup, { userId }: Creator): Promise<void> => {
  await eraseUser(setup.job(), { userId });
  await setup.moveClock(SETTLE_MS);
  const erased = await eraseUser(setup.job(), { userId });
  if (erased.kind !== "done") throw new Error(`Still to wait: ${erased.afterMs} ms`);
};

/** Which tables hold a text anywhere in a row. */
export const tablesWith = async (ctx: FullCtx, text: string): Promise<string[]> => {
  const tables = Object.values(schema).flatMap((one) => (is(one, PgTable) ? [getTableName(one)] : []));
  const found = await Promise.all(
    tables.map(async (table) => {
      const rows = await ctx.db.execute(
        sql`select 1 from ${sql.identifier(table)} as t where position(${text} in t::text) > 0 limit 1`,
      );
      return rows.length > 0 ? [table] : [];
    }),
  );
  return found.flat().toSorted();
};

/** A worker whose call to Pinterest waits for a signal. */
export const heldAtPinterest = (job: FullCtx) => {
  const [called, allowed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const createPin: FullCtx["pinterest"]["createPin"] = async (...call) => {
    called.resolve();
    await allowed.promise;
    return job.pinterest.createPin(...call);
  };
  return {
    ctx: { ...job, pinterest: { ...job.pinterest, createPin } },
    called: called.promise,
    allow: () => allowed.resolve(),
  };
};

/** Starts a generation with these keywords without running it. */
export const generate = ({ ctx, account, boardId }: Creator, keywords: string[]) =>
  startGeneration(ctx, {
    accountId: account.id,
    boardId,
    quality: "standard",
    rows: keywords.map((keyword) => ({ keyword, url: null })),
  });

let images = 0;

/** Stores a new image. */
export const storeImage = async (setup: TestSetup): Promise<string> => {
  images += 1;
  const imageKey = `pins/private-${images}.jpg`;
  const bytes = await setup.job().storage.get("pins/test.jpg");
  await setup.job().storage.put(imageKey, bytes ?? new Uint8Array());
  return imageKey;
};
