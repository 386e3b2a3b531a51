import { noteNavigation } from "#lib/client/edit-query.ts";

/** Next's router calls this when a navigation starts. */
export const onRouterTransitionStart = noteNavigation;
