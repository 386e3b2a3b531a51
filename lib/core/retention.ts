import { DAY_MS, MINUTE_MS } from "./time.ts";

/** Counted from when data was created, used, ended or expired. A nightly function deletes it. */
export const RETENTION_MS = {
  login: 30 * DAY_MS,
  verification: 7 * DAY_MS,
  passwordReset: 7 * DAY_MS,
  emailChange: 7 * DAY_MS,
  /** Steps of sign-ins, after they expired. */
  authChallenge: DAY_MS,
  securityEvent: 365 * DAY_MS,
  /** API keys, after they were revoked or expired. */
  apiKey: 90 * DAY_MS,
  /** Consents to apps, after they expired. */
  appConsent: DAY_MS,
  /** Apps that registered, after they were last used, unless a user's access remains. */
  oauthClient: 180 * DAY_MS,
  /** What was done with API keys, counted by hour. */
  apiKeyUse: 90 * DAY_MS,
  apiKeySpending: 2 * DAY_MS,
  /** Answers to writes with an idempotency key. */
  apiWrite: DAY_MS,
  /** Emails that could not be sent. Sent emails are deleted immediately. */
  email: 7 * DAY_MS,
  digestEntry: 7 * DAY_MS,
  contactMessage: 365 * DAY_MS,
  consent: DAY_MS,
  /** Claims of free credits, after the month's were granted: when they no longer count, see `claimFreeAllowance`. */
  freeAllowanceClaim: 62 * DAY_MS,
  /** Generation groups and their tasks, after the last task finished; the pins stay. */
  finishedGroup: 90 * DAY_MS,
  /** Deleted pins, which can be restored until then. */
  deletedPin: DAY_MS,
  deletedVideo: DAY_MS,
  /** Images, after their draft was purged or their task failed. */
  orphanedImage: 7 * DAY_MS,
  /** Uploaded images of failed bulk submissions, so that a retry need not upload them again. */
  savedUpload: DAY_MS,
  submission: 3 * DAY_MS,
  /** Imports of spreadsheets with their rows and images, after their last change; the pins stay. */
  pinImport: 3 * DAY_MS,
  /** Link checks, after they were last used. */
  linkCheck: 30 * DAY_MS,
  /** Link checks of links that no pin uses anymore. */
  strayLinkCheck: DAY_MS,
  /** What pages said that drafts were written from; the drafts keep a summary. */
  pageReading: DAY_MS,
  /** New pages of watched sites that were neither used nor dismissed. */
  pageProposal: 60 * DAY_MS,
  webhookMessage: 30 * DAY_MS,
  liveEvent: DAY_MS,
  /** Shared counts of requests and failed sign-ins, after their window or wait ended; requests to sites. */
  rateLimit: DAY_MS,
  /** Uptime records: a day longer than the status page shows. */
  healthMinute: 91 * DAY_MS,
  /** Unpaid checkouts and purchases, after their last activity. */
  checkout: 30 * DAY_MS,
  /** Payment events, after they were received; the payments stay. */
  paymentEvent: 90 * DAY_MS,
} as const;

/** A part of the nightly clean-up works this long per step; as many steps follow as it needs. */
export const PURGE_STEP_MS = MINUTE_MS;
