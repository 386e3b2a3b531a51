import { getTableName, is, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import * as schema from "#db/schema/index.ts";
import type { FullCtx } from "#lib/context.ts";
import { startGeneration } from "#lib/features/generation/groups.ts";
import { deleteUser, eraseUser } from "#lib/features/privacy/erasure.ts";
import { SETTLE_MS } from "#lib/features/privacy/schema.ts";
import type { Maker, World } from "./publishing-house.ts";

export const PASSWORD = "correct horse 1";

/** Deletes a maker's user, as they would. */
export const leave = ({ ctx }: Maker): Promise<void> => deleteUser(ctx, { password: PASSWORD });

/** Erases what a deleted user left, as the durable function does, sleeping by moving the clock. */
export const erase = async (world: World, { userId }: Maker): Promise<void> => {
  await eraseUser(world.job(), { userId });
  await world.moveClock(SETTLE_MS);
  const erased = await eraseUser(world.job(), { userId });
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

/** A worker whose call to Pinterest goes out when it is told to. */
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

/** Starts a generation with these keywords; nobody works on it. */
export const generate = ({ ctx, account, boardId }: Maker, keywords: string[]) =>
  startGeneration(ctx, {
    accountId: account.id,
    boardId,
    quality: "standard",
    rows: keywords.map((keyword) => ({ keyword, url: null })),
  });

let pictures = 0;

/** A picture of its own in the storage. */
export const storePicture = async (world: World): Promise<string> => {
  pictures += 1;
  const imageKey = `pins/private-${pictures}.jpg`;
  const bytes = await world.job().storage.get("pins/test.jpg");
  await world.job().storage.put(imageKey, bytes ?? new Uint8Array());
  return imageKey;
};
