/**
 * `npm run payments:release -- TXN_ID [--credits N | --refunded]`: settles a payment that is held. Gives its credits (by
 * our table, also at a price that joined it since; so many, for one at a price that is not ours), or closes it because it
 * was refunded.
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
      ? "Closed; it gives nothing."
      : credits > 0
        ? `${credits} credits were given for it.`
        : "Its plan was given.",
  );
});
