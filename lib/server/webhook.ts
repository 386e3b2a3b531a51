import "server-only";
import { composeContext } from "#lib/composition.ts";
import type { FullCtx } from "#lib/context.ts";
import { type AppError, toAppError } from "#lib/core/errors.ts";
import { openRequestEvent, patternOf } from "./pipeline.ts";
import { finishResponse, loggedPath, type RouteHandler, readBytes, toErrorResponse } from "./route.ts";

interface WebhookOptions {
  /** Who calls: `paddle`. */
  source: string;
  /** Header that says by whom the body was signed. */
  signatureHeader: string;
  /** Its work ends before the answer does: it must be short. @throws AppError for what is not taken in */
  run: (ctx: FullCtx, webhook: { body: Uint8Array; signature: string | null }) => Promise<unknown>;
}

/**
 * The door for a service that calls us: no login, cookie, CSRF or CORS; the signature over the very bytes is the proof.
 * It is not counted either: what is not signed costs a hash and is forgotten, and nothing that is signed may be turned
 * away. A body larger than a megabyte is not read to its end.
 */
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
