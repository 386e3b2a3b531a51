/**
 * `npm run payments:release -- TXN_ID [--credits N | --refunded]`: settles a payment that is on hold. Gives the credits
 * of its price (or N credits, for a price that is not ours), or closes it because it was refunded.
 */
import { type Release, releasePayment } from "#lib/features/billing/held-payments.ts";
import { OperatorError, operate } from "./operator.ts";

const USAGE = "Usage: npm run payments:release -- TXN_ID [--credits N | --refunded]";

function readRelease([transactionId, flag, amount, ...others]: readonly string[]): Release {
  if (!transactionId || transactionId.startsWith("--") || others.length > 0) throw new OperatorError(USAGE, 2);
  if (flag === undefined) return { kind: "give", transactionId, credits: null };
  if (flag === "--refunded" && amount === undefined) return { kind: "close", transactionId };
  if (flag === "--credits" && amount !== undefined) return { kind: "give", transactionId, credits: Number(amount) };
  throw new OperatorError(USAGE, 2);
}

await operate("payments:release", async ({ ctx }) => {
  const release = readRelease(process.argv.slice(2));
  const { credits } = await releasePayment(ctx, release);
  console.log(
    release.kind === "close"
      ? "Closed without granting credits."
      : credits > 0
        ? `Granted ${credits} credits.`
        : "Activated its plan.",
  );
});
