import type { FullCtx } from "#lib/context.ts";
import type { PinterestPort } from "#lib/integrations/pinterest/port.ts";

/** A worker whose Pinterest calls are executed, but whose responses are held back until `open` is called. */
interface HeldResponses<C> {
  ctx: C;
  /** Resolves when Pinterest has responded to the first call, before the worker receives the response. */
  arrived: Promise<void>;
  open(): void;
}

/** Holds back the responses to one call of the port, so that a test can act in between without relying on timing. */
export const holdResponses = <C extends Pick<FullCtx, "pinterest">>(
  ctx: C,
  call: "createPin" | "refreshTokens",
): HeldResponses<C> => {
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const hold = async <A>(answer: Promise<A>): Promise<A> => {
    const result = await answer;
    arrived.resolve();
    await gate.promise;
    return result;
  };
  const calls: Pick<PinterestPort, typeof call> = {
    createPin: (...args) => hold(ctx.pinterest.createPin(...args)),
    refreshTokens: (...args) => hold(ctx.pinterest.refreshTokens(...args)),
  };
  const pinterest = { ...ctx.pinterest, [call]: calls[call] };
  return { ctx: { ...ctx, pinterest }, arrived: arrived.promise, open: () => gate.resolve() };
};
