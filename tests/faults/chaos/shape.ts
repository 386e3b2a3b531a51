import { join } from "node:path";
import type { Variables } from "#scripts/compose.ts";
import type { ChildSpec } from "#scripts/processes.ts";
import { appSpec, type Environment } from "#scripts/services.ts";
import { type Balancer, startBalancer } from "#tests/support/balancer.ts";
import { bucketUrl, openS3Server, S3_CREDENTIALS } from "#tests/support/s3-store.ts";

/** How the app runs: as one process, or as several behind a proxy that share a bucket for images. */
export interface Shape {
  /** The processes of the app. */
  instances: readonly string[];
  /** Undefined for one process. */
  balancer: Balancer | undefined;
  /** Settings that the shape needs. */
  settings: Variables;
  /** The instances' processes, all from one build. */
  specsOf(environment: Environment): ChildSpec[];
}

interface Place {
  /** The port that users and services know. */
  publicPort: number;
  /** One port for each instance, if there are several. */
  instancePorts: readonly number[];
  dataDir: string;
  opened: { close(): Promise<void> }[];
}

const BUCKET = "evertack-images";

export async function openShape(count: number, place: Place): Promise<Shape> {
  if (count === 1) {
    const specsOf = (environment: Environment) => [appSpec(environment, ["start"])];
    return { instances: ["app"], balancer: undefined, settings: {}, specsOf };
  }
  const { publicPort, dataDir, opened } = place;
  const ports = place.instancePorts.slice(0, count);
  const instances = ports.map((_, n) => (n === 0 ? "app" : `app${n + 1}`));
  const store = openS3Server(join(dataDir, "buckets"), [BUCKET]);
  const endpoint = await store.start();
  opened.push({ close: store.stop });
  const balancer = await startBalancer(publicPort, ports);
  opened.push(balancer);
  // The operator's context reads images in this process.
  Object.assign(process.env, S3_CREDENTIALS);
  return {
    instances,
    balancer,
    settings: { STORAGE_URL: bucketUrl(endpoint, BUCKET), ...S3_CREDENTIALS },
    specsOf: (environment) =>
      instances.map((name, n) => ({
        ...appSpec({ ...environment, ports: { ...environment.ports, app: ports[n] ?? 0 } }, ["start"]),
        name,
        logFile: join(environment.logFolder, `${name}.log`),
      })),
  };
}
