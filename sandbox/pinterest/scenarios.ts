import type { FaultScenarios } from "../kit/faults.ts";
import { invalidRequest, missingScopes, REFUSALS, type Refusal } from "./refusals.ts";

const LIMIT_REACHED = {
  "x-ratelimit-limit": '100, 100;w=1;name="safety_net_app_id_user_id", 100;w=60;name="org_write_app_id_user_id"',
  "x-ratelimit-remaining": "0",
  "x-ratelimit-reset": "3",
};

const answer = ({ status, code, message }: Refusal) => ({ status, body: { code, message } });

/** The prepared faults, to name in `POST /__control/faults {match, scenario, …}`. */
export const PINTEREST_SCENARIOS: FaultScenarios = {
  "reply-lost-after-creating": { cut: true, after: "creating" },
  "hang-after-creating": { hang: true, after: "creating" },
  "server-error-after-creating": { ...answer(REFUSALS.serverError), after: "creating" },
  "malformed-after-creating": { malformed: true, after: "creating" },
  cut: { cut: true },
  hang: { hang: true },
  malformed: { malformed: true },
  "rate-limited": { ...answer(REFUSALS.rateLimited), headers: LIMIT_REACHED },
  "rate-limited-bare": answer(REFUSALS.rateLimited),
  "rate-limited-retry-after": { ...answer(REFUSALS.rateLimited), headers: { ...LIMIT_REACHED, "retry-after": "2" } },
  "server-error": answer(REFUSALS.serverError),
  unavailable: answer(REFUSALS.unavailable),
  "token-dead": answer(REFUSALS.authenticationFailed),
  "restricted-feature": answer(REFUSALS.restrictedFeature),
  "trial-access": answer(REFUSALS.trialAccess),
  "spam-block": answer(REFUSALS.spamBlock),
  "not-permitted": answer(REFUSALS.notPermitted),
  "missing-scope": answer(missingScopes(["pins:write"])),
  "board-gone": answer(REFUSALS.boardGone),
  "board-busy": answer(REFUSALS.boardBusy),
  "image-too-small": answer(REFUSALS.imageTooSmall),
  "image-broken": answer(REFUSALS.imageBroken),
  "image-unreachable": answer(REFUSALS.imageUnreachable),
  "link-invalid": answer(REFUSALS.linkInvalid),
  "ai-disclosures-unknown": answer(invalidRequest("body has an unknown field 'ai_disclosures'")),
};
