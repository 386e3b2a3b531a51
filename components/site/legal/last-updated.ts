/** R-LEGAL-01 */
export const LAST_UPDATED = "Last updated February 8, 2025";
