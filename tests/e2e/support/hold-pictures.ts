import { sql } from "drizzle-orm";
import { openDatabase } from "#db/client.ts";
import { drawingPauses } from "#db/schema/drawing.ts";
import { PAUSE_SUBJECT } from "#lib/features/drawing/queries.ts";

/** Lets no picture be drawn, as if the provider had asked for a pause, until `work` is done or 120 seconds are over. */
export const whilePicturesWait = async (work: () => Promise<void>): Promise<void> => {
  const databaseUrl = process.env.E2E_DATABASE_URL;
  if (!databaseUrl) throw new Error("E2E_DATABASE_URL names the running app's database");
  const { db, close } = openDatabase(databaseUrl, 1);
  const resumeAt = sql<Date>`clock_timestamp() + interval '120 s'`;
  const pause = { resumeAt, pacedUntil: resumeAt, gapMs: 25 };
  try {
    await db
      .insert(drawingPauses)
      .values({ subject: PAUSE_SUBJECT, ...pause })
      .onConflictDoUpdate({ target: drawingPauses.subject, set: pause });
    await work();
  } finally {
    await db.delete(drawingPauses);
    await close();
  }
};
