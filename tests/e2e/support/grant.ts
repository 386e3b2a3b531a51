import { openDatabase } from "#db/client.ts";
import { createBell } from "#lib/core/concurrency.ts";
import { createSealer } from "#lib/core/crypto.ts";
import { createId, type IdKind } from "#lib/core/ids.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";

/** Gives a user of the running app credits, as the operator's command does. */
export const grant = async (email: string, credits: number): Promise<void> => {
  const databaseUrl = process.env.E2E_DATABASE_URL;
  if (!databaseUrl) throw new Error("E2E_DATABASE_URL names the running app's database");
  const { db, close } = openDatabase(databaseUrl, 1);
  const now = () => new Date();
  try {
    const pinCanvas = { widthPx: 1, heightPx: 1 };
    const names = { appUrl: "", productName: "", supportEmail: "", tokenSecret: "" };
    const checkout = { token: "", environment: "sandbox" as const, scriptUrl: null };
    const settings = { ...names, prices: {}, checkout, pinCanvas, imageConcurrency: 1, analyticsCacheHours: 24 };
    const ctx = {
      actor: { kind: "job" as const, name: "grant" },
      now,
      newId: <K extends IdKind>(kind: K) => createId(kind, now()),
      db,
      log: createWideEvent(),
      sealer: createSealer(["00".repeat(32)]),
      settings,
      bell: createBell(),
      stopping: new AbortController().signal,
    };
    await grantCredits(ctx, { email, credits, note: "for a test", cause: `test:${email}:${credits}` });
  } finally {
    await close();
  }
};
