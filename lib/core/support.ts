/** R-GEN-06 */
export const SUPPORT_HOURS = "Mon-Fri 9AM-5PM GMT";

/** R-CONST-11; on business days, as the policies add. */
export const SUPPORT_REPLY_HOURS = 24;

/** R-LEGAL-05, the words inside a sentence. */
export const SUPPORT_REPLY = `within ${SUPPORT_REPLY_HOURS} hours`;
