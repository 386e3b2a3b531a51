/** Title of a dialog or notice. */
export const DIALOG_TITLE = "font-display text-[1.5rem]/[1.15] font-[420] tracking-[-0.02em] text-balance";
