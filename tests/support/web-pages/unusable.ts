import { decodePage } from "#lib/integrations/links/decoding.ts";
import type { PageFixture } from "./fixture.ts";

/** UTF-8 that names another character set. */
const misread = (text: string): string => decodePage(Buffer.from(text), "text/html; charset=shift_jis");

export const UNUSABLE_PAGES: readonly PageFixture[] = [
  { name: "an empty page", html: "", expected: "no_text" },
  {
    name: "a page in another character set than the one that it names",
    html: misread(`<html lang="ru"><head><title>Сад</title><script>${"var a = 1;".repeat(1_000)}</script></head>
      <body><h1>Сад на балконе</h1><p>Мох любит тень и воду. Поливайте его утром, а летом ещё и вечером.</p></body></html>`),
    expected: "charset",
  },
  {
    name: "a page that scripts fill",
    html: `<html lang="en"><head><title>Shop</title><meta name="description" content="The best shop for mugs and more.">
      </head><body><noscript>Please enable JavaScript to run this app, because it shows nothing without it.</noscript>
      <div id="root"></div><script>render({"price": 24})</script></body></html>`,
    expected: "no_text",
  },
  {
    name: "a page that asks for scripts",
    html: `<title>Shop</title><div id="app">This site requires JavaScript to work properly. Please enable JavaScript in
      your browser settings, then load the page again.</div>`,
    expected: "no_text",
  },
  {
    name: "a page that says nothing but what its cookies are for",
    html: `<title>Shop</title><div id="app"></div><div class="site cookie-banner">We use cookies to improve your
      experience. By continuing, you accept our cookie policy and our privacy terms.</div>`,
    expected: "no_text",
  },
  {
    name: "a page in another alphabet than the encoding that it names",
    html: decodePage(
      Buffer.from([
        ...Buffer.from("<p>"),
        ...Array.from({ length: 200 }, (_, n) => (n % 6 === 5 ? 0x20 : 0xe0 + (n % 31))),
      ]),
      "text/html; charset=iso-8859-1",
    ),
    expected: "charset",
  },
  {
    name: "a login form",
    html: `<html><title>Sign in</title><body><h1>Welcome back</h1><p>Sign in to see the recipes that you saved, and more.</p>
      <form><input name="email"><input type="password" name="password"><button>Sign in</button></form></body></html>`,
    expected: "login",
  },
  {
    name: "a check for robots that says so",
    html: `<html><title>Just a moment...</title><body><p>moss.example needs to review the security of your connection
      before proceeding.</p></body></html>`,
    expected: "robot_check",
  },
  {
    name: "a check for robots in a frame",
    html: `<html><title>moss.example</title><body><iframe src="https://geo.captcha-delivery.com/captcha/"></iframe>
      </body></html>`,
    expected: "robot_check",
  },
];
