type Kind = "push" | "replace" | "traverse";

let begun: { from: string; to: URL } | null = null;

/** The router tells here of each navigation as it begins; on a way back or forward the address is the new one already. */
export const noteNavigation = (to: string, kind: Kind): void => {
  begun = kind === "traverse" ? null : { from: location.href, to: new URL(to, location.href) };
};

/** Whether the router is on its way to another page of the product, and the address is still the one before. */
export const isLeaving = (): boolean =>
  begun !== null && begun.from === location.href && begun.to.href !== begun.from && begun.to.origin === location.origin;
