/** Runs something and tells the CPU that it took, milliseconds: what else the machine does counts little. */
export function cpuMsOf<T>(run: () => T): { result: T; cpuMs: number } {
  const before = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(before);
  return { result, cpuMs: (user + system) / 1_000 };
}
