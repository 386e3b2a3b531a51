/** The names of the events that the executor itself sends, as the real server does. */
export const FUNCTION_FAILED = "inngest/function.failed";
export const FUNCTION_FINISHED = "inngest/function.finished";
export const FUNCTION_CANCELLED = "inngest/function.cancelled";
export const FUNCTION_INVOKED = "inngest/function.invoked";
export const SCHEDULED_TIMER = "inngest/scheduled.timer";
