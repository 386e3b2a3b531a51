import type { FaultScenarios } from "#sandbox/kit/faults.ts";

const TOKEN = "POST /token";

/** The predefined faults for `POST /__control/faults {scenario, …}`; each applies to `match` by default. */
export const GOOGLE_SCENARIOS: FaultScenarios = {
  "unverified-email": { match: TOKEN, about: "The email address is not verified", play: "unverified-email" },
  "wrong-nonce": { match: TOKEN, about: "The ID token belongs to another sign-in", play: "wrong-nonce" },
  "wrong-issuer": { match: TOKEN, about: "The ID token is from another issuer", play: "wrong-issuer" },
  cut: { match: "* /*", about: "The connection closes, nothing is done", cut: true },
  "server-error": { match: "* /*", about: "500", status: 500, body: { error: "internal_failure" } },
};
