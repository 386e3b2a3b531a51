import { timestamp } from "drizzle-orm/pg-core";

/** A time in UTC with millisecond precision (R-SRV-06). */
export const at = () => timestamp({ withTimezone: true, precision: 3 });
