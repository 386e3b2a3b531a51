import { choiceSetting, numberSetting, switchSetting, type ValuesOf } from "../kit/settings.ts";

const DAY_SECONDS = 86_400;
const limit = (about: string) => numberSetting(about, 0, 0, 1_000_000_000);

export const PINTEREST_SETTINGS = {
  access: choiceSetting(
    "The app's access level. Trial counts calls per day across all users, and can't create pins in production",
    ["standard", "trial"],
  ),
  environment: choiceSetting(
    "Pinterest's own sandbox lets trial apps create pins, but has no analytics and no search",
    ["production", "sandbox"],
  ),
  listingLagSeconds: numberSetting("Seconds until the listings of board and account have a new pin", 0, 0, DAY_SECONDS),
  videoProcessingSeconds: numberSetting("Seconds until an uploaded video is processed", 0, 0, DAY_SECONDS),
  bulkAnalytics: switchSetting("Whether the app may use the beta call GET /pins/analytics", true),
  trendForecasts: switchSetting("Whether the app may ask for forecasts of search trends, a closed beta", true),
  analyticsHeadStartDays: numberSetting("Days of metrics that a new pin already has", 0, 0, 365),
  overallLimit: limit("All calls (standard: per second and user; trial: per day); 0 is the published limit"),
  orgReadLimit: limit("Reads (standard: per minute and user; trial: per day); 0 is the published limit"),
  orgWriteLimit: limit("Writes, likewise"),
  orgAnalyticsLimit: limit("Analytics calls, likewise"),
  trendsReadLimit: limit("Search trends, likewise"),
  adsReadLimit: limit("Related terms, likewise"),
};

export type PinterestSettings = ValuesOf<typeof PINTEREST_SETTINGS>;
