import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inlineBuiltStyles, inlineStyles } from "#scripts/build-output.ts";

const LINK = '<link rel="stylesheet" href="/_next/static/chunks/a.css" data-precedence="next"/>';
const STYLESHEET = [
  '@layer base,components;@font-face{font-family:Face;src:url(/fonts/face.woff2)format("woff2")}',
  "@layer components{.used{color:red}.used:hover{color:blue}.unused{color:green}}",
  "@layer base{p{margin:0}}.dark{--page:black}:root[data-session] .used{display:none}",
  '@property --share{syntax:"<length>";inherits:false}',
].join("");

const page = (body: string): string =>
  `<!DOCTYPE html><html><head><meta charSet="utf-8"/>${LINK}<title>A</title></head><body>${body}</body></html>`;

const inlined = (html: string) => inlineStyles(html, () => STYLESHEET);

const styleOf = (html: string): string => html.match(/<style data-first-paint>(.*?)<\/style>/s)?.[1] ?? "";

describe("the first paint needs no second response", () => {
  test("a document's rules replace its stylesheet link, which moves to the end of the body", async () => {
    const after = await inlined(page('<p class="used">a &amp; b</p><script>self.x="</p>"</script>'));
    const style = styleOf(after);
    expect(style).toContain(".used{color:red}");
    expect(style).toContain(".used:hover{color:blue}");
    expect(style).not.toContain(".unused");
    expect(after).toBe(
      page('<p class="used">a &amp; b</p><script>self.x="</p>"</script>')
        .replace(LINK, `<style data-first-paint>${style}</style>`)
        .replace("</body>", `${LINK}</body>`),
    );
  });

  test("a class with characters that HTML escapes is matched", async () => {
    const stylesheet = String.raw`.\[\&\>b\]\:red>b{color:red}.\[\&\_i\]\:blue i{color:blue}`;
    const after = await inlineStyles(page('<p class="[&amp;&gt;b]:red"><b>a</b></p>'), () => stylesheet);
    expect(styleOf(after)).toContain(String.raw`.\[\&\>b\]\:red>b{color:red}`);
    expect(styleOf(after)).not.toContain("blue");
    expect(after).toContain('<p class="[&amp;&gt;b]:red">');
  });

  test("layer order, font faces, and the rules of the theme and of a stored login are included", async () => {
    const style = styleOf(await inlined(page('<p class="used"></p>')));
    expect(style).toMatch(/^@layer base,components;/);
    expect(style).toContain("/fonts/face.woff2");
    expect(style).toContain(".dark{--page:black}");
    expect(style).toContain("[data-session] .used{display:none}");
  });

  test("a document without stylesheets, or already rewritten, stays unchanged", async () => {
    const bare = page("").replace(LINK, "");
    expect(await inlined(bare)).toBe(bare);
    const once = await inlined(page("<p></p>"));
    expect(await inlined(once)).toBe(once);
  });

  test("an unreadable stylesheet or an invalid document fails the build", async () => {
    const failing = inlineStyles(page(""), () => {
      throw new Error("no such sheet");
    });
    await expect(failing).rejects.toThrow("no such sheet");
    await expect(inlined(LINK)).rejects.toThrow("has no head or body");
  });

  test("every document of a build is rewritten, anywhere below the server folder", async () => {
    const dist = mkdtempSync(join(tmpdir(), "inline-styles-"));
    mkdirSync(join(dist, "static/chunks"), { recursive: true });
    mkdirSync(join(dist, "server/app/blog"), { recursive: true });
    writeFileSync(join(dist, "static/chunks/a.css"), STYLESHEET);
    for (const name of ["index.html", "blog/one.html"])
      writeFileSync(join(dist, "server/app", name), page('<p class="used"></p>'));
    expect(await inlineBuiltStyles(dist)).toBe(2);
    expect(await inlineBuiltStyles(dist)).toBe(0);
    expect(styleOf(readFileSync(join(dist, "server/app/blog/one.html"), "utf8"))).toContain(".used{color:red}");
  });
});
