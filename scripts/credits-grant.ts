/** `npm run credits:grant -- EMAIL N "reason"`: adds credits that don't expire. Every call adds them again. */
import { randomUUID } from "node:crypto";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { OperatorError, operate } from "./operator.ts";

await operate("credits:grant", async ({ ctx }) => {
  const [email, amount, note] = process.argv.slice(2);
  if (!email || !amount || !note) throw new OperatorError('Usage: npm run credits:grant -- EMAIL N "reason"', 2);
  const granted = await grantCredits(ctx, { email, credits: Number(amount), note, cause: `operator:${randomUUID()}` });
  console.log(`${email} now has ${granted.availableCredits} credits.`);
});
