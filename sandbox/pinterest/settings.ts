import type { SettingDefinitions, ValuesOf } from "../kit/settings.ts";

const limit = (about: string) => ({ type: "number", initial: 0, least: 0, most: 1_000_000_000, about }) as const;

/** What can be changed while the stand-in runs, with `PATCH /__control/settings`. */
export const PINTEREST_SETTINGS = {
  access: {
    type: "choice",
    options: ["standard", "trial"],
    initial: "standard",
    about: "The app's access: trial counts calls per day for all users together, and creates no pins in production",
  },
  environment: {
    type: "choice",
    options: ["production", "sandbox"],
    initial: "production",
    about: "Pinterest's own sandbox lets trial apps create pins, and has no analytics and no search",
  },
  listingLagSeconds: {
    type: "number",
    initial: 0,
    least: 0,
    most: 86_400,
    about: "Seconds until a new pin appears in the listings of its board and account",
  },
  bulkAnalytics: { type: "switch", initial: true, about: "The beta call GET /pins/analytics may be used" },
  analyticsHeadStartDays: {
    type: "number",
    initial: 0,
    least: 0,
    most: 365,
    about: "Figures begin so many days before a pin was made, so that a new pin has some to show",
  },
  overallLimit: limit("Calls of all kinds (standard: per second and user; trial: per day); 0 is the published limit"),
  orgReadLimit: limit("Reads (standard: per minute and user; trial: per day); 0 is the published limit"),
  orgWriteLimit: limit("Writes, in the same way"),
  orgAnalyticsLimit: limit("Analytics calls, in the same way"),
} as const satisfies SettingDefinitions;

export type PinterestSettings = ValuesOf<typeof PINTEREST_SETTINGS>;
