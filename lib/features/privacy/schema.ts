import { z } from "zod";
import { isId, type UserId } from "#lib/core/ids.ts";

/** Data of the event that has a deleted user's content erased. */
export const erasureRequested = z.object({ userId: z.custom<UserId>((value) => isId("user", value)) });
export type ErasureRequested = z.output<typeof erasureRequested>;
