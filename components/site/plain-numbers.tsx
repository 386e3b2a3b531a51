import Link from "next/link";
import { SUPPORT_REPLY_HOURS } from "#lib/core/support.ts";
import { UPTIME_CLAIM } from "#lib/features/health/policy.ts";

/** Three numbers that hold (R-GEN-04, A-39, A-42): none is an average of anything, and the first can be looked up. */
export function PlainNumbers() {
  return (
    <section className="site-width" aria-label="In numbers">
      <dl className="plain-numbers">
        <div>
          <dt className="num">{UPTIME_CLAIM}</dt>
          <dd>
            uptime is what we aim for. What we measured stands on the{" "}
            <Link className="link" href="/status">
              status page
            </Link>
            .
          </dd>
        </div>
        <div>
          <dt className="num">{SUPPORT_REPLY_HOURS} hours</dt>
          <dd>is the longest you wait for an answer from support on business days.</dd>
        </div>
        <div>
          <dt className="num">0 pins</dt>
          <dd>go up that you did not look at and choose yourself.</dd>
        </div>
      </dl>
    </section>
  );
}
