import { noteNavigation } from "#lib/client/navigation.ts";

/** Next's router calls this as a navigation begins. */
export const onRouterTransitionStart = noteNavigation;
