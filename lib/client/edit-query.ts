/**
 * Changes the query of the shown page's address. Next's router hears of it only from a state that is not its own, and
 * only once it listens, which is after the effects of the first paint: else its next refresh brings the query before
 * back. @returns what gives it up again, for an effect.
 */
export const editQuery = (edit: (search: URLSearchParams) => void): (() => void) => {
  const timer = setTimeout(() => {
    const search = new URLSearchParams(location.search);
    edit(search);
    const query = search.toString();
    // Saying the same again would call back a navigation that is under way, such as to the login.
    if (query === location.search.slice(1)) return;
    history.replaceState(null, "", query ? `${location.pathname}?${query}` : location.pathname);
  });
  return () => clearTimeout(timer);
};
