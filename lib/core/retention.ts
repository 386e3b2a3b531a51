import { DAY_MS } from "./time.ts";

/** How long things are kept once they are of no more use (DESIGN §5.6). A daily function deletes what is older. */
export const RETENTION_MS = {
  /** Logins, after they were revoked or expired. */
  login: 30 * DAY_MS,
  /** Verification links, after they were used or expired. */
  verification: 7 * DAY_MS,
  /** Links for a new password, after they were used or expired. */
  passwordReset: 7 * DAY_MS,
  /** Changes of a mail address, after they ended or expired. */
  emailChange: 7 * DAY_MS,
  /** Mails that no server took, after they were written. Those that were sent are deleted at once. */
  letter: 7 * DAY_MS,
  /** What mails tell of, after it happened: pins that failed, accounts that lost their connection. */
  digestEntry: 7 * DAY_MS,
  /** What was written to support. */
  contactMessage: 365 * DAY_MS,
  /** Consents in progress, after they expired. */
  consent: DAY_MS,
  /** Groups of generated pins and their tasks, after the last one finished; the pins stay. */
  finishedGroup: 90 * DAY_MS,
  /** Deleted pins, which their owner can bring back meanwhile. */
  deletedPin: DAY_MS,
  /** Deleted videos, likewise. */
  deletedVideo: DAY_MS,
  /** Pictures, after their draft was deleted for good or their task failed. */
  orphanedImage: 7 * DAY_MS,
  /** Prepared pictures of sets of pins that came to nothing, so that they need not be sent again. */
  keptImage: DAY_MS,
  /** Keys under which pins were sent, so that sending them again makes no second ones. */
  submission: 3 * DAY_MS,
  /** What was found behind the links of pins, after somebody last asked. */
  linkCheck: 30 * DAY_MS,
  /** The same when no pin leads there any more. */
  strayLinkCheck: DAY_MS,
  /** What live streams tell, and can be resumed from. */
  liveEvent: DAY_MS,
  /** Minutes in which the product worked: a day longer than the status page tells of them. */
  healthMinute: 91 * DAY_MS,
  /** Checkouts that nobody paid, after they were last heard of, and what was written down to open one. */
  checkout: 30 * DAY_MS,
  /** Events of the payment provider, after they were received; the payments they told of stay. */
  paymentEvent: 90 * DAY_MS,
} as const;

/** Pictures that one day's sweep takes on. */
export const RETIRED_IMAGES_MAX = 5_000;
