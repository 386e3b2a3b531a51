import { z } from "zod";

/** R-ENT-03, as `GET /api/users/credits/` answers it (R-API-04). */
export const creditsWire = z.object({ available_credits: z.number().int() });
export type CreditsWire = z.output<typeof creditsWire>;
