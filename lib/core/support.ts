/** Literal text of R-GEN-06. */
export const SUPPORT_HOURS = "Mon-Fri 9AM-5PM GMT";

/** On business days. */
export const SUPPORT_REPLY_HOURS = 24;

export const SUPPORT_REPLY = `within ${SUPPORT_REPLY_HOURS} hours`;
