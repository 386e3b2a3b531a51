import { gzipSync } from "node:zlib";

/** What a browser must load before a page works, in bytes. */
export interface Weight {
  htmlBytes: number;
  htmlGzipBytes: number;
  /** Scripts that the HTML names, each compressed by itself; without those for browsers that know no modules. */
  scriptGzipBytes: number;
  scripts: number;
}

const read = async (url: string): Promise<Buffer> => {
  const answer = await fetch(url, { headers: { "accept-encoding": "identity" } });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
};

/** Weighs a page by what its HTML names, which neither other work on the machine nor the browser changes. */
export const weighPage = async (url: string): Promise<Weight> => {
  const html = await read(url);
  const sources = [...html.toString("utf8").matchAll(/<script\b([^>]*)>/g)]
    .flatMap(([, attributes]) => (attributes && !/\bnomodule\b/i.test(attributes) ? [attributes] : []))
    .flatMap((attributes) => /\bsrc="([^"]+)"/.exec(attributes)?.[1] ?? []);
  const scripts = await Promise.all([...new Set(sources)].map((source) => read(new URL(source, url).href)));
  return {
    htmlBytes: html.byteLength,
    htmlGzipBytes: gzipSync(html).byteLength,
    scriptGzipBytes: scripts.reduce((sum, script) => sum + gzipSync(script).byteLength, 0),
    scripts: scripts.length,
  };
};
