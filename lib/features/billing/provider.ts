import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { PaymentAnswer } from "#lib/integrations/payments/port.ts";
import { toPaymentError } from "./policy.ts";

/**
 * The value of an answer of the payment provider that changes nothing there; its problems are counted for the log.
 * @throws AppError `provider_unavailable`, `provider_failed` or `refused`
 */
export const askProvider = async <T>(ctx: Ctx, answer: Promise<PaymentAnswer<T>>): Promise<T> => {
  const answered = await answer;
  if (answered.kind === "ok") return answered.value;
  ctx.log.count(`payments_problem_${answered.problem.kind}`);
  throw toPaymentError(answered.problem);
};
