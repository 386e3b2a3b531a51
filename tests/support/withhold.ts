import type { FullCtx } from "#lib/context.ts";
import type { PinterestPort } from "#lib/integrations/pinterest/port.ts";

/** A worker for whom Pinterest does what it is asked, but whose answers stay on their way until the gate is opened. */
export interface Withheld<C> {
  ctx: C;
  /** Pinterest has answered the first call, and the worker does not know it yet. */
  arrived: Promise<void>;
  open(): void;
}

/** Withholds the answers of one call of the port, so that a test can act in between without counting on time. */
export const withhold = <C extends Pick<FullCtx, "pinterest">>(
  ctx: C,
  call: "createPin" | "refreshTokens",
): Withheld<C> => {
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const held = async <A>(answer: Promise<A>): Promise<A> => {
    const known = await answer;
    arrived.resolve();
    await gate.promise;
    return known;
  };
  const calls: Pick<PinterestPort, typeof call> = {
    createPin: (...given) => held(ctx.pinterest.createPin(...given)),
    refreshTokens: (...given) => held(ctx.pinterest.refreshTokens(...given)),
  };
  const pinterest = { ...ctx.pinterest, [call]: calls[call] };
  return { ctx: { ...ctx, pinterest }, arrived: arrived.promise, open: () => gate.resolve() };
};
