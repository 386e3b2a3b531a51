/** Where a pin stands. The same four words travel on the wire (R-POST-11). */
export type PinState = "draft" | "scheduled" | "published" | "failed";

/** Large is a card on a board, `sm` is under 160 px wide, `xs` under 40. */
export type PinSize = "md" | "sm" | "xs";
