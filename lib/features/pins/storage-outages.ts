import "server-only";
import { and, asc, desc, eq, gt, inArray, isNotNull, lt, lte, ne, notExists, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { storageState } from "#db/schema/storage.ts";
import { preparedOnce } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, codeOf } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { StoredObject } from "#lib/integrations/storage/port.ts";
import {
  OUTAGE_FRESH_MS,
  RECENT_IMAGES,
  STORAGE_MARKER_KEY,
  STORAGE_MARKER_TEXT,
  TEXTS,
  WAKE_BATCH,
} from "./constants.ts";

interface StorageOutage {
  since: Date;
  /** A code, safe to show. */
  problem: string;
}

const outageStatement = preparedOnce((db) => {
  const isFresh = gt(storageState.checkedAt, sql`now() - make_interval(secs => ${OUTAGE_FRESH_MS / SECOND_MS})`);
  return db
    .select({ since: storageState.downSince, problem: storageState.problem })
    .from(storageState)
    .where(and(isNotNull(storageState.downSince), isFresh))
    .prepare("storage_outage");
});

/** The outage that the last check found; null when that check is too old to rely on. */
export const findStorageOutage = async (ctx: Ctx): Promise<StorageOutage | null> => {
  const [row] = await outageStatement(ctx.db).execute();
  return row?.since ? { since: row.since, problem: row.problem ?? "unknown" } : null;
};

const isMarked = async (ctx: Ctx): Promise<boolean> => {
  const rows = await ctx.db
    .select({ at: storageState.markedAt })
    .from(storageState)
    .where(isNotNull(storageState.markedAt));
  return rows.length > 0;
};

/**
 * Whether the storage holds one of the newest images from before the last check, since later ones may have been written
 * into a folder that is not mounted; null when there are none to look for.
 */
const holdsRecentImage = async (ctx: Ctx<"storage">): Promise<boolean | null> => {
  const lastGood = sql`coalesce(${storageState.downSince}, ${storageState.checkedAt})`;
  const isLater = ctx.db.select().from(storageState).where(lte(lastGood, pins.createdAt));
  const newest = await ctx.db
    .select({ imageKey: pins.imageKey })
    .from(pins)
    .where(and(ne(pins.status, "deleted"), notExists(isLater)))
    .orderBy(desc(pins.createdAt))
    .limit(RECENT_IMAGES);
  for (const { imageKey } of newest) if (await ctx.storage.has(imageKey)) return true;
  return newest.length > 0 ? false : null;
};

const findProblem = async (ctx: Ctx<"storage">): Promise<string | null> => {
  try {
    if (await ctx.storage.get(STORAGE_MARKER_KEY)) return null;
    // Without images to look for, only a storage that was never marked may be new.
    if (!((await holdsRecentImage(ctx)) ?? !(await isMarked(ctx)))) return "marker_missing";
    await ctx.storage.put(STORAGE_MARKER_KEY, new TextEncoder().encode(STORAGE_MARKER_TEXT));
    return null;
  } catch (error) {
    const code = codeOf(error);
    return code === "unknown" && error instanceof Error ? error.name : code;
  }
};

/** Due pins that waited for the storage are started by the next scan. In batches, and in id order as everywhere. */
const wakeWaiting = async (ctx: Ctx): Promise<number> => {
  const waiting = ctx.db
    .select({ id: pins.id })
    .from(pins)
    .where(and(eq(pins.status, sql`'scheduled'`), eq(pins.reason, TEXTS.storageDown), lt(pins.scheduledAt, sql`now()`)))
    .orderBy(asc(pins.id))
    .limit(WAKE_BATCH)
    .for("update", { skipLocked: true });
  let woken = 0;
  for (;;) {
    const { count } = await ctx.db
      .update(pins)
      .set({ wakeAt: sql`now()`, reason: null })
      .where(inArray(pins.id, waiting));
    woken += count;
    if (count < WAKE_BATCH) return woken;
  }
};

const recordUp = async (ctx: Ctx): Promise<void> => {
  const now = sql`now()`;
  const [before] = await ctx.db.select({ downSince: storageState.downSince }).from(storageState);
  // First, so that a crash in between repeats it.
  const woken = before?.downSince ? await wakeWaiting(ctx) : 0;
  await ctx.db
    .insert(storageState)
    .values({ markedAt: now, checkedAt: now })
    .onConflictDoUpdate({
      target: storageState.isOnly,
      set: { markedAt: sql`coalesce(${storageState.markedAt}, now())`, checkedAt: now, downSince: null, problem: null },
    });
  // Again, for pins that found the outage recorded in the meantime.
  if (before?.downSince) ctx.log.set({ storage_recovered: true, pins_resumed: woken + (await wakeWaiting(ctx)) });
};

const recordDown = async (ctx: Ctx, problem: string): Promise<void> => {
  const now = sql`now()`;
  ctx.log.set({ storage_problem: problem });
  await ctx.db
    .insert(storageState)
    .values({ checkedAt: now, downSince: now, problem })
    .onConflictDoUpdate({
      target: storageState.isOnly,
      set: { checkedAt: now, downSince: sql`coalesce(${storageState.downSince}, now())`, problem },
    });
};

/**
 * Reads the storage's marker object and records whether the storage is available. A storage that lost its folder or
 * bucket, is unreachable or refuses access is unavailable: generating and publishing wait instead of failing pins.
 */
export const checkStorage = async (ctx: Ctx<"storage">): Promise<{ isAvailable: boolean }> => {
  const problem = await findProblem(ctx);
  if (problem === null) await recordUp(ctx);
  else await recordDown(ctx, problem);
  return { isAvailable: problem === null };
};

/** Reads the marker alone, because it is asked for each image; only its absence is recorded. */
const isAvailable = async (ctx: Ctx<"storage">): Promise<boolean> => {
  const marker = await ctx.storage.get(STORAGE_MARKER_KEY).catch(() => null);
  return marker !== null || (await checkStorage(ctx)).isAvailable;
};

const readObject = async <T>(
  ctx: Ctx<"storage">,
  read: () => Promise<T | null>,
): Promise<T | "missing" | "unavailable"> => {
  try {
    const object = await read();
    if (object) return object;
  } catch (error) {
    if (await isAvailable(ctx)) throw error;
    return "unavailable";
  }
  if (!(await isAvailable(ctx))) return "unavailable";
  // An outage may have ended between the two reads.
  return (await read()) ?? "missing";
};

/** A pin's image, `missing` when only this one does not exist. @throws when only this one cannot be read */
export const readImage = (ctx: Ctx<"storage">, key: string): Promise<Uint8Array | "missing" | "unavailable"> =>
  readObject(ctx, () => ctx.storage.get(key));

/** A pin's video as a stream; otherwise like {@link readImage}. */
export const openVideo = (ctx: Ctx<"storage">, key: string): Promise<StoredObject | "missing" | "unavailable"> =>
  readObject(ctx, () => ctx.storage.open(key));

const write = async (ctx: Ctx<"storage">, put: () => Promise<void>): Promise<"stored" | "unavailable"> => {
  // A folder that is not mounted would accept the object and hide it later.
  if (!(await isAvailable(ctx))) return "unavailable";
  try {
    await put();
    return "stored";
  } catch (error) {
    if (await isAvailable(ctx)) throw error;
    return "unavailable";
  }
};

/** @throws when the storage is available and only this image cannot be written */
export const storeImage = (ctx: Ctx<"storage">, key: string, image: Uint8Array): Promise<"stored" | "unavailable"> =>
  write(ctx, () => ctx.storage.put(key, image));

const unavailable = (): AppError => new AppError("provider_unavailable", { text: TEXTS.storageUnavailable });

/** @throws AppError `provider_unavailable` during an outage */
export const requireStorage = async (ctx: Ctx<"storage">): Promise<void> => {
  if (!(await isAvailable(ctx))) throw unavailable();
};

/** Stores what a user waits for. @throws AppError `provider_unavailable` during an outage */
export const saveObject = async (ctx: Ctx<"storage">, key: string, bytes: Uint8Array): Promise<void> => {
  if ((await write(ctx, () => ctx.storage.put(key, bytes))) === "unavailable") throw unavailable();
};

/** Like {@link saveObject}, from a file of this machine. */
export const saveFile = async (ctx: Ctx<"storage">, key: string, path: string): Promise<void> => {
  if ((await write(ctx, () => ctx.storage.putFile(key, path))) === "unavailable") throw unavailable();
};
