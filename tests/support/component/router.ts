import { useMemo, useSyncExternalStore } from "react";

/** A call of the router. */
export type Visit = { kind: "push" | "replace" | "refresh" | "back" | "forward" | "prefetch"; href: string };

const listeners = new Set<() => void>();
let visits: Visit[] = [];
const notify = (): void => {
  for (const listener of [...listeners]) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
  };
};
const useLocation = (part: "pathname" | "search"): string =>
  useSyncExternalStore(
    subscribe,
    () => location[part],
    () => "",
  );

const go = (kind: Visit["kind"], href: string): void => {
  visits = [...visits, { kind, href }];
  const url = new URL(href, location.href);
  // Never navigate to another site, since the test runs in this page.
  if (url.origin === location.origin && kind === "push") history.pushState(null, "", url);
  if (url.origin === location.origin && kind === "replace") history.replaceState(null, "", url);
  notify();
};

/** The router for component tests: it changes the URL and records its calls. */
export const router = {
  push: (href: string) => go("push", href),
  replace: (href: string) => go("replace", href),
  refresh: () => go("refresh", location.href),
  back: () => go("back", location.href),
  forward: () => go("forward", location.href),
  prefetch: (href: string) => go("prefetch", href),
};

/** Returns the calls of the router since the test began, without prefetches. */
export const visited = (): readonly Visit[] => visits.filter(({ kind }) => kind !== "prefetch");

/** Sets the URL of the page, as if the screen had been opened there. */
export const openAt = (path: string): void => {
  visits = [];
  history.replaceState(null, "", path);
  notify();
};

export const useRouter = () => router;
export const usePathname = (): string => useLocation("pathname");
export const useSearchParams = (): URLSearchParams => {
  const search = useLocation("search");
  return useMemo(() => new URLSearchParams(search), [search]);
};
export const useParams = (): Record<string, string> => ({});
