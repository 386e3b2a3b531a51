import "server-only";
import type { Ctx } from "#lib/context.ts";
import { createLiveReads } from "#lib/features/accounts/create-live-reads.ts";
import type { PinterestAccountFigures, PinterestTopPin } from "#lib/integrations/pinterest/port.ts";
import { askLive, type Told } from "./ask-live.ts";
import { type Metric, TOP_PINS } from "./constants.ts";
import { checkRange } from "./policy.ts";
import { findPublished, type PublishedPin, requireConnected } from "./queries.ts";
import type { TopPinsInput } from "./schema.ts";

/** One of Pinterest's best pins, with ours that it is. */
export interface TopPin extends PinterestTopPin {
  own: PublishedPin | null;
}

export interface TopPins {
  input: TopPinsInput;
  /** The best first. */
  pins: TopPin[];
  askedAt: Date;
}

const SORTS: Record<Metric, keyof PinterestAccountFigures> = {
  impressions: "impressions",
  engagements: "engagements",
  pin_clicks: "pinClicks",
  outbound_clicks: "outboundClicks",
  saves: "saves",
};

const topReads = createLiveReads<Told<PinterestTopPin[]>>();

/**
 * Pinterest's best pins of one of the actor's accounts in some days, those made elsewhere among them; read live and
 * kept for at most a minute (A-83, D8).
 * @throws AppError `not_found`, `invalid` for days that Pinterest does not tell of, `reconnect_needed`,
 * `provider_unavailable`, `refused`.
 */
export const readTopPins = async (ctx: Ctx<"pinterest">, input: TopPinsInput): Promise<TopPins> => {
  const account = await requireConnected(ctx, input.accountId);
  const { firstDay, lastDay, sortBy } = input;
  checkRange(input, ctx.now());
  const asked = { firstDay, lastDay, sortBy: SORTS[sortBy], count: TOP_PINS };
  const told = await topReads.read(ctx, `${account.id} ${firstDay} ${lastDay} ${sortBy}`, () =>
    askLive(ctx, account, (accessToken) => ctx.pinterest.readTopPins(accessToken, asked)),
  );
  const best = told.value.slice(0, TOP_PINS);
  const ids = best.map(({ pinterestPinId }) => pinterestPinId);
  const own = new Map((await findPublished(ctx, account.id, ids)).map((pin) => [pin.pinterestPinId, pin]));
  const pins = best.map((pin) => ({ ...pin, own: own.get(pin.pinterestPinId) ?? null }));
  return { input, pins, askedAt: told.askedAt };
};
