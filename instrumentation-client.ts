import { noteNavigation } from "#lib/client/edit-query.ts";

/** Next's router calls this as a navigation begins. */
export const onRouterTransitionStart = noteNavigation;
