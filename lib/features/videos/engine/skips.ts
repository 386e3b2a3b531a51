import type { Skipped, SkipReason } from "./types.ts";

/** Counts what was left out, by reason (R-VID-24). */
export class Skips {
  private readonly byReason = new Map<SkipReason, Skipped>();

  add(reason: SkipReason, offset: number): void {
    const known = this.byReason.get(reason);
    if (known) known.count += 1;
    else this.byReason.set(reason, { reason, count: 1, offset });
  }

  list(): Skipped[] {
    return [...this.byReason.values()];
  }
}
