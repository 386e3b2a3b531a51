import type { ConsoleOptions } from "./console/server.ts";
import type { InngestOptions } from "./inngest/server.ts";
import type { PaddleOptions } from "./paddle/server.ts";

/** Origin at which others reach a stand-in, when that is not this machine's loopback. */
type Reachable = { publicUrl?: string };

/** What each stand-in of this process is started with; a service is started when it is named in `--services`. */
export interface SandboxOptions {
  host: string;
  /** Each stand-in keeps its state in a folder of its own below. */
  dataDir: string;
  pinterest?: Reachable & {
    port: number;
    client: { id: string; secret: string; name: string; redirectUris: string[] };
  };
  openai?: Reachable & { port: number; textLatencyMs: number; imageLatencyMs: number; apiKey: string };
  paddle?: Omit<PaddleOptions, "host" | "dataDir">;
  mail?: Reachable & { smtpPort: number; webPort: number };
  inngest?: Omit<InngestOptions, "host" | "log">;
  console?: Omit<ConsoleOptions, "host">;
}
