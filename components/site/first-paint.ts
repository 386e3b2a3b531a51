import { THEME_COOKIE } from "#components/ui/theme-choice.ts";
import { TOKEN_STORAGE_KEY } from "#lib/core/browser-keys.ts";

/**
 * What a page must know before its first paint, and a static one cannot be told by the server: the chosen theme, as a
 * class on the root, and whether a login is stored, as `data-session` (R-NAV-02, R-NAV-03). It stands inline in the
 * head of every page; `proxy.ts` allows exactly this text by its hash (decision 0011). Storage may be switched off in
 * a browser: then asking for it throws a SecurityError, and nobody is signed in; anything else is an error of the page.
 */
export const FIRST_PAINT = `(function(r){var t=/(?:^|; )${THEME_COOKIE}=(light|dark)(?:;|$)/.exec(document.cookie);if(t)r.classList.add(t[1]);try{if(localStorage.getItem("${TOKEN_STORAGE_KEY}"))r.dataset.session="stored"}catch(e){if(e.name!=="SecurityError")throw e}})(document.documentElement)`;
