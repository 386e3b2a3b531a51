import { connection } from "next/server";
import { DayStrip, GapList, HealthNow, HowMeasured, UptimeFigures } from "#components/health/status-page.tsx";
import { PageThings } from "#components/site/structured-data.tsx";
import { cn } from "#components/ui/cn.ts";
import { readStatus } from "#lib/server/health.ts";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/status");

/** What works now, and the uptime as it was measured (R-GEN-04, A-39). */
export default async function StatusPage() {
  await connection();
  const [facts, { health, checkedAt, uptime }] = await Promise.all([productFacts(), readStatus()]);
  return (
    <>
      <PageThings product={facts} path="/status" />
      <HealthNow name={facts.name} parts={health.checks} checkedAt={checkedAt} />
      <section className={cn("site-width", "py-[clamp(28px,3.4vw,48px)]")} aria-labelledby="uptime">
        <h2 id="uptime" className="title-2">
          Measured uptime
        </h2>
        {uptime ? (
          <>
            <UptimeFigures report={uptime} />
            <DayStrip days={uptime.days} />
          </>
        ) : (
          <p className="text-ink-2">The records cannot be read just now. They are not lost.</p>
        )}
      </section>
      {uptime?.since && <GapList gaps={uptime.gaps} />}
      <HowMeasured />
    </>
  );
}
