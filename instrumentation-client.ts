import { noteNavigation } from "#lib/client/edit-query.ts";
import { recordTyping } from "#lib/client/typed-text.ts";

recordTyping();

/** Next's router calls this when a navigation starts. */
export const onRouterTransitionStart = noteNavigation;
