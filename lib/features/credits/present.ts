import "server-only";
import type { BalanceView } from "./queries.ts";
import type { CreditsWire } from "./schema.ts";

/** R-ENT-03, R-CRED-01 */
export const toCreditsWire = (balance: BalanceView): CreditsWire => ({ available_credits: balance.availableCredits });
