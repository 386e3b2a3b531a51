import { sql } from "drizzle-orm";
import { openDatabase } from "#db/client.ts";
import { drawingPauses } from "#db/schema/generation.ts";
import { PAUSE_SUBJECT } from "#lib/features/generation/image-slots.ts";

/** Short, since a task that met the pause sleeps it out; renewed as long as the work takes. */
const PAUSE = "15 seconds";
const RENEW_MS = 3_000;

/** Lets no picture of a product be drawn, as if the provider had asked for a pause, until `work` is done (and up to 15 seconds more). */
export const whilePicturesWait = async (databaseUrl: string, work: () => Promise<void>): Promise<void> => {
  const { db, close } = openDatabase(databaseUrl, 1);
  const hold = async () => {
    const resumeAt = sql<Date>`clock_timestamp() + ${PAUSE}::interval`;
    const pause = { resumeAt, pacedUntil: resumeAt, gapMs: 25 };
    await db
      .insert(drawingPauses)
      .values({ subject: PAUSE_SUBJECT, ...pause })
      .onConflictDoUpdate({ target: drawingPauses.subject, set: pause });
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
    await db.delete(drawingPauses);
    await close();
  }
  if (failures.length > 0) throw failures[0];
};
