import { gzipSync } from "node:zlib";

/** What a browser must load for a page to work, in bytes. */
export interface Weight {
  htmlBytes: number;
  htmlGzipBytes: number;
  /** The scripts in the HTML, compressed individually, without those for browsers without modules. */
  scriptGzipBytes: number;
  scripts: number;
}

const read = async (url: string): Promise<Buffer> => {
  const answer = await fetch(url, { headers: { "accept-encoding": "identity" } });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
};

/** Weighs a page by what its HTML references, independent of machine and browser. */
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
