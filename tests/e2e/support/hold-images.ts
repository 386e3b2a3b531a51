import { sql } from "drizzle-orm";
import { openDatabase } from "#db/client.ts";
import { imagePauses } from "#db/schema/generation.ts";
import { PAUSE_SUBJECT } from "#lib/features/generation/image-slots.ts";

/** Short, because a task sleeps through the whole pause; renewed while `work` runs. */
const PAUSE = "15 seconds";
const RENEW_MS = 3_000;

/** Pauses image generation, as if the provider had requested it, until `work` is done (and up to 15 seconds more). */
export const whileImagesWait = async (databaseUrl: string, work: () => Promise<void>): Promise<void> => {
  const { db, close } = openDatabase(databaseUrl, 1);
  const hold = async () => {
    const resumeAt = sql<Date>`clock_timestamp() + ${PAUSE}::interval`;
    const pause = { resumeAt, pacedUntil: resumeAt, gapMs: 25 };
    await db
      .insert(imagePauses)
      .values({ subject: PAUSE_SUBJECT, ...pause })
      .onConflictDoUpdate({ target: imagePauses.subject, set: pause });
  };
  const failures: unknown[] = [];
  let renewed = hold();
  const renewing = setInterval(() => {
    renewed = renewed.then(hold).catch((error) => void failures.push(error));
  }, RENEW_MS);
  try {
    await renewed;
    await work();
  } finally {
    clearInterval(renewing);
    await renewed;
    await db.delete(imagePauses);
    await close();
  }
  if (failures.length > 0) throw failures[0];
};
