/** `npm run keys:rotate`: seals every stored token anew under the first ENCRYPTION_KEY (docs/guides/operations.md). */
import { setTimeout as delay } from "node:timers/promises";
import { resealTokens } from "#lib/features/accounts/access-tokens.ts";
import { OperatorError, operate } from "./operator.ts";

/** A renewal takes half a minute at most; whose tokens are being renewed is tried again until after that. */
const passesMax = 20;
const pauseMs = 2_000;

await operate("keys:rotate", async ({ ctx }) => {
  let { resealed, current, busy, unreadable } = await resealTokens(ctx);
  for (let pass = 1; busy > 0 && pass < passesMax; pass += 1) {
    await delay(pauseMs);
    const again = await resealTokens(ctx);
    resealed += again.resealed;
    ({ busy, unreadable } = again);
  }
  console.log(`Sealed the tokens of ${resealed} accounts anew; ${current} were under the first key already.`);
  if (busy > 0) throw new OperatorError(`The tokens of ${busy} accounts are being renewed: run this again.`);
  if (unreadable > 0) {
    throw new OperatorError(
      `The tokens of ${unreadable} accounts are under a key that ENCRYPTION_KEY does not hold: add it, or these accounts must be connected again.`,
    );
  }
  console.log("No token needs another key than the first any more.");
});
