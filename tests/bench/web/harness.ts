import { chromium } from "@playwright/test";
import { chromiumLaunchOptions } from "#scripts/chromium.ts";
import { pickPort } from "#scripts/ports.ts";
import { ensureTestBuild, startTestApp } from "#tests/support/app.ts";
import { startTestCluster } from "#tests/support/cluster.ts";
import { baselineFolder, ensureBaselineBuild, startBaseline } from "../harness/baseline-build.ts";

/** The product, the baseline page and the browsers for Lighthouse. */
export interface WebHarness {
  productUrl: string;
  baselineUrl: string;
  browserPorts: number[];
  stop(): Promise<void>;
}

/** Builds what is needed and starts everything; takes a minute or two the first time. */
export async function openHarness(): Promise<WebHarness> {
  await ensureTestBuild();
  ensureBaselineBuild(baselineFolder("web"));
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    const cluster = await startTestCluster();
    ends.push(() => cluster.stop());
    const product = await startTestApp({
      serverUrl: cluster.serverUrl,
      settings: { RATE_LIMIT_FACTOR: "1000000" },
      clock: "real",
    });
    ends.push(() => product.stop());
    const baseline = await startBaseline(baselineFolder("web"), "/");
    ends.push(() => baseline.child.end());
    const browserPorts = [await pickPort(), await pickPort()];
    const options = await chromiumLaunchOptions();
    for (const port of browserPorts) {
      const browser = await chromium.launch({ ...options, args: [...options.args, `--remote-debugging-port=${port}`] });
      ends.push(() => browser.close());
    }
    return { productUrl: product.baseUrl, baselineUrl: baseline.url, browserPorts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
