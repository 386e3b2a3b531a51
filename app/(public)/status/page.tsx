import { connection } from "next/server";
import { CurrentStatus, DayStrip, HowMeasured, OutageList, UptimeStats } from "#components/health/status-page.tsx";
import { PageJsonLd } from "#components/site/structured-data.tsx";
import { cn } from "#components/ui/cn.ts";
import { readStatus } from "#lib/server/health.ts";
import { productFacts } from "../../facts.ts";
import { pageMetadata } from "../../metadata.ts";

export const generateMetadata = () => pageMetadata("/status");

/** The current status and the measured uptime. */
export default async function StatusPage() {
  await connection();
  const [facts, { health, checkedAt, uptime }] = await Promise.all([productFacts(), readStatus()]);
  return (
    <>
      <PageJsonLd product={facts} path="/status" />
      <CurrentStatus name={facts.name} parts={health.checks} checkedAt={checkedAt} />
      <section className={cn("site-width", "py-[clamp(28px,3.4vw,48px)]")} aria-labelledby="uptime">
        <h2 id="uptime" className="title-2">
          Measured uptime
        </h2>
        {uptime ? (
          <>
            <UptimeStats report={uptime} />
            <DayStrip days={uptime.days} />
          </>
        ) : (
          <p className="text-ink-2">We can’t load the records right now. They’re safe.</p>
        )}
      </section>
      {uptime?.since && <OutageList outages={uptime.outages} />}
      <HowMeasured />
    </>
  );
}
