import { useMemo, useSyncExternalStore } from "react";

/** What the components asked of the router. */
export type Visit = { kind: "push" | "replace" | "refresh" | "back" | "forward" | "prefetch"; href: string };

const listeners = new Set<() => void>();
let visits: Visit[] = [];
const tell = (): void => {
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
  // Another site is left to the test's eyes: the page with the test must stay.
  if (url.origin === location.origin && kind === "push") history.pushState(null, "", url);
  if (url.origin === location.origin && kind === "replace") history.replaceState(null, "", url);
  tell();
};

/** The router that components get in tests: it changes the address, and remembers what it was asked. */
export const router = {
  push: (href: string) => go("push", href),
  replace: (href: string) => go("replace", href),
  refresh: () => go("refresh", location.href),
  back: () => go("back", location.href),
  forward: () => go("forward", location.href),
  prefetch: (href: string) => go("prefetch", href),
};

/** What was asked of the router since the test began, without prefetches. */
export const visited = (): readonly Visit[] => visits.filter(({ kind }) => kind !== "prefetch");

/** Puts the address of the page to a path, as if the screen had been opened there. */
export const openAt = (path: string): void => {
  visits = [];
  history.replaceState(null, "", path);
  tell();
};

export const useRouter = () => router;
export const usePathname = (): string => useLocation("pathname");
export const useSearchParams = (): URLSearchParams => {
  const search = useLocation("search");
  return useMemo(() => new URLSearchParams(search), [search]);
};
export const useParams = (): Record<string, string> => ({});
