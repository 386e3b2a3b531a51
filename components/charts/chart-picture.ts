/** Twice as sharp as the screen's own points, for papers and slides. */
const SCALE = 2;
const EDGE_PX = 24;
const HEAD_PX = 56;
const FOOT_GAP_PX = 12;

/** The legend below the chart: as high as a line, as wide as a mark, with as much between two entries. */
const LINE_PX = 22;
const MARK_PX = 22;
const GAP_PX = 18;
const TEXT_PX = 13;

/** What the page's style sheets decide about a shape; a picture must carry it with it. */
const LOOKS = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-size",
  "font-weight",
  "text-anchor",
] as const;

/** Fonts of the page are not there while a picture is drawn. */
const FONT = "Helvetica, Arial, sans-serif";
const NAMESPACE = "http://www.w3.org/2000/svg";

/** Writes the colours and lines that the page shows into a copy, shape by shape. */
const copyLooks = (from: Element, to: Element): void => {
  const looks = getComputedStyle(from);
  for (const name of LOOKS) {
    const value = looks.getPropertyValue(name);
    if (value) to.setAttribute(name, value);
  }
  to.removeAttribute("style");
  to.removeAttribute("class");
  for (const [at, child] of [...from.children].entries()) {
    const copy = to.children[at];
    if (copy) copyLooks(child, copy);
  }
};

const shape = (name: string, attributes: Record<string, string | number>, text = ""): SVGElement => {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.textContent = text;
  return element;
};

/** What a mark of the chart means: the line is the figure, the hatch are days without one. */
export interface LegendEntry {
  mark: "line" | "hatch";
  text: string;
}

type Colour = (name: string) => string;

/** As the page draws it beside the word (results.css). `x`, `y`: its left end, and the middle of its line. */
const markOf = ({ mark }: LegendEntry, { x, y }: { x: number; y: number }, colour: Colour): SVGElement[] => {
  if (mark === "line") return [shape("rect", { x, y: y - 1, width: MARK_PX, height: 2, fill: colour("--accent") })];
  const stroke = colour("--control");
  const strokes = { id: "legend-hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse" };
  const pattern = shape("pattern", { ...strokes, patternTransform: "rotate(45)" });
  pattern.append(shape("path", { d: "M0 0V6", stroke, "stroke-width": 3 }));
  const box = { x: x + 0.5, y: y - 5.5, width: MARK_PX - 1, height: 11 };
  const look = { fill: "url(#legend-hatch)", stroke, "stroke-dasharray": "3 2", opacity: 0.75 };
  return [pattern, shape("rect", { ...box, ...look })];
};

/** The legend from left to right; what does not fit beside the others begins another line. */
const legendOf = (entries: readonly LegendEntry[], top: number, widthPx: number, colour: Colour) => {
  const ruler = document.createElement("canvas").getContext("2d");
  if (ruler) ruler.font = `${TEXT_PX}px ${FONT}`;
  const shapes: SVGElement[] = [];
  let [x, y] = [EDGE_PX, top + LINE_PX / 2];
  for (const entry of entries) {
    const width = MARK_PX + 7 + (ruler?.measureText(entry.text).width ?? 0);
    if (x > EDGE_PX && x + width > widthPx - EDGE_PX) [x, y] = [EDGE_PX, y + LINE_PX];
    const words = { x: x + MARK_PX + 7, y: y + TEXT_PX / 3, "font-size": TEXT_PX, fill: colour("--ink-3") };
    shapes.push(...markOf(entry, { x, y }, colour), shape("text", words, entry.text));
    x += width + GAP_PX;
  }
  return { shapes, bottom: y + LINE_PX / 2 };
};

interface Drawing {
  text: string;
  widthPx: number;
  heightPx: number;
}

/** The chart with its title on the ground it stands on, as a drawing that needs no page. */
const standAlone = (chart: SVGSVGElement, { title, detail, legend }: PictureWords): Drawing => {
  const { width, height } = chart.getBoundingClientRect();
  const page = getComputedStyle(chart);
  const colour: Colour = (name) => page.getPropertyValue(name).trim();
  const widthPx = width + 2 * EDGE_PX;
  const { shapes, bottom } = legendOf(legend, EDGE_PX + HEAD_PX + height + FOOT_GAP_PX, widthPx, colour);
  const heightPx = bottom + EDGE_PX;
  const copy = chart.cloneNode(true) as SVGSVGElement;
  copyLooks(chart, copy);
  const place = { x: EDGE_PX, y: EDGE_PX + HEAD_PX, width, height, viewBox: `0 0 ${width} ${height}` };
  for (const [key, value] of Object.entries(place)) copy.setAttribute(key, String(value));
  const drawing = shape("svg", { width: widthPx, height: heightPx, "font-family": FONT });
  drawing.append(
    shape("rect", { width: widthPx, height: heightPx, fill: colour("--surface") }),
    shape("text", { x: EDGE_PX, y: EDGE_PX + 18, "font-size": 20, fill: colour("--ink") }, title),
    shape("text", { x: EDGE_PX, y: EDGE_PX + 40, "font-size": 13, fill: colour("--ink-3") }, detail),
    copy,
    ...shapes,
  );
  return { text: new XMLSerializer().serializeToString(drawing), widthPx, heightPx };
};

/** What stands above a chart in its picture, and what below it says how to read it. */
export interface PictureWords {
  title: string;
  detail: string;
  legend: readonly LegendEntry[];
}

/**
 * A chart as the page shows it, as a PNG with title and legend, in the colours of the theme.
 * @throws Error when this browser cannot draw it
 */
export const chartPicture = async (chart: SVGSVGElement, words: PictureWords): Promise<Blob> => {
  const { text, widthPx, heightPx } = standAlone(chart, words);
  const image = new Image(widthPx, heightPx);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(widthPx * SCALE), Math.round(heightPx * SCALE)];
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("This browser has no canvas");
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  const { promise, resolve } = Promise.withResolvers<Blob | null>();
  canvas.toBlob(resolve, "image/png");
  const blob = await promise;
  if (!blob) throw new Error("The canvas gave no picture");
  return blob;
};
