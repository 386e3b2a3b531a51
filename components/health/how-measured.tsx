/** What the figures mean, so that nobody has to trust them. */
export function HowMeasured() {
  return (
    <section className="site-width status-section" aria-labelledby="measured">
      <h2 id="measured" className="title-2">
        How this is measured
      </h2>
      <div className="mt-3 grid max-w-[62ch] gap-4 text-pretty text-ink-2">
        <p>
          Every minute the part of the service that publishes pins starts a small job, which writes that minute into the
          database. A record proves that the website, the database and the publishing worked together at that time.
        </p>
        <p>
          A minute without a record counts as down, whatever the reason: a fault, an update, a planned stop. Uptime is
          recorded minutes divided by the minutes that have passed, rounded down.
        </p>
        <p>It says nothing about Pinterest itself. When Pinterest does not answer, pins wait and are sent later.</p>
      </div>
    </section>
  );
}
