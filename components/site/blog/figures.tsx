import { Tack } from "#components/shared/pin.tsx";

const LAYERS = [
  { where: "In the file", what: "trainedAlgorithmicMedia", words: "IPTC’s word for a picture that a model made." },
  { where: "With the pin", what: "AI_MODIFIED", words: "Sent beside title and link when the pin is created." },
  { where: "On the pin", what: "AI modified", words: "What people read when they open it." },
] as const;

/** The three places in which a pin says how it was made. */
export function DisclosureFigure() {
  return (
    <ol className="disclosure">
      {LAYERS.map(({ where, what, words }) => (
        <li key={where}>
          <span>{where}</span>
          <b>{what}</b>
          <span>{words}</span>
        </li>
      ))}
    </ol>
  );
}

const STEPS = [
  { keyword: "bread", words: "A word. Everybody's, so nobody's." },
  { keyword: "sourdough bread", words: "A subject. Good for the name of a board." },
  { keyword: "sourdough bread for beginners", words: "A person. Good for a board's section." },
  { keyword: "sourdough bread without a mixer", words: "A problem. Good for a pin." },
  { keyword: "sourdough timetable for a working day", words: "A moment. Good for a pin nobody else has made." },
] as const;

/** A keyword on its way from a word to a moment, one rung at a time. */
export function KeywordLadder() {
  return (
    <ol className="keyword-ladder">
      {STEPS.map(({ keyword, words }) => (
        <li key={keyword}>
          <b>{keyword}</b>
          <span>{words}</span>
        </li>
      ))}
    </ol>
  );
}

const SHAPES = [
  { name: "2:3", px: "1000 × 1500", words: "Pinterest’s own advice", heightShare: 1.5 },
  { name: "9:14", px: "1080 × 1680", words: "a little taller, ours", heightShare: 14 / 9 },
  { name: "1:2.1", px: "1000 × 2100", words: "may lose its foot", heightShare: 2.1, cutAt: 1.5 },
  { name: "1:1", px: "1000 × 1000", words: "two thirds of the wall", heightShare: 1 },
] as const;

/** Four outlines of one width: what is gained by height, and where a feed may cut. */
export function PinShapes() {
  return (
    <ul className="pin-shapes">
      {SHAPES.map((shape) => (
        <li key={shape.name}>
          <span className="pin-shape" style={{ aspectRatio: `1 / ${shape.heightShare}` }}>
            {"cutAt" in shape && (
              <span className="pin-shape-lost" style={{ top: `${(shape.cutAt / shape.heightShare) * 100}%` }} />
            )}
          </span>
          <b className="num">{shape.name}</b>
          <span className="num">{shape.px}</span>
          <span>{shape.words}</span>
        </li>
      ))}
    </ul>
  );
}

/** The line runs from eight in the morning to ten at night; places on it are percents. */
const FIRST_HOUR = 8;
const HOURS_SHOWN = 14;
const percentOf = (hour: number): string => `${((hour - FIRST_HOUR) / HOURS_SHOWN) * 100}%`;

const START_HOUR = 9;
const ROWS = [
  { words: "Eight pins in eight minutes", everyMinutes: 1 },
  { words: "Eight pins, ninety minutes apart", everyMinutes: 90 },
] as const;

const MARKS = [
  { hour: 9, label: "9 AM" },
  { hour: 12, label: "noon" },
  { hour: 15, label: "3 PM" },
  { hour: 18, label: "6 PM" },
  { hour: 21, label: "9 PM" },
] as const;

const PINS = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** The same eight pins twice on the thread of a day: in a heap, and spread. */
export function SpacingFigure() {
  return (
    <div className="spacing">
      {ROWS.map(({ words, everyMinutes }) => (
        <div key={words}>
          <b>{words}</b>
          <div className="spacing-line" aria-hidden="true">
            {PINS.map((place) => (
              <span key={place} style={{ left: percentOf(START_HOUR + (place * everyMinutes) / 60) }}>
                <Tack state="scheduled" />
              </span>
            ))}
          </div>
        </div>
      ))}
      <p className="spacing-hours num" aria-hidden="true">
        {MARKS.map(({ hour, label }) => (
          <span key={label} style={{ left: percentOf(hour) }}>
            {label}
          </span>
        ))}
      </p>
    </div>
  );
}
