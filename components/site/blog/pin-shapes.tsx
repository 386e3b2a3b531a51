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
