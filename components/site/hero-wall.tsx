import { Board } from "#components/pins/board.tsx";
import { Tack } from "#components/pins/tack.tsx";
import { Thread } from "#components/pins/thread.tsx";
import { HungPin } from "#components/site/hung-pin.tsx";

const KEYWORDS = [
  "winter baking",
  "winter herbs",
  "capsule wardrobe",
  "evergreen wreaths",
  "ridge walks",
  "balcony plants",
];

const HUNG = [
  { poster: "bread", keyword: "winter baking", at: "9:00 AM", x: 318, y: 78, width: 226 },
  { poster: "herbs", keyword: "winter herbs", at: "10:00 AM", x: 574, y: 176, width: 208 },
  { poster: "wardrobe", keyword: "capsule wardrobe", at: "11:00 AM", x: 812, y: 64, width: 236 },
  { poster: "wreath", keyword: "evergreen wreaths", at: "12:00 PM", x: 1080, y: 158, width: 212 },
  { poster: "ridge", keyword: "ridge walks", at: "1:00 PM", x: 1324, y: 60, width: 226 },
  { poster: "balcony", keyword: "balcony plants", at: "2:00 PM", x: 1584, y: 170, width: 212 },
] as const;

/** Pins on screens wider than the frame; they carry no keyword of the list. */
const BEYOND = { poster: "swim", x: 1830, y: 90, width: 212 } as const;

const LIST_TACK = { x: 172, y: 112 };

/** The list of keywords, and the wall it became, on one thread in the order of publishing. */
export function HeroWall() {
  const tacks = [LIST_TACK, ...[...HUNG, BEYOND].map(({ x, y, width }) => ({ x: x + width / 2, y }))];
  return (
    <Board isBleeding className="wall">
      <div className="wall-field">
        <Thread points={tacks} width={2000} height={660} />
        <div className="hung keyword-list">
          <Tack state="slip" />
          <ol>
            {KEYWORDS.map((keyword) => (
              <li key={keyword}>{keyword}</li>
            ))}
          </ol>
        </div>
        {HUNG.map(({ poster, keyword, at, ...place }, index) => (
          <HungPin
            key={poster}
            poster={poster}
            {...place}
            isEager={index < 5}
            caption={
              <>
                <b>{keyword}</b>
                <span className="num">{at}</span>
              </>
            }
          />
        ))}
        <HungPin {...BEYOND} />
      </div>
    </Board>
  );
}
