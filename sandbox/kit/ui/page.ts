import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Hono } from "hono";
import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { createApp, type StandInEnv } from "../serve.ts";

export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

/** A whole page. `styles` adds style sheets; `heading` is the link in the top bar. */
interface PageParts {
  title: string;
  heading?: { text: string; chip: string };
  styles?: string[];
  body: Markup;
}

const FONT_FACES = [
  ["Newsreader Variable", "200 800", "newsreader", "newsreader-latin-opsz-normal"],
  ["Hanken Grotesk Variable", "100 900", "hanken-grotesk", "hanken-grotesk-latin-wght-normal"],
] as const;

const CONTENT_SECURITY =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; " +
  "frame-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const MARK_PATH =
  "M12 .9c.36 0 .69.18.88.49l4.05 6.35c.3.47-.04 1.08-.6 1.08h-.9l3.62 5.72c.46.72-.06 1.66-.91 1.66h-5.03l-.62 " +
  "6.13c-.03.28-.23.47-.49.47s-.46-.19-.49-.47l-.62-6.13H5.86c-.85 0-1.37-.94-.91-1.66l3.62-5.72h-.9c-.56 " +
  "0-.9-.61-.6-1.08l4.05-6.35c.19-.31.52-.49.88-.49Z";

const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -1 28 26" fill="#44926c"><path d="${MARK_PATH}"/></svg>`,
)}`;

/** Headers for {@link page}: no scripts, nothing from other origins. */
export const PAGE_HEADERS = { "content-security-policy": CONTENT_SECURITY, "referrer-policy": "no-referrer" };

/** A page of a service's site. `width` is a class of its style sheets. */
export function sitePage(site: string, title: string, styles: string[], body: Markup, width = ""): Markup {
  return page({
    title: `${title}: ${site}`,
    heading: { text: site, chip: "Stand-in" },
    styles,
    body: html`<main class="wrap ${width}">${body}</main>`,
  });
}

export function hiddenInputs(values: Record<string, string>): Markup {
  const inputs = Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`${inputs}`;
}

/** `1 pin`, `1,204 pins`. Takes the plural noun. */
export function pluralize(count: number, plural: string): string {
  const noun = count === 1 && plural.endsWith("s") ? plural.slice(0, -1) : plural;
  return `${count.toLocaleString("en-US")} ${noun}`;
}

/** The layout of a stand-in's page. Works without JavaScript, from 390 px up, light and dark. */
export function page({ title, heading, styles = [], body }: PageParts): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/__ui/ui.css">
${styles.map((style) => html`<link rel="stylesheet" href="${style}">`)}
</head>
<body>
${heading === undefined ? "" : html`<header class="top"><a href="/">${heading.text}</a><span class="chip">${heading.chip}</span></header>`}
${body}
</body>
</html>`;
}

/** The product's mark in the current color. */
export function mark(sizePx: number): Markup {
  return html`<svg width="${sizePx}" height="${sizePx}" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">${raw(`<path d="${MARK_PATH}"/>`)}</svg>`;
}

/** Routes to mount under `/__ui`: the shared style sheet and both fonts. */
export function uiRoutes(): Hono<StandInEnv> {
  const app = createApp();
  const css = styleSheet();
  app.get("/ui.css", (c) => c.body(css, 200, { "content-type": "text/css; charset=utf-8" }));
  for (const [, , packageName, file] of FONT_FACES) {
    const bytes = new Uint8Array(readFileSync(fontPath(packageName, file)));
    app.get(`/${file}.woff2`, (c) =>
      c.body(bytes, 200, { "content-type": "font/woff2", "cache-control": "public, max-age=31536000, immutable" }),
    );
  }
  return app;
}

/** Serves a script or style sheet of the stand-in. */
export function serveFile(app: Hono<StandInEnv>, path: string, url: URL, headers: Record<string, string> = {}): void {
  const text = readFileSync(url, "utf8");
  const type = url.pathname.endsWith(".css") ? "text/css" : "text/javascript";
  app.get(path, (c) => c.body(text, 200, { "content-type": `${type}; charset=utf-8`, ...headers }));
}

function styleSheet(): string {
  const faces = FONT_FACES.map(
    ([family, weights, , file]) =>
      `@font-face{font-family:"${family}";src:url(/__ui/${file}.woff2) format("woff2");font-weight:${weights};font-display:swap}`,
  );
  const sheets = ["tokens.css", "base.css"].map((name) => readFileSync(new URL(name, import.meta.url), "utf8"));
  return [...faces, ...sheets].join("\n");
}

function fontPath(packageName: string, file: string): string {
  return createRequire(import.meta.url).resolve(`@fontsource-variable/${packageName}/files/${file}.woff2`);
}
