import { describe, expect, test } from "vitest";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { cpuMsOf } from "#tests/support/cpu.ts";
import { pageOf } from "#tests/support/video-pages/fixture.ts";

const ID = "763869554322251914";
const item = (n: number, desc = `Video ${n}`) => ({
  id: `${ID}${n}`,
  desc,
  createTime: 1_700_000_000,
  author: { uniqueId: "ann" },
  video: { duration: 9 },
});
const list = (...numbers: number[]) => ({ statusCode: 0, itemList: numbers.map((n) => item(n)) });
const json = (...numbers: number[]): string => JSON.stringify(list(...numbers));
const card = (n: number): string =>
  `<div data-e2e="user-post-item"><a href="/@ann/video/${ID}${n}"><img alt="Card ${n}" src="/a.jpeg"></a></div>`;
const found = (text: string): string[] => extract(text).videos.map(({ video_url }) => video_url.slice(-1));
/** As a browser serializes text in an element. */
const shown = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\u00a0", "&nbsp;");
const quoted = (text: string): string => shown(text).replaceAll('"', "&quot;");

describe("a response that a browser shows", () => {
  const said = 'Tom & "Jerry" <b>&amp; co</b>';
  const text = JSON.stringify({ itemList: [item(1, said), item(2)] });
  const colored = shown(text).replace(/"[^"]*"/g, (string) => `<span class="string">${string}</span>`);

  test.each([
    ["in a pre element", `<html><head></head><body><pre>${shown(text)}</pre></body></html>`],
    ["in a styled pre element", `<pre style="word-wrap: break-word;">\n${shown(text)}</pre>`],
    [
      "beside a form of the browser",
      `<html><body><pre>${shown(text)}</pre><div class="json-formatter"></div></body></html>`,
    ],
    ["below a label of the browser", `<html><body><label>Pretty-print</label><pre>${shown(text)}</pre></body></html>`],
    ["as colored text", `<html><body><pre>${colored}</pre></body></html>`],
    ["in another element", `<html><body><div id="json">${shown(text)}</div></body></html>`],
    ["with escaped quotes", `<html><body><pre>${quoted(text)}</pre></body></html>`],
    ["in a text area", `<form><textarea rows="2">${shown(text)}</textarea></form>`],
    ["copied together with the label", `Pretty-print\n${text}`],
  ])("R-VID-22 is read: %s", (_, html) => {
    const { videos, notice } = extract(html);
    expect(videos.map(({ title }) => title)).toEqual([said, "Video 2"]);
    expect(notice).toBeNull();
  });

  test("R-VID-22 two of them, and one beside a page of cards", () => {
    const page = (n: number) => `<html><body><pre>${shown(json(n))}</pre></body></html>`;
    expect(found(page(1) + page(2))).toEqual(["1", "2"]);
    expect(found(page(1) + pageOf(card(2)))).toEqual(["1", "2"]);
    expect(found(pageOf(card(2)) + page(1))).toEqual(["2", "1"]);
    expect(extract(page(1))).toMatchObject({ page: "api", skipped: [] });
  });

  test("R-VID-24 a part that was cut off is counted", () => {
    const { videos, skipped } = extract(`<html><body><pre>${shown(json(1, 2)).slice(0, -30)}`);
    expect(videos).toHaveLength(1);
    expect(skipped).toMatchObject([{ reason: "bad-json", count: 1 }]);
  });

  test("R-VID-22 in a caption is no data", () => {
    const caption = `<div data-e2e="user-post-item-desc">${shown(json(7))}</div>`;
    expect(found(pageOf(card(1) + caption))).toEqual(["1"]);
    expect(found(pageOf(`<div>${card(1)}</div><p>${shown(json(7))}</p>`))).toEqual(["1"]);
  });
});

describe("the shapes of a response", () => {
  test.each<[string, unknown]>([
    ["an array of responses", [list(1), list(2, 3)]],
    ["an array of responses with a header", [{ url: "/api/post" }, { id: "1", body: list(1, 2, 3) }]],
    ["arrays of responses in an array", [[list(1)], [list(2), list(3)]]],
    ["arrays of videos in an array", [[item(1), item(2)], [item(3)]]],
    ["arrays in a list", { itemList: [[item(1)], [item(2), item(3)]] }],
    ["an array of wrapped videos", [{ type: 1, item: item(1) }, { item: item(2) }, { itemStruct: item(3) }]],
    ["a list of lists", { data: [{ data: [item(1), item(2)] }, { items: [item(3)] }] }],
  ])("R-VID-22 %s", (_, value) => {
    const { videos, skipped } = extract(JSON.stringify(value));
    expect(videos.map(({ title }) => title)).toEqual(["Video 1", "Video 2", "Video 3"]);
    expect(skipped).toEqual([]);
  });

  test("R-VID-22 a single video, and several in lines", () => {
    expect(found(JSON.stringify(item(1), null, 2))).toEqual(["1"]);
    const lines = Array.from({ length: 9 }, (_, n) => JSON.stringify(item(n))).join("\n");
    expect(found(lines)).toHaveLength(9);
    const many = Array.from({ length: 90 }, (_, n) => JSON.stringify({ ...item(1), id: String(7e18 + n * 1e15) }));
    expect(found(many.join("\n"))).toHaveLength(90);
  });

  test("R-VID-22 what a video contains is no other video", () => {
    const playlist = { itemList: [item(8)], data: [item(9)], item: item(7) };
    expect(found(JSON.stringify({ ...item(1), playlist }))).toEqual(["1"]);
    expect(found(JSON.stringify({ itemList: [{ ...item(1), playlist }] }))).toEqual(["1"]);
  });

  test.each<[string, Record<string, unknown>]>([
    ["an object", { data: { x: 1 } }],
    ["a list", { data: [{ x: 1 }] }],
    ["another item", { item: { x: 1 } }],
  ])("R-VID-22 a video may begin with %s", (_, first) => {
    for (const one of [
      { ...first, ...item(1) },
      { stats: {}, ...first, ...item(1) },
    ]) {
      expect(found(JSON.stringify({ itemList: [one, item(2)] }))).toEqual(["1", "2"]);
    }
  });

  test("R-VID-22 an entry may have other videos behind the one that it wraps", () => {
    const entries = [
      { type: 1, common: {}, item: item(1), data: [item(2)] },
      { itemStruct: item(3), item: item(4) },
    ];
    expect(found(JSON.stringify({ data: entries }))).toEqual(["1", "2", "3", "4"]);
  });

  test("R-VID-24 an entry that was cut off behind its video has lost none", () => {
    const text = JSON.stringify({ data: [{ type: 1, item: item(1), common: { a: 1 } }] });
    expect(extract(text.slice(0, -6))).toMatchObject({ videos: [{ title: "Video 1" }], skipped: [] });
  });

  test("R-VID-22 a playlist is no video, but contains some", () => {
    const playlist = { id: `${ID}9`, desc: "List", stats: {}, createTime: 1_700_000_000 };
    for (const data of [
      { ...playlist, items: [item(1), item(2)] },
      { items: [item(1), item(2)], ...playlist },
    ]) {
      expect(extract(JSON.stringify({ data: [data] }))).toMatchObject({
        videos: [{ title: "Video 1" }, { title: "Video 2" }],
        skipped: [],
      });
    }
  });

  test.each<[string, Record<string, unknown>]>([
    ["a playlist", { stats: {} }],
    ["a stream", { liveRoomInfo: { status: 2 }, stats: {} }],
    ["an item whose author is gone", { author: null, stats: {} }],
  ])("R-VID-22 is no video, but counted: %s", (_, more) => {
    const other = { id: `${ID}9`, desc: "Other", createTime: 1_700_000_000, ...more };
    const { videos, skipped } = extract(JSON.stringify({ data: [other, { item: item(1) }] }));
    expect(videos.map(({ title }) => title)).toEqual(["Video 1"]);
    expect(skipped).toMatchObject([{ reason: "no-link", count: 1 }]);
  });

  test.each<[string, unknown]>([
    ["a user", { id: ID, uniqueId: "ann", createTime: 1 }],
    ["a response about a user", { userInfo: { user: { id: ID, createTime: 1 }, stats: {} } }],
    ["a list of users", { data: [{ id: ID, createTime: 1, nickname: "Ann" }] }],
    ["lists without videos", [[[{ itemList: [] }]], { data: [[], {}] }]],
  ])("R-VID-22 is no video: %s", (_, value) => {
    expect(extract(JSON.stringify(value))).toMatchObject({ videos: [], skipped: [], notice: "no-videos" });
  });
});

describe("a response behind something else", () => {
  const markup = JSON.stringify({ itemList: [item(2, `<div data-e2e="user-post-item"> </html> it's`)] });
  const whole = pageOf(card(1));
  const script = '<script id="SIGI_STATE">{"ItemModule":{"5":{"id":"1","desc":"cut';

  test.each([
    ["a fragment", card(1) + markup],
    ["a fragment and a line break", `${card(1)}\n\n${markup}\n`],
    ["a fragment, with another behind it", card(1) + markup + card(3)],
    ["elements that are closed twice", `</div></p>${card(1)}</div>${markup}`],
    ["a page that was cut in a text", `<html><body>${card(1)}<p>Some te${markup}`],
    ["a page that was cut after a tag", `<html><body><main>${card(1)}<p>${markup}`],
    ["a page that was cut in a tag", `<html><body>${card(1)}<a href="/@ann/vid${markup}`],
    ["a page that was cut in a script", `<html><body>${card(1)}${script}${markup}`],
    ["a cut page, before another page", `<html><body>${card(1)}<p>Some te${markup}${pageOf(card(3))}`],
    ["a cut page, before another response", `<html><body>${card(1)}<p>${markup},\n${json(3)};`],
    ["a whole page", whole + markup],
    ["a response that was cut off", `${json(1, 9).slice(0, -30)}\n${markup}`],
    ["a response that was cut off, before another", `${json(1, 9).slice(0, -30)}\n${markup}\n${json(3)}\n`],
    ["the headers of a response", `HTTP/2 200\r\nset-cookie: ${"a=b; ".repeat(99)}\r\n\r\n${json(1)}${markup}`],
  ])("R-VID-22 is read: %s", (_, text) => {
    const wanted = text.includes(`${ID}3`) ? ["1", "2", "3"] : ["1", "2"];
    expect(found(text)).toEqual(wanted);
  });

  test.each([
    ["a fragment", `\n${card(2)}`],
    ["an indented fragment, and a response", `\r\n  ${card(2)}${json(3)}`],
    ["a page", pageOf(card(2))],
  ])("R-VID-22 is cut off, and followed by %s", (_, next) => {
    for (const cut of [3, 30, 60, 100]) {
      const text = json(1, 9).slice(0, -cut) + next;
      expect(found(text), text).toEqual(next.includes(`${ID}3`) ? ["1", "2", "3"] : ["1", "2"]);
    }
  });

  test("R-VID-22 the end of data that was cut off is no response of its own", () => {
    const data = JSON.stringify({ ItemModule: { 1: item(1), 7: item(7) } });
    const html = `${pageOf(card(1)).replace("</body></html>", "")}<script id="SIGI_STATE">${data}`;
    for (const cut of [data.length, data.length - 2]) {
      const { videos, skipped } = extract(
        html.slice(0, html.length - data.length + cut).replaceAll("user-post", "challenge"),
      );
      expect(videos.map(({ title }) => title)).toEqual(["Video 1"]);
      expect(skipped).toMatchObject([{ reason: "not-shown", count: 1 }]);
    }
  });
});

describe("data that was pasted without its element", () => {
  const state = JSON.stringify({ AppContext: { a: "</script>" }, ItemModule: { 1: item(1), 2: item(2) } });

  test.each([
    ["as an assignment", `window['SIGI_STATE']=${state};window['SIGI_RETRY']={"a":1};`],
    ["with double quotes", `window["SIGI_STATE"] = ${state};`],
    ["as a property", `window.SIGI_STATE=${state}`],
    ["as a variable", `\n var SIGI_STATE = ${state};`],
    ["behind another", `window['SIGI_RETRY']={"a":1};window['SIGI_STATE']=${state}`],
    ["cut off", `window['SIGI_STATE']=${state.slice(0, -1)}`],
    ["as JSON", state],
    ["as an argument", `render(${state});`],
  ])("R-VID-22 is read: %s", (_, text) => {
    expect(found(text)).toEqual(["1", "2"]);
  });

  test.each([
    ["escaped quotes", quoted(json(1, 2))],
    ["escaped quotes by number", shown(json(1, 2)).replaceAll('"', "&#34;")],
    ["quotes that were escaped twice", quoted(quoted(json(1, 2)))],
    ["escaped quotes in an array", quoted(`[ ${json(1)}, ${json(2)}]`)],
    ["escaped quotes and line breaks", quoted(JSON.stringify(list(1, 2), null, 2))],
  ])("R-VID-22 JSON with %s is read", (_, text) => {
    expect(found(text)).toEqual(["1", "2"]);
  });
});

describe("a page that was cut off at its beginning", () => {
  const cards = card(1) + card(2);
  const bob = (n: number) => ({ ...item(n), author: { uniqueId: "bob" } });
  const data = JSON.stringify({ itemList: [bob(7), bob(8), item(2), item(1)] });
  const page = `${data}</script><div id="app">${cards}</div>`;

  test.each([
    ["a script with an odd quote", `!function(){"use strict";var q='"';}();</script><div>${cards}</div></body></html>`],
    ["a script with more braces", `!function(){"use strict";var q='"';}();</script><i>}</i><p x="}">${cards}</p>`],
    ["a broken object", `foo {"a":1,"b":[ </script>${cards}`],
    ["an attribute", `-props='{"a":1,"b":"x' data-x>${cards}`],
    ["an attribute with a whole value", `-props='{"a":1,"b":"x"}' data-x>${cards}`],
    ["the data's assignment", `window['SIGI_STATE']=${page}`],
    ["the first video's fields", page.slice(page.indexOf("Video 7"))],
    ["the second video", page.slice(page.indexOf(`{"id":"${ID}8"`))],
    ["the first video's author", page.slice(page.indexOf('"author"'))],
  ])("R-VID-22 has the videos that it shows, in its order: %s", (_, text) => {
    const { page: kind, skipped } = extract(text);
    expect({ found: found(text), kind, skipped }).toEqual({ found: ["1", "2"], kind: "profile", skipped: [] });
  });

  test("R-VID-22 has those of its data when it shows none", () => {
    expect(found(`window['SIGI_STATE']=${data}</script></body></html>`)).toEqual(["7", "8", "2", "1"]);
  });

  test("R-VID-22 has those of data whose brackets do not match", () => {
    const module = JSON.stringify({ 1: item(1), 2: item(2) });
    expect(found(`<script id="SIGI_STATE">{"a":["x"]}},"ItemModule":${module}}</script>`)).toEqual(["1", "2"]);
  });

  test.each([
    ["a page", pageOf(card(2))],
    ["a fragment", `\n${card(2)}`],
  ])("R-VID-22 a response behind a label is read, and followed by %s", (_, next) => {
    expect(found(`Pretty-print\n${json(1)}${next}`)).toEqual(["1", "2"]);
  });
});

test("R-VID-24 countless responses, arrays and shown texts take linear time", () => {
  const one = json(1);
  const floods: [start: string, repeated: string, end?: string][] = [
    ["", '<pre>{"itemList":'],
    ["", `<pre>${shown(one)}`],
    ["", `<pre>${shown(one)}</pre></body></html>`],
    ["", `<p>${one}`],
    ["", `${card(1)}${one}`],
    ["", '{"itemList":[', "]}"],
    ["", '{"itemList":[{"id":"1","item":'],
    ["", '[{"createTime":1,"data":'],
    ["[", '{"id":"1","desc":"","video":{},"createTime":[', "}"],
    ["<p>x", '{"createTime":"', "}"],
    ["<p>x", "}{", "}"],
    ["<p>x", '\\"', '"}'],
    ["", "window['SIGI_STATE']="],
    ["", `a=${one};</script>`],
    ["", 'a={"createTime":1};<p></html>'],
    ["", 'a={"createTime":1};'],
    ["", "{&quot;itemList&quot;:["],
    ['<p>{"createTime":1', "&lt;div "],
    ["", '[{"createTime":1,"item":'],
    ["[", '{"item":{"id":"1","desc":"","createTime":[', "}"],
    ["", '<pre>{"createTime":1}</pre><html>'],
  ];
  for (const [start, repeated, end = ""] of floods) {
    const html = start + repeated.repeat(Math.ceil(1_000_000 / repeated.length)) + end;
    expect(cpuMsOf(() => extract(html)).cpuMs, repeated).toBeLessThan(1_500);
  }
});
