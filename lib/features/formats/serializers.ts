import "server-only";
import type { Ctx } from "#lib/context.ts";
import { toPinWire } from "#lib/features/pins/serializers.ts";
import type { CreatedPin } from "./creation.ts";
import type { CreatedPinWire } from "./schema.ts";

export const toCreatedWire = ({ pin, account, message }: CreatedPin, ctx: Ctx<"pinterest">): CreatedPinWire => ({
  message,
  post: toPinWire(ctx, pin, account),
});
