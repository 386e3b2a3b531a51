import { THEME_COOKIE } from "#components/ui/theme-choice.ts";
import { TOKEN_STORAGE_KEY } from "#lib/core/browser-keys.ts";

/**
 * Inline script that sets the theme's class and `data-session` before the first paint; `proxy.ts` allows it by its
 * hash. With storage disabled, reading it throws a SecurityError and the visitor counts as signed out.
 */
export const FIRST_PAINT = `(function(r){var t=/(?:^|; )${THEME_COOKIE}=(light|dark)(?:;|$)/.exec(document.cookie);if(t)r.classList.add(t[1]);try{if(localStorage.getItem("${TOKEN_STORAGE_KEY}"))r.dataset.session="stored"}catch(e){if(e.name!=="SecurityError")throw e}})(document.documentElement)`;
