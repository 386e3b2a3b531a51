import { chromium } from "@playwright/test";
import { chromiumLaunchOptions } from "#scripts/chromium.ts";
import { pickPort } from "#scripts/ports.ts";
import { ensureTestBuild, startTestApp } from "#tests/support/app.ts";
import { startTestCluster } from "#tests/support/cluster.ts";
import { ensureFloorBuild, floorFolder, startFloor } from "../harness/floor-build.ts";

/** The product, the bare page and the browsers that Lighthouse may drive. */
export interface WebHouse {
  productUrl: string;
  floorUrl: string;
  browserPorts: number[];
  stop(): Promise<void>;
}

/** Builds what is not built, then starts all of them; a minute or two the first time. */
export async function openHouse(): Promise<WebHouse> {
  await ensureTestBuild();
  ensureFloorBuild(floorFolder("web"));
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
    const floor = await startFloor(floorFolder("web"), "/");
    ends.push(() => floor.child.end());
    const browserPorts = [await pickPort(), await pickPort()];
    const options = await chromiumLaunchOptions();
    for (const port of browserPorts) {
      const browser = await chromium.launch({ ...options, args: [...options.args, `--remote-debugging-port=${port}`] });
      ends.push(() => browser.close());
    }
    return { productUrl: product.baseUrl, floorUrl: floor.url, browserPorts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
