type Kind = "push" | "replace" | "traverse";

let pending: { from: string; to: URL } | null = null;

/** Called when the router starts a navigation. On back and forward the URL has already changed. */
export const noteNavigation = (to: string, kind: Kind): void => {
  pending = kind === "traverse" ? null : { from: location.href, to: new URL(to, location.href) };
};

const isLeaving = (): boolean =>
  pending !== null &&
  pending.from === location.href &&
  pending.to.href !== pending.from &&
  pending.to.origin === location.origin;

/** In a timer, since Next's router listens late. Does nothing during a navigation, which it would cancel. */
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

/** Removes the URL's fragment, in the same way. */
export const removeFragment = (): (() => void) => {
  const { pathname } = location;
  const timer = setTimeout(() => {
    if (!isLeaving() && location.pathname === pathname) history.replaceState(null, "", pathname + location.search);
  });
  return () => clearTimeout(timer);
};
