/** What a process does: `web` serves pages and calls, `worker` runs durable steps, `all` does both. */
export const ROLES = ["web", "worker", "all"] as const;
export type Role = (typeof ROLES)[number];

const WORKER_PATHS = /^\/api\/(?:inngest|health|metrics)\/?$/;

/** Whether a worker answers this path (without its query): the durable engine's, and those of operators. */
export const isWorkerPath = (path: string): boolean => WORKER_PATHS.test(path);
