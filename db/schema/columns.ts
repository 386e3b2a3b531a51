import { timestamp } from "drizzle-orm/pg-core";

/** A time in UTC with millisecond precision. */
export const at = () => timestamp({ withTimezone: true, precision: 3 });
