type Packages<Extra> = { packages: Record<string, { version?: string; integrity?: string } & Extra> };

export function isInstalled(lock: Packages<{ optional?: boolean }>, installed: Packages<object>): boolean;
export function ensureInstalled(): Promise<void>;
export function runStage(stage: string, commandArgs: string[]): Promise<void>;
