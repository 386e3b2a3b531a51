/** The names under which answers of calls are kept; those that live news change are known to `live-cache.ts`. */
export const queryKeys = {
  accounts: ["accounts"],
  boards: (accountId: string) => ["boards", accountId],
  lostAccounts: ["lost-accounts"],
  me: ["me"],
  plans: ["plans"],
  subscription: ["subscription"],
  planArrival: ["plan-arrival"],
  payments: ["payments"],
  credits: ["credits"],
  creditsHistory: ["credits-history"],
  /** All lists of posts. */
  postLists: ["post-lists"],
  postCounts: ["post-counts"],
  /** What the stream has told of posts, by id. */
  postRows: ["post-rows"],
  pin: (pinId: string) => ["pin", pinId],
  receipt: (pinId: string) => ["receipt", pinId],
  remake: (pinId: string) => ["remake", pinId],
  tracking: (groupId: string) => ["tracking", groupId],
  /** What the stream has told of tasks, by id. */
  taskRows: ["task-rows"],
  savedVideos: ["saved-videos"],
} as const;
