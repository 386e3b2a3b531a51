type Kind = "push" | "replace" | "traverse";

let begun: { from: string; to: URL } | null = null;

/** The router tells here of each navigation as it begins; on a way back or forward the address is the new one already. */
export const noteNavigation = (to: string, kind: Kind): void => {
  begun = kind === "traverse" ? null : { from: location.href, to: new URL(to, location.href) };
};

/** Whether the router is on its way to another page of the product, and the address is still the one before. */
const isLeaving = (): boolean =>
  begun !== null && begun.from === location.href && begun.to.href !== begun.from && begun.to.origin === location.origin;

/**
 * Changes the query of the shown page's address. Next's router hears of it only from a state that is not its own, and
 * only once it listens, which is after the effects of the first paint: else its next refresh brings the query before
 * back. Whatever it is told calls off a navigation that is under way: while the page is being left nothing is changed.
 * @param isStep whether the way back leads from here to the address as it was; else that is forgotten.
 * @returns what gives it up again, for an effect.
 */
export const editQuery = (
  edit: (search: URLSearchParams) => void,
  { isStep = () => false }: { isStep?: (before: URLSearchParams) => boolean } = {},
): (() => void) => {
  const { pathname } = location;
  const timer = setTimeout(() => {
    if (isLeaving() || location.pathname !== pathname) return;
    const search = new URLSearchParams(location.search);
    const kind = isStep(search) ? "pushState" : "replaceState";
    edit(search);
    const query = search.toString();
    if (query === location.search.slice(1)) return;
    history[kind](null, "", `${pathname}${query && `?${query}`}${location.hash}`);
  });
  return () => clearTimeout(timer);
};
