/** Keys of the query cache. `live-cache.ts` writes to some of them. */
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
  /** Posts changed by events, by id. */
  postRows: ["post-rows"],
  pin: (pinId: string) => ["pin", pinId],
  receipt: (pinId: string) => ["receipt", pinId],
  remake: (pinId: string) => ["remake", pinId],
  tracking: (groupId: string) => ["tracking", groupId],
  /** Tasks changed by events, by id. */
  taskRows: ["task-rows"],
  savedVideos: ["saved-videos"],
} as const;
