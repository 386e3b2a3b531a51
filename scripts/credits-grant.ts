/**
 * `npm run credits:grant -- EMAIL N "reason"`: adds credits that do not expire, on the running local product or on the
 * one the environment describes. Each call is a grant of its own.
 */
import { randomUUID } from "node:crypto";
import { buildHouse, contextIn } from "#lib/composition.ts";
import { AppError } from "#lib/core/errors.ts";
import { createWideEvent } from "#lib/core/log.ts";
import { parseEnv } from "#lib/env.ts";
import { grantCredits } from "#lib/features/credits/grant-credits.ts";
import { runFile } from "./local.ts";
import { inRepository } from "./root.ts";
import { readRunning } from "./run-state.ts";
import { readSettings } from "./settings-file.ts";

const [email, amount, note] = process.argv.slice(2);
if (!email || !amount || !note) fail('Usage: npm run credits:grant -- EMAIL N "reason"');
const settings = readRunning(runFile)?.env ?? readSettings(inRepository(".env"));
if (!settings.DATABASE_URL) fail("Nothing runs here and DATABASE_URL is not set. Start the product first: npm start");

const house = buildHouse(parseEnv(settings));
try {
  const ctx = contextIn(house, { kind: "job", name: "credits:grant" }, createWideEvent());
  const granted = await grantCredits(ctx, { email, credits: Number(amount), note, cause: `operator:${randomUUID()}` });
  console.log(`${email} has ${granted.availableCredits} credits now.`);
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await house.database.close();
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
