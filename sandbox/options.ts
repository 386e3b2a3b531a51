import type { ConsoleOptions } from "./console/server.ts";
import type { GoogleOptions } from "./google/server.ts";
import type { InngestOptions } from "./inngest/server.ts";
import type { PaddleOptions } from "./paddle/server.ts";

/** Options of each stand-in in this process. A stand-in starts only if `--services` names it. */
export interface SandboxOptions {
  host: string;
  /** Each stand-in keeps its state in its own subfolder. */
  dataDir: string;
  pinterest?: { port: number; client: { id: string; secret: string; name: string; redirectUris: string[] } };
  openai?: { port: number; textLatencyMs: number; imageLatencyMs: number; apiKey: string };
  google?: Omit<GoogleOptions, "host" | "dataDir">;
  paddle?: Omit<PaddleOptions, "host" | "dataDir">;
  email?: { smtpPort: number; webPort: number };
  inngest?: Omit<InngestOptions, "host" | "log">;
  console?: Omit<ConsoleOptions, "host">;
}
