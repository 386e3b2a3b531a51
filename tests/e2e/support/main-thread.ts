import type { Page } from "@playwright/test";

/** The longest time for which a page's main thread could answer nobody, in milliseconds. */
export interface Block {
  /** By the clock on the wall: whatever else the machine does counts as well. */
  wallMs: number;
  /** Of the processor, for the task that took most of it: the page's own work. */
  cpuMs: number;
}

type TraceEvent = { name: string; ph: string; pid: number; tid: number; dur?: number; tdur?: number; args?: unknown };

/** Does something and measures the tasks of the page's main thread meanwhile; the browser has no other page. */
export const longestBlock = async (page: Page, deed: () => Promise<void>): Promise<Block> => {
  const browser = page.context().browser();
  if (!browser) throw new Error("The page has no browser.");
  await browser.startTracing(page, { categories: ["toplevel"] });
  await deed();
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse((await browser.stopTracing()).toString());
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && Object(args).name === "CrRendererMain")
      .map(threadOf),
  );
  const tasks = traceEvents.filter(
    (event) => event.ph === "X" && event.name.endsWith("RunTask") && mains.has(threadOf(event)),
  );
  if (!tasks.some(({ tdur }) => tdur)) throw new Error("The trace holds no task of the page.");
  const longest = (times: (number | undefined)[]) => Math.round(Math.max(...times.map((time) => time ?? 0)) / 1_000);
  return { wallMs: longest(tasks.map(({ dur }) => dur)), cpuMs: longest(tasks.map(({ tdur }) => tdur)) };
};
