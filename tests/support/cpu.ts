/** Runs a function and returns its CPU time in milliseconds, which other load hardly affects. */
export function cpuMsOf<T>(run: () => T): { result: T; cpuMs: number } {
  const before = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(before);
  return { result, cpuMs: (user + system) / 1_000 };
}
