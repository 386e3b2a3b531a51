import { Board } from "#components/pins/board.tsx";
import { Pin } from "#components/pins/pin.tsx";
import { Thread } from "#components/pins/thread.tsx";
import { WallPicture } from "#components/site/wall-picture.tsx";
import { cn } from "#components/ui/cn.ts";

type ArticleWallProps = {
  /** Names of pins in public/pins, in the order of the thread. */
  pins: readonly string[];
  /** `card` in lists, `lead` beside the newest article, `head` across the top of an article. */
  size: "card" | "lead" | "head";
};

/** Places along the thread, in the px of a field that is as wide as the wall's middle. */
const FIELDS = {
  card: { width: 360, height: 260, pinPx: 104, tops: [48, 74, 42] },
  lead: { width: 620, height: 420, pinPx: 176, tops: [66, 102, 54] },
  head: { width: 1240, height: 420, pinPx: 188, tops: [60, 92, 48, 84, 56] },
} as const;

/** An article's picture: pins of ours on one thread. It is decoration, the title says what it is about. */
export function ArticleWall({ pins, size }: ArticleWallProps) {
  const { width, height, pinPx, tops } = FIELDS[size];
  const shown = pins.slice(0, tops.length);
  const gap = width / shown.length;
  const places = shown.map((name, index) => ({ name, x: gap * (index + 0.5), y: tops[index] ?? tops[0] }));
  const ends = { from: { x: -400, y: 30 }, to: { x: width + 400, y: 24 } };
  return (
    <Board isBleeding={size === "head"} className={cn("article-wall", `article-wall-${size}`)} aria-hidden="true">
      <div className="article-wall-field" style={{ width, height }}>
        <Thread points={[ends.from, ...places, ends.to]} width={width} height={height} />
        {places.map(({ name, x, y }) => (
          <span key={name} className="hung" style={{ left: x - pinPx / 2, top: y, width: pinPx }}>
            <Pin state="published" size={size === "card" ? "sm" : "md"}>
              <WallPicture name={name} alt="" widthPx={pinPx} isEager={size !== "card"} />
            </Pin>
          </span>
        ))}
      </div>
    </Board>
  );
}
