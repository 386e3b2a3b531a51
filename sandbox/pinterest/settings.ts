import { choiceSetting, numberSetting, switchSetting, type ValuesOf } from "../kit/settings.ts";

const DAY_SECONDS = 86_400;
const limit = (about: string) => numberSetting(about, 0, 0, 1_000_000_000);

/** What can be changed while the stand-in runs, with `PATCH /__control/settings`. */
export const PINTEREST_SETTINGS = {
  access: choiceSetting(
    "The app's access: trial counts calls per day for all users together, and creates no pins in production",
    ["standard", "trial"],
  ),
  environment: choiceSetting(
    "Pinterest's own sandbox lets trial apps create pins, and has no analytics and no search",
    ["production", "sandbox"],
  ),
  listingLagSeconds: numberSetting(
    "Seconds until a new pin appears in the listings of its board and account",
    0,
    0,
    DAY_SECONDS,
  ),
  bulkAnalytics: switchSetting("The beta call GET /pins/analytics may be used", true),
  analyticsHeadStartDays: numberSetting(
    "Figures begin so many days before a pin was made, so that a new pin has some to show",
    0,
    0,
    365,
  ),
  overallLimit: limit("Calls of all kinds (standard: per second and user; trial: per day); 0 is the published limit"),
  orgReadLimit: limit("Reads (standard: per minute and user; trial: per day); 0 is the published limit"),
  orgWriteLimit: limit("Writes, in the same way"),
  orgAnalyticsLimit: limit("Analytics calls, in the same way"),
};

export type PinterestSettings = ValuesOf<typeof PINTEREST_SETTINGS>;
