import type { ConsoleOptions } from "./console/server.ts";
import type { InngestOptions } from "./inngest/server.ts";
import type { PaddleOptions } from "./paddle/server.ts";

/** What each stand-in of this process is started with; a service is started when it is named in `--services`. */
export interface SandboxOptions {
  host: string;
  /** Each stand-in keeps its state in a folder of its own below. */
  dataDir: string;
  pinterest?: { port: number; client: { id: string; secret: string; name: string; redirectUris: string[] } };
  openai?: { port: number; textLatencyMs: number; imageLatencyMs: number; apiKey: string };
  paddle?: Omit<PaddleOptions, "host" | "dataDir">;
  mail?: { smtpPort: number; webPort: number };
  inngest?: Omit<InngestOptions, "host" | "log">;
  console?: Omit<ConsoleOptions, "host">;
}
