import "server-only";
import { composeContext } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { type AppError, toAppError } from "#lib/core/errors.ts";
import { readBytes } from "./body.ts";
import { finishResponse, loggedPath, toErrorResponse } from "./error-response.ts";
import { openRequestEvent, patternOf } from "./pipeline.ts";
import type { RouteHandler } from "./route.ts";

interface WebhookOptions {
  source: string;
  signatureHeader: string;
  /** Must be quick, since the response waits for it. @throws AppError to reject the webhook */
  run: (ctx: FullCtx, webhook: { body: Uint8Array; signature: string | null }) => Promise<unknown>;
}

/** The signature over the raw body is the only authentication. No rate limit: signed webhooks must not be rejected. */
export const webhook =
  ({ source, signatureHeader, run }: WebhookOptions): RouteHandler =>
  async (request, context) => {
    const { pathname } = new URL(request.url);
    const event = openRequestEvent({ method: request.method, path: loggedPath(pathname) });
    let error: AppError | undefined;
    let response: Response;
    try {
      event.set({ route: patternOf(pathname, await context.params), actor: "webhook" });
      const ctx = composeContext({ kind: "webhook", source }, event);
      const body = await readBytes(request);
      await run(ctx, { body, signature: request.headers.get(signatureHeader) });
      response = Response.json({ received: true });
    } catch (thrown) {
      error = toAppError(thrown);
      response = toErrorResponse(error, event.requestId, "standard");
    }
    return finishResponse(response, event, error);
  };
