import { Pin } from "#components/pins/pin.tsx";
import { WallPicture } from "#components/site/wall-picture.tsx";

const ATTEMPT = [
  { at: "12:00:00", what: "Due. Claimed for publishing." },
  { at: "12:00:01", what: "Sent to the board Small gardens." },
  { at: "12:01:01", what: "No answer in 60 seconds." },
  { at: "12:01:06", what: "Looked on the board. Found it." },
] as const;

const OUTCOME = { at: "12:01:06", what: "Published, not sent again." } as const;

/** The promise that a pin goes up once, with the receipt that shows it. */
export function ReceiptBand({ name }: { name: string }) {
  return (
    <section className="receipt-band" aria-labelledby="receipt-title">
      <div className="site-width receipt-layout">
        <div>
          <h2 id="receipt-title" className="display text-d2">
            Every pin goes up once. <em>Only once.</em>
          </h2>
          <p className="mt-[26px] max-w-[46ch] text-lead leading-[1.55] text-pretty text-band-2">
            When Pinterest does not answer, {name} looks at your board before it tries again. Each pin keeps a receipt,
            so you never have to wonder.
          </p>
        </div>
        <div className="receipt">
          <div className="z-[2]">
            <Pin state="published">
              <WallPicture name="meadow" alt="" widthPx={196} />
            </Pin>
          </div>
          <div className="receipt-slip">
            <h3>A meadow in one square metre</h3>
            <dl>
              {ATTEMPT.map(({ at, what }) => (
                <div key={what} className="contents">
                  <dt>{at}</dt>
                  <dd>{what}</dd>
                </div>
              ))}
              <div className="contents">
                <dt>{OUTCOME.at}</dt>
                <dd>
                  <b>{OUTCOME.what}</b>
                </dd>
              </div>
            </dl>
          </div>
        </div>
      </div>
    </section>
  );
}
