import type { CDPSession, Page } from "@playwright/test";

/** What the browser measured while something was done. */
export interface Measured {
  /** The longest event of each interaction, in ms: from the input to the next paint, in steps of 8. */
  interactions: number[];
  /** Tasks of the main thread that took 50 ms or more, in ms. */
  longTasks: number[];
  /** CPU time of the main thread for the whole act, in ms, which other work on the machine hardly changes. */
  cpuMs: number[];
}

declare global {
  interface Window {
    measured: { events: Map<number, number>; tasks: number[] };
  }
}

/** The browser reports no shorter interactions. */
export const SHORTEST_MS = 16;

/** Starts the browser's own measurements in each page of the context. Runs in the page. */
export const observe = (shortestMs: number): void => {
  window.measured = { events: new Map(), tasks: [] };
  const events = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { interactionId?: number })[]) {
      if (!entry.interactionId) continue;
      const longest = Math.max(window.measured.events.get(entry.interactionId) ?? 0, entry.duration);
      window.measured.events.set(entry.interactionId, longest);
    }
  });
  events.observe({ type: "event", durationThreshold: shortestMs, buffered: true } as PerformanceObserverInit);
  const tasks = new PerformanceObserver((list) => {
    window.measured.tasks.push(...list.getEntries().map(({ duration }) => duration));
  });
  tasks.observe({ type: "longtask", buffered: true });
};

/** The measurements since the last call, once everything was painted. */
const takeMeasured = (page: Page): Promise<Omit<Measured, "cpuMs">> =>
  page.evaluate(async () => {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await nextFrame();
    await nextFrame();
    // Entries are delivered in a later task.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { events, tasks } = window.measured;
    window.measured = { events: new Map(), tasks: [] };
    return { interactions: [...events.values()], longTasks: tasks };
  });

const clients = new WeakMap<Page, Promise<CDPSession>>();

const connect = async (page: Page): Promise<CDPSession> => {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  return client;
};

/** CPU time of the page's main thread so far, in ms. */
const readCpuMs = async (page: Page): Promise<number> => {
  const client = clients.get(page) ?? connect(page);
  clients.set(page, client);
  const { metrics } = await (await client).send("Performance.getMetrics");
  return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
};

/** Runs `act`, whose inputs count as at least `inputs` interactions, and returns what the browser measured. */
export async function measure(page: Page, inputs: number, act: () => Promise<unknown>): Promise<Measured> {
  await takeMeasured(page);
  const beforeMs = await readCpuMs(page);
  await act();
  const { interactions, longTasks } = await takeMeasured(page);
  const cpuMs = [(await readCpuMs(page)) - beforeMs];
  const short = Array.from({ length: Math.max(0, inputs - interactions.length) }, () => SHORTEST_MS);
  return { interactions: [...interactions, ...short], longTasks, cpuMs };
}

/** Frames while a page scrolls: their lengths in ms, and the most rows that were in the document. */
export interface Scrolled {
  frames: number[];
  rowsMax: number;
}

/** Scrolls by so many pixels in each frame. */
export const scroll = (page: Page, steps: number, byPx: number): Promise<Scrolled> =>
  page.evaluate(
    async ([count, px]) => {
      const frames: number[] = [];
      let rowsMax = 0;
      let last = await new Promise<number>(requestAnimationFrame);
      for (let step = 0; step < count; step += 1) {
        window.scrollBy(0, px);
        const now = await new Promise<number>(requestAnimationFrame);
        frames.push(now - last);
        last = now;
        rowsMax = Math.max(rowsMax, document.querySelectorAll("[data-slot=calendar-row]").length);
      }
      return { frames, rowsMax };
    },
    [steps, byPx] as const,
  );
