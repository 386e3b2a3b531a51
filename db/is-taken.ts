import { DrizzleQueryError } from "drizzle-orm/errors";

/** Whether a write failed because another row has that value already (PostgreSQL's 23505). */
export const isTaken = (error: unknown): boolean => {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof Error && "code" in cause && cause.code === "23505";
};
