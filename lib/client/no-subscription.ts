/** For `useSyncExternalStore` with a value that does not change while the page is shown. */
export const noSubscription = () => () => {};
