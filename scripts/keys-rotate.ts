/** `npm run keys:rotate`: re-encrypts every stored token, secret, and API response with the first ENCRYPTION_KEY (docs/guides/operations.md). */
import { setTimeout as delay } from "node:timers/promises";
import { resealTokens } from "#lib/features/accounts/access-tokens.ts";
import { resealAnswers } from "#lib/features/api-keys/idempotency.ts";
import { resealAuthenticators } from "#lib/features/sign-in/authenticator.ts";
import { resealSecrets } from "#lib/features/webhooks/secrets.ts";
import { OperatorError, operate } from "./operator.ts";

/** A token renewal takes at most half a minute; accounts that are being renewed are retried for longer than that. */
const maxPasses = 20;
const pauseMs = 2_000;

await operate("keys:rotate", async ({ ctx }) => {
  let { resealed, current, busy, unreadable } = await resealTokens(ctx);
  for (let pass = 1; busy > 0 && pass < maxPasses; pass += 1) {
    await delay(pauseMs);
    const again = await resealTokens(ctx);
    resealed += again.resealed;
    ({ busy, unreadable } = again);
  }
  const apps = await resealAuthenticators(ctx);
  const webhooks = await resealSecrets(ctx);
  const answers = await resealAnswers(ctx);
  console.log(`Re-encrypted the tokens of ${resealed} accounts; ${current} already used the first key.`);
  console.log(`Re-encrypted the secrets of ${apps.resealed} authenticator apps.`);
  console.log(`Re-encrypted the secrets of ${webhooks.resealed} webhooks.`);
  console.log(`Re-encrypted the stored responses of ${answers.resealed} API writes.`);
  if (busy > 0) throw new OperatorError(`The tokens of ${busy} accounts are being renewed. Run this command again.`);
  if (unreadable > 0) {
    throw new OperatorError(
      `The tokens of ${unreadable} accounts were encrypted with a key that is not in ENCRYPTION_KEY. Add that key, or reconnect these accounts.`,
    );
  }
  if (apps.unreadable > 0) {
    throw new OperatorError(
      `The secrets of ${apps.unreadable} authenticator apps were encrypted with a key that is not in ENCRYPTION_KEY. Add that key: without it, these users can't sign in with their password.`,
    );
  }
  if (webhooks.unreadable > 0) {
    throw new OperatorError(
      `The secrets of ${webhooks.unreadable} webhooks were encrypted with a key that is not in ENCRYPTION_KEY. Add that key: without it, nothing can be sent to them.`,
    );
  }
  if (answers.unreadable > 0) {
    throw new OperatorError(
      `The stored responses of ${answers.unreadable} API writes were encrypted with a key that is not in ENCRYPTION_KEY. Add that key, or wait a day until they are deleted.`,
    );
  }
  console.log("All tokens, secrets, and stored responses now use the first key.");
});
