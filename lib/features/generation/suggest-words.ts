import "server-only";
import type { Ctx } from "#lib/context.ts";
import { sha256 } from "#lib/core/digest.ts";
import { AppError, type ErrorCode } from "#lib/core/errors.ts";
import { requireOwnedPin } from "#lib/features/pins/queries.ts";
import type { AiProblem } from "#lib/integrations/ai/port.ts";
import { TEXTS } from "./constants.ts";
import { mayBeRemade } from "./policy.ts";
import type { SuggestWordsInput } from "./schema.ts";

const CODE = {
  refused: "refused",
  unusable: "provider_failed",
  misconfigured: "provider_unavailable",
  busy: "provider_unavailable",
  later: "provider_unavailable",
} as const satisfies Record<AiProblem["kind"], ErrorCode>;

/**
 * Another title or description for a draft or failed pin, as a suggestion: nothing is changed and no credit is spent.
 * @throws AppError `not_found`; `wrong_state`; `refused` by moderation; `provider_failed`, `provider_unavailable`.
 */
export const suggestWords = async (ctx: Ctx<"ai">, input: SuggestWordsInput): Promise<{ text: string }> => {
  const { pin } = await requireOwnedPin(ctx, input.pinId);
  if (!mayBeRemade(pin)) throw new AppError("wrong_state", { text: TEXTS.notRemakable });
  const outcome = await ctx.ai.writeCopy({
    keyword: pin.keyword ?? pin.title,
    address: pin.link,
    safetyId: sha256(pin.userId),
    insteadOf: input.instead,
  });
  if (outcome.kind === "written") return { text: outcome.copy[input.part] };
  const { kind, text, detail } = outcome.problem;
  ctx.log.set({ ai_problem: kind, ai_detail: detail });
  throw new AppError(CODE[kind], { text });
};
