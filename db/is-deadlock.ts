import { DrizzleQueryError } from "drizzle-orm/errors";

/** Whether the database ended a transaction because it and another one waited for each other (PostgreSQL's 40P01). */
export const isDeadlock = (error: unknown): boolean => {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof Error && "code" in cause && cause.code === "40P01";
};
