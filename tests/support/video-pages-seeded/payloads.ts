/** Payloads that run when a page contains them as markup or as a URL. */
export const PAYLOADS = [
  "<script>globalThis.ran=1</script>",
  "<img src=x onerror=globalThis.ran=1>",
  "\"><svg onload='globalThis.ran=1'>",
  "' onmouseover='globalThis.ran=1",
  "javascript:globalThis.ran=1",
  "JaVaScRiPt:globalThis.ran=1",
  "data:text/html,<script>globalThis.ran=1</script>",
  "</script><script>globalThis.ran=1</script>",
  "<iframe srcdoc='<script>parent.ran=1</script>'></iframe>",
  "<style>@import 'https://evil.test/x.css';</style>",
  "<a href=javascript:ran=1>click</a>",
  "{{constructor.constructor('ran=1')()}}",
  '=HYPERLINK("https://evil.test")',
  "vbscript:ran=1",
] as const;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const ID = "7301234567890123456";

const inMarkup = (payload: string): string => {
  const text = escaped(payload);
  return (
    `<div class="css-a-DivItemContainerV2"><div data-e2e="search_top-item"><a href="/@a/video/${ID}" title="${text}">` +
    `<img alt="${text}" src="${text}"><div class="css-b-DivTimeTag">${text}</div></a></div>` +
    `<div data-e2e="search-card-desc"><div data-e2e="search-card-video-caption"><span>${text}</span>` +
    `<a href="${text}"><strong>${text}</strong></a></div><a data-e2e="search-card-user-link" href="${text}">` +
    `<p data-e2e="search-card-user-unique-id">${text}</p></a>` +
    `<div data-e2e="search-card-like-container"><strong>${text}</strong></div></div></div>`
  );
};

const inData = (payload: string): string => {
  const item = {
    id: ID,
    desc: payload,
    createTime: payload,
    video: { cover: payload, originCover: payload, dynamicCover: payload },
    author: { uniqueId: "a", nickname: payload },
    stats: { playCount: payload, diggCount: payload },
    challenges: [{ title: payload }],
    textExtra: [{ hashtagName: payload }],
    [payload]: payload,
  };
  return JSON.stringify({ itemList: [item] });
};

/** One video with the payload in each of its fields, as markup or as data. */
export const pageOfPayload = (payload: string, form: "dom" | "json"): string =>
  form === "dom" ? inMarkup(payload) : inData(payload);
